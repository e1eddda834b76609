import type { FeatureGates } from "../feature-gates.ts";
import type { CertificateProvider } from "./render/certificate-need.ts";
import type { BundleFeature } from "./support-checks.ts";

/**
 * What of a bundle is not supported while gates are off. Webhooks need a provider of certificates: without one, and with both
 * gates of providers off, OLM v1 names the webhooks and not the provider.
 */
export function featuresOff(gates: FeatureGates, provider: CertificateProvider): readonly BundleFeature[] {
  const isGated = !gates.WebhookProviderCertManager && !gates.WebhookProviderOpenshiftServiceCA;
  return [
    ...(gates.SingleOwnNamespaceInstallSupport ? [] : (["singleOwnNamespace"] as const)),
    ...(gates.DeploymentConfig ? [] : (["deploymentConfig"] as const)),
    ...(isGated && provider === "none" ? (["webhooks"] as const) : []),
  ];
}
