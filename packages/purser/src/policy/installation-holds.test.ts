import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterUpdatePolicySpec } from "../apis/policy/cluster-update-policy.ts";
import type { SeenBundles } from "../apis/policy/update-policy.ts";
import type { Digest } from "@purser/kubernetes/digest";
import { staleText } from "./approved-plan.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { shortCatalog } from "../resolver/testing/short-catalog.ts";
import { extensionHolds, extensionSubject, subscriptionHolds, subscriptionSubject } from "./installation-holds.ts";

const now = Date.parse("2026-11-23T12:00:00Z");
const extension: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "etcd" },
  spec: { namespace: "data", source: { sourceType: "Catalog", catalog: { packageName: "etcd" } } },
};
const found = shortCatalog({
  "etcd/stable": [
    "etcd.v1.2.0 1.2.0 r=etcd.v1.1.0 s=etcd.v1.0.0",
    "etcd.v1.1.0 1.1.0 r=etcd.v1.0.0",
    "etcd.v1.0.0 1.0.0",
  ],
}).package("etcd");
assert.ok(found !== undefined);
const packages = [found];
const weekly = [{ schedule: "0 22 * * 6", duration: "4h" }];
const hourly = [{ schedule: "0 * * * *", duration: "30m" }];
const opensAt = "2026-11-28T22:00:00Z";

/** What waits, with its facts; and when time alone changes something. */
function holds(
  spec: ClusterUpdatePolicySpec,
  firstSeen: readonly SeenBundles[],
  installed: string | undefined,
  asked: ClusterExtension = extension,
): readonly [code: string, bundle: unknown, until: unknown, changesAt: string] {
  const policy = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "prod" },
    spec,
    status: { firstSeen },
  };
  const bundle = installed === undefined ? undefined : { name: `etcd.v${installed}`, version: installed };
  const { waiting, held, changesAt } = extensionHolds(
    { updatePolicies: [], clusterUpdatePolicies: [policy] },
    asked,
    bundle,
    packages,
    now,
  );
  if (bundle === undefined) assert.deepEqual(held, []);
  const { bundle: name, until } = waiting?.facts ?? {};
  const at = changesAt === undefined ? "never" : new Date(changesAt).toISOString().replace(".000Z", "Z");
  return [waiting?.code ?? "nothing", name, until, at];
}

const seen = (at: string, ...bundles: readonly string[]): SeenBundles => ({ package: "etcd", at, bundles });

for (const [what, spec, firstSeen, installed, expected] of [
  ["a rule", { level: "none" }, [], "1.0.0", ["VersionHeld", "etcd.v1.2.0", undefined, "never"]],
  ["a closed window", { windows: weekly }, [], "1.0.0", ["OutsideWindow", "etcd.v1.2.0", opensAt, opensAt]],
  [
    "an open window, whose end is looked at again",
    { windows: hourly },
    [],
    "1.0.0",
    ["nothing", undefined, undefined, "2026-11-23T12:30:00Z"],
  ],
  [
    "a closed window, before a first installation",
    { windows: weekly },
    [],
    undefined,
    ["nothing", undefined, undefined, opensAt],
  ],
  ["a closed window, with nothing newer", { windows: weekly }, [], "1.2.0", ["nothing", undefined, undefined, opensAt]],
  [
    "a soak of both upgrades: the newest is named, the first that ends is looked at again",
    { soak: "1d" },
    [seen("2026-11-23T00:00:00Z", "etcd.v1.1.0"), seen("2026-11-23T06:00:00Z", "etcd.v1.2.0")],
    "1.0.0",
    ["Soaking", "etcd.v1.2.0", "2026-11-24T06:00:00Z", "2026-11-24T00:00:00Z"],
  ],
  [
    "a soak of the newest, while an older one may be installed",
    { soak: "1d" },
    [seen("2026-11-20T00:00:00Z", "etcd.v1.1.0"), seen("2026-11-23T06:00:00Z", "etcd.v1.2.0")],
    "1.0.0",
    ["nothing", undefined, undefined, "2026-11-24T06:00:00Z"],
  ],
  [
    "a soak of an older one that comes by itself, before the newest, which a rule refuses",
    { soak: "1d", versions: { denied: ["1.2.0"] } },
    [seen("2026-11-23T06:00:00Z", "etcd.v1.1.0")],
    "1.0.0",
    ["Soaking", "etcd.v1.1.0", "2026-11-24T06:00:00Z", "2026-11-24T06:00:00Z"],
  ],
  [
    "the end of the policy when that comes first",
    { windows: weekly, until: "2026-11-25T00:00:00Z" },
    [],
    "1.0.0",
    ["OutsideWindow", "etcd.v1.2.0", opensAt, "2026-11-25T00:00:00Z"],
  ],
] satisfies [string, ClusterUpdatePolicySpec, SeenBundles[], string | undefined, unknown[]][])
  test(`what an installation waits for: ${what}`, () => {
    assert.deepEqual(holds(spec, firstSeen, installed), expected);
  });

const asking = (version: string): ClusterExtension => ({
  ...extension,
  spec: { namespace: "data", source: { sourceType: "Catalog", catalog: { packageName: "etcd", version } } },
});
for (const [range, expected] of [
  ["1.0.0", "nothing undefined"],
  ["<1.2", "VersionHeld etcd.v1.1.0"],
  ["newest", "VersionHeld etcd.v1.2.0"],
] as const)
  test(`an extension that asks for ${range} waits for ${expected}`, () => {
    assert.equal(
      holds({ level: "none" }, [], "1.0.0", asking(range)).slice(0, 2).join(" "),
      expected.replace("undefined", ""),
    );
  });

