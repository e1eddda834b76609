import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { asJson } from "@purser/kubernetes/apis/object";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import { labelMatcher } from "./label-lookup.ts";
import { lookupOfEach, type Excerpts } from "./lookup.ts";
import { objectsInTurns, type Pass } from "./runtime.ts";

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function controllerReference(owner: KubeObject): JsonObject {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Index by the uid of the controller; objects without one by namespace. */
const byController = lookupOfEach((object) => [controllerOf(object)?.uid ?? `${object.metadata.namespace ?? ""}/`]);

/** The objects whose controller reference is `owner`, whether its selector matches or not. */
export function controlled<Type extends KubeObject>(
  pass: Pass,
  owner: KubeObject,
  type: ResourceType<Type>,
): Promise<readonly Type[]> {
  return controlledByUid(pass, owner.metadata.uid ?? "", type);
}

/** As {@link controlled}, when only the owner's uid is known. */
export async function controlledByUid<Type extends KubeObject>(
  pass: Pass,
  uid: string,
  type: ResourceType<Type>,
): Promise<readonly Type[]> {
  const found = (await objectsInTurns(pass.versions(byController(type), [uid]))) as readonly Type[];
  return found.filter((object) => controllerOf(object)?.uid === uid);
}

/** Options of {@link claim}. */
export interface Claim<Type extends KubeObject> {
  /** Objects that match the selector but not this predicate are released. */
  readonly belongs?: (object: Type) => boolean;
  /** Finalizer that adopted objects get. */
  readonly finalizer?: string;
  /** Reads and returns these excerpts instead of whole objects. */
  readonly excerpts?: Excerpts<Type>;
}

/**
 * The objects that `owner` controls, as client-go's ControllerRefManager claims them: adopts matching objects without a
 * controller, and releases its own that no longer match the selector or `belongs`.
 */
export async function claim<Type extends KubeObject>(
  pass: Pass,
  owner: KubeObject,
  type: ResourceType<Type>,
  { belongs = () => true, finalizer, excerpts }: Claim<Type> = {},
): Promise<readonly Type[]> {
  const { namespace, uid } = owner.metadata;
  const matches = labelMatcher(objectIn(objectIn(asJson(owner), "spec"), "selector"));
  const going = owner.metadata.deletionTimestamp !== undefined;
  const held: Type[] = [];
  const values = [uid ?? "", `${namespace ?? ""}/`];
  const versions = pass.versions(byController(type), values);
  const candidates =
    excerpts === undefined
      ? ((await objectsInTurns(versions)) as readonly Type[])
      : versions.map((version) => excerpts.of(version));
  for (const object of candidates) {
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== uid) continue;
    const fits = matches(object) && belongs(object);
    if (controller !== undefined) {
      if (fits || going) held.push(object);
      else await release(pass, type, object, uid ?? "");
    } else if (fits && !going && object.metadata.deletionTimestamp === undefined) {
      const references = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
      const finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer ?? ""])].filter(Boolean);
      const more = finalizer === undefined ? {} : { finalizers };
      await patchOwners(pass, type, object, references as unknown as JsonValue, more);
      held.push(pass.get(type, { namespace: namespace ?? "", name: object.metadata.name ?? "" }) ?? object);
    }
  }
  return held;
}

async function release(pass: Pass, type: ResourceType, object: KubeObject, uid: string): Promise<void> {
  const references = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  await patchOwners(pass, type, object, references.length === 0 ? null : (references as unknown as JsonValue));
}

async function patchOwners(
  pass: Pass,
  type: ResourceType,
  object: KubeObject,
  references: JsonValue,
  more: JsonObject = {},
): Promise<void> {
  const { namespace, name = "", uid } = object.metadata;
  const key = namespace === undefined ? { name } : { namespace, name };
  await pass.writer.patch(type, key, { metadata: { uid, ownerReferences: references, ...more } });
}
