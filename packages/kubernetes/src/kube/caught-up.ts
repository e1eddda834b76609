import { keyOf, type KubeObject } from "../apis/object.ts";
import type { ResourceType } from "../apis/resource-type.ts";
import type { KubeClient, ObjectPage } from "./client.ts";
import type { Informer } from "./informer.ts";
import type { ListScope } from "./object-reader.ts";
import { isRefused } from "./refusal.ts";
import { reaches } from "./resource-version.ts";

/**
 * Compares an informer with a list of metadata and waits until its watch has shown what differed; true when nothing did, and for a
 * type that cannot be listed now.
 */
export async function hasCaughtUp(informer: Informer, client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const { type, scope, store } = informer;
  if (informer.state.kind === "stopped" || informer.state.kind === "failing") return true;
  const served = await currentMetadata(client, type, scope, signal);
  // Currently not served: the informer notices it when its watch ends.
  if (served === undefined) return true;
  let ready = true;
  const uids = new Set(served.items.map(({ metadata }) => metadata.uid));
  const missing = served.items.filter(
    (object) => store.get(keyOf(object))?.metadata.resourceVersion !== object.metadata.resourceVersion,
  );
  const surplus = store.list().filter(({ metadata }) => !uids.has(metadata.uid));
  for (const object of missing) {
    const { uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    if (store.get(key)?.metadata.resourceVersion === resourceVersion) continue;
    ready = false;
    if (resourceVersion !== undefined) await informer.seen(key, uid, resourceVersion);
  }
  for (const object of surplus) {
    if (store.get(keyOf(object)) !== object) continue;
    ready = false;
    // The watch may show an object that is newer than the list. It was not deleted, so its deletion must not be awaited.
    const isListed = reaches(served.resourceVersion, object.metadata.resourceVersion ?? "");
    if (isListed) await informer.gone(keyOf(object), { uid: object.metadata.uid });
  }
  return ready;
}

async function currentMetadata(
  client: KubeClient,
  type: ResourceType,
  scope: ListScope,
  signal: AbortSignal,
): Promise<ObjectPage<KubeObject> | undefined> {
  try {
    return await client.page(type, scope, { metadataOnly: true }, signal);
  } catch (error) {
    if (isRefused(error, "notFound")) return undefined;
    throw error;
  }
}
