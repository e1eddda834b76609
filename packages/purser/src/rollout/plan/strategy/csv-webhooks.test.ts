import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ClusterServiceVersion, WebhookDescription } from "../../../apis/v0/cluster-service-version.ts";
import { webhookGenerateNameLabel as nameLabel, webhookHashLabel as hashLabel } from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { conversionFault, desiredConversion, namespaceSelectorOf, webhookHash } from "./csv-webhooks.ts";
import type { StrategyWorld } from "./strategy-world.ts";
import { checkWebhooks } from "./webhook-health.ts";

const ownerLabels = { "olm.owner": "op.v1", "olm.owner.namespace": "ns", "olm.owner.kind": "ClusterServiceVersion" };
const validating: WebhookDescription = {
  type: "ValidatingAdmissionWebhook",
  generateName: "check.g.io",
  deploymentName: "d.1",
  containerPort: 443,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  webhookPath: "/check",
};
const converting: WebhookDescription = {
  type: "ConversionWebhook",
  generateName: "convert.g.io",
  deploymentName: "d.1",
  containerPort: 443,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  conversionCRDs: ["as.g.io"],
};

interface Held {
  readonly webhooks?: readonly WebhookDescription[];
  readonly configurations?: readonly object[];
  readonly crd?: object;
  readonly owned?: readonly string[];
  readonly modes?: readonly (readonly [type: string, supported: boolean])[];
}

function worldOf({ webhooks = [], configurations = [], crd, owned = ["as.g.io"], modes = [] }: Held): StrategyWorld {
  const csv = {
    metadata: { namespace: "ns", name: "op.v1", uid: "u" },
    spec: {
      webhookdefinitions: webhooks,
      customresourcedefinitions: { owned: owned.map((name) => ({ name, version: "v1", kind: "A" })) },
      installModes: modes.map(([type, supported]) => ({ type, supported })),
    },
  } as unknown as ClusterServiceVersion;
  const crds = new Map(crd === undefined ? [] : [["as.g.io", { spec: crd } as unknown as CustomResourceDefinition]]);
  return { csv, validatingWebhooks: configurations, mutatingWebhooks: [], crds } as unknown as StrategyWorld;
}

const configuration = (name: string, labels: object, owner: object = ownerLabels): object => ({
  metadata: { name, labels: { ...owner, ...labels } },
});
const current = { [nameLabel]: "check.g.io", [hashLabel]: webhookHash(validating) };

const healths: readonly (readonly [string, Held, string])[] = [
  ["without webhooks", {}, "available"],
  ["with its configuration", { webhooks: [validating], configurations: [configuration("a", current)] }, "available"],
  ["without its configuration", { webhooks: [validating] }, "unavailable"],
  [
    "with a configuration of the former description",
    { webhooks: [validating], configurations: [configuration("a", { ...current, [hashLabel]: "former" })] },
    "unavailable",
  ],
  [
    "whose webhook was renamed",
    { webhooks: [{ ...validating, generateName: "new.g.io" }], configurations: [configuration("a", current)] },
    "unavailable, deletes validating a",
  ],
  [
    "whose webhook was removed",
    { configurations: [configuration("a", current), configuration("b", current)] },
    "available, deletes validating a, deletes validating b",
  ],
  [
    "beside the webhook of another namespace",
    { configurations: [configuration("a", current, { ...ownerLabels, "olm.owner.namespace": "other" })] },
    "available",
  ],
  [
    "with a configuration that does not name its description",
    { webhooks: [validating], configurations: [configuration("a", current), configuration("b", {})] },
    `webhook b is missing label ${nameLabel}`,
  ],
  ["with a conversion webhook for nothing", { webhooks: [{ ...converting, conversionCRDs: [] }] }, "unavailable"],
  ["whose CRD does not exist", { webhooks: [converting] }, "conversionWebhook not ready"],
  ["whose CRD has no conversion", { webhooks: [converting], crd: {} }, "conversionWebhook not ready"],
  [
    "whose CRD has no authority",
    { webhooks: [converting], crd: { conversion: { strategy: "Webhook", webhook: { clientConfig: {} } } } },
    "conversionWebhook not ready",
  ],
  [
    "whose CRD is converted",
    {
      webhooks: [converting],
      crd: { conversion: { strategy: "Webhook", webhook: { clientConfig: { caBundle: "Y2E=" } } } },
    },
    "available",
  ],
];
for (const [words, held, expected] of healths)
  test(`a CSV ${words}: ${expected}`, () => {
    const { health, stale } = checkWebhooks(worldOf(held));
    const shown = health.kind === "error" ? health.message : health.kind;
    assert.equal([shown, ...stale.map(({ kind, name }) => `deletes ${kind} ${name}`)].join(", "), expected);
  });

