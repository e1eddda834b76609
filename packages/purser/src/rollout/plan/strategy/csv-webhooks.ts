import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@purser/kubernetes/apis/admissionregistration";
import type { LabelSelector } from "@purser/kubernetes/apis/selector";
import type { ClusterServiceVersion, WebhookDescription } from "../../../apis/v0/cluster-service-version.ts";
import { operatorGroupUidLabelPrefix, webhookGenerateNameLabel, webhookHashLabel } from "../../../apis/v0/labels.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { readTyped } from "../../../bundle/api-types/read-typed.ts";
import { writeTyped } from "../../../bundle/api-types/write-typed.ts";
import { deepHash } from "../../../bundle/generated-name.ts";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { hasOwnerLabels, managed, ownerOf } from "./csv-owner.ts";
import type { StrategyWorld } from "./strategy-world.ts";

export type WebhookConfiguration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
export type AdmissionKind = "validating" | "mutating";

export function admissionKindOf({ type }: WebhookDescription): AdmissionKind | undefined {
  switch (type) {
    case "ValidatingAdmissionWebhook":
      return "validating";
    case "MutatingAdmissionWebhook":
      return "mutating";
    case "ConversionWebhook":
      return undefined;
  }
}

export function webhookHash(description: WebhookDescription): string {
  const typed = readTyped("csv.WebhookDescription", description as unknown as JsonValue);
  invariant(typed.ok, `the webhook ${description.generateName} fits its type`);
  return deepHash(writeTyped("csv.WebhookDescription", typed.value));
}

/** The CSV's configurations on the cluster with the description's `generateName`, whatever their content. */
export function configurationsOf(
  world: StrategyWorld,
  description: WebhookDescription,
): readonly WebhookConfiguration[] {
  const owner = ownerOf(world.csv);
  const kind = admissionKindOf(description);
  if (kind === undefined) return [];
  const held: readonly WebhookConfiguration[] =
    kind === "validating" ? world.validatingWebhooks : world.mutatingWebhooks;
  return held.filter(
    ({ metadata: { labels } }) =>
      hasOwnerLabels(labels, owner) && labels?.[webhookGenerateNameLabel] === description.generateName,
  );
}

/**
 * The admission webhook configuration of a webhook description, without name and uid, which the API server assigns.
 * @param authority base64 of the PEM of the authority that its deployment serves with
 */
export function desiredConfiguration(
  csv: ClusterServiceVersion,
  description: WebhookDescription,
  group: OperatorGroup,
  authority: string | undefined,
): JsonObject {
  const owner = ownerOf(csv);
  const kind =
    admissionKindOf(description) === "validating" ? "ValidatingWebhookConfiguration" : "MutatingWebhookConfiguration";
  const namespaces = namespaceSelectorOf(group);
  invariant(namespaces.ok, "a stored group has a uid");
  const selector = namespaces.value;
  const typed = readTyped(`adm.${kind}`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: {
      generateName: `${description.generateName}-`,
      // OLM sets a namespace although the object is cluster-scoped.
      namespace: owner.namespace,
      labels: {
        ...owner.labels,
        ...managed,
        [webhookGenerateNameLabel]: description.generateName,
        [webhookHashLabel]: webhookHash(description),
      },
    },
    webhooks: [
      {
        name: description.generateName,
        clientConfig: {
          service: { namespace: owner.namespace, ...serviceOf(description), path: description.webhookPath },
          caBundle: authority,
        },
        rules: description.rules as unknown as JsonValue,
        failurePolicy: description.failurePolicy,
        matchPolicy: description.matchPolicy,
        objectSelector: description.objectSelector as unknown as JsonValue,
        sideEffects: description.sideEffects,
        timeoutSeconds: description.timeoutSeconds,
        admissionReviewVersions: description.admissionReviewVersions,
        ...(selector === undefined ? {} : { namespaceSelector: selector as unknown as JsonValue }),
        ...(kind === "MutatingWebhookConfiguration" ? { reinvocationPolicy: description.reinvocationPolicy } : {}),
      },
    ],
  });
  invariant(typed.ok, `the webhook ${description.generateName} fits its type`);
  return typed.value;
}

function serviceOf({ deploymentName = "", containerPort }: WebhookDescription) {
  return { name: `${deploymentName.replaceAll(".", "-")}-service`, port: containerPort ?? 0 };
}

/**
 * The namespaces that an OperatorGroup targets: by the label with the group's uid when it lists target namespaces, else its
 * selector; undefined means every namespace. The problem is OLM's text for a group without a uid.
 */
export function namespaceSelectorOf({ metadata, spec }: OperatorGroup): Result<LabelSelector | undefined, string> {
  if ((spec?.targetNamespaces ?? []).length === 0) return done(spec?.selector);
  if (metadata.uid === undefined || metadata.uid === "") return failed("Missing UID");
  return done({ matchLabels: { [`${operatorGroupUidLabelPrefix}${metadata.uid}`]: "" } });
}

/** Whether AllNamespaces is the only supported install mode, which OLM requires of CSVs with conversion webhooks. */
function supportsOnlyAllNamespaces(csv: ClusterServiceVersion): boolean {
  return (csv.spec.installModes ?? []).every(({ type, supported }) => (type === "AllNamespaces") === supported);
}

/** OLM's error for a conversion webhook that cannot be installed whatever its CRDs are; undefined when there is none. */
export function conversionFault(
  csv: ClusterServiceVersion,
  { conversionCRDs }: WebhookDescription,
): string | undefined {
  if (!supportsOnlyAllNamespaces(csv)) {
    return "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces";
  }
  return (conversionCRDs ?? []).length === 0
    ? "unable to manager conversion webhook: conversion webhook must have at least one CRD specified"
    : undefined;
}

/** `spec.conversion` for one CRD of a conversion webhook; the problem is OLM's text. */
export function desiredConversion(
  world: StrategyWorld,
  description: WebhookDescription,
  crdName: string,
  authority: string | undefined,
): Result<JsonObject, string> {
  const { csv } = world;
  const crd = world.crds.get(crdName);
  if (crd === undefined) {
    return failed(
      `unable to get CRD ${crdName} specified in Conversion Webhook: customresourcedefinitions.apiextensions.k8s.io "${crdName}" not found`,
    );
  }
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  if (!owned.some(({ name }) => name === crdName)) {
    return failed(`csv ${csv.metadata.name ?? ""} does not own CRD ${crdName}`);
  }
  if (crd.spec.preserveUnknownFields === true) {
    return failed("crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion");
  }
  const { webhookPath } = description;
  return done({
    strategy: "Webhook",
    webhook: {
      clientConfig: {
        service: {
          namespace: csv.metadata.namespace ?? "",
          ...serviceOf(description),
          path: webhookPath === undefined || webhookPath === "" ? "/" : webhookPath,
        },
        ...(authority === undefined ? {} : { caBundle: authority }),
      },
      conversionReviewVersions: description.admissionReviewVersions,
    },
  });
}
