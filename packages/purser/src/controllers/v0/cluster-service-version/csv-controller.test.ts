import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { formatKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, deployments, roleBindings } from "@purser/kubernetes/apis/resources";
import { invariant } from "@purser/kubernetes/invariant";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import {
  clusterServiceVersions,
  operatorConditions,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Surroundings } from "../../surroundings.ts";
import { csvController } from "./csv-controller.ts";

const { watches } = csvController({} as Surroundings);

function csvOf(namespace: string, name: string, spec: object = {}): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace, name },
    spec: { displayName: name, install: { strategy: "deployment" }, ...spec },
  } as ClusterServiceVersion;
}

const held = [
  csvOf("ns", "op.v1"),
  csvOf("ns", "op.v2", { replaces: "op.v1" }),
  csvOf("ns", "needs", { customresourcedefinitions: { required: [{ name: "as.g.io", version: "v1", kind: "A" }] } }),
  csvOf("elsewhere", "op.v1"),
  csvOf("serving", "serves", { install: { strategy: "deployment", spec: { deployments: [{ name: "d", spec: {} }] } } }),
  csvOf("serving", "other", { install: { strategy: "deployment", spec: { deployments: [{ name: "e", spec: {} }] } } }),
  csvOf("serving", "bare", { install: { strategy: "deployment" } }),
  csvOf("far", "provider", {
    customresourcedefinitions: { owned: [{ name: "bs.g.io", version: "v1", kind: "B" }] },
    apiservicedefinitions: { owned: [{ group: "served.io", version: "v1", kind: "C" }] },
  }),
];

const groups = [
  { metadata: { namespace: "far", name: "group" }, status: { namespaces: ["far"] } },
  { metadata: { namespace: "ns", name: "group" }, status: { namespaces: ["ns"] } },
];

/** The indexes of the controller over the CSVs and groups that are held. */
const cache: CacheView = {
  cached: (_type, key) =>
    held.find(({ metadata }) => metadata.namespace === key.namespace && metadata.name === key.name) as never,
  byIndex(type, index, value) {
    const of = watches.find((watch) => watch.type === (type as ResourceType))?.indexes?.[index];
    invariant(of !== undefined, `there is the index ${index}`);
    const objects = (type === operatorGroups ? groups : held) as readonly ClusterServiceVersion[];
    return objects.filter((object) => of(object).includes(value)) as never;
  },
};

/** Keys of CSVs that a change of the object runs, sorted. */
function wokenBy(type: ResourceType, object: Partial<KubeObject> & object): readonly string[] {
  const watch = watches.find((candidate) => candidate.type === type);
  const whole = { apiVersion: "", kind: type.kind, metadata: {}, ...object };
  const keys = watch?.concerned?.({ after: whole }, cache) ?? watch?.map?.(whole, cache);
  invariant(keys !== undefined, `${type.kind} is watched`);
  return [...new Set(keys.map(formatKey))].toSorted();
}

