// Passes of the ClusterObjectSet controller over a revision with one ConfigMap, and what wakes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { configMaps, customResourceDefinitions, deployments, namespaces } from "@purser/kubernetes/apis/resources";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { migratedFromHelmLabel, ownerNameLabel, pausedAnnotation, teardownFinalizer } from "../../../apis/v1/labels.ts";
import { improved } from "../../../compat.ts";
import { SecretContents } from "../../../rollout/memory/secret-contents.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cacheOf, passOf, requeuedBy } from "../../testing/passes.ts";
import { clusterObjectSetController } from "./cluster-object-set-controller.ts";

const conditionOf = (text: string): Condition => {
  const [, type = "", status, reason = "", message = ""] = /^(\w+)=(\w+) (\w+)(?:: (.*))?$/.exec(text) ?? [];
  return { type, status: status as Condition["status"], reason, message, lastTransitionTime: "2025-12-31T23:00:00Z" };
};

function revisionOf(
  number: number,
  { conditions = [], ...spec }: JsonObject & { readonly conditions?: readonly string[] } = {},
  metadata: JsonObject = {},
): KubeObject {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns", name: "c" }, data: { a: "1" } };
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: {
      name: `ext-${number}`,
      uid: `uid-${number}`,
      generation: 1,
      creationTimestamp: "2025-12-31T23:00:00Z",
      finalizers: [teardownFinalizer],
      labels: { [ownerNameLabel]: "ext" },
      annotations: { "olm.operatorframework.io/bundle-version": `${number}.0.0` },
      ...metadata,
    },
    spec: {
      lifecycleState: "Active",
      revision: number,
      collisionProtection: "Prevent",
      phases: [{ name: "deploy", objects: [{ object }] }],
      ...spec,
    },
    status: { conditions: conditions.map(conditionOf) },
  } as unknown as KubeObject;
}

const extensionOf = (metadata: JsonObject = {}, conditions: readonly string[] = []): KubeObject =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "ext", ...metadata },
    spec: { namespace: "ns" },
    status: { conditions: conditions.map(conditionOf) },
  }) as unknown as KubeObject;

interface Given {
  readonly served?: boolean;
  readonly forbidden?: readonly string[];
  readonly surroundings?: Partial<Surroundings>;
}

function controllerOf(held: readonly KubeObject[], { served = true, forbidden = [], surroundings = {} }: Given = {}) {
  const cluster = new RecordingCluster(held, forbidden);
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const controller = clusterObjectSetController(
    {
      client: cluster,
      discovery: {
        lookUp: () => Promise.resolve(served ? { kind: "served", type: configMaps } : { kind: "absent" }),
        all: () => Promise.resolve([configMaps]),
      },
      clock,
      entropy: new SeededEntropy(1),
      compat: improved,
      ...surroundings,
    } as unknown as Surroundings,
    new SecretContents(),
  );
  return { controller, cluster };
}

const leftOut = /^(Ready|Reconciling|Stalled)$/;
function linesOf(write: ObjectWrite): readonly string[] {
  if (write.verb === "patch") return [`patch ${write.type.kind} ${write.key.name} ${JSON.stringify(write.patch)}`];
  if (write.verb === "delete") return [`delete ${write.type.kind} ${write.key.name}`];
  if (write.verb !== "replace") return [`${write.verb} ${write.type.kind} ${write.object.metadata.name}`];
  const { conditions = [] } = (write.object as ClusterObjectSet).status ?? {};
  return conditions
    .filter(({ type }) => !leftOut.test(type))
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
}

async function pass(held: readonly KubeObject[], given: Given = {}): Promise<readonly string[]> {
  const { controller, cluster } = controllerOf(held, given);
  const { events, error } = await passOf(controller, { name: "ext-2" }, held, cluster);
  return [
    ...cluster.requests.flatMap(linesOf),
    ...events.map((event) => `event ${event}`),
    ...(error === undefined ? [] : [error]),
  ];
}

