import { done, failed, type Result } from "@purser/kubernetes/result";

/** Feature gates of OLM v1, with OLM's names. */
export interface FeatureGates {
  /** `/metas` of the catalog API. */
  readonly APIV1MetasHandler: boolean;
  /** Always on: extensions are rolled out as ClusterObjectSets. */
  readonly BoxcutterRuntime: true;
  /** The `release` of a bundle's `olm.package` property counts. */
  readonly BundleReleaseSupport: boolean;
  /** `deploymentConfig` in `spec.config.inline`. */
  readonly DeploymentConfig: boolean;
  /** `/graphql` of the catalog API. */
  readonly GraphQLCatalogQueries: boolean;
  /** Bundles for one namespace, and `watchNamespace` in `spec.config.inline`. */
  readonly SingleOwnNamespaceInstallSupport: boolean;
  /** cert-manager may issue the certificates of webhooks. */
  readonly WebhookProviderCertManager: boolean;
  /** OpenShift's service CA may issue the certificates of webhooks. */
  readonly WebhookProviderOpenshiftServiceCA: boolean;
}

/** What holds without `--feature-gates`. */
export const defaultGates: FeatureGates = {
  APIV1MetasHandler: true,
  BoxcutterRuntime: true,
  BundleReleaseSupport: false,
  DeploymentConfig: true,
  GraphQLCatalogQueries: false,
  SingleOwnNamespaceInstallSupport: true,
  WebhookProviderCertManager: true,
  WebhookProviderOpenshiftServiceCA: true,
};

const truths: Readonly<Record<string, boolean>> = { true: true, True: true, t: true, 1: true, T: true, TRUE: true };
const falsehoods: Readonly<Record<string, boolean>> = {
  false: true,
  False: true,
  f: true,
  0: true,
  F: true,
  FALSE: true,
};

/** Reads `--feature-gates`: `NAME=true,NAME=false`, of which the last counts. The problem names the gate. */
export function parseFeatureGates(text: string): Result<FeatureGates, string> {
  const gates: Record<keyof FeatureGates, boolean> = { ...defaultGates };
  const known = (name: string): name is keyof FeatureGates => Object.hasOwn(defaultGates, name);
  for (const pair of text.split(",")) {
    const [name = "", value, ...rest] = pair.split("=").map((part) => part.trim());
    if (name === "" && value === undefined) continue;
    if (!known(name)) return failed(`unknown feature gate "${name}"; known: ${Object.keys(defaultGates).join(", ")}`);
    const isOn = value !== undefined && rest.length === 0 && Object.hasOwn(truths, value);
    if (!isOn && (value === undefined || rest.length > 0 || !Object.hasOwn(falsehoods, value)))
      return failed(`feature gate "${pair.trim()}": write ${name}=true or ${name}=false`);
    if (name === "BoxcutterRuntime" && !isOn)
      return failed(
        `feature gate "${pair.trim()}": extensions are always rolled out as ClusterObjectSets, so it cannot be switched off; leave it out`,
      );
    gates[name] = isOn;
  }
  return done({ ...gates, BoxcutterRuntime: true });
}

/** `A=false,B=true`, sorted by name. */
export function gatesText(gates: FeatureGates): string {
  return Object.entries(gates)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .toSorted()
    .join(",");
}
