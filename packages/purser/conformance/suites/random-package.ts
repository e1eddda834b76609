// OLM goes through packages by a hash map when it looks for entries without bundles and reports the first it meets
// (`channelDefinedEntries` of declcfg's ConvertToModel), so that each run of `opm` may name another package.
import { CatalogModel } from "../../src/catalog/catalog-model.ts";
import type { CatalogBlob } from "../../src/catalog/model.ts";
import { readCatalog } from "../../src/catalog-store/read/read-catalog.ts";
import { upstreamReading } from "../../src/cli/opm/catalog-source.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

/** `answered`, with the messages of which OLM would give one at random in `equally`; undefined when it has no choice. */
export function withRandomPackage(answered: JsonObject, root: string): JsonObject {
  const messages = messagesOf(root);
  return messages.length < 2 ? answered : { ...answered, equally: messages };
}

function messagesOf(root: string): readonly string[] {
  const blobs: CatalogBlob[] = [];
  for (const blob of readCatalog(root, upstreamReading)) {
    if (!blob.ok) return [];
    blobs.push(blob.value);
  }
  const { problems } = new CatalogModel(blobs, { lastChannelOnly: true });
  if (problems[0]?.rule !== "entry-without-bundle") return [];
  return problems.filter(({ rule }) => rule === "entry-without-bundle").map(({ message }) => message);
}

/** Both sides with one message in place of those that are equally right; without `equally`. */
export function withoutRandomPackage(expect: JsonObject, value: JsonValue): readonly [JsonObject, JsonValue] {
  if (!isJsonObject(value)) return [expect, value];
  const { equally, ...answered } = value;
  const messages = Array.isArray(equally) ? equally.filter((message) => typeof message === "string") : [];
  const [first, ...others] = messages.flatMap((message) => [message, JSON.stringify(message).slice(1, -1)]);
  if (first === undefined) return [expect, answered];
  const unify = (held: JsonValue): JsonValue => {
    if (typeof held === "string") return others.reduce((text, other) => text.replaceAll(other, first), held);
    if (Array.isArray(held)) return (held as readonly JsonValue[]).map(unify);
    if (!isJsonObject(held)) return held;
    return Object.fromEntries(Object.keys(held).map((key) => [key, unify(member(held, key) ?? null)]));
  };
  const unified = unify(expect);
  return [isJsonObject(unified) ? unified : expect, unify(answered)];
}
