import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion, WebhookDescription } from "../../../apis/v0/cluster-service-version.ts";
import { operatorGroupUidLabelPrefix, webhookGenerateNameLabel } from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { managed, ownerOf } from "./csv-owner.ts";
import { configurationsOf, desiredConfiguration, type WebhookConfiguration } from "./csv-webhooks.ts";
import type { StrategyWorld } from "./strategy-world.ts";

const csvOf = (spec: object = {}, metadata: object = {}): ClusterServiceVersion =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "uid", ...metadata },
    spec: { install: { strategy: "deployment" }, ...spec },
  }) as unknown as ClusterServiceVersion;
const conversion: WebhookDescription = {
  generateName: "c.op.io",
  type: "ConversionWebhook",
  deploymentName: "op.manager",
  containerPort: 443,
  sideEffects: "None",
  admissionReviewVersions: ["v1", "v1beta1"],
  webhookPath: "/convert",
  conversionCRDs: ["as.op.io"],
};
const worldOf = (more: object): StrategyWorld =>
  ({
    csv: csvOf({ customresourcedefinitions: { owned: [{ name: "bs.op.io" }, { name: "as.op.io" }] } }),
    crds: new Map([["as.op.io", { spec: {} }]]),
    validatingWebhooks: [],
    mutatingWebhooks: [],
    ...more,
  }) as unknown as StrategyWorld;

test("configurations of a description are those with the CSV's owner labels and its generateName", () => {
  const owner = ownerOf(csvOf());
  const configuration = (name: string, generateName: string, labels: object = owner.labels): object => ({
    metadata: { name, labels: { ...labels, [webhookGenerateNameLabel]: generateName } },
  });
  const other = ownerOf(csvOf({}, { name: "op.v2" })).labels;
  const world = worldOf({
    csv: csvOf(),
    validatingWebhooks: [
      configuration("v1", "a.op.io"),
      configuration("v2", "b.op.io"),
      configuration("v3", "a.op.io", other),
      configuration("v4", "a.op.io"),
    ],
    mutatingWebhooks: [configuration("m1", "a.op.io")],
  });
  const names = (type: WebhookDescription["type"]): readonly (string | undefined)[] =>
    configurationsOf(world, { ...conversion, type, generateName: "a.op.io" }).map(({ metadata }) => metadata.name);
  assert.deepEqual(names("ValidatingAdmissionWebhook"), ["v1", "v4"]);
  assert.deepEqual(names("MutatingAdmissionWebhook"), ["m1"]);
  assert.deepEqual(names("ConversionWebhook"), []);
});

test("only a mutating configuration has a reinvocation policy, and only a group with namespaces a selector", () => {
  const description = { ...conversion, reinvocationPolicy: "IfNeeded" };
  const head = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup" };
  const targeting = {
    ...head,
    metadata: { name: "g", uid: "u1" },
    spec: { targetNamespaces: ["ns"] },
  } as OperatorGroup;
  const everywhere = { ...head, metadata: { name: "g", uid: "u1" }, spec: {} } as OperatorGroup;
  const made = (type: WebhookDescription["type"], group: OperatorGroup): WebhookConfiguration =>
    desiredConfiguration(csvOf(), { ...description, type }, group, "Y2E=") as unknown as WebhookConfiguration;
  const mutating = made("MutatingAdmissionWebhook", targeting);
  const validating = made("ValidatingAdmissionWebhook", everywhere);
  const facts = ({ kind, webhooks }: WebhookConfiguration): unknown => {
    const [first] = webhooks ?? [];
    const policy = first && "reinvocationPolicy" in first ? first.reinvocationPolicy : undefined;
    return [kind, policy, first?.namespaceSelector];
  };
  const byGroup = { matchLabels: { [`${operatorGroupUidLabelPrefix}u1`]: "" } };
  assert.deepEqual(facts(mutating), ["MutatingWebhookConfiguration", "IfNeeded", byGroup]);
  assert.deepEqual(facts(validating), ["ValidatingWebhookConfiguration", undefined, undefined]);
  const { labels = {}, generateName, namespace } = mutating.metadata;
  assert.deepEqual([generateName, namespace], ["c.op.io-", "ns"]);
  assert.ok(
    Object.entries({ ...ownerOf(csvOf()).labels, ...managed }).every(([name, value]) => labels[name] === value),
  );
  assert.deepEqual(mutating.webhooks?.[0]?.clientConfig, {
    service: { namespace: "ns", name: "op-manager-service", port: 443, path: "/convert" },
    caBundle: "Y2E=",
  });
});