const owner = { apiVersion: "", kind: "ClusterServiceVersion", name: "op.v1", uid: "" };
const labels = { "olm.owner": "op.v1", "olm.owner.namespace": "elsewhere", "olm.owner.kind": "ClusterServiceVersion" };
const account = (namespace: string, role = "extension-apiserver-authentication-reader"): object => ({
  roleRef: { name: role },
  subjects: [{ kind: "ServiceAccount", namespace, name: "default" }],
});
const table: readonly (readonly [string, ResourceType, Partial<KubeObject> & object, readonly string[]])[] = [
  [
    "an OperatorCondition wakes the CSV that it is about and those that wait for it",
    operatorConditions,
    { metadata: { namespace: "ns", name: "op.v1" } },
    ["ns/needs", "ns/op.v1", "ns/op.v2"],
  ],
  [
    "an OperatorCondition in a namespace without CSVs wakes its owner, which may come",
    operatorConditions,
    { metadata: { namespace: "empty", name: "op.v1", ownerReferences: [owner] } },
    ["empty/op.v1"],
  ],
  [
    "an OperatorGroup wakes the CSVs of its namespace",
    operatorGroups,
    { metadata: { namespace: "elsewhere", name: "group" } },
    ["elsewhere/op.v1"],
  ],
  [
    "an OperatorGroup wakes the CSVs of other namespaces that provide a CRD of its list",
    operatorGroups,
    {
      metadata: { namespace: "empty", name: "group", annotations: { "olm.providedAPIs": "A.v1.g.io,B.v1.g.io" } },
      status: { namespaces: ["far"] },
    } as object,
    ["far/provider"],
  ],
  [
    "an OperatorGroup of all namespaces wakes them",
    operatorGroups,
    {
      metadata: { namespace: "empty", name: "group", annotations: { "olm.providedAPIs": "B.v1.g.io" } },
      status: { namespaces: [""] },
    } as object,
    ["far/provider"],
  ],
  [
    "an OperatorGroup with other targets than their groups does not wake them",
    operatorGroups,
    {
      metadata: { namespace: "empty", name: "group", annotations: { "olm.providedAPIs": "B.v1.g.io" } },
      status: { namespaces: ["ns"] },
    } as object,
    [],
  ],
  [
    "an OperatorGroup wakes the CSVs of other namespaces that provide an APIService of its list",
    operatorGroups,
    {
      metadata: { namespace: "empty", name: "group", annotations: { "olm.providedAPIs": "C.v1.served.io" } },
      status: { namespaces: ["far"] },
    } as object,
    ["far/provider"],
  ],
  [
    "a CSV wakes what it replaces, if that exists, and what replaces it",
    clusterServiceVersions,
    csvOf("ns", "op.v1", { replaces: "op.v0" }),
    ["ns/op.v1", "ns/op.v2"],
  ],
  [
    "a CSV wakes the one that it replaces",
    clusterServiceVersions,
    csvOf("ns", "op.v2", { replaces: "op.v1" }),
    ["ns/op.v1", "ns/op.v2"],
  ],
  [
    "a Subscription wakes what it has installed",
    subscriptions,
    { metadata: { namespace: "ns", name: "sub" }, status: { installedCSV: "op.v2" } },
    ["ns/op.v2"],
  ],
  [
    "the binding of a Deployment in kube-system wakes the CSV with that Deployment in the namespace of its account",
    roleBindings,
    { metadata: { namespace: "kube-system", name: "d-service-auth-reader" }, ...account("serving") },
    ["serving/serves"],
  ],
  [
    "a binding in kube-system without a CSV that has its Deployment wakes its Deployment's name, to be swept",
    roleBindings,
    { metadata: { namespace: "kube-system", name: "d-service-auth-reader" }, ...account("ns") },
    ["ns/d"],
  ],
  [
    "a binding in kube-system to another role wakes no CSV",
    roleBindings,
    { metadata: { namespace: "kube-system", name: "d-service-auth-reader" }, ...account("ns", "other") },
    [],
  ],
  [
    "a binding in kube-system with another name wakes no CSV",
    roleBindings,
    { metadata: { namespace: "kube-system", name: "d-auth-reader" }, ...account("ns") },
    [],
  ],
  [
    "a binding of a Deployment in another namespace wakes no CSV",
    roleBindings,
    { metadata: { namespace: "ns", name: "d-service-auth-reader" }, ...account("serving") },
    [],
  ],
  ["a CRD wakes who needs it", customResourceDefinitions, { metadata: { name: "as.g.io" } }, ["ns/needs"]],
  [
    "a CRD wakes the CSVs that it was installed with, also those that do not exist",
    customResourceDefinitions,
    {
      metadata: {
        name: "zs.g.io",
        annotations: {
          "operatorframework.io/installed-alongside-1": "gone/op.v1",
          "operatorframework.io/installed-alongside-2": "ns/op.v2",
        },
      },
    },
    ["gone/op.v1", "ns/op.v2"],
  ],
  [
    "an object wakes the owners that its references and its labels name",
    deployments,
    { metadata: { namespace: "ns", name: "d", labels, ownerReferences: [owner] } },
    ["elsewhere/op.v1", "ns/op.v1"],
  ],
];

for (const [what, type, object, keys] of table) test(what, () => assert.deepEqual(wokenBy(type, object), keys));

test("a mark that a definition gets wakes its CSV and those of its namespace, another change all that use the definition", () => {
  const watch = watches.find(({ type, concerned }) => type === customResourceDefinitions && concerned !== undefined);
  const crd = (mark: string | undefined, generation: number): KubeObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "as.g.io",
      generation,
      annotations: mark === undefined ? {} : { "operatorframework.io/installed-alongside-1": mark },
    },
  });
  const woken = (after: KubeObject): readonly string[] =>
    [...new Set(watch?.concerned?.({ before: crd(undefined, 1), after }, cache).map(formatKey))].toSorted();
  assert.deepEqual(woken(crd("elsewhere/op.v2", 1)), ["elsewhere/op.v1", "elsewhere/op.v2"]);
  assert.deepEqual(woken(crd("elsewhere/op.v2", 2)), ["elsewhere/op.v2", "ns/needs"]);
  assert.deepEqual(woken(crd(undefined, 1)), []);
});
