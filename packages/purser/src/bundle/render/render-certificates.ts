import type { IntOrString } from "@purser/kubernetes/apis/core";
import type { StrategyDeployment, WebhookDescription } from "../../apis/v0/cluster-service-version.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { certificateHostsAnnotation, type CertificateNeed, type CertificateProvider } from "./certificate-need.ts";
import { joinName } from "../generated-name.ts";
import { servingHosts, servingNames, webhooksOf } from "./webhook-wiring.ts";

/** One Service per deployment that serves webhooks, with one port per distinct pair of ports. */
export function renderServices(
  deployments: readonly StrategyDeployment[],
  webhooks: readonly WebhookDescription[],
  namespace: string,
  provider: CertificateProvider,
): readonly JsonObject[] {
  return deployments.flatMap(({ name, spec }) => {
    const served = webhooksOf(webhooks, name);
    if (served.length === 0) return [];
    const { service, certificate } = servingNames(name);
    const annotations =
      provider === "service-ca" ? { "service.beta.openshift.io/serving-cert-secret-name": certificate } : undefined;
    return [
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: service, namespace, ...(annotations === undefined ? {} : { annotations }) },
        spec: { ports: servicePorts(served), ...selectorOf(spec.selector?.matchLabels) },
        status: { loadBalancer: {} },
      },
    ];
  });
}

function selectorOf(labels: Readonly<Record<string, string>> | undefined): { readonly selector?: JsonValue } {
  return labels === undefined ? {} : { selector: labels };
}

function servicePorts(webhooks: readonly WebhookDescription[]): readonly JsonObject[] {
  const ports = new Map<string, { readonly name: string; readonly port: number; readonly targetPort: IntOrString }>();
  for (const { containerPort, targetPort } of webhooks) {
    const port = containerPort === undefined || containerPort === 0 ? 443 : containerPort;
    const target = targetPort ?? port;
    ports.set(JSON.stringify([port, target]), { name: String(port), port, targetPort: target });
  }
  return [...ports.values()].toSorted((a, b) => a.port - b.port || compareTargets(a.targetPort, b.targetPort));
}

/** By number, as OLM compares them: a name counts as 0. OLM leaves ports of equal numbers in random order. */
function compareTargets(a: IntOrString, b: IntOrString): number {
  return numberOf(a) - numberOf(b) || (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0);
}

function numberOf(target: IntOrString): number {
  return /^[+-]?\d+$/.test(String(target)) ? Number(target) : 0;
}

/** The objects that make a provider issue the serving certificates; for `own` an empty Secret that rollout fills. */
export function renderCertificates(
  deployments: readonly StrategyDeployment[],
  webhooks: readonly WebhookDescription[],
  namespace: string,
  provider: CertificateProvider,
): readonly JsonObject[] {
  const served = deployments
    .filter(({ name }) => webhooksOf(webhooks, name).length > 0)
    .map(({ name }) => servingNames(name))
    .toSorted((a, b) => (a.certificate < b.certificate ? -1 : 1));
  switch (provider) {
    case "none":
    case "service-ca":
      return [];
    case "cert-manager":
      return served.flatMap(({ service, certificate }) => certManagerObjects(service, certificate, namespace));
    case "own":
      return served.map(({ service, certificate }) => ({
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: certificate,
          namespace,
          annotations: { [certificateHostsAnnotation]: servingHosts(service, namespace).join(",") },
        },
        type: "kubernetes.io/tls",
      }));
  }
}

function certManagerObjects(service: string, certificate: string, namespace: string): readonly JsonObject[] {
  const apiVersion = "cert-manager.io/v1";
  const issuer = joinName(certificate, "selfsigned-issuer");
  const hosts = servingHosts(service, namespace);
  return [
    {
      apiVersion,
      kind: "Issuer",
      metadata: { name: issuer, namespace },
      spec: { selfSigned: {} },
      status: {},
    },
    {
      apiVersion,
      kind: "Certificate",
      metadata: { name: certificate, namespace },
      spec: {
        commonName: hosts[0],
        usages: ["server auth"],
        dnsNames: hosts,
        secretName: certificate,
        duration: "17520h0m0s",
        renewBefore: "24h0m0s",
        issuerRef: { name: issuer },
      },
      status: {},
    },
  ];
}

/** The certificates that rollout has to issue. */
export function certificateNeeds(
  deployments: readonly StrategyDeployment[],
  webhooks: readonly WebhookDescription[],
  namespace: string,
): readonly CertificateNeed[] {
  return deployments.flatMap(({ name }): CertificateNeed[] => {
    const served = webhooksOf(webhooks, name);
    if (served.length === 0) return [];
    const { service, certificate } = servingNames(name);
    const injections = served.flatMap(({ type, generateName, conversionCRDs }) => {
      const webhookName = generateName.replace(/-$/, "");
      switch (type) {
        case "ValidatingAdmissionWebhook":
          return [injection("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhookName)];
        case "MutatingAdmissionWebhook":
          return [injection("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", webhookName)];
        case "ConversionWebhook":
          return (conversionCRDs ?? []).map((crd) =>
            injection("apiextensions.k8s.io/v1", "CustomResourceDefinition", crd),
          );
      }
    });
    return [{ secret: { namespace, name: certificate }, hosts: servingHosts(service, namespace), injections }];
  });
}

function injection(apiVersion: string, kind: string, name: string) {
  return { apiVersion, kind, name };
}
