import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { redactedMark } from "../support-bundle/plan/redact.ts";
import type { StoredObjects } from "../../review/change-plan/crd-changes.ts";
import { referenceOf, referenceText } from "../../review/change-plan/object-changes.ts";
import { type LiveObjects, storedAmong } from "../../rollout/review/live-objects.ts";

/**
 * As `liveObjects`, of objects that a file holds. A file need not hold all: an object of the former version that is not in it counts
 * as that version wants it, others as absent. What the file has instead of a credential, and schemas that it leaves out, count as the
 * versions want them too, as does an object that is too short to be one, as people write them for decisions. Custom resources are counted where the file holds any of their kind.
 */
export function heldObjects(
  held: readonly JsonObject[],
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): LiveObjects {
  const found = byReference(held);
  const [old, next] = [byReference(before), byReference(after)];
  const live = new Map<string, JsonObject>(old);
  const stored = new Map<string, StoredObjects>();
  for (const [text, wanted] of new Map([...next, ...old])) {
    const object = found.get(text);
    if (object === undefined || !isWhole(object)) continue;
    const present = withSchemas(unmasked(object, wanted) as JsonObject, wanted);
    live.set(text, present);
    if (wanted["kind"] !== "CustomResourceDefinition") continue;
    const crds = [present, next.get(text) ?? present] as unknown as readonly CustomResourceDefinition[];
    const [crd, newer] = crds;
    const resources = crd === undefined ? [] : held.filter((one) => isOf(one, crd));
    if (crd === undefined || newer === undefined || resources.length === 0) continue;
    const ofVersion = ({ version }: { readonly version: string }): readonly KubeObject[] =>
      resources.filter((one) => parseApiVersion(textIn(one, "apiVersion")).version === version) as never;
    stored.set(referenceOf(wanted).name, storedAmong(crd, newer, resources.length, ofVersion));
  }
  return { live, stored };
}

/** Whether an object has what the API server requires of it, as far as the comparison needs it. */
function isWhole({ kind, spec }: JsonObject): boolean {
  if (kind !== "ClusterServiceVersion" && kind !== "CustomResourceDefinition") return true;
  if (!isJsonObject(spec)) return false;
  if (kind === "ClusterServiceVersion") return isJsonObject(spec["install"]);
  const { names, group, versions } = spec;
  const areVersions = Array.isArray(versions) && versions.every((version: JsonValue) => isJsonObject(version));
  return isJsonObject(names) && typeof group === "string" && areVersions;
}

function byReference(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(objects.map((object) => [referenceText(referenceOf(object)), object]));
}

function isOf(object: JsonObject, { spec }: CustomResourceDefinition): boolean {
  return object["kind"] === spec.names.kind && parseApiVersion(textIn(object, "apiVersion")).group === spec.group;
}

function textIn(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
}

/** The value with what another one has in the places where credentials were replaced. */
function unmasked(value: JsonValue, wanted: JsonValue | undefined): JsonValue {
  if (typeof value === "string") return value.includes(redactedMark) && wanted !== undefined ? wanted : value;
  if (Array.isArray(value)) {
    const others = Array.isArray(wanted) && wanted.length === value.length ? wanted : [];
    return value.map((item: JsonValue, index) => unmasked(item, others[index]));
  }
  if (!isJsonObject(value)) return value;
  const others = isJsonObject(wanted) ? wanted : {};
  const { icon } = others;
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([name, inner = null]) => [name, unmasked(inner, member(others, name))]),
    ),
    // Left out of snapshots because it is long.
    ...(Array.isArray(icon) && !("icon" in value) ? { icon } : {}),
  };
}

/** A definition with the schemas of another one, for each version without one. */
function withSchemas(object: JsonObject, wanted: JsonObject): JsonObject {
  const [spec, other] = [object["spec"], wanted["spec"]];
  if (object["kind"] !== "CustomResourceDefinition" || !isJsonObject(spec) || !isJsonObject(other)) return object;
  const schemas = new Map(versionsOf(other).map((version) => [version["name"], version["schema"]]));
  const versions = versionsOf(spec).map((version) => {
    const schema = schemas.get(version["name"]);
    return "schema" in version || schema === undefined ? version : { ...version, schema };
  });
  return { ...object, spec: { ...spec, versions } };
}

function versionsOf(spec: JsonObject): readonly JsonObject[] {
  const versions = member(spec, "versions");
  return Array.isArray(versions) ? versions.filter((version: JsonValue) => isJsonObject(version)) : [];
}
