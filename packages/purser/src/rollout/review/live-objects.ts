import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { asJson } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import { referenceOf, referenceText } from "../../review/change-plan/object-changes.ts";
import { versionsToCheck } from "../plan/crd-compatibility.ts";

export interface LiveObjects {
  /** Those that exist, by `referenceText`. */
  readonly live: ReadonlyMap<string, JsonObject>;
  /** Stored custom resources by the name of the CRD; one that may not be listed is missing. */
  readonly stored: ReadonlyMap<string, number>;
}

/** The live states of the objects, and how many custom resources their CRDs have. Kinds that are not served have none. */
export async function liveObjects(client: KubeClient, objects: readonly JsonObject[]): Promise<LiveObjects> {
  const discovery = createDiscovery(client);
  const wanted = new Map(objects.map((object) => [referenceText(referenceOf(object)), object]));
  const live = new Map<string, JsonObject>();
  const stored = new Map<string, number>();
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
    const count = await storedCount(client, found as unknown as CustomResourceDefinition);
    if (count !== undefined) stored.set(name, count);
  }
  return { live, stored };
}

/**
 * How many custom resources of a CRD are stored, of all versions: any of them lists all. Undefined without a served version, or
 * without the right to list them.
 */
export async function storedCount(client: KubeClient, crd: CustomResourceDefinition): Promise<number | undefined> {
  const [type] = versionsToCheck(crd, crd);
  if (type === undefined) return undefined;
  try {
    return (await client.list(type)).length;
  } catch (error) {
    if (isRefused(error, "forbidden")) return undefined;
    throw error;
  }
}
