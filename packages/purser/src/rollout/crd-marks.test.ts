import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { failed } from "@purser/kubernetes/result";
import { type Compat, improved, parseCompat } from "../compat.ts";
import { executeCrdStep } from "./crd-step.ts";
import { type CsvKey, installedAlongside, withInstalledAlongside } from "./plan/installed-alongside.ts";

const own = { namespace: "ns", name: "op.v2" };
const other = { namespace: "elsewhere", name: "op.v2" };

function crdMarked(...marks: readonly CsvKey[]): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "foos.g.io",
      annotations: withInstalledAlongside({}, marks, { namespace: "", name: "" }),
    },
    spec: {
      group: "g.io",
      names: { kind: "Foo", plural: "foos" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
    status: { conditions: [], storedVersions: ["v1"] },
  };
}

const csv = ({ namespace, name }: CsvKey): KubeObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace, name },
});

const plan = ({ namespace, name }: CsvKey, phase: string): KubeObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "InstallPlan",
  metadata: { namespace, name: "install-a" },
  spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [name] },
  status: { phase },
});

/** The CSVs that the CRD names after a pass of the step of `own`. */
async function marksAfter(
  cluster: RecordingCluster,
  writer: ObjectWriter = cluster,
  compat: Compat = improved,
  isInstalled?: (csv: CsvKey) => boolean,
): Promise<readonly string[]> {
  const { annotations: _annotations, ...metadata } = crdMarked().metadata;
  const { status: _status, ...rest } = crdMarked();
  const resource = { sourceName: "cat", sourceNamespace: "olm", group: "apiextensions.k8s.io", version: "v1" };
  const outcome = await executeCrdStep(
    { ...rest, metadata },
    {
      resolving: own.name,
      resource: { ...resource, kind: "CustomResourceDefinition", name: "foos.g.io" },
      status: "Unknown",
    },
    own.namespace,
    { reader: cluster, writer, compat, ...(isInstalled === undefined ? {} : { isInstalled }) },
    new AbortController().signal,
  );
  assert.ok(outcome.ok);
  const written = cluster.objects.get("apiextensions.k8s.io|customresourcedefinitions||foos.g.io");
  return [...installedAlongside(written?.metadata.annotations).values()].map((key) => `${key.namespace}/${key.name}`);
}

const table: readonly (readonly [string, readonly KubeObject[], readonly string[]])[] = [
  ["a CSV that exists keeps its mark", [csv(other)], ["elsewhere/op.v2", "ns/op.v2"]],
  ["a deleted CSV loses its mark", [], ["ns/op.v2"]],
  [
    "without --compat=crd-marks a CSV that a plan will create keeps its mark",
    [plan(other, "Installing")],
    ["elsewhere/op.v2", "ns/op.v2"],
  ],
  ["a CSV that was deleted after its plan was complete loses its mark", [plan(other, "Complete")], ["ns/op.v2"]],
  ["a CSV of a plan that failed loses its mark", [plan(other, "Failed")], ["ns/op.v2"]],
  [
    "a plan for another CSV keeps no mark",
    [plan({ namespace: "elsewhere", name: "op.v1" }, "Installing")],
    ["ns/op.v2"],
  ],
];

for (const [name, held, expected] of table)
  test(name, async () => {
    assert.deepEqual(await marksAfter(new RecordingCluster([crdMarked(other), ...held])), expected);
  });

test("with --compat=crd-marks a CSV that a plan will create loses its mark, one that exists keeps it", async () => {
  const compat = parseCompat("crd-marks");
  assert.ok(compat.ok);
  const after = async (held: KubeObject): Promise<readonly string[]> => {
    const cluster = new RecordingCluster([crdMarked(other), held]);
    return marksAfter(cluster, cluster, compat.value);
  };
  assert.deepEqual(await after(plan(other, "Installing")), ["ns/op.v2"]);
  assert.deepEqual(await after(csv(other)), ["elsewhere/op.v2", "ns/op.v2"]);
});

test("a mark that another plan sets between the read and the write is kept", async () => {
  const cluster = new RecordingCluster([crdMarked(), csv(other)]);
  let refusals = 0;
  const writer: ObjectWriter = {
    async write(write, signal) {
      if (refusals++ > 0) return cluster.write(write);
      await cluster.write({ ...write, object: crdMarked(other) } as typeof write);
      signal.throwIfAborted();
      return failed({
        kind: "conflict",
        status: { code: 409, reason: "Conflict", message: "the object was modified" },
      });
    },
  };
  assert.deepEqual(await marksAfter(cluster, writer), ["elsewhere/op.v2", "ns/op.v2"]);
});

test("a CSV that the cache shows keeps its mark without a request, unless with --compat=crd-marks", async () => {
  const reads: string[] = [];
  class Noting extends RecordingCluster {
    override async get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined> {
      reads.push(`${type.kind} ${key.name}`);
      return super.get(type, key);
    }
  }
  const cluster = (): Noting => new Noting([crdMarked(other)]);
  const isInstalled = ({ namespace }: CsvKey): boolean => namespace === other.namespace;
  const kept = cluster();
  assert.deepEqual(await marksAfter(kept, kept, improved, isInstalled), ["elsewhere/op.v2", "ns/op.v2"]);
  assert.deepEqual(reads.splice(0), ["CustomResourceDefinition foos.g.io"]);
  const compat = parseCompat("crd-marks");
  assert.ok(compat.ok);
  const asked = cluster();
  assert.deepEqual(await marksAfter(asked, asked, compat.value, isInstalled), ["ns/op.v2"]);
  assert.deepEqual(reads, ["CustomResourceDefinition foos.g.io", "ClusterServiceVersion op.v2"]);
});

test("a definition keeps the component labels of other Operators when it is written, and no other label", async () => {
  const { metadata, ...crd } = crdMarked();
  const labels = { "operators.coreos.com/foo.elsewhere": "", team: "a" };
  const cluster = new RecordingCluster([{ ...crd, metadata: { ...metadata, labels } }]);
  await marksAfter(cluster);
  const written = cluster.objects.get("apiextensions.k8s.io|customresourcedefinitions||foos.g.io");
  assert.deepEqual(written?.metadata.labels, { "operators.coreos.com/foo.elsewhere": "", "olm.managed": "true" });
});
