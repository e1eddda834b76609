// An API server that has just begun to serve our definitions: what the first requests of each kind meet delays the start and stops nothing.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiRequest, ApiResponse } from "@purser/kubernetes/kube/transport";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

const clock = new VirtualClock(Date.now());
let world: World;
let pump: NodeJS.Timeout;
before(async () => {
  world = await World.open({ clock });
  pump = setInterval(() => clock.advance(1_000), 10);
});
after(async () => {
  clearInterval(pump);
  await world?.stop();
});
beforeEach(() => {
  world.intercept = undefined;
});

type Fault = (request: ApiRequest) => ApiResponse | undefined;

function refusal(code: number, reason: string, message: string): ApiResponse {
  const value = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details: {} };
  return { status: code, headers: { "content-type": "application/json" }, body: { kind: "object", value } };
}

const isWatch = ({ query }: ApiRequest): boolean => query?.get("watch") === "true";
/** `/apis/GROUP/VERSION`: the resources of a group version. */
const isDiscovery = ({ path }: ApiRequest): boolean => /^\/apis\/[^/]+\/[^/]+$/.test(path);
/** Of objects, not of one that is named: an InstallPlan gives up a step that fails for a minute, which the fast clock makes short. */
const isList = (request: ApiRequest): boolean =>
  !isWatch(request) && /^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/.test(request.path);
const isOfStart = (request: ApiRequest): boolean => isWatch(request) || isDiscovery(request) || isList(request);

/** A stream of events that ends with this error, or just ends, after some of the engine's time. */
function watchThat(lasts: number, end?: () => Error): ApiResponse {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    await clock.sleep(lasts, new AbortController().signal);
    if (end !== undefined) throw end();
    yield new Uint8Array();
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: { kind: "stream", chunks: chunks() } };
}

async function* text(value: JsonObject): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(value)}\n`);
}

const initializing = (): ApiResponse => refusal(429, "TooManyRequests", "storage is (re)initializing");
const expired = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  code: 410,
  reason: "Expired",
  message: "too old",
};

/** What the first requests of each path meet, and how many of them. */
const faults: readonly (readonly [name: string, times: number, fault: Fault])[] = [
  ["lists are refused while storage is initialized", 3, (request) => (isList(request) ? initializing() : undefined)],
  ["lists and watches are refused while storage is initialized", 2, initializing],
  ["watches are refused after a list was answered", 3, (request) => (isWatch(request) ? initializing() : undefined)],
  ["watches end at once", 3, (request) => (isWatch(request) ? watchThat(0) : undefined)],
  [
    "watches are accepted and bring nothing until the transport ends them",
    2,
    (request) => (isWatch(request) ? watchThat(150_000, () => new Error("no byte came for 150000 ms")) : undefined),
  ],
  [
    "the version of each list has expired when its watch begins",
    2,
    (request) => {
      if (!isWatch(request)) return undefined;
      const chunks = text({ type: "ERROR", object: expired });
      return { status: 200, headers: { "content-type": "application/json" }, body: { kind: "stream", chunks } };
    },
  ],
  [
    "every path is unknown at first",
    2,
    () => refusal(404, "NotFound", "the server could not find the requested resource"),
  ],
  ["the server is not ready", 3, () => refusal(503, "ServiceUnavailable", "apiserver not ready")],
  [
    "discovery lists no kinds of a group at first",
    1,
    ({ path, ...request }) => {
      if (!isDiscovery({ path, ...request })) return undefined;
      const value = { kind: "APIResourceList", apiVersion: "v1", groupVersion: path.slice(6), resources: [] };
      return { status: 200, headers: { "content-type": "application/json" }, body: { kind: "object", value } };
    },
  ],
  [
    "connections are lost",
    3,
    () => {
      throw new Error("read ECONNRESET");
    },
  ],
];

for (const [index, [name, times, fault]] of faults.entries())
  test(`an operator that is subscribed to during the start is installed when ${name}`, async () => {
    const namespace = `start-${index}`;
    const met = new Map<string, number>();
    const faulty = (request: ApiRequest): ApiResponse | undefined => {
      if (request.method !== "GET" || !isOfStart(request)) return undefined;
      const about = `${request.path} ${request.query?.get("labelSelector") ?? ""} ${isWatch(request)}`;
      const before = met.get(about) ?? 0;
      if (before >= times) return undefined;
      met.set(about, before + 1);
      return fault(request);
    };
    await world.namespace(namespace);
    const started = world.restartEngine(() => {
      world.intercept = faulty;
    });
    await world.group(namespace, "group", { targetNamespaces: [namespace] });
    await world.subscribe(namespace, "logbook-db");
    await started;
    const key = { namespace, name: "logbook-db.v1.2.0" };
    await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
    assert.ok(met.size > 20, `${met.size} kinds of requests met the fault`);
  });
