import { webhookGenerateNameLabel, webhookHashLabel } from "../../../apis/v0/labels.ts";
import { type AdmissionKind, admissionKindOf, configurationsOf, webhookHash } from "./csv-webhooks.ts";
import { hasOwnerLabels, ownerOf } from "./csv-owner.ts";
import type { StrategyWorld } from "./strategy-world.ts";

export type WebhookHealth =
  | { readonly kind: "available" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "error"; readonly message: string };

export interface StaleWebhook {
  readonly kind: AdmissionKind;
  readonly name: string;
}

/**
 * Whether every webhook description of the CSV has its configuration on the cluster (OLM's `areWebhooksAvailable`), and which
 * configurations have no description.
 */
export function checkWebhooks(world: StrategyWorld): {
  readonly health: WebhookHealth;
  readonly stale: readonly StaleWebhook[];
} {
  const descriptions = world.csv.spec.webhookdefinitions ?? [];
  const owner = ownerOf(world.csv);
  const owned = [
    ...world.validatingWebhooks.map((object) => ({ kind: "validating" as const, object })),
    ...world.mutatingWebhooks.map((object) => ({ kind: "mutating" as const, object })),
  ].filter(({ object }) => hasOwnerLabels(object.metadata.labels, owner));
  const unnamed = owned.find(({ object }) => object.metadata.labels?.[webhookGenerateNameLabel] === undefined);
  const current = new Set(descriptions.map(({ generateName }) => generateName));
  const stale = owned
    .filter(({ object }) => !current.has(object.metadata.labels?.[webhookGenerateNameLabel] ?? ""))
    .map(({ kind, object }) => ({ kind, name: object.metadata.name ?? "" }));
  if (unnamed !== undefined) {
    const name = unnamed.object.metadata.name ?? "";
    return {
      health: { kind: "error", message: `webhook ${name} is missing label ${webhookGenerateNameLabel}` },
      stale: [],
    };
  }
  return { health: healthOf(world), stale };
}

function healthOf(world: StrategyWorld): WebhookHealth {
  for (const description of world.csv.spec.webhookdefinitions ?? []) {
    if (admissionKindOf(description) === undefined) {
      const crds = description.conversionCRDs ?? [];
      if (crds.length === 0) return { kind: "unavailable" };
      for (const name of crds) {
        const conversion = world.crds.get(name)?.spec.conversion;
        const authority = conversion?.webhook?.clientConfig?.caBundle ?? "";
        if (conversion?.strategy !== "Webhook" || authority === "") {
          return { kind: "error", message: "conversionWebhook not ready" };
        }
      }
      continue;
    }
    const hash = webhookHash(description);
    const registered = configurationsOf(world, description).some(
      ({ metadata: { labels } }) => labels?.[webhookHashLabel] === hash,
    );
    if (!registered) return { kind: "unavailable" };
  }
  return { kind: "available" };
}
