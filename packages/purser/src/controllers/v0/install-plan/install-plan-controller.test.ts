import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKey, type KubeObject } from "@purser/kubernetes/apis/object";
import { apiVersionOf, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import {
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../../apis/olm-resources.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cacheOf } from "../../testing/passes.ts";
import { NamespacePasses } from "../namespace/namespace-passes.ts";
import { installPlanController } from "./install-plan-controller.ts";

const controller = installPlanController({} as Surroundings, new NamespacePasses(new VirtualClock()));
const { watches } = controller;

const plan = (namespace: string, phase?: string): KubeObject =>
  ({
    apiVersion: apiVersionOf(installPlans),
    kind: installPlans.kind,
    metadata: { namespace, name: phase?.toLowerCase() ?? "new" },
    spec: { clusterServiceVersionNames: ["op.v1", "dep.v1"] },
    ...(phase === undefined ? {} : { status: { phase } }),
  }) as unknown as KubeObject;
const phases = ["Complete", "Installing", "RequiresApproval", "Failed", undefined];
const held = ["ns", "other"].flatMap((namespace) => phases.map((phase) => plan(namespace, phase)));

const cache = cacheOf(controller, held);

/** Keys of InstallPlans that a change of the object runs, by every watch of its kind in turn. */
function wokenBy(type: ResourceType, object: object): readonly (readonly string[])[] {
  const whole = { apiVersion: "", kind: type.kind, metadata: {}, ...object };
  return watches.flatMap((watch) => (watch.type === type && watch.map ? [watch.map(whole, cache).map(formatKey)] : []));
}

const csv = (status: object | undefined, metadata: object = {}): object => ({
  metadata: { namespace: "ns", name: "dep.v1", ...metadata },
  ...(status === undefined ? {} : { status }),
});
const lacking = { phase: "Pending", reason: "RequirementsNotMet" };
const managed = { "olm.managed": "true" };
const inNamespace = { metadata: { namespace: "ns", name: "a" } };
const installing = ["ns/installing", "other/installing"];
const table: readonly (readonly [what: string, ResourceType, object, woken: readonly (readonly string[])[]])[] = [
  [
    "a CSV that lacks something: the complete plans of its namespace that name it",
    clusterServiceVersions,
    csv(lacking),
    [["ns/complete"]],
  ],
  ["a CSV of no plan: nothing", clusterServiceVersions, csv(lacking, { name: "else.v1" }), [[]]],
  [
    "a CSV that lacks nothing: nothing",
    clusterServiceVersions,
    csv({ phase: "Succeeded", reason: "InstallSucceeded" }),
    [[]],
  ],
  ["a CSV without a status: nothing", clusterServiceVersions, csv(undefined), [[]]],
  [
    "a CSV that is being deleted: nothing",
    clusterServiceVersions,
    csv(lacking, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    [[]],
  ],
  [
    "an OperatorGroup: the plans of its namespace that are executed or wait",
    operatorGroups,
    inNamespace,
    [["ns/installing", "ns/requiresapproval"]],
  ],
  [
    "a ServiceAccount: the plans of its namespace that are executed or wait",
    serviceAccounts,
    inNamespace,
    [["ns/installing", "ns/requiresapproval"]],
  ],
  ["an UpdatePolicy: the plans of its namespace that wait", updatePolicies, inNamespace, [["ns/requiresapproval"]]],
  [
    "a ClusterUpdatePolicy: all plans that wait",
    clusterUpdatePolicies,
    { metadata: { name: "a" } },
    [["ns/requiresapproval", "other/requiresapproval"]],
  ],
  [
    "a Subscription: the plan that it names, while it waits",
    subscriptions,
    { ...inNamespace, status: { installPlanRef: { name: "requiresapproval" } } },
    [["ns/requiresapproval"]],
  ],
  [
    "a Subscription whose plan does not wait: nothing",
    subscriptions,
    { ...inNamespace, status: { installPlanRef: { name: "installing" } } },
    [[]],
  ],
  ["a Subscription without a plan: nothing", subscriptions, inNamespace, [[]]],
  [
    "a CRD of something else: all plans that are executed, by one of two watches",
    customResourceDefinitions,
    { metadata: { name: "as.g.io" } },
    [installing, installing],
  ],
  [
    "a CRD that OLM manages: all plans that are executed, by the watch of these",
    customResourceDefinitions,
    { metadata: { name: "as.g.io", labels: managed } },
    [[], installing],
  ],
];
for (const [what, type, object, woken] of table)
  test(`InstallPlans are looked at again after a change of ${what}`, () =>
    assert.deepEqual(wokenBy(type, object), woken));

test("a plan is found by its phase alone, and a new one by nothing", () => {
  const of = watches.find(({ type }) => type === installPlans)?.indexes ?? {};
  const found = phases.map((phase) => Object.keys(of).filter((index) => of[index]?.(plan("ns", phase)).length !== 0));
  assert.deepEqual(found, [["brought"], ["active", "installing"], ["active", "waitingIn", "waiting"], [], []]);
});
