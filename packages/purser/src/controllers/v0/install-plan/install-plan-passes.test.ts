// Passes of the InstallPlan controller over a small cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { clusterRoles, configMaps, roles, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import { improved } from "../../../compat.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import type { Surroundings } from "../../surroundings.ts";
import { NamespacePasses } from "../namespace/namespace-passes.ts";
import { installPlanController } from "./install-plan-controller.ts";

const types = [serviceAccounts, roles, clusterRoles, configMaps];
const stepOf = (kind: string, name: string, status = "Created", resolving = "op.v1"): object => {
  const type = types.find((one) => one.kind === kind);
  const group = type?.group ?? "";
  const apiVersion = group === "" ? "v1" : `${group}/v1`;
  const scope = type?.namespaced === true ? { namespace: "ns" } : {};
  return {
    resolving,
    status,
    resource: {
      group,
      version: "v1",
      kind,
      name,
      manifest: JSON.stringify({ apiVersion, kind, metadata: { name, ...scope } }),
      sourceName: "cat",
      sourceNamespace: "olm",
    },
  };
};
const planOf = (phase: string | undefined, steps: readonly object[]): object => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace: "ns", name: "plan", uid: "plan" },
  spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: ["op.v1"] },
  ...(phase === undefined ? {} : { status: { phase, catalogSources: ["cat"], plan: steps } }),
});
const csvOf = (reason: string, more: object = {}): object => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace: "ns", name: "op.v1", ...more },
  spec: { install: { strategy: "deployment" } },
  status: { phase: "Pending", reason },
});
const group = {
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "group" },
  spec: {},
  status: { namespaces: ["ns"] },
};

/** What one pass writes, and its error. */
async function pass(...held: readonly object[]): Promise<readonly string[]> {
  const found: string[] = [];
  const cluster = new RecordingCluster([group, ...held] as unknown as readonly KubeObject[]);
  const writer = {
    write: (write: ObjectWrite) => {
      const name = "object" in write ? write.object.metadata.name : write.key.name;
      found.push(`${write.verb} ${write.type.kind} ${name}`);
      return cluster.write(write);
    },
  };
  const context = {
    reader: cluster,
    writer,
    identities: { serviceAccount: () => writer },
    cache: { cached: () => undefined, byIndex: () => [] },
    events: { record: () => {} },
    log: () => {},
    now: 0,
    signal: new AbortController().signal,
  };
  const typeOf = ({ kind }: { readonly kind: string }) => Promise.resolve(types.find((type) => type.kind === kind));
  const surroundings = {
    compat: improved,
    content: new SetContent(),
    client: cluster,
    discovery: {
      typeOf,
      lookUp: async (kind: { readonly kind: string }) => ({ ok: true, value: await typeOf(kind) }),
      serves: () => Promise.resolve(true),
    },
    globalNamespace: "olm",
    metrics: { add: () => {} },
  };
  const controller = installPlanController(
    surroundings as unknown as Surroundings,
    new NamespacePasses(new VirtualClock()),
  );
  try {
    await controller.reconcile({ namespace: "ns", name: "plan" }, context as unknown as ApplyContext);
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

const steps = [
  stepOf("ServiceAccount", "missing"),
  stepOf("Role", "missing"),
  stepOf("ClusterRole", "missing"),
  stepOf("ServiceAccount", "there"),
  stepOf("ConfigMap", "missing"),
  stepOf("ServiceAccount", "of-another", "Created", "other.v1"),
];
const there = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "ns", name: "there" } };
for (const [what, held, expected] of [
  [
    "lacks something gets what of its plan was deleted, but for what others create again",
    [planOf("Complete", steps), csvOf("RequirementsNotMet"), there],
    ["create ServiceAccount missing", "create Role missing", "create ClusterRole missing"],
  ],
  ["lacks nothing is left as it is", [planOf("Complete", steps), csvOf("InstallSucceeded"), there], []],
  [
    "lacks something and is being deleted is left as it is",
    [planOf("Complete", steps), csvOf("RequirementsNotMet", { deletionTimestamp: "2026-01-01T00:00:00Z" }), there],
    [],
  ],
  ["does not exist is left as it is", [planOf("Complete", steps), there], []],
] as const)
  test(`an operator of a complete plan that ${what}`, async () => assert.deepEqual(await pass(...held), expected));

test("a plan without a status is not touched", async () => assert.deepEqual(await pass(planOf(undefined, [])), []));

test("steps of a plan that are not done are executed in order, then its status is written", async () => {
  const undone = [stepOf("ServiceAccount", "a", "Created"), stepOf("ServiceAccount", "b", "Unknown")];
  assert.deepEqual(await pass(planOf("Installing", undone)), ["create ServiceAccount b", "replace InstallPlan plan"]);
});
