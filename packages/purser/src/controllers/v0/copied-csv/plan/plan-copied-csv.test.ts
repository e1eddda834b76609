import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterServiceVersions } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OLMConfig } from "../../../../apis/v0/olm-config.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { type Compat, improved } from "../../../../compat.ts";
import { copyHashes, digestsOfCopies, heldCopy } from "../held-copy.ts";
import { copyOf } from "./copy-of.ts";
import { copiesEverywhere, copyTargets, type Source } from "./copying.ts";
import { type CopiedCsvWorld, planCopiedCsv } from "./plan-copied-csv.ts";

const name = "op.v1";

function sourceOf(
  namespace: string,
  targets: readonly string[],
  change: { readonly phase?: string; readonly reason?: string; readonly annotated?: string } = {},
): Source {
  const { phase = "Succeeded", reason = "InstallSucceeded", annotated = targets.toSorted().join(",") } = change;
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      namespace,
      name,
      uid: namespace,
      resourceVersion: "1",
      finalizers: ["operators.coreos.com/csv-cleanup"],
      labels: { "operators.coreos.com/op.ops": "", team: "a" },
      annotations: {
        "olm.operatorGroup": "group",
        "olm.operatorNamespace": namespace,
        "olm.targetNamespaces": annotated,
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "purser.dev/state": "{}",
        note: "b",
      },
    },
    spec: { displayName: "op", install: { strategy: "deployment" } },
    status: { phase, reason, message: "done", lastUpdateTime: "2026-01-01T00:00:00Z" },
  } as unknown as ClusterServiceVersion;
  const group: OperatorGroup = {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace, name: "group" },
    status: { namespaces: targets, lastUpdated: "" },
  };
  return { csv, group };
}

/** The copy in `tenant` as the API server stores it, changed. */
function copyIn(source: Source, change: (copy: ClusterServiceVersion) => KubeObject = (copy) => copy) {
  const { labels, annotations, spec, status } = copyOf(source.csv);
  const metadata = { namespace: "tenant", name, uid: "copy", resourceVersion: "7", labels, annotations };
  const copy: ClusterServiceVersion = { apiVersion: "a", kind: "ClusterServiceVersion", metadata, spec, status };
  return heldCopy(digestsOfCopies.reduce(change(copy)));
}

function worldOf(sources: readonly Source[], change: Partial<CopiedCsvWorld> = {}): CopiedCsvWorld {
  return {
    key: { namespace: "tenant", name },
    namespace: { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant" } },
    isOccupied: false,
    copy: undefined,
    sources,
    everywhere: true,
    contentOf: ({ csv }) => {
      const content = copyOf(csv);
      return { content, hashes: copyHashes(content) };
    },
    ...change,
  };
}

/** What the pass writes, in a word. */
function does(world: CopiedCsvWorld): string {
  const words = planCopiedCsv(world).actions.map(({ write }) => {
    const from = "object" in write ? ` from ${write.object.metadata.annotations?.["olm.operatorNamespace"]}` : "";
    return `${write.verb}${"subresource" in write && write.subresource !== undefined ? ` ${write.subresource}` : ""}${from}`;
  });
  return words.join(", ");
}

const global = sourceOf("ops", [""]);
const copy = copyIn(global);
const withLabels =
  (labels: Readonly<Record<string, string>>) =>
  (held: ClusterServiceVersion): KubeObject => ({
    ...held,
    metadata: { ...held.metadata, labels: { ...held.metadata.labels, ...labels } },
  });
const withAnnotation =
  (key: string, value: string | undefined) =>
  (held: ClusterServiceVersion): KubeObject => {
    const { [key]: _dropped, ...annotations } = held.metadata.annotations ?? {};
    return {
      ...held,
      metadata: { ...held.metadata, annotations: value === undefined ? annotations : { ...annotations, [key]: value } },
    };
  };
/** The source in `ops` with other metadata. */
const changed = (metadata: ClusterServiceVersion["metadata"]): Source => ({
  ...global,
  csv: { ...global.csv, metadata: { ...global.csv.metadata, ...metadata } },
});
const leaving = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "tenant", deletionTimestamp: "2026-01-01T00:00:00Z" },
};

