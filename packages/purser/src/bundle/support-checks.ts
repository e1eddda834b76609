import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { CertificateProvider } from "./render/certificate-need.ts";
import { supportedModes } from "./install-modes.ts";

export type BundleFeature = "webhooks" | "singleOwnNamespace" | "deploymentConfig";

/**
 * The first feature of a bundle that OLM v1 does not support, in upstream's words. It can be retried: another
 * version of the catalog or another setting may help.
 */
export function unsupportedReason(
  csv: ClusterServiceVersion,
  provider: CertificateProvider,
  off: readonly BundleFeature[],
): string | undefined {
  if ((csv.spec.apiservicedefinitions?.owned ?? []).length > 0) {
    return "unsupported bundle: apiServiceDefintions are not supported";
  }
  if ((csv.spec.webhookdefinitions ?? []).length > 0) {
    if (off.includes("webhooks")) return "unsupported bundle: webhookDefinitions are not supported";
    if (provider === "none") {
      return "unsupported bundle: webhookDefinitions are not supported: certificate provider is nil";
    }
  }
  const modes = supportedModes(csv);
  if (off.includes("singleOwnNamespace")) {
    return modes.includes("AllNamespaces")
      ? undefined
      : "unsupported bundle: bundle does not support AllNamespaces install mode";
  }
  return modes.some((mode) => ["AllNamespaces", "SingleNamespace", "OwnNamespace"].includes(mode))
    ? undefined
    : "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes";
}
