import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiRequest, ApiResponse } from "@purser/kubernetes/kube/transport";
import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());
beforeEach(() => {
  world.intercept = undefined;
});

function refusal(code: number, reason: string, message: string, details: JsonObject = {}): ApiResponse {
  const value = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details };
  return { status: code, headers: { "content-type": "application/json" }, body: { kind: "object", value } };
}

async function* textChunks(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}

const isWrite = ({ method, query }: ApiRequest): boolean => method !== "GET" && query?.get("dryRun") !== "All";
const csv = "logbook-db.v1.2.0";

/** Both families install while the fault is there or after it has ended, without help. */
async function installs(namespace: string): Promise<void> {
  await world.reaches(
    clusterServiceVersions,
    { namespace, name: csv },
    "Succeeded",
    ({ status }) => status?.phase === "Succeeded",
  );
  await world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "installed",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "True") === true,
  );
}

async function begin(namespace: string): Promise<void> {
  await world.tenant(namespace);
  await world.subscribe(namespace, "logbook-db", { startingCSV: csv });
  await world.extend("ballast-cache");
}

async function end(namespace: string): Promise<void> {
  world.intercept = undefined;
  await world.remove(subscriptions, { namespace, name: "logbook-db" });
  await world.remove(clusterServiceVersions, { namespace, name: csv });
  // Owned by the Subscription, so that the garbage collector may be faster.
  await world.until("the InstallPlans gone", async () => {
    const plans = await world.client.list(installPlans, { namespace });
    return plans.length === 0;
  });
  await world.remove(clusterExtensions, { name: "ballast-cache" });
  await world.vanishes(clusterExtensions, { name: "ballast-cache" });
}

/** Faults of the first attempts; then the API server is well again. */
const faults: readonly (readonly [
  name: string,
  attempts: number,
  fault: (request: ApiRequest) => ApiResponse | undefined,
])[] = [
  [
    "a server that throttles by priority (429 with Retry-After)",
    40,
    () => refusal(429, "TooManyRequests", "too many requests, please try again later", { retryAfterSeconds: 1 }),
  ],
  [
    "a server that throttles in plain text with a header, as priority and fairness does",
    60,
    () => ({
      status: 429,
      headers: { "content-type": "text/plain; charset=utf-8", "retry-after": "1" },
      body: { kind: "stream", chunks: textChunks("Too many requests, please try again later.") },
    }),
  ],
  [
    "an etcd that is read-only because it lost its quorum",
    25,
    (request) =>
      isWrite(request)
        ? refusal(503, "ServiceUnavailable", "etcdserver: no leader", { retryAfterSeconds: 1 })
        : undefined,
  ],
  [
    "an etcd without space that takes no writes",
    25,
    (request) => (isWrite(request) ? refusal(500, "", "etcdserver: mvcc: database space exceeded") : undefined),
  ],
  ["an expired token", 40, () => refusal(401, "Unauthorized", "Unauthorized")],
  ["a server that is being started again (503)", 40, () => refusal(503, "", "apiserver is shutting down")],
  [
    "a partition",
    40,
    () => {
      throw new Error("connect ECONNREFUSED 10.0.0.1:443");
    },
  ],
  [
    "a foreign webhook that never answers",
    15,
    (request) =>
      isWrite(request) && request.method === "POST"
        ? refusal(
            500,
            "InternalError",
            'Internal error occurred: failed calling webhook "policy.example.org": context deadline exceeded',
          )
        : undefined,
  ],
];

for (const [index, [name, attempts, fault]] of faults.entries())
  test(`both families install by themselves after ${name}`, async () => {
    const namespace = `fault-${index}`;
    let left = attempts;
    world.intercept = (request) => {
      if (left <= 0) return undefined;
      try {
        const answer = fault(request);
        if (answer !== undefined) left--;
        return answer;
      } catch (error) {
        left--;
        throw error;
      }
    };
    await begin(namespace);
    await installs(namespace);
    assert.equal(left, 0, "the fault was met as often as it was planned");
    await end(namespace);
  });

test("a burst of 10 MB of changes while an operator is installed holds nothing up and loses nothing", async () => {
  const namespace = "burst";
  await world.namespace("crowd");
  const fill = "x".repeat(100_000);
  await begin(namespace);
  const crowd = Array.from({ length: 50 }, (_, count) => `burst-${count}`);
  await Promise.all(
    crowd.map(async (name) => {
      await world.subscribe("crowd", name, { name: "logbook-db" });
      await world.merge(subscriptions, { namespace: "crowd", name: name }, { metadata: { annotations: { fill } } });
      await world.merge(
        subscriptions,
        { namespace: "crowd", name: name },
        { metadata: { annotations: { round: "2" } } },
      );
    }),
  );
  await installs(namespace);
  // A pass that met a user's write is repeated.
  const seen = await world.until("a status on each Subscription of the crowd", async () => {
    const held = await world.engine.cache.list(subscriptions, { namespace: "crowd" });
    return held.every(({ status }) => status?.conditions !== undefined) ? held : undefined;
  });
  assert.equal(seen.length, crowd.length);
  for (const { metadata } of seen) assert.deepEqual(metadata.annotations, { fill, round: "2" });
  for (const { metadata } of seen) await world.remove(subscriptions, { namespace: "crowd", name: metadata.name ?? "" });
  await end(namespace);
});

test("a foreign webhook that refuses is named where a user looks, and the installation goes on without it", async () => {
  const namespace = "refused";
  const words = 'admission webhook "policy.example.org" denied the request: images must be signed';
  world.intercept = ({ method, path }) =>
    method === "POST" && path.endsWith("/deployments") ? refusal(403, "Forbidden", words) : undefined;
  await begin(namespace);
  const shows = (object: unknown): boolean =>
    JSON.stringify(object ?? {})
      .replaceAll("\\", "")
      .includes(words);
  await world.until("the webhook's words on the ClusterServiceVersion", async () =>
    shows(await world.client.get(clusterServiceVersions, { namespace, name: csv })),
  );
  await world.until("the webhook's words on the ClusterExtension", async () =>
    shows(await world.client.get(clusterExtensions, { name: "ballast-cache" })),
  );
  world.intercept = undefined;
  await world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "installed",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "True") === true,
  );
});