for (const [words, world, expected] of [
  ["a missing copy is created", worldOf([global]), "create from ops"],
  ["a copy as it should be is not written", worldOf([global], { copy }), ""],
  [
    "a copy with another spec is replaced",
    worldOf([global], { copy: copyIn(global, (held) => ({ ...held, spec: {} })) }),
    "replace from ops",
  ],
  [
    "a copy with one label more is replaced",
    worldOf([global], { copy: copyIn(global, withLabels({ a: "b" })) }),
    "replace from ops",
  ],
  [
    "a copy with another annotation is replaced",
    worldOf([global], { copy: copyIn(global, withAnnotation("note", "c")) }),
    "replace from ops",
  ],
  [
    "only the status of a copy with another status is replaced",
    worldOf([global], { copy: copyIn(global, (held) => ({ ...held, status: { phase: "Failed" } })) }),
    "replace status from ops",
  ],
  [
    "a copy with another spec and status is replaced before its status",
    worldOf([global], { copy: copyIn(global, (held) => ({ ...held, spec: {}, status: {} })) }),
    "replace from ops",
  ],
  [
    "a copy without a status gets one",
    worldOf([global], { copy: copyIn(global, ({ status: _none, ...held }) => held) }),
    "replace status from ops",
  ],
  ["nothing is copied into a namespace that does not exist", worldOf([global], { namespace: undefined }), ""],
  ["nothing is copied into a namespace that is being deleted", worldOf([global], { namespace: leaving }), ""],
  ["nothing is copied over a CSV that is no copy", worldOf([global], { isOccupied: true }), ""],
  ["a copy that is being deleted is left alone", worldOf([], { copy: { ...copy, isDeleting: true } }), ""],
  ["no copy is made while copies for all namespaces are off", worldOf([global], { everywhere: false }), ""],
  [
    "a copy is deleted when copies for all namespaces are off",
    worldOf([global], { everywhere: false, copy }),
    "delete",
  ],
  [
    "a CSV of a group with target namespaces is copied also while copies for all namespaces are off",
    worldOf([sourceOf("ops", ["tenant"])], { everywhere: false }),
    "create from ops",
  ],
  ["a CSV is not copied into a namespace that is no target", worldOf([sourceOf("ops", ["other"])]), ""],
  [
    "a copy in a namespace that is no target any more is deleted",
    worldOf([sourceOf("ops", ["other"])], { copy }),
    "delete",
  ],
  ["a copy without an original is deleted", worldOf([], { copy }), "delete"],
  [
    "a copy that names no original is deleted",
    worldOf([global], { copy: copyIn(global, withAnnotation("olm.operatorNamespace", undefined)) }),
    "delete",
  ],
  [
    "a copy that names a namespace without the original is deleted",
    worldOf([global], { copy: copyIn(global, withAnnotation("olm.operatorNamespace", "elsewhere")) }),
    "delete",
  ],
  [
    "a copy of a CSV that lost its APIs is deleted",
    worldOf([sourceOf("ops", [""], { phase: "Failed", reason: "InterOperatorGroupOwnerConflict" })], { copy }),
    "delete",
  ],
  [
    "a copy of a CSV that its group does not suit stays as it is",
    worldOf([sourceOf("ops", [""], { phase: "Failed", reason: "UnsupportedOperatorGroup" })], { copy }),
    "",
  ],
  ["a CSV that waits is copied", worldOf([sourceOf("ops", [""], { phase: "Pending" })]), "create from ops"],
  ["a CSV without a phase is not copied", worldOf([sourceOf("ops", [""], { phase: "" })]), ""],
  [
    "a CSV that does not name its group's targets is not copied",
    worldOf([sourceOf("ops", [""], { annotated: "other" })]),
    "",
  ],
  ["a CSV that is being deleted is not copied", worldOf([changed({ deletionTimestamp: "2026-01-01T00:00:00Z" })]), ""],
  ["a CSV is not copied into its own namespace", worldOf([sourceOf("tenant", [""])]), ""],
  [
    "a copy that names its own namespace is deleted",
    worldOf([sourceOf("tenant", [""])], { copy: copyIn(global, withAnnotation("olm.operatorNamespace", "tenant")) }),
    "delete",
  ],
  ["a copy of a CSV without targets is deleted", worldOf([changed({ annotations: {} })], { copy }), "delete"],
  ["a CSV without a group is not copied", worldOf([{ ...global, group: undefined }]), ""],
  ["of two originals the first by namespace is copied", worldOf([sourceOf("a", [""]), global]), "create from a"],
  [
    "a copy keeps to its original when there is another one before it",
    worldOf([sourceOf("a", [""]), global], { copy }),
    "",
  ],
  [
    "a copy whose original no longer targets the namespace is deleted before another one is copied",
    worldOf([sourceOf("a", [""]), sourceOf("ops", ["other"])], { copy }),
    "delete",
  ],
] as const)
  test(words, () => {
    assert.equal(does(world), expected);
  });

