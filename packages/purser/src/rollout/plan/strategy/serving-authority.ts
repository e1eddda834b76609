import type { WebhookDescription } from "../../../apis/v0/cluster-service-version.ts";
import { digestOf } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { configurationsOf } from "./csv-webhooks.ts";
import { servingNames } from "./serving-names.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/**
 * The authority that a deployment's webhooks and APIs trust on the cluster, base64 of PEM; undefined when it serves none.
 * The desired Deployment depends on it. The problem is OLM's text when the authority or the Secret is missing.
 */
function trustedAuthority(world: StrategyWorld, deployment: string): Result<string | undefined, string> {
  let authority: string | undefined;
  for (const { deploymentName, version, group } of world.csv.spec.apiservicedefinitions?.owned ?? []) {
    if (deploymentName !== deployment) continue;
    authority = world.apiServices.get(`${version}.${group}`)?.spec?.caBundle;
    if (authority === undefined) {
      return failed(`could not retrieve caBundle for owned APIServices ${version}.${group}: unable to find CA`);
    }
  }
  for (const description of world.csv.spec.webhookdefinitions ?? []) {
    if (description.deploymentName !== deployment) continue;
    authority = webhookAuthority(world, description);
    if (authority === undefined) {
      return failed(
        `could not retrieve caBundle for WebhookDescription ${description.generateName}: unable to find CA`,
      );
    }
  }
  if (authority === undefined) return done(undefined);
  const { secret } = servingNames(deployment);
  return world.secrets.has(secret) ? done(authority) : failed(`secret "${secret}" not found`);
}

/**
 * The hash of the authority that a deployment's webhooks and APIs trust, which its pods carry; undefined when it serves none. The
 * problem is OLM's text.
 */
export function trustedAuthorityHash(world: StrategyWorld, deployment: string): Result<string | undefined, string> {
  const authority = trustedAuthority(world, deployment);
  if (!authority.ok || authority.value === undefined) return authority;
  const hash = hashOfAuthority(authority.value);
  return hash === undefined ? failed("the caBundle is no base64") : done(hash);
}

/** SHA-256 of an authority, base64 of PEM, as in the annotation `olmcahash`; undefined when it is no base64. */
export function hashOfAuthority(caBundle: string): string | undefined {
  const pem = fromBase64(caBundle);
  return pem === undefined ? undefined : digestOf(pem).slice("sha256:".length);
}

/**
 * Whether the Deployments that the strategy wants can be determined: each description names one of them, and the authority and
 * the Secret of each are on the cluster.
 */
export function isComputable(world: StrategyWorld): boolean {
  const { apiservicedefinitions, webhookdefinitions, install } = world.csv.spec;
  const names = (install.spec?.deployments ?? []).map(({ name }) => name);
  const descriptions = [...(apiservicedefinitions?.owned ?? []), ...(webhookdefinitions ?? [])];
  return (
    descriptions.every(({ deploymentName }) => names.includes(deploymentName ?? "")) &&
    names.every((name) => trustedAuthorityHash(world, name).ok)
  );
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function webhookAuthority(world: StrategyWorld, description: WebhookDescription): string | undefined {
  if (description.type === "ConversionWebhook") {
    for (const name of description.conversionCRDs ?? []) {
      const authority = world.crds.get(name)?.spec.conversion?.webhook?.clientConfig?.caBundle;
      if (authority !== undefined) return authority;
    }
    return undefined;
  }
  return configurationsOf(world, description)[0]?.webhooks?.[0]?.clientConfig.caBundle;
}
