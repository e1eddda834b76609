import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { checkCrdUpgrade } from "../crd-upgrade-safety.ts";

/** A CRD of the former version, and as it is on the cluster; `live` is undefined when it does not exist. */
export interface FormerCrd {
  readonly former: CustomResourceDefinition;
  readonly live: CustomResourceDefinition | undefined;
}

/**
 * Why a former version cannot work with the CRDs as its upgrade left them: when an upgrade goes back by itself they stay, so that no
 * stored object is changed. Empty when each still serves what the former version uses, stores objects in a version of it, accepts all
 * that it accepted, and is converted by nothing that goes with the newer version.
 */
export function formerCrdFindings(
  crds: readonly FormerCrd[],
  { left, former }: { readonly left: ClusterServiceVersion; readonly former: ClusterServiceVersion },
): readonly string[] {
  const [converted, convertedBefore] = [conversionsOf(left), conversionsOf(former)];
  return crds.flatMap(({ former: old, live }) => {
    const { name = "" } = old.metadata;
    if (live === undefined) return [`${name}: it does not exist any more`];
    const served = new Set(live.spec.versions.filter((version) => version.served).map((version) => version.name));
    const missing = old.spec.versions.filter((version) => version.served && !served.has(version.name));
    const known = new Set(old.spec.versions.map((version) => version.name));
    const stored = [
      ...new Set([
        ...live.spec.versions.filter(({ storage }) => storage).map((version) => version.name),
        ...(live.status?.storedVersions ?? []),
      ]),
    ].filter((version) => !known.has(version));
    const changed = checkCrdUpgrade(asJson(old), { ...asJson(live), apiVersion: "apiextensions.k8s.io/v1" });
    return [
      ...missing.map((version) => `version ${version.name} is not served any more`),
      ...stored.map((version) => `objects are stored in ${version}, which the former version does not know`),
      ...(converted.has(name) && !convertedBefore.has(name) ? ["its objects are converted by the newer version"] : []),
      ...(changed?.messages ?? []),
    ].map((text) => `${name}: ${text}`);
  });
}

const conversionsOf = ({ spec }: ClusterServiceVersion): ReadonlySet<string> =>
  new Set(
    (spec.webhookdefinitions ?? [])
      .filter(({ type }) => type === "ConversionWebhook")
      .flatMap(({ conversionCRDs = [] }) => conversionCRDs),
  );
