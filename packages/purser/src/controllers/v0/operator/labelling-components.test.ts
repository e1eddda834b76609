import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { deployments, mutatingWebhookConfigurations, services } from "@purser/kubernetes/apis/resources";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { labellingComponents } from "./labelling-components.ts";

const csv = {
  metadata: { name: "op.v1", namespace: "ns", labels: { "operators.coreos.com/op.ns": "", other: "label" } },
} as unknown as ClusterServiceVersion;
const owned = { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" };
const object = (labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "v1",
  kind: "K",
  metadata: { name: "o", namespace: "ns", labels },
});

for (const [words, verb, type, labels, isLabelled] of [
  ["a new Deployment of the CSV", "create", deployments, owned, true],
  ["a new Service of the CSV", "create", services, owned, true],
  [
    "not one that is replaced: what was removed from it is no matter of the strategy",
    "replace",
    deployments,
    owned,
    false,
  ],
  ["not an object of another CSV", "create", deployments, { ...owned, "olm.owner": "other.v1" }, false],
  ["not a kind that no Operator lists", "create", mutatingWebhookConfigurations, owned, false],
] as const)
  test(`the component labels of a CSV go to ${words}`, async () => {
    const cluster = new RecordingCluster([]);
    const writer = labellingComponents(cluster, csv);
    await writer.write({ verb, type: type as ResourceType, object: object(labels) }, new AbortController().signal);
    const [write] = cluster.requests;
    assert.ok(write !== undefined && "object" in write);
    const expected = isLabelled ? { ...labels, "operators.coreos.com/op.ns": "" } : labels;
    assert.deepEqual(write.object.metadata.labels, expected);
  });
