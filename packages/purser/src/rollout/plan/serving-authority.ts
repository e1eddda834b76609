import type { WebhookDescription } from "../../apis/v0/cluster-service-version.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { configurationsOf } from "./csv-webhooks.ts";
import { servingNames } from "./serving-names.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/**
 * The authority that a deployment's webhooks and APIs trust on the cluster, base64 of PEM; undefined when it serves none.
 * The desired Deployment depends on it. The problem is OLM's text when the authority or the Secret is missing.
 */
export function trustedAuthority(world: StrategyWorld, deployment: string): Result<string | undefined, string> {
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
