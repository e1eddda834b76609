import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type FieldChange, fieldChanges } from "./field-changes.ts";

/** A webhook of a CSV's `webhookdefinitions`. */
export interface WebhookChange {
  /** `ValidatingAdmissionWebhook`, `MutatingAdmissionWebhook` or `ConversionWebhook`. */
  readonly type: string;
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  readonly fields: readonly FieldChange[];
}

/** The webhooks that come, go or change, by type and name. */
export function webhookChanges(before: JsonObject | undefined, after: JsonObject): readonly WebhookChange[] {
  const [old, next] = [webhooksOf(before), webhooksOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].toSorted().flatMap((key): readonly WebhookChange[] => {
    const [was, is] = [old.get(key), next.get(key)];
    const [type = "", name = ""] = key.split(" ");
    if (was === undefined) return [{ type, name, change: "added", fields: [] }];
    if (is === undefined) return [{ type, name, change: "removed", fields: [] }];
    const fields = fieldChanges(was, is);
    return fields.length === 0 ? [] : [{ type, name, change: "changed", fields }];
  });
}

/** Names of the Deployments of a CSV that serve admission or conversion webhooks. */
export function webhookDeployments(csv: JsonObject): ReadonlySet<string> {
  return new Set([...webhooksOf(csv).values()].map((webhook) => textIn(webhook, "deploymentName")));
}

function webhooksOf(csv: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const spec = csv === undefined ? undefined : member(csv, "spec");
  const definitions = isJsonObject(spec) ? member(spec, "webhookdefinitions") : undefined;
  const list = Array.isArray(definitions) ? (definitions as readonly JsonValue[]) : [];
  return new Map(
    list
      .filter((item) => isJsonObject(item))
      .map((webhook) => [`${textIn(webhook, "type")} ${textIn(webhook, "generateName")}`, webhook]),
  );
}

function textIn(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}
