import { test } from "node:test";
import assert from "node:assert/strict";
import type { JsonValue } from "../json.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { configMaps, serviceAccounts } from "../apis/resources.ts";
import { createClient, type KubeClient } from "./client.ts";
import { createDiscovery } from "./discovery.ts";
import { tokenIdentities, TokenUnavailableError, userIdentities } from "./access/identities.ts";
import { MemoryApi } from "./testing/memory-api.ts";
import type { Transport } from "./transport.ts";

const { signal } = new AbortController();

function serving(pages: Record<string, JsonValue>): { readonly client: KubeClient; readonly asked: string[] } {
  const asked: string[] = [];
  const transport: Transport = async ({ path }) => {
    asked.push(path);
    const value = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (value === undefined) return { status: 404, headers: {}, body: { kind: "object", value: { code: 404 } } };
    if (value === "broken") return { status: 503, headers: {} };
    return { status: 200, headers: {}, body: { kind: "object", value } };
  };
  return { client: createClient(transport), asked };
}
const apps = {
  kind: "APIResourceList",
  groupVersion: "apps/v1",
  resources: [
    { name: "deployments", kind: "Deployment", namespaced: true },
    { name: "deployments/scale", kind: "Scale", namespaced: true },
  ],
};
const deployment = { group: "apps", version: "v1", kind: "Deployment" };

test("a type is requested once and then cached", async () => {
  const { client, asked } = serving({ "/apis/apps/v1": apps });
  const discovery = createDiscovery(client);
  const [first, second] = await Promise.all([discovery.typeOf(deployment), discovery.typeOf(deployment)]);
  assert.deepEqual(first, { ...deployment, plural: "deployments", namespaced: true });
  assert.equal(second, first);
  await discovery.typeOf(deployment);
  assert.deepEqual(asked, ["/apis/apps/v1"]);
});

test("a missing kind is found once it is served", async () => {
  const pages: Record<string, JsonValue> = {};
  const { client } = serving(pages);
  const discovery = createDiscovery(client);
  assert.equal(await discovery.typeOf(deployment), undefined);
  assert.equal(await discovery.serves("apps/v1"), false);
  pages["/apis/apps/v1"] = apps;
  assert.ok(await discovery.typeOf(deployment));
  assert.equal(await discovery.serves("apps/v1"), true);
});

test("who asks again and again has a miss repeated until a minute is over or the group changes", async () => {
  const pages: Record<string, JsonValue> = {};
  const { client, asked } = serving(pages);
  const clock = new VirtualClock();
  const discovery = createDiscovery(client, clock);
  const steps: readonly (readonly [words: string, change: () => void, requests: number, isServed: boolean])[] = [
    ["the first time", () => {}, 1, false],
    ["at once", () => {}, 0, false],
    ["a moment before the minute is over", () => clock.advance(59_999), 0, false],
    ["after a minute", () => clock.advance(1), 1, false],
    ["after a change of another group", () => discovery.invalidate("batch"), 0, false],
    ["after a change of the group", () => discovery.invalidate("apps"), 1, false],
    ["while the change is fresh", () => clock.advance(9_999), 1, false],
    ["when it has settled", () => clock.advance(1), 1, false],
    ["and once more", () => {}, 0, false],
    ["after any group may have changed", () => discovery.invalidate(), 1, false],
    [
      "when the group is served, and changes",
      () => {
        pages["/apis/apps/v1"] = apps;
        discovery.invalidate("apps");
      },
      1,
      true,
    ],
  ];
  for (const [words, change, requests, isServed] of steps) {
    change();
    const before = asked.length;
    assert.equal((await discovery.typeOfLately(deployment)) !== undefined, isServed, words);
    assert.equal(asked.length - before, requests, words);
  }
});

test("a subresource's kind is not a type", async () => {
  const { client } = serving({ "/apis/apps/v1": apps });
  assert.equal(await createDiscovery(client).typeOf({ ...deployment, kind: "Scale" }), undefined);
});

