import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import type { UpgradeContents } from "../../policy/upgrade-contents.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { judgedWorld } from "./judged-contents.ts";

const installation = {
  api: "v0",
  reference: "sub/ns/op",
  name: "op",
  namespace: "ns",
  packageName: "op",
  version: "1.0.0",
} as Installation;

/** op 1.0.0 is installed; the catalog has these versions, and the policy these rules. */
function worldWith(versions: readonly string[], spec: object): DecisionWorld {
  const bundles = versions.map((version) => ({
    name: `op.v${version}`,
    version,
    channel: "stable",
    replaces: "",
    skips: [],
  }));
  const packages = { name: "op", channels: [{ name: "stable", bundles }] };
  return {
    now: 0,
    globalNamespace: "olm",
    snapshot: {
      subscriptions: [
        {
          metadata: { namespace: "ns", name: "op" },
          spec: { name: "op", source: "cat", sourceNamespace: "olm", channel: "stable" },
          status: { installedCSV: "op.v1.0.0" },
        },
      ],
      clusterServiceVersions: [{ metadata: { namespace: "ns", name: "op.v1.0.0" }, spec: { version: "1.0.0" } }],
      catalogSources: [{ metadata: { namespace: "olm", name: "cat" }, spec: {} }],
      clusterExtensions: [],
      clusterCatalogs: [],
      updatePolicies: [],
      clusterUpdatePolicies: [{ metadata: { name: "p" }, spec }],
    },
    contentOfSource: () => ({ kind: "present", index: { package: () => packages } }),
  } as unknown as DecisionWorld;
}

const withoutBundles = { bundles: undefined } as OpenedWorld;
const judged = async (spec: object, known: Readonly<Record<string, UpgradeContents>> = {}) => {
  const map = new Map(Object.entries(known));
  const { world, unread } = await judgedWorld(
    withoutBundles,
    worldWith(["1.0.0", "1.1.0", "1.2.0"], spec),
    installation,
    map,
  );
  return [world.upgrades === map, unread];
};
const unknown = (version: string): string => `what op.v${version} changes is not known without --bundles or --pull`;
const more: UpgradeContents = { permissions: ["get secrets"], crds: [] };

test("the newest upgrade that nothing holds back has to be read where a policy judges what it holds", async () => {
  assert.deepEqual(await judged({ permissionIncrease: "Deny" }), [true, unknown("1.2.0")]);
  assert.deepEqual(await judged({ crdChange: "Deny", versions: { denied: ["1.2.0"] } }), [true, unknown("1.1.0")]);
  assert.deepEqual(await judged({ crdChange: "Deny", level: "none" }), [true, undefined]);
});

test("no bundle is read where no policy judges what upgrades hold", async () =>
  assert.deepEqual(await judged({ level: "minor" }), [false, undefined]));

test("the upgrade before a denied one is looked at, and none before one that may be approved", async () => {
  const known = { "op.v1.2.0": more };
  assert.deepEqual(await judged({ permissionIncrease: "Deny" }, known), [true, unknown("1.1.0")]);
  assert.deepEqual(await judged({ permissionIncrease: "RequireApproval" }, known), [true, undefined]);
});
