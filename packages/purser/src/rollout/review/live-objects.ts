import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import { referenceOf, referenceText } from "../../review/change-plan/object-changes.ts";
import { convertsByWebhook, schemaRefusals, versionsToCheck } from "../plan/crd-compatibility.ts";
import type { StoredObjects } from "../../review/change-plan/crd-changes.ts";

export interface LiveObjects {
  /** Those that exist, by `referenceText`. */
  readonly live: ReadonlyMap<string, JsonObject>;
  /** Stored custom resources by the name of the CRD; one that may not be listed is missing. */
  readonly stored: ReadonlyMap<string, StoredObjects>;
}

/**
 * The live states of the objects, and how many custom resources their CRDs have. Kinds that are not served have none. Of objects
 * that come twice, as in the version before and in the new one, the last counts: its schemas have to accept the custom resources.
 */
export async function liveObjects(client: KubeClient, objects: readonly JsonObject[]): Promise<LiveObjects> {
  const discovery = createDiscovery(client);
  const wanted = new Map(objects.map((object) => [referenceText(referenceOf(object)), object]));
  const live = new Map<string, JsonObject>();
  const stored = new Map<string, StoredObjects>();
  for (const [text, object] of wanted) {
    const { namespace, name, kind } = referenceOf(object);
    const { apiVersion } = object;
    const gvk = { ...parseApiVersion(typeof apiVersion === "string" ? apiVersion : ""), kind };
    const type = await discovery.typeOf(gvk);
    const found =
      type === undefined ? undefined : await client.get(type, namespace === undefined ? { name } : { namespace, name });
    if (found === undefined) continue;
    live.set(text, asJson(found));
    if (kind !== "CustomResourceDefinition") continue;
    const crds = [found, object] as unknown as readonly [CustomResourceDefinition, CustomResourceDefinition];
    const count = await storedObjects(client, ...crds);
    if (count !== undefined) stored.set(name, count);
  }
  return { live, stored };
}

/** The custom resources of a CRD and those that a new version of it refuses; undefined like `storedCount`. */
async function storedObjects(
  client: ObjectReader,
  crd: CustomResourceDefinition,
  next: CustomResourceDefinition,
): Promise<StoredObjects | undefined> {
  const count = await storedCount(client, crd);
  if (count === undefined) return undefined;
  if (count === 0) return storedAmong(crd, next, 0, () => []);
  const lists = new Map<string, readonly KubeObject[]>();
  for (const type of versionsToCheck(crd, next)) lists.set(type.version, await client.list(type));
  return storedAmong(crd, next, count, ({ version }) => lists.get(version) ?? []);
}

/** What is known of the custom resources of a CRD: those of each version that its new version has too are checked against the new schema. */
export function storedAmong(
  crd: CustomResourceDefinition,
  next: CustomResourceDefinition,
  count: number,
  ofVersion: (type: ResourceType) => readonly KubeObject[],
): StoredObjects {
  const versions = crd.status?.storedVersions ?? [];
  const refused = new Map<string, string>();
  for (const type of count === 0 ? [] : versionsToCheck(crd, next))
    for (const { object, fields } of schemaRefusals(next, type, ofVersion(type)))
      if (!refused.has(object)) refused.set(object, fields.replaceAll(/(^\[?|, )\[\]\./g, "$1"));
  return {
    count,
    versions,
    refused: [...refused].map(([object, fields]) => ({ object, fields })),
    ...(count > 0 && convertsByWebhook(next) ? { converts: true } : {}),
  };
}

/**
 * How many custom resources of a CRD are stored, of all versions: any of them lists all. Undefined without a served version, or
 * without the right to list them.
 */
export async function storedCount(client: ObjectReader, crd: CustomResourceDefinition): Promise<number | undefined> {
  const [type] = versionsToCheck(crd, crd);
  if (type === undefined) return undefined;
  try {
    return (await client.list(type)).length;
  } catch (error) {
    if (isRefused(error, "forbidden")) return undefined;
    throw error;
  }
}