test("the preferred version comes first, others where it lacks the kind", async () => {
  const versions = [
    { version: "v1beta1", groupVersion: "x.io/v1beta1" },
    { version: "v1", groupVersion: "x.io/v1" },
  ];
  const { client } = serving({
    "/apis/x.io": { kind: "APIGroup", versions, preferredVersion: versions[1] ?? null },
    "/apis/x.io/v1": { resources: [{ name: "as", kind: "A", namespaced: false }] },
    "/apis/x.io/v1beta1": {
      resources: [
        { name: "as", kind: "A", namespaced: false },
        { name: "bs", kind: "B", namespaced: true },
      ],
    },
  });
  const discovery = createDiscovery(client);
  assert.equal((await discovery.preferred({ group: "x.io", kind: "A" }))?.version, "v1");
  assert.equal((await discovery.preferred({ group: "x.io", kind: "B" }))?.version, "v1beta1");
  assert.equal(await discovery.preferred({ group: "y.io", kind: "B" }), undefined);
});

test("an aggregated group that is down counts as not served, hides no other group, and is requested again", async () => {
  const pages: Record<string, JsonValue> = {
    "/api/v1": { resources: [{ name: "pods", kind: "Pod", namespaced: true }] },
    "/apis": {
      groups: [
        { versions: [{ groupVersion: "metrics.k8s.io/v1" }], preferredVersion: { groupVersion: "metrics.k8s.io/v1" } },
        { versions: [{ groupVersion: "apps/v1" }], preferredVersion: { groupVersion: "apps/v1" } },
      ],
    },
    "/apis/apps/v1": apps,
    "/apis/metrics.k8s.io/v1": "broken",
  };
  const { client } = serving(pages);
  const discovery = createDiscovery(client);
  assert.deepEqual(
    (await discovery.all()).map(({ kind }) => kind),
    ["Pod", "Deployment"],
  );
  const metrics = { group: "metrics.k8s.io", version: "v1", kind: "NodeMetrics" };
  assert.equal(await discovery.typeOf(metrics), undefined);
  assert.equal(await discovery.serves("metrics.k8s.io/v1"), false);
  assert.deepEqual(await discovery.lookUp(metrics), { kind: "unavailable", why: "the server answered 503" });
  assert.deepEqual(await discovery.lookUp({ ...metrics, group: "nowhere.io" }), { kind: "absent" });
  pages["/apis/metrics.k8s.io/v1"] = { resources: [{ name: "nodes", kind: "NodeMetrics", namespaced: false }] };
  assert.ok(await discovery.typeOf(metrics));
});

test("a version that is down does not hide the kind in another version of its group", async () => {
  const versions = [{ version: "v2" }, { version: "v1" }];
  const { client } = serving({
    "/apis/x.io": { kind: "APIGroup", versions, preferredVersion: versions[0] ?? null },
    "/apis/x.io/v2": "broken",
    "/apis/x.io/v1": { resources: [{ name: "as", kind: "A", namespaced: false }] },
  });
  assert.equal((await createDiscovery(client).preferred({ group: "x.io", kind: "A" }))?.version, "v1");
});

test("a server that accepts a request and never responds counts as not served after ten seconds", async () => {
  const clock = new VirtualClock();
  const silent: Transport = (_request, aborting) =>
    new Promise((_answer, refuse) => aborting.addEventListener("abort", () => refuse(new Error("aborted"))));
  const asked = createDiscovery(createClient(silent), clock).lookUp(deployment);
  while (clock.nextDue() === undefined) await Promise.resolve();
  clock.advance(9_999);
  assert.notEqual(clock.nextDue(), undefined);
  clock.advance(1);
  assert.deepEqual(await asked, { kind: "unavailable", why: "no answer within 10 seconds" });
});

test("an overloaded or unreachable API server is an error, not an absent API", async () => {
  const busy = createDiscovery(createClient(async () => ({ status: 429, headers: {} })));
  await assert.rejects(busy.typeOf(deployment), { name: "ApiRefusedError" });
  const away = createDiscovery(
    createClient(() => {
      throw new Error("connect ECONNREFUSED");
    }),
  );
  await assert.rejects(away.typeOf(deployment), /ECONNREFUSED/);
});