const approving = (text: string, stale?: string): ClusterExtension => ({
  ...extension,
  metadata: { name: "etcd", annotations: { "purser.dev/approved-plan": text } },
  status: {
    conditions:
      stale === undefined
        ? []
        : [{ type: "PlanStale", status: "True", reason: "Changed", message: stale, lastTransitionTime: opensAt }],
  },
});
const digest: Digest = `sha256:${"a".repeat(64)}`;
const other: Digest = `sha256:${"b".repeat(64)}`;
const stale = (approved: Digest, now: Digest): string =>
  staleText({ bundle: "etcd.v1.2.0", digest: approved }, now, "ext/etcd");
for (const [what, approved, expected] of [
  ["without an approval", extension, "ApprovalRequired etcd.v1.2.0"],
  ["with an approval of the bundle", approving(`etcd.v1.2.0@${digest}`), "nothing "],
  ["with an approval of an older bundle", approving(`etcd.v1.1.0@${digest}`), "nothing "],
  ["with an approval of another bundle", approving(`etcd.v1.3.0@${digest}`), "ApprovalRequired etcd.v1.2.0"],
  ["with an approval that is no digest", approving("etcd.v1.2.0@sha256:1"), "ApprovalRequired etcd.v1.2.0"],
  [
    "with an approval that is stale",
    approving(`etcd.v1.2.0@${digest}`, stale(digest, other)),
    "ApprovalRequired etcd.v1.2.0",
  ],
  ["with an approval after a stale one", approving(`etcd.v1.2.0@${digest}`, stale(other, digest)), "nothing "],
] as const)
  test(`an upgrade that a policy asks to approve, ${what}, waits for ${expected}`, () => {
    const spec = { approval: { minor: "Manual" } } as const;
    assert.equal(holds(spec, [], "1.0.0", approved).slice(0, 2).join(" "), expected);
  });

test("a Subscription gets what both the policy of the cluster and that of its namespace allow", () => {
  const rule = (denied: readonly string[]): ClusterUpdatePolicySpec => ({ versions: { denied } });
  const head = { apiVersion: "purser.dev/v1alpha1" } as const;
  const { held } = subscriptionHolds(
    {
      updatePolicies: [
        { ...head, kind: "UpdatePolicy", metadata: { namespace: "data", name: "mine" }, spec: rule(["1.1.0"]) },
      ],
      clusterUpdatePolicies: [
        { ...head, kind: "ClusterUpdatePolicy", metadata: { name: "prod" }, spec: rule(["1.2.0"]) },
      ],
    },
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { namespace: "data", name: "etcd" },
      spec: { name: "etcd", source: "cat", sourceNamespace: "olm", channel: "stable" },
    },
    { name: "etcd.v1.0.0", version: "1.0.0" },
    packages,
    now,
  );
  assert.deepEqual(
    held.map(({ bundles, reason }) => [...bundles, reason]),
    [
      ["etcd.v1.2.0", "ClusterUpdatePolicy prod: denied"],
      ["etcd.v1.1.0", "UpdatePolicy data/mine: denied"],
    ],
  );
});

test("a Subscription with an empty channel is held as one without a channel", () => {
  const head = { apiVersion: "purser.dev/v1alpha1" } as const;
  const prod = { ...head, kind: "ClusterUpdatePolicy", metadata: { name: "prod" } } as const;
  const heldIn = (channel: { readonly channel?: string }): readonly unknown[] => {
    const { waiting, held } = subscriptionHolds(
      { updatePolicies: [], clusterUpdatePolicies: [{ ...prod, spec: { versions: { denied: ["1.2.0"] } } }] },
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "Subscription",
        metadata: { namespace: "data", name: "etcd" },
        spec: { name: "etcd", source: "cat", sourceNamespace: "olm", ...channel },
      },
      { name: "etcd.v1.1.0", version: "1.1.0" },
      packages,
      now,
    );
    return [waiting?.facts["bundle"], ...held.map(({ bundles, reason }) => [...bundles, reason])];
  };
  const expected = ["etcd.v1.2.0", ["etcd.v1.2.0", "ClusterUpdatePolicy prod: denied"]];
  assert.deepEqual([heldIn({}), heldIn({ channel: "" })], [expected, expected]);
  assert.deepEqual(heldIn({ channel: "stable" }), expected);
});

test("policies select an installation by its kind, name, namespace, package and labels; what it lacks is empty", () => {
  const labels = { tier: "gold" };
  assert.deepEqual(extensionSubject({ ...extension, metadata: { name: "etcd", labels } }), {
    kind: "ClusterExtension",
    name: "etcd",
    namespace: "data",
    packageName: "etcd",
    labels,
  });
  const none = { name: "", namespace: "", packageName: "", labels: {} };
  assert.deepEqual(extensionSubject({ ...extension, metadata: {}, spec: undefined } as never), {
    kind: "ClusterExtension",
    ...none,
  });
  assert.deepEqual(extensionSubject({ ...extension, metadata: {}, spec: { source: {} } } as never), {
    kind: "ClusterExtension",
    ...none,
  });
  assert.deepEqual(subscriptionSubject({ metadata: {}, spec: { name: "" } } as never), {
    kind: "Subscription",
    ...none,
  });
});
