import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { RecordingCluster } from "../../../conformance/suites/v0/recording-cluster.ts";
import { readyWorkloads } from "./ready-workloads.ts";

const revision = "deployment.kubernetes.io/revision";
const wanted: JsonObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "ns", name: "d" } };
const deployment = (conditions: readonly object[] = []): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "ns", name: "d", uid: "uid-d", annotations: { [revision]: "2" } },
    status: { conditions },
  }) as unknown as KubeObject;
const replicaSet = (number: string, readyReplicas: number | undefined, uid = "uid-d"): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      namespace: "ns",
      name: `d-${number}-${uid}`,
      annotations: { [revision]: number },
      ownerReferences: [{ uid: "other" }, { uid }],
    },
    ...(readyReplicas === undefined ? {} : { status: { readyReplicas } }),
  }) as unknown as KubeObject;
const complete = { type: "Progressing", reason: "NewReplicaSetAvailable" };

for (const [what, held, expected] of [
  ["that does not exist", [], []],
  ["without pods", [deployment()], []],
  ["that was complete once", [deployment([complete])], ["ns/d"]],
  ["that progresses", [deployment([{ ...complete, reason: "ReplicaSetUpdated" }])], []],
  ["that is available", [deployment([{ ...complete, type: "Available" }])], []],
  ["with a ready pod of its newest template", [deployment(), replicaSet("1", 0), replicaSet("2", 1)], ["ns/d"]],
  ["with a ready pod of an older template", [deployment(), replicaSet("1", 1), replicaSet("2", 0)], []],
  ["beside a ready pod of another", [deployment(), replicaSet("2", 1, "uid-e")], []],
  ["whose pods report nothing", [deployment(), replicaSet("2", undefined)], []],
] as const)
  test(`a Deployment ${what} ${expected.length === 0 ? "had no" : "had a"} ready pod`, async () =>
    assert.deepEqual(await readyWorkloads(new RecordingCluster(held), [wanted]), expected));

test("only Deployments count, and only those that are rolled out", async () => {
  const cluster = new RecordingCluster([deployment([complete])]);
  assert.deepEqual(await readyWorkloads(cluster, [{ ...wanted, kind: "StatefulSet" }]), []);
  assert.deepEqual(await readyWorkloads(cluster, [wanted], () => false), []);
});