const done = ["Succeeded=True Succeeded", "Progressing=True Succeeded"];
const complete = [
  "Progressing=True Succeeded: Revision 2.0.0 has rolled out.",
  "Available=True ProbesSucceeded: Objects are available and pass all probes.",
  "Succeeded=True Succeeded: Revision succeeded rolling out.",
];
const news = "event Normal Succeeded ext-2: Revision 2.0.0 has rolled out.";
const rolledOut = ["create ConfigMap c", ...complete, news];
const released = ['patch ClusterObjectSet ext-2 {"metadata":{"finalizers":[],"uid":"uid-2"}}'];
const unserved =
  "ClusterIncompatible: The cluster does not serve kind ConfigMap of v1. Install the package that provides kind ConfigMap of v1; to find packages that name it: purser search ConfigMap";
const noMatch = 'no matches for kind "ConfigMap" in version "v1"';
const shown = (status: string, reason: string, message: string): readonly string[] => [
  `Progressing=${status} ${reason}: ${message}`,
  `event Warning ${reason} ext-2: ${message}`,
];
const paused = { annotations: { [pausedAnnotation]: "true" } };
const ofHelm = { labels: { [ownerNameLabel]: "ext", [migratedFromHelmLabel]: "true" } };
const archived = { lifecycleState: "Archived" };
const plain = { keepsUpstream: (name: string) => name === "condition-texts" };
const collision = `ObjectOwnedElsewhere: ConfigMap "c" exists already. loses data: Remove ConfigMap "c" if nothing needs it any more: kubectl delete configmap c -n ns\nrevision object collisions in phase 0\nObject ConfigMap.v1 ns/c\nAction: "Collision"`;
const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns", name: "c" } } as KubeObject;

const table: readonly (readonly [string, readonly KubeObject[], Given, readonly string[]])[] = [
  ["is rolled out, and says so", [revisionOf(2), extensionOf()], {}, rolledOut],
  [
    "gets its finalizer before anything else",
    [revisionOf(2, {}, { finalizers: ["x.io/y"] }), extensionOf()],
    {},
    [`patch ClusterObjectSet ext-2 {"metadata":{"finalizers":["x.io/y","${teardownFinalizer}"],"uid":"uid-2"}}`],
  ],
  [
    "that is rolled out archives the one before, after its own status",
    [revisionOf(1, { conditions: done }), revisionOf(2), extensionOf()],
    {},
    ["create ConfigMap c", ...complete, 'patch ClusterObjectSet ext-1 {"spec":{"lifecycleState":"Archived"}}', news],
  ],
  [
    "of another extension is not archived",
    [revisionOf(1, {}, { labels: { [ownerNameLabel]: "other" } }), revisionOf(2), extensionOf()],
    {},
    rolledOut,
  ],
  ["without an owner is rolled out alone", [revisionOf(1), revisionOf(2, {}, { labels: {} })], {}, rolledOut],
  ["whose extension was deleted with --cascade=orphan stays", [revisionOf(2)], {}, rolledOut],
  [
    "whose extension is deleted is not rolled out any more",
    [revisionOf(2, {}, { ownerReferences: [{ kind: "ClusterExtension", name: "ext" }] })],
    {},
    [],
  ],
  ["whose extension is paused is left as it is", [revisionOf(2), extensionOf(paused)], {}, []],
  [
    "that is archived is torn down",
    [revisionOf(2, archived), extensionOf()],
    {},
    [
      "Progressing=False Archived: revision is archived",
      "Available=Unknown Archived: revision is archived",
      "event Normal Archived ext-2: revision is archived",
    ],
  ],
  [
    "that is torn down loses its finalizer",
    [revisionOf(2, { ...archived, conditions: ["Progressing=False Archived"] }), extensionOf()],
    {},
    released,
  ],
  [
    "that is being deleted loses its finalizer",
    [revisionOf(2, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), extensionOf()],
    {},
    released,
  ],
  [
    "without a finalizer that is being deleted is left as it is",
    [revisionOf(2, {}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [] })],
    {},
    [],
  ],
  [
    "that a Helm release became is not rolled out, and has succeeded",
    [revisionOf(2, { revision: 1 }, ofHelm), extensionOf()],
    {},
    ["Succeeded=True Succeeded: Revision succeeded - migrated from Helm release"],
  ],
  [
    "that a Helm release became keeps its other conditions",
    [revisionOf(2, { revision: 1, conditions: ["Available=False Waiting: later"] }, ofHelm), extensionOf()],
    {},
    ["Available=False Waiting: later", "Succeeded=True Succeeded: Revision succeeded - migrated from Helm release"],
  ],
  [
    "that a Helm release became has no status before",
    [{ ...revisionOf(2, { revision: 1 }, ofHelm), status: undefined } as unknown as KubeObject, extensionOf()],
    {},
    ["Succeeded=True Succeeded: Revision succeeded - migrated from Helm release"],
  ],
  [
    "of which a kind is not served shows which, and who brings it",
    [revisionOf(2), extensionOf()],
    { served: false },
    shown("True", "Retrying", `${unserved}\n${noMatch}`),
  ],
  [
    "shows OLM's text alone where that is wanted",
    [revisionOf(2), extensionOf()],
    { served: false, surroundings: { compat: plain } },
    shown("True", "Retrying", noMatch),
  ],
  [
    "that may not be applied shows why",
    [revisionOf(2), extensionOf()],
    { forbidden: ["configmaps"] },
    shown("True", "Retrying", 'configmaps. "" is forbidden: denied by test'),
  ],
  [
    "whose status is refused fails the pass",
    [revisionOf(2), extensionOf()],
    { forbidden: ["clusterobjectsets"] },
    [
      "create ConfigMap c",
      'ApiRefusedError: clusterobjectsets.olm.operatorframework.io "" is forbidden: denied by test',
    ],
  ],
  [
    "of which an object exists shows that, and the way out",
    [revisionOf(2), extensionOf(), foreign],
    {},
    shown("True", "Retrying", collision),
  ],
  ["that does not exist is nothing to do", [revisionOf(1)], {}, []],
];
for (const [what, held, given, expected] of table)
  test(`a revision ${what}`, async () => assert.deepEqual(await pass(held, given), expected));