test("each question is asked again only where the answer may have become another one", async () => {
  const version = { version: "v1", groupVersion: "x.io/v1" };
  const pages: Record<string, JsonValue> = {
    "/apis/x.io": { versions: [version, 1, {}], preferredVersion: version },
    "/apis/x.io/v1": { resources: [{ name: "as", kind: "A", namespaced: 1 }, { kind: "N" }, { name: "ns" }, null] },
    "/apis/apps/v1": apps,
  };
  const { client, asked } = serving(pages);
  const discovery = createDiscovery(client);
  const a = { group: "x.io", kind: "A" };
  const steps: readonly (readonly [words: string, ask: () => Promise<unknown>, answer: unknown, requests: string])[] = [
    [
      "preferred",
      () => discovery.preferred(a),
      { ...a, version: "v1", plural: "as", namespaced: false },
      "/apis/x.io /apis/x.io/v1",
    ],
    ["known", () => discovery.preferred(a), { ...a, version: "v1", plural: "as", namespaced: false }, ""],
    ["served", () => discovery.serves("x.io/v1"), true, ""],
    ["a name alone", () => discovery.lookUp({ ...a, version: "v1", kind: "" }), { kind: "absent" }, "/apis/x.io/v1"],
    [
      "a kind that the known group lacks",
      () => discovery.preferred({ ...a, kind: "B" }),
      undefined,
      "/apis/x.io /apis/x.io/v1",
    ],
    ["another group", () => discovery.serves("apps/v1"), true, "/apis/apps/v1"],
    [
      "a group that changed",
      () => {
        discovery.invalidate("x.io");
        return Promise.all([discovery.serves("x.io/v1"), discovery.serves("apps/v1"), discovery.preferred(a)]);
      },
      [true, true, { ...a, version: "v1", plural: "as", namespaced: false }],
      "/apis/x.io/v1 /apis/x.io",
    ],
    [
      "all of them",
      () => {
        discovery.invalidate();
        return Promise.all([discovery.serves("x.io/v1"), discovery.serves("apps/v1"), discovery.serves("v1")]);
      },
      [true, true, false],
      "/apis/x.io/v1 /apis/apps/v1 /api/v1",
    ],
    ["one that is not served", () => discovery.serves("v1"), false, "/api/v1"],
    ["no list of groups", () => discovery.all(), [], "/apis /api/v1"],
    [
      "the core group in its one version",
      () => {
        pages["/api/v1"] = { resources: [{ name: "pods", kind: "Pod", namespaced: true }] };
        return discovery.preferred({ group: "", kind: "Pod" });
      },
      { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true },
      "/api/v1",
    ],
    [
      "groups of which one holds nothing",
      () => {
        pages["/apis"] = { groups: [{ versions: [{ groupVersion: "apps/v1" }, { groupVersion: "gone/v1" }] }, {}] };
        return discovery.all();
      },
      [
        { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true },
        { ...deployment, plural: "deployments", namespaced: true },
      ],
      "/apis /apis/gone/v1",
    ],
  ];
  for (const [words, ask, answer, requests] of steps) {
    const before = asked.length;
    assert.deepEqual(await ask(), answer, words);
    assert.equal(asked.slice(before).join(" "), requests, words);
  }
});

test("an aborted lookup sends no request, and an answer that is not an object counts as absent", async () => {
  const { client, asked } = serving({ "/apis/apps/v1": [] });
  const discovery = createDiscovery(client);
  await assert.rejects(discovery.lookUp(deployment, AbortSignal.abort(new Error("given up"))), /given up/);
  await assert.rejects(discovery.typeOf(deployment, AbortSignal.abort(new Error("given up"))), /given up/);
  await assert.rejects(discovery.typeOfLately(deployment, AbortSignal.abort(new Error("given up"))), /given up/);
  assert.deepEqual(asked, []);
  assert.deepEqual(await discovery.lookUp(deployment), { kind: "absent" });
  assert.equal(await discovery.serves("apps/v1"), false);
  assert.equal(await discovery.typeOfLately(deployment), undefined);
  assert.deepEqual(new Set(asked), new Set(["/apis/apps/v1"]));
  const overloaded = createDiscovery(createClient(async () => ({ status: 429, headers: {} })));
  await assert.rejects(overloaded.preferred({ group: "x.io", kind: "A" }), { name: "ApiRefusedError" });
});

