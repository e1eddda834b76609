import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import {
  bundleNameAnnotation,
  bundleVersionAnnotation,
  ownerNameLabel,
  packageNameAnnotation,
  propertiesAnnotation,
} from "../../../apis/v1/labels.ts";
import { loadCatalog } from "../../../catalog/loading/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import { smallCatalog } from "../../../catalog/testing/small-catalog.ts";
import type { ExtensionCatalog } from "../../../resolver/v1/input.ts";
import type { ResolvedExtension } from "../../../resolver/v1/outcome.ts";
import type { Surroundings } from "../../surroundings.ts";
import { judgedDependencies } from "./observe-dependencies.ts";

const extension: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "app" },
  spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "app" } } },
};
const certified = { type: "certified", value: true };
const required: JsonObject = {
  failureMessage: "needs a certified operator",
  cel: { rule: 'properties.exists(p, p.type == "certified")' },
};

function revision(properties: readonly JsonObject[], status = "True"): ClusterObjectSet {
  return {
    metadata: {
      name: "store-1",
      labels: { [ownerNameLabel]: "store" },
      annotations: {
        [packageNameAnnotation]: "store",
        [bundleNameAnnotation]: "store.v1.0.0",
        [bundleVersionAnnotation]: "1.0.0",
        [propertiesAnnotation]: JSON.stringify(properties),
      },
    },
    spec: { lifecycleState: "Active", revision: 1 },
    status: { conditions: [{ type: "Succeeded", status }] },
  } as unknown as ClusterObjectSet;
}

const catalogOf = (property: string): ExtensionCatalog => {
  const text = smallCatalog("store", ["1.0.0"]) + property;
  const { blobs } = loadCatalog([{ file: "c", text }]);
  return { catalog: {}, content: { kind: "present", index: indexOf(blobs) } } as unknown as ExtensionCatalog;
};
const unread = { catalog: {}, content: { kind: "absent" } } as unknown as ExtensionCatalog;

async function judged(revisions: readonly ClusterObjectSet[], all: readonly ExtensionCatalog[]): Promise<string> {
  const resolved = {
    kind: "resolved",
    bundle: { name: "app.v1.0.0", version: "1.0.0" },
    catalog: "c",
    version: "1.0.0",
    requires: [{ type: "olm.constraint", value: required }],
  } as unknown as ResolvedExtension;
  const reader = {
    list: ({ kind }: { readonly kind: string }) =>
      Promise.resolve(kind === "ClusterObjectSet" ? revisions : [extension]),
  };
  const context = { reader, signal: new AbortController().signal, now: 0 } as unknown as ObserveContext;
  const surroundings = {
    discovery: { serves: () => Promise.resolve(false), lookUp: () => Promise.resolve({ kind: "absent" }) },
  } as unknown as Surroundings;
  const policies = { updatePolicies: [], clusterUpdatePolicies: [] };
  return (await judgedDependencies(extension, resolved, { selected: [], all }, policies, context, surroundings)).kind;
}

for (const [what, revisions, all, met] of [
  ["that its revision records", [revision([certified])], [], true],
  [
    "that a catalog lists for its bundle",
    [revision([])],
    [unread, catalogOf("- {type: certified, value: true}\n")],
    true,
  ],
  ["that nothing states", [revision([])], [unread, catalogOf("")], false],
  ["that the revision of a roll-out records", [revision([certified], "False")], [], false],
  ["without any installed operator", [], [catalogOf("- {type: certified, value: true}\n")], false],
] as const)
  test(`a required property of an installed operator ${what} ${met ? "is met" : "is not met"}`, async () =>
    assert.equal((await judged(revisions, all)) === "met", met));