const faults: readonly (readonly [string, Held, string])[] = [
  [
    "that supports all namespaces alone",
    {
      modes: [
        ["AllNamespaces", true],
        ["OwnNamespace", false],
      ],
      crd: {},
    },
    "converted",
  ],
  [
    "that supports other namespaces too",
    {
      modes: [
        ["AllNamespaces", true],
        ["OwnNamespace", true],
      ],
      crd: {},
    },
    "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces",
  ],
  [
    "that does not support all namespaces",
    { modes: [["AllNamespaces", false]], crd: {} },
    "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces",
  ],
  [
    "that converts no CRD",
    { webhooks: [{ ...converting, conversionCRDs: [] }] },
    "unable to manager conversion webhook: conversion webhook must have at least one CRD specified",
  ],
  [
    "that converts a CRD that does not exist",
    {},
    'unable to get CRD as.g.io specified in Conversion Webhook: customresourcedefinitions.apiextensions.k8s.io "as.g.io" not found',
  ],
  ["that converts a CRD of others", { crd: {}, owned: ["bs.g.io"] }, "csv op.v1 does not own CRD as.g.io"],
  [
    "that converts a CRD which keeps unknown fields",
    { crd: { preserveUnknownFields: true } },
    "crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion",
  ],
];
for (const [words, held, expected] of faults)
  test(`a CSV ${words}: ${expected}`, () => {
    const world = worldOf(held);
    const [webhook = converting] = held.webhooks ?? [];
    const wanted = desiredConversion(world, webhook, "as.g.io", "Y2E=");
    assert.equal(conversionFault(world.csv, webhook) ?? (wanted.ok ? "converted" : wanted.problem), expected);
  });

test("the conversion of a CRD leads to the Service of the Deployment, by / where no path is given, with its authority if there is one", () => {
  const of = (webhook: WebhookDescription, authority?: string): unknown => {
    const wanted = desiredConversion(worldOf({ crd: {} }), webhook, "as.g.io", authority);
    return wanted.ok ? wanted.value : wanted.problem;
  };
  const service = { namespace: "ns", name: "d-1-service", port: 443, path: "/" };
  const whole = (clientConfig: object): object => ({
    strategy: "Webhook",
    webhook: { clientConfig, conversionReviewVersions: ["v1"] },
  });
  assert.deepEqual(of(converting, "Y2E="), whole({ service, caBundle: "Y2E=" }));
  assert.deepEqual(of({ ...converting, webhookPath: "/c" }), whole({ service: { ...service, path: "/c" } }));
});

const selector = { matchLabels: { team: "a" } };
const groups: readonly (readonly [string, object, object, unknown])[] = [
  ["of all namespaces: everywhere", { uid: "g" }, {}, undefined],
  ["with a selector: by that selector", { uid: "g" }, { selector }, selector],
  [
    "with targets: by its label",
    { uid: "g" },
    { targetNamespaces: ["a", "b"] },
    { matchLabels: { "olm.operatorgroup.uid/g": "" } },
  ],
  [
    "with targets and a selector: by its label",
    { uid: "g" },
    { targetNamespaces: ["a"], selector },
    { matchLabels: { "olm.operatorgroup.uid/g": "" } },
  ],
  ["with targets and without a uid: not at all", {}, { targetNamespaces: ["a"] }, "Missing UID"],
];
for (const [words, metadata, spec, expected] of groups)
  test(`webhooks of a group ${words}`, () => {
    const found = namespaceSelectorOf({ metadata, spec } as unknown as OperatorGroup);
    assert.deepEqual(found.ok ? found.value : found.problem, expected);
  });