for (const reason of [
  "Copied",
  "InvalidInstallModes",
  "NoTargetNamespaces",
  "UnsupportedOperatorGroup",
  "NoOperatorGroup",
  "TooManyOperatorGroups",
  "InterOperatorGroupOwnerConflict",
  "CannotModifyStaticOperatorGroupProvidedAPIs",
])
  test(`a CSV with reason ${reason} is copied nowhere`, () => {
    assert.equal(copyTargets(sourceOf("ops", ["tenant"], { reason })), undefined);
    assert.deepEqual(copyTargets(sourceOf("ops", ["tenant"])), ["tenant"]);
  });

test("a deletion is refused when the copy changed since it was read", () => {
  assert.deepEqual(
    planCopiedCsv(worldOf([], { copy })).actions.map(({ write }) => write),
    [
      {
        verb: "delete",
        type: clusterServiceVersions,
        key: { namespace: "tenant", name },
        preconditions: { uid: "copy", resourceVersion: "7" },
      },
    ],
  );
});

test("a copy has no targets, no component labels, applied configuration and state, and says where its operator runs", () => {
  const before = JSON.stringify(global.csv);
  assert.deepEqual(copyOf(global.csv), {
    labels: { team: "a", "olm.copiedFrom": "ops" },
    annotations: { "olm.operatorGroup": "group", "olm.operatorNamespace": "ops", note: "b" },
    spec: global.csv.spec,
    status: {
      phase: "Succeeded",
      reason: "Copied",
      message: "The operator is running in ops but is managing this namespace",
      lastUpdateTime: "2026-01-01T00:00:00Z",
    },
  });
  assert.equal(JSON.stringify(global.csv), before);
});

const upstream: Compat = { keepsUpstream: (word) => word === "copied-csvs" };
const configOf = (disableCopiedCSVs: boolean | undefined): OLMConfig => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OLMConfig",
  metadata: { name: "cluster" },
  ...(disableCopiedCSVs === undefined ? {} : { spec: { features: { disableCopiedCSVs } } }),
});
for (const [words, config, compat, expected] of [
  ["without --compat=copied-csvs no copies are made for all namespaces", undefined, improved, false],
  [
    "without --compat=copied-csvs an OLMConfig without the setting makes no copies",
    configOf(undefined),
    improved,
    false,
  ],
  ["without --compat=copied-csvs `disableCopiedCSVs: false` makes copies", configOf(false), improved, true],
  ["without --compat=copied-csvs `disableCopiedCSVs: true` makes none", configOf(true), improved, false],
  ["with --compat=copied-csvs copies are made for all namespaces", undefined, upstream, true],
  ["with --compat=copied-csvs an OLMConfig without the setting makes copies", configOf(undefined), upstream, true],
  ["with --compat=copied-csvs `disableCopiedCSVs: true` makes none", configOf(true), upstream, false],
] as const)
  test(words, () => {
    assert.equal(copiesEverywhere(config, compat), expected);
  });
