import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorGroups } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion, ClusterServiceVersionPhase } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import { improved } from "../../../../compat.ts";
import { servedConditions } from "../testing/served-conditions.ts";
import { planOperatorGroup } from "./plan-operator-group.ts";

function groupOf(provided: string, spec: OperatorGroup["spec"] = {}): OperatorGroup {
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { namespace: "ns", name: "og", uid: "og", annotations: { "olm.providedAPIs": provided } },
    spec: { targetNamespaces: ["ns"], ...spec },
    status: { namespaces: ["ns"], lastUpdated: "", conditions: servedConditions },
  };
}

/** A CSV of the group that owns these kinds of g.io. */
function csvOf(
  name: string,
  phase: ClusterServiceVersionPhase | undefined,
  ...kinds: readonly string[]
): ClusterServiceVersion {
  const owned = kinds.map((kind) => ({ name: `${kind.toLowerCase()}s.g.io`, version: "v1", kind }));
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      namespace: "ns",
      name,
      annotations: { "olm.operatorGroup": "og", "olm.operatorNamespace": "ns", "olm.targetNamespaces": "ns" },
    },
    spec: { displayName: name, install: { strategy: "deployment" }, customresourcedefinitions: { owned } },
    ...(phase === undefined ? {} : { status: { phase } }),
  } as ClusterServiceVersion;
}

/** `olm.providedAPIs` as one pass writes it; undefined when it stays. */
function listed(group: OperatorGroup, ...csvs: readonly ClusterServiceVersion[]): string | undefined {
  const { actions } = planOperatorGroup(
    { group, groupsInNamespace: 1, namespaces: [], csvs, serviceAccount: undefined, clusterRoles: new Map() },
    0,
    improved,
  );
  for (const { write } of actions)
    if (write.verb === "patch" && write.type === operatorGroups) {
      const { metadata } = write.patch as unknown as { readonly metadata: OperatorGroup["metadata"] };
      return metadata.annotations?.["olm.providedAPIs"];
    }
  return undefined;
}

const both = "A.v1.g.io,B.v1.g.io";
const leaving = {
  ...csvOf("op", "Succeeded", "B"),
  metadata: { name: "op", deletionTimestamp: "2026-01-01T00:00:00Z" },
};
const copied = csvOf("copy", "Succeeded", "B");
const copy = { ...copied, metadata: { ...copied.metadata, labels: { "olm.copiedFrom": "other" } } };
const table: readonly (readonly [string, string | undefined, string | undefined])[] = [
  [
    "an API that no CSV provides any more is taken off",
    listed(groupOf(both), csvOf("op", "Succeeded", "A")),
    "A.v1.g.io",
  ],
  ["the last API is taken off", listed(groupOf(both)), ""],
  [
    "an API of a pending CSV stays",
    listed(groupOf(both), csvOf("op", "Succeeded", "A"), csvOf("next", "Pending", "B")),
    undefined,
  ],
  ["an API of a CSV without a phase stays", listed(groupOf(both), csvOf("op", undefined, "A", "B")), undefined],
  ["an API of a failed CSV stays", listed(groupOf(both), csvOf("op", "Failed", "A", "B")), undefined],
  [
    "nothing is taken off while a pending CSV is about to add an API",
    listed(groupOf(both), csvOf("op", "Pending", "A", "C")),
    undefined,
  ],
  [
    "a failed CSV with its own API does not keep APIs on the list that no CSV provides",
    listed(groupOf(both), csvOf("op", "Failed", "A", "C")),
    "A.v1.g.io",
  ],
  [
    "an API of a CSV that is being deleted is taken off",
    listed(groupOf(both), csvOf("a", "Succeeded", "A"), leaving),
    "A.v1.g.io",
  ],
  ["an API of a copied CSV is taken off", listed(groupOf(both), csvOf("a", "Succeeded", "A"), copy), "A.v1.g.io"],
  ["a static list stays", listed(groupOf(both, { staticProvidedAPIs: true })), undefined],
];

for (const [what, list, expected] of table) test(what, () => assert.equal(list, expected));
