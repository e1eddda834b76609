import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { smallCrd, smallCsv } from "../../../bundle/testing/small-bundle.ts";
import type { InstallPlanPorts } from "../install-plan/review-install-plan.ts";
import { observeRollback } from "./observe-rollback.ts";
import type { UpgradeToLeave } from "./plan/late-upgrades.ts";

const olm = "operators.coreos.com";
const csvOf = (version: string): JsonObject =>
  smallCsv({ version, minKubeVersion: "" }, { name: `kiln.v${version}`, namespace: "ns" });
function planOf(version: string, crd: JsonObject = smallCrd, ...others: readonly string[]): InstallPlan {
  const step = (kind: string, group: string, version: string, name: string, manifest: JsonObject) => ({
    resolving,
    status: "Created",
    resource: {
      group,
      version,
      kind,
      name,
      manifest: JSON.stringify(manifest),
      sourceName: "cat",
      sourceNamespace: "olm",
    },
  });
  const resolving = `kiln.v${version}`;
  return {
    apiVersion: `${olm}/v1alpha1`,
    kind: "InstallPlan",
    metadata: { namespace: "ns", name: `plan-${version}` },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [resolving, ...others] },
    status: {
      phase: "Complete",
      catalogSources: [],
      plan: [
        step("ClusterServiceVersion", olm, "v1alpha1", resolving, csvOf(version)),
        step("CustomResourceDefinition", "apiextensions.k8s.io", "v1", "pots.kiln.example.com", crd),
      ],
    },
  } as unknown as InstallPlan;
}

const upgrade: UpgradeToLeave = {
  subscription: {
    metadata: { namespace: "ns", name: "sub" },
    spec: { name: "kiln", source: "cat", sourceNamespace: "olm" },
  } as unknown as Subscription,
  late: {
    reference: "sub/ns/sub",
    bundle: "kiln.v1.1.0",
    to: "kiln.v1.0.0",
    minutes: 10,
    now: Date.parse("2026-01-01T00:00:00Z"),
    uid: "uid-new",
  },
  from: csvOf("1.1.0") as unknown as ClusterServiceVersion,
  to: csvOf("1.0.0") as unknown as ClusterServiceVersion,
  fromPlan: planOf("1.1.0"),
  toPlan: planOf("1.0.0"),
};

class Live extends RecordingCluster {
  requestJson({ path }: { readonly path: string }): Promise<JsonObject> {
    const crds = { name: "customresourcedefinitions", kind: "CustomResourceDefinition", namespaced: false };
    return Promise.resolve({ resources: path === "/apis/apiextensions.k8s.io/v1" ? [crds] : [] });
  }
}
const deployment = (owner: string): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "ns", name: "kiln", labels: { "olm.owner": owner } },
    status: { conditions: [{ type: "Progressing", reason: "NewReplicaSetAvailable" }] },
  }) as unknown as KubeObject;

async function decided(change: Partial<UpgradeToLeave>, ...held: readonly KubeObject[]): Promise<string> {
  const pending = () => ({ state: { kind: "pending", since: 0 }, objects: undefined });
  const ports = { client: new Live(held), bundlesFor: () => Promise.resolve(pending) };
  const decision = await observeRollback({ ...upgrade, ...change }, ports as unknown as InstallPlanPorts);
  if (decision.kind === "refused") return `${decision.explanation.code}: ${decision.explanation.summary}`;
  const { plan, ...others } = decision.rolledBack;
  assert.match(plan, /^sha256:[0-9a-f]{64}$/);
  return JSON.stringify(others);
}

const live = { ...smallCrd, status: { storedVersions: ["v1"] } } as unknown as KubeObject;
const stays = "RolloutStuck: kiln.v1.1.0 does not go back to kiln.v1.0.0 by itself:";
const back =
  '{"bundle":"kiln.v1.1.0","to":"kiln.v1.0.0","at":"2026-01-01T00:00:00Z","because":"not ready within 10 minutes","uid":"uid-new"}';
for (const [what, change, held, expected] of [
  ["goes back", {}, [live], back],
  [
    "stays when a definition of the former version does not exist any more",
    {},
    [],
    "CrdUnsafe: kiln.v1.1.0 does not go back to kiln.v1.0.0 by itself: pots.kiln.example.com: it does not exist any more",
  ],
  [
    "stays when no InstallPlan brought it",
    { fromPlan: undefined },
    [],
    `${stays} no InstallPlan that has ended brought kiln.v1.1.0`,
  ],
  [
    "stays when the InstallPlan of the former version does not exist",
    { toPlan: undefined },
    [],
    `${stays} the InstallPlan that installed kiln.v1.0.0 does not exist any more`,
  ],
  [
    "stays when its InstallPlan brought others too",
    { fromPlan: planOf("1.1.0", smallCrd, "a.v1", "b.v1") },
    [],
    `${stays} InstallPlan plan-1.1.0 brought a.v1, b.v1 as well`,
  ],
  ["stays when a pod of it was ready", {}, [deployment("kiln.v1.1.0")], `${stays} ns/kiln had a ready pod already`],
  ["goes back while the Deployment is that of the former version", {}, [live, deployment("kiln.v1.0.0")], back],
] as const)
  test(`an upgrade that was not ready in time ${what}`, async () =>
    assert.equal(await decided(change as Partial<UpgradeToLeave>, ...held), expected));

test("an upgrade whose former definition drops a stored version stays", async () => {
  const spec = smallCrd["spec"] as JsonObject & { readonly versions: readonly JsonObject[] };
  const versions = [...spec.versions, { name: "v2", served: true, storage: false, schema: {} }];
  const stored = { ...smallCrd, spec: { ...spec, versions }, status: { storedVersions: ["v1", "v2"] } };
  const text = await decided({}, stored as unknown as KubeObject);
  assert.match(text, /^CrdUnsafe: kiln\.v1\.1\.0 does not go back to kiln\.v1\.0\.0 by itself: .*v2/);
});
