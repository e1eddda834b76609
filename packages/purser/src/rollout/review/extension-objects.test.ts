import assert from "node:assert/strict";
import { test } from "node:test";
import { readBundle } from "../../bundle/read-bundle.ts";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { referenceOf } from "../../review/change-plan/object-changes.ts";
import { extensionObjects } from "./extension-objects.ts";

test("a webhook configuration of an extension is cluster-scoped, as the API server stores it", () => {
  const webhook = {
    type: "ValidatingAdmissionWebhook",
    generateName: "check.example.com",
    deploymentName: "kiln",
    containerPort: 443,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
  };
  const csv = smallCsv({ webhookdefinitions: [webhook] });
  const bundle = readBundle(smallBundle({ "manifests/csv.json": csv }));
  assert.ok(bundle.ok);
  const objects = extensionObjects(bundle.value, "1.0.0", { name: "kiln", namespace: "ops" });
  assert.ok(objects.ok, JSON.stringify(objects));
  const found = objects.value.filter(({ kind }) => kind === "ValidatingWebhookConfiguration").map(referenceOf);
  assert.deepEqual(
    found.map(({ namespace, kind }) => [kind, namespace]),
    [["ValidatingWebhookConfiguration", undefined]],
  );
});

test("each object has the label of a revision instead of the one of its bundle, so that a plan finds no drift in it", () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "metrics", labels: { "app.kubernetes.io/managed-by": "kustomize", app: "kiln" } },
    spec: { ports: [{ port: 80 }] },
  };
  const bundle = readBundle(smallBundle({ "manifests/csv.json": smallCsv({}), "manifests/service.json": service }));
  assert.ok(bundle.ok);
  const objects = extensionObjects(bundle.value, "1.0.0", { name: "kiln", namespace: "ops" });
  assert.ok(objects.ok, JSON.stringify(objects));
  const labels = objects.value.map(({ kind, metadata }) => [
    kind,
    (metadata as { readonly labels: Readonly<Record<string, string>> }).labels["app.kubernetes.io/managed-by"],
  ]);
  assert.ok(
    labels.some(([kind]) => kind === "Service"),
    JSON.stringify(labels),
  );
  assert.deepEqual([...new Set(labels.map(([, label]) => label))], ["olm.operatorframework.io"]);
});
