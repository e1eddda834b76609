import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { observeCleanup } from "./observe-cleanup.ts";
import { csvAt, namespace } from "./plan/testing/csv-world.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.g.io" },
  spec: {
    group: "g.io",
    scope: "Namespaced",
    names: { kind: "A", plural: "as" },
    versions: [{ name: "v1", served: true, storage: true }],
  },
};

function csvOf(enabled: boolean, verbs: readonly string[] = ["delete"]): ClusterServiceVersion {
  const base = csvAt("op.v1", "Succeeded");
  const permissions = [{ serviceAccountName: "op", rules: [{ apiGroups: ["g.io"], resources: ["as"], verbs }] }];
  return {
    ...base,
    spec: {
      ...base.spec,
      cleanup: { enabled },
      install: { strategy: "deployment", spec: { deployments: [], permissions } },
      customresourcedefinitions: { owned: [{ name: "as.g.io", version: "v1", kind: "A" }] },
    },
    status: { ...base.status, conditions: [{ phase: "Succeeded" }] },
  } as unknown as ClusterServiceVersion;
}

const instance = (where: string, name: string, deletionTimestamp?: string) => ({
  apiVersion: "g.io/v1",
  kind: "A",
  metadata: { namespace: where, name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
});

const home = (deletionTimestamp?: string) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: namespace, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
});

/** `NAME` of what is deleted, `NAME*` of what is being deleted, and the CRDs whose custom resources stay. */
async function seen(csv: ClusterServiceVersion, held: readonly object[]): Promise<readonly string[]> {
  const cluster = new RecordingCluster([csv, crd, ...held] as unknown as readonly KubeObject[]);
  const { operands, undeletable } = await observeCleanup(csv, cluster);
  return [
    ...operands.map(({ key, isDeleting }) => `${key.namespace}/${key.name}${isDeleting ? "*" : ""}`),
    ...undeletable.map((name) => `stays: ${name}`),
  ];
}

const at = "2026-01-01T00:00:00Z";
const instances = [instance(namespace, "x"), instance(namespace, "y", at), instance("elsewhere", "z")];

test("the custom resources of the target namespaces go, but for those that are being deleted", async () => {
  assert.deepEqual(await seen(csvOf(true), [home(), ...instances]), ["ns/x", "ns/y*"]);
});

test("nothing goes without spec.cleanup, or with the namespace of the operator", async () => {
  assert.deepEqual(await seen(csvOf(false), [home(), ...instances]), []);
  assert.deepEqual(await seen(csvOf(true), [home(at), ...instances]), []);
  assert.deepEqual(await seen(csvOf(true), instances), []);
});

test("what no account of the operator may delete stays, and is reported where there is any", async () => {
  assert.deepEqual(await seen(csvOf(true, ["get"]), [home(), ...instances]), ["stays: as.g.io"]);
  assert.deepEqual(await seen(csvOf(true, ["get"]), [home(), instance("elsewhere", "z")]), []);
});
