import type { WebhookDescription } from "../../apis/v0/cluster-service-version.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { caInjectionAnnotation, type CertificateProvider } from "./certificate-need.ts";
import { allNamespaces } from "../target-namespaces.ts";
import { servingNames } from "./webhook-wiring.ts";

/** Annotations that make the provider put its authority into an object's `caBundle`. */
function caInjection(
  provider: CertificateProvider,
  namespace: string,
  certificate: string,
): Readonly<Record<string, string>> {
  switch (provider) {
    case "none":
      return {};
    case "own":
      return { [caInjectionAnnotation]: `${namespace}/${certificate}` };
    case "cert-manager":
      return { "cert-manager.io/inject-ca-from": `${namespace}/${certificate}` };
    case "service-ca":
      return { "service.beta.openshift.io/inject-cabundle": "true" };
  }
}

const configurationKinds: Readonly<Record<string, string>> = {
  ValidatingAdmissionWebhook: "ValidatingWebhookConfiguration",
  MutatingAdmissionWebhook: "MutatingWebhookConfiguration",
};

/** One configuration per description, validating ones first. */
export function renderWebhooks(
  webhooks: readonly WebhookDescription[],
  namespace: string,
  targets: readonly string[],
  provider: CertificateProvider,
): readonly JsonObject[] {
  return Object.keys(configurationKinds).flatMap((type) =>
    webhooks
      .filter((webhook) => webhook.type === type)
      .map((webhook) => renderWebhook(webhook, namespace, targets, provider)),
  );
}

function renderWebhook(
  webhook: WebhookDescription,
  namespace: string,
  targets: readonly string[],
  provider: CertificateProvider,
): JsonObject {
  const { service, certificate } = servingNames(webhook.deploymentName ?? "");
  const name = webhook.generateName.replace(/-$/, "");
  const annotations = caInjection(provider, namespace, certificate);
  const everywhere = targets.length === 1 && targets[0] === allNamespaces;
  const entry: JsonObject = {
    name,
    clientConfig: {
      service: { namespace, name: service, path: webhook.webhookPath, port: webhook.containerPort ?? 0 },
    },
    rules: webhook.rules as unknown as JsonValue,
    failurePolicy: webhook.failurePolicy,
    matchPolicy: webhook.matchPolicy,
    namespaceSelector: everywhere
      ? undefined
      : { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: targets }] },
    objectSelector: webhook.objectSelector as unknown as JsonValue,
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds,
    admissionReviewVersions: webhook.admissionReviewVersions,
    ...(webhook.type === "MutatingAdmissionWebhook" ? { reinvocationPolicy: webhook.reinvocationPolicy } : {}),
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: configurationKinds[webhook.type] ?? "",
    // A cluster-scoped object has no namespace; upstream writes it all the same.
    metadata: { name, namespace, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    webhooks: [entry],
  };
}

/** A CRD with the conversion webhook that claims it; the problem is upstream's text. */
export function renderCrd(
  crd: JsonObject,
  webhooks: readonly WebhookDescription[],
  namespace: string,
  provider: CertificateProvider,
): Result<JsonObject, string> {
  const { metadata, spec } = crd as unknown as {
    readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
    readonly spec: JsonObject;
  };
  const name = metadata.name ?? "";
  const claims = webhooks.filter(
    ({ type, conversionCRDs }) => type === "ConversionWebhook" && (conversionCRDs ?? []).includes(name),
  );
  const [webhook] = claims;
  if (webhook === undefined) return done(crd);
  if (claims.length > 1) {
    return failed(`custom resource definition '${name}' is referenced by multiple conversion webhook definitions`);
  }
  if (spec["preserveUnknownFields"] === true) {
    return failed(
      `custom resource definition '${name}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
    );
  }
  const { service, certificate } = servingNames(webhook.deploymentName ?? "");
  const path = webhook.webhookPath === undefined || webhook.webhookPath === "" ? "/" : webhook.webhookPath;
  const conversion = {
    strategy: "Webhook",
    webhook: {
      clientConfig: { service: { namespace, name: service, path, port: webhook.containerPort ?? 0 } },
      conversionReviewVersions: webhook.admissionReviewVersions,
    },
  };
  const annotations = { ...metadata.annotations, ...caInjection(provider, namespace, certificate) };
  return done({
    ...crd,
    metadata: {
      ...metadata,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    } as unknown as JsonObject,
    spec: { ...spec, conversion },
  });
}
