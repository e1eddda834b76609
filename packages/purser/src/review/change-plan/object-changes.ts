import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { mergedObject } from "./merged-object.ts";

/** An object by group, kind, namespace and name; the version of its API does not tell objects apart. */
export interface ObjectReference {
  readonly group: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ObjectChange extends ObjectReference {
  /** `left`: the next version does not have it, and nothing deletes it. */
  readonly change: "created" | "changed" | "deleted" | "kept" | "left";
  /** Of a changed object; live fields that neither version sets are left out. */
  readonly fields: readonly FieldChange[];
  /** What the live object has otherwise than the installed version wants; undone where the next version sets the field. */
  readonly drift: readonly FieldChange[];
}

export interface ObjectsInput {
  /** As the installed version wants them; empty for an installation. */
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  /** Live objects by {@link referenceText}; undefined without a cluster. An object that is not listed does not exist. */
  readonly live?: ReadonlyMap<string, JsonObject>;
  /** Whether an object that the next version does not have stays on the cluster. */
  readonly stays: (object: JsonObject) => boolean;
}

/** What happens to each object, sorted by kind, namespace and name. */
export function objectChanges({ before, after, live, stays }: ObjectsInput): readonly ObjectChange[] {
  const [old, next] = [byReference(before), byReference(after)];
  const texts = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return texts.flatMap((text): readonly ObjectChange[] => {
    const [previous, wanted, present] = [old.get(text), next.get(text), live?.get(text)];
    const reference = referenceOf(wanted ?? previous ?? {});
    const drift = previous === undefined || present === undefined ? [] : driftOf(previous, present);
    const nothing = { fields: [], drift } as const;
    if (wanted === undefined) {
      if (previous === undefined || (live !== undefined && present === undefined)) return [];
      return [{ ...reference, ...nothing, change: stays(previous) ? "left" : "deleted" }];
    }
    const current = live === undefined ? previous : present;
    if (current === undefined) return [{ ...reference, ...nothing, change: "created" }];
    const result = live === undefined ? wanted : mergedObject(current, previous, wanted);
    const fields = fieldChanges(withoutServerFields(current), withoutServerFields(result));
    return [{ ...reference, change: fields.length === 0 ? "kept" : "changed", fields, drift }];
  });
}

function driftOf(previous: JsonObject, live: JsonObject): readonly FieldChange[] {
  const restored = mergedObject(live, previous, previous);
  return fieldChanges(withoutServerFields(restored), withoutServerFields(live));
}

function byReference(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(objects.map((object) => [referenceText(referenceOf(object)), object]));
}

/** `apps Deployment ns/name`: sorts by group and kind, and is the same for equal references. */
export function referenceText({ group, kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} ${group}`;
}

/** The reference of an object; parts that it does not have are empty. */
export function referenceOf(object: JsonObject): ObjectReference {
  const metadata = object["metadata"];
  const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
  const [namespace, name, generateName] = ["namespace", "name", "generateName"].map((key) =>
    text(isJsonObject(metadata) ? member(metadata, key) : undefined),
  );
  return {
    group: parseApiVersion(text(object["apiVersion"])).group,
    kind: text(object["kind"]),
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
    name: name === "" ? (generateName ?? "") : (name ?? ""),
  };
}

const serverMetadata = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  // By uid, which a new owner does not have yet.
  "ownerReferences",
]);

/**
 * The object without status, owner references and the metadata that the API server sets, and without the rules of an aggregated
 * ClusterRole, which the control plane fills.
 */
export function withoutServerFields(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...own } = object;
  const { rules: _rules, ...unruled } = own;
  const content = own["kind"] === "ClusterRole" && isJsonObject(own["aggregationRule"]) ? unruled : own;
  if (!isJsonObject(metadata)) return content;
  const kept = Object.entries(metadata).filter(([name]) => !serverMetadata.has(name));
  return { ...content, metadata: Object.fromEntries(kept) };
}
