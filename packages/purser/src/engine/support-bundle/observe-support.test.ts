import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { done } from "@purser/kubernetes/result";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { ApiRefusedError, refusalOf } from "@purser/kubernetes/kube/refusal";
import type { ApiBody, ApiRequest } from "@purser/kubernetes/kube/transport";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import { ownLabels } from "../../deploy/labels.ts";
import type { DoctorOptions } from "../doctor/observe-doctor.ts";
import { observeSupport } from "./observe-support.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "purser system", name: "purser", labels: ownLabels },
  spec: { containers: [{ name: "first" }, { name: "second" }] },
} as unknown as KubeObject;
const eventAt = (minutes: number): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "ns", name: `e${minutes}` },
    lastTimestamp: new Date(now - minutes * 60_000).toISOString(),
  }) as unknown as KubeObject;
const subscription = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { namespace: "ns", name: "sub" },
  spec: { name: "op" },
} as unknown as KubeObject;

interface Answer {
  readonly status: number;
  readonly body?: ApiBody;
}

class Cluster extends RecordingCluster {
  readonly pages: string[] = [];
  readonly requestsOfLogs: string[] = [];
  readonly #refused: ReadonlyMap<string, number>;
  readonly #log: () => Answer;

  constructor(held: readonly KubeObject[], refused: ReadonlyMap<string, number>, log: () => Answer) {
    super(held);
    this.#refused = refused;
    this.#log = log;
  }

  async page(type: ResourceType, selector: Readonly<Record<string, string>>, { limit }: { readonly limit: number }) {
    this.pages.push([type.plural, limit, ...Object.entries(selector).map((one) => one.join("="))].join(" "));
    const code = this.#refused.get(type.plural);
    if (code !== undefined)
      throw new ApiRefusedError(
        refusalOf({ code, reason: code === 404 ? "NotFound" : "Forbidden", message: "refused" }),
      );
    const items = await this.list(type, selector);
    return { items, ...(type.kind === "Subscription" ? { continueToken: "more" } : {}) };
  }

  /** Access reviews. */
  override write(write: ObjectWrite): ReturnType<RecordingCluster["write"]> {
    assert.equal(write.verb, "create");
    const object = { ...write.object, status: { allowed: true } } as unknown as KubeObject;
    return Promise.resolve(done({ object, warnings: [] }));
  }

  version = () => Promise.resolve({ gitVersion: "v1.36.0" });

  transport = ({ path, query }: ApiRequest): Promise<object> => {
    if (path === "/version") return Promise.resolve({ status: 200, headers: {} });
    this.requestsOfLogs.push(`${path}?${query?.toString()}`);
    return Promise.resolve({ headers: {}, ...this.#log() });
  };
}

const textOf = (text: string): ApiBody => ({ kind: "bytes", bytes: new TextEncoder().encode(text) });

async function observed({
  namespace,
  sinceMs,
  refused = [],
  log = () => ({ status: 200, body: textOf("a line\n") }),
}: {
  readonly namespace?: string;
  readonly sinceMs?: number;
  readonly refused?: readonly (readonly [string, number])[];
  readonly log?: () => Answer;
}) {
  const cluster = new Cluster([pod, subscription, eventAt(1), eventAt(5), eventAt(6)], new Map(refused), log);
  const options = { client: cluster, transport: cluster.transport, clock: new VirtualClock(now), version: "0.1.0" };
  const part = { namespace, sinceMs };
  const world = await observeSupport(options as unknown as DoctorOptions, part, new AbortController().signal);
  const kinds = Object.fromEntries(
    world.kinds.map(({ resource, objects, isCut }) => [
      resource,
      `${objects.map(({ metadata }) => metadata.name).join()}${isCut ? " and more" : ""}`,
    ]),
  );
  return { cluster, world, kinds };
}

test("a support bundle has at most 500 of each kind, those of Purser by label, and the versions", async () => {
  const { cluster, world, kinds } = await observed({});
  const own = Object.entries(ownLabels)
    .map((label) => label.join("="))
    .join(",");
  assert.deepEqual(world.versions, { client: "0.1.0", cluster: "v1.36.0" });
  assert.ok(world.checks.length > 0);
  assert.equal(kinds["subscriptions.operators.coreos.com"], "sub and more");
  assert.deepEqual(
    [kinds["events"], kinds["pods"], kinds["clusterextensions.olm.operatorframework.io"]],
    ["e1,e5,e6", "purser", ""],
  );
  assert.deepEqual(cluster.pages.slice(-3), [
    "events 500",
    `deployments 500 labelSelector=${own}`,
    "leases 500 fieldSelector=metadata.name=purser",
  ]);
  assert.equal(world.kinds.length, 17);
});

test("of one namespace only its objects are read, and all that have none", async () => {
  const { cluster, kinds } = await observed({ namespace: "other" });
  assert.deepEqual([kinds["subscriptions.operators.coreos.com"], kinds["events"]], [" and more", ""]);
  assert.ok(cluster.pages.includes("subscriptions 500 namespace=other"));
  assert.ok(cluster.pages.includes("clusterextensions 500"));
});

test("since a time there are the events from then on, and at least the last second of logs", async () => {
  const { cluster, kinds } = await observed({ sinceMs: 5 * 60_000 });
  assert.equal(kinds["events"], "e1,e5");
  assert.match(cluster.requestsOfLogs[0] ?? "", /&sinceSeconds=300$/);
  const { cluster: shortly } = await observed({ sinceMs: 1 });
  assert.match(shortly.requestsOfLogs[0] ?? "", /&sinceSeconds=1$/);
});

test("a kind that is not served has no objects, and any other refusal ends it", async () => {
  const { kinds } = await observed({ refused: [["subscriptions", 404]] });
  assert.equal(kinds["subscriptions.operators.coreos.com"], "");
  await assert.rejects(observed({ refused: [["subscriptions", 403]] }), /refused/);
});

test("the last lines of every container are read, whatever the names hold", async () => {
  const { cluster, world } = await observed({});
  const path = "/api/v1/namespaces/purser%20system/pods/purser/log";
  assert.deepEqual(
    cluster.requestsOfLogs,
    ["first", "second"].map((name) => `${path}?container=${name}&tailLines=5000&limitBytes=1048576`),
  );
  assert.deepEqual(
    world.logs,
    ["first", "second"].map((container) => ({
      namespace: "purser system",
      pod: "purser",
      container,
      text: "a line\n",
    })),
  );
});

async function* chunks() {
  yield new TextEncoder().encode("é").slice(0, 1);
  yield new TextEncoder().encode("é").slice(1);
}
for (const [what, log, text] of [
  [
    "a stream whose characters are cut",
    {
      status: 200,
      body: {
        kind: "stream",
        get chunks() {
          return chunks();
        },
      },
    },
    "é",
  ],
  ["texts", { status: 200, body: { kind: "texts", texts: ["a", "b"] } }, "ab"],
  ["an object", { status: 200, body: { kind: "object", value: { a: 1 } } }, '{"a":1}'],
  ["nothing", { status: 200 }, ""],
  ["a refusal", { status: 403, body: textOf("forbidden") }, "the API server returned no log: 403 forbidden\n"],
] as const)
  test(`a log of ${what} is shown`, async () => {
    const { world } = await observed({ log: () => log as unknown as Answer });
    assert.equal(world.logs[0]?.text, text);
  });