const account = { namespace: "demo", name: "installer" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "demo", name: "a" } };

test("a service account's token is requested once and renewed before it expires", async () => {
  const clock = new VirtualClock();
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/serviceaccounts"]);
  const used: string[] = [];
  const identities = tokenIdentities({
    client: createClient(api.transport),
    clock,
    withToken: (token) => async (request, aborting) => {
      used.push(await token());
      return api.transport(request, aborting);
    },
  });
  const write = (): Promise<unknown> =>
    identities.serviceAccount(account).write({ verb: "create", type: configMaps, object }, signal);
  await Promise.all([write(), write()]);
  await write();
  assert.equal(new Set(used).size, 1);
  clock.advance(49 * 60_000);
  await write();
  assert.equal(new Set(used).size, 2);
  assert.equal(api.requests.filter((request) => request.endsWith("/token")).length, 2);
});

test("a token that the server rejects is replaced once", async () => {
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/serviceaccounts"]);
  let refusals = 0;
  const identities = tokenIdentities({
    client: createClient(api.transport),
    clock: new VirtualClock(),
    withToken: (token) => async (request, aborting) => {
      await token();
      if (refusals++ === 0) return { status: 401, headers: {}, body: { kind: "object", value: null } };
      return api.transport(request, aborting);
    },
  });
  const result = await identities.serviceAccount(account).write({ verb: "create", type: configMaps, object }, signal);
  assert.ok(result.ok);
  assert.equal(api.requests.filter((request) => request.endsWith("/token")).length, 2);
});

test("a deleted service account is an error with OLM's text", async () => {
  const api = new MemoryApi(["/api/v1/configmaps"]);
  api.refuse = ({ path }) =>
    path.endsWith("/token")
      ? { code: 404, reason: "NotFound", message: 'serviceaccounts "installer" not found' }
      : undefined;
  const client = createClient(api.transport);
  const expected = {
    name: "TokenUnavailableError",
    message:
      'creating service account token from TokenRequest API for sa=demo/installer; serviceaccounts "installer" not found',
  };
  const byToken = tokenIdentities({
    client,
    clock: new VirtualClock(),
    withToken: (token) => async (request, aborting) => {
      await token();
      return api.transport(request, aborting);
    },
  });
  const write = { verb: "create", type: configMaps, object } as const;
  await assert.rejects(byToken.serviceAccount(account).write(write, signal), expected);
  const byName = userIdentities({ client, asUser: () => api.transport });
  await assert.rejects(byName.serviceAccount(account).write(write, signal), expected);
  await assert.rejects(byName.serviceAccount(account).write(write, signal), TokenUnavailableError);
});

test("in process a write is made as the service account that exists, with its uid and its groups", async () => {
  const api = new MemoryApi(["/api/v1/configmaps", "/api/v1/serviceaccounts"]);
  const client = createClient(api.transport);
  const made = await client.write(
    {
      verb: "create",
      type: serviceAccounts,
      object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "demo", name: "installer" } },
    },
    signal,
  );
  assert.ok(made.ok);
  const users: unknown[] = [];
  const identities = userIdentities({
    client,
    asUser: (user) => {
      users.push(user);
      return api.transport;
    },
  });
  assert.equal(identities.own(), client);
  assert.ok((await identities.serviceAccount(account).write({ verb: "create", type: configMaps, object }, signal)).ok);
  assert.deepEqual(users, [
    {
      name: "system:serviceaccount:demo:installer",
      uid: made.value.object?.metadata.uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:demo", "system:authenticated"],
    },
  ]);
});
