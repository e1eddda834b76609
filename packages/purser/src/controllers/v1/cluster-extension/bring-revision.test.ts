import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { bringRevision } from "./bring-revision.ts";

const crd = (scope: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.g.io", ...metadata },
  spec: {
    group: "g.io",
    names: { kind: "A", plural: "as" },
    scope,
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

/** @param shown what watches show of the definition's version */
async function brought(live: JsonObject, shown?: string): Promise<string> {
  const cluster = new RecordingCluster([live as unknown as KubeObject]);
  const bundle = { name: "op.v1", packageName: "op", version: "1.0.0", image: "example.com/op" };
  const request = { extension: { name: "ext", uid: "u" }, bundle, objects: [crd("Cluster")] };
  const versions = { versionOf: () => shown };
  const ports = { reader: cluster, writer: cluster, systemNamespace: "olmv1-system", versions };
  const { signal } = new AbortController();
  const outcome = await bringRevision({ request, checksCrds: true, revisions: [] }, ports, signal);
  return outcome.kind === "terminating" ? `${outcome.kind} ${outcome.crds.join()}` : outcome.kind;
}

test("a CRD that is still being deleted is not compared with the bundle's", async () => {
  const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  assert.equal(await brought(crd("Namespaced", deleting)), "terminating as.g.io");
  assert.equal(await brought(crd("Namespaced")), "unsafe");
});

test("a CRD that a watch shows is compared, and one that it does not show is not read", async () => {
  assert.equal(await brought(crd("Namespaced"), "uid 1"), "unsafe");
  assert.equal(await brought(crd("Namespaced"), "held"), "unsafe");
  assert.equal(await brought(crd("Namespaced"), "absent"), "applied");
});