test("a revision that is not rolled out within its deadline shows what it waited for last", async () => {
  const held = [revisionOf(2, { progressDeadlineMinutes: 5 }), extensionOf()];
  assert.deepEqual(
    await pass(held, { served: false }),
    shown(
      "False",
      "ProgressDeadlineExceeded",
      `${unserved}\nRevision has not rolled out for 5 minute(s). Last status: ${noMatch}`,
    ),
  );
});

const { controller } = controllerOf([]);
const retrying = revisionOf(7, { conditions: ["Progressing=True Retrying"] }, { labels: {} });
const family = [revisionOf(1), revisionOf(2), retrying];
for (const [what, changed, expected] of [
  ["a revision wakes itself and those of its extension", revisionOf(1), ["ext-1", "ext-1", "ext-2"]],
  [
    "an extension that shows it is paused wakes its revisions",
    extensionOf({}, ["Ready=False Paused"]),
    ["ext-1", "ext-2"],
  ],
  ["an extension that does not wakes none", extensionOf({}, ["Ready=False Retrying"]), []],
] as const)
  test(`a change of ${what}`, () => assert.deepEqual(requeuedBy(controller, changed, family), expected));

const owned = {
  metadata: {
    name: "x",
    ownerReferences: [
      { kind: "ClusterObjectSet", name: "own" },
      { kind: "Other", name: "other" },
    ],
  },
};
for (const [type, expected] of [
  [namespaces, [undefined, undefined, "own", "ext-7"]],
  [customResourceDefinitions, [undefined, undefined, "own", "ext-7"]],
  [configMaps, ["app.kubernetes.io/managed-by=olm.operatorframework.io", undefined, "own"]],
  [deployments, ["app.kubernetes.io/managed-by=olm.operatorframework.io", "whole", "own"]],
] as const)
  test(`changes of rolled out ${type.plural} wake their revisions${expected.length > 3 ? ", and those that retry" : ""}`, () => {
    const watch = controller.wakingWatch?.(type);
    const keys = watch?.map?.(owned as unknown as KubeObject, cacheOf(controller, family)) ?? [];
    assert.deepEqual([watch?.scope?.labelSelector, watch?.projection, ...keys.map(({ name }) => name)], expected);
  });
