import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { escapePointer } from "@purser/kubernetes/text/documents";
import { listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import type { ParsedBundle } from "../directory/parse-directory.ts";
import { permissionsIn } from "./permissions.ts";

/** The parts of a bundle that are compared. */
export const diffParts = ["permissions", "crds", "objects", "images"] as const;
export type DiffPart = (typeof diffParts)[number];

export interface BundleChange {
  readonly part: DiffPart;
  readonly change: "added" | "removed" | "changed";
  /** What changed, such as `cluster foo-operator: secrets`. */
  readonly subject: string;
  /** Details, one a line: verbs, versions, pointers. */
  readonly details: readonly string[];
}

/** The differences of `next` by part, sorted by subject. Order and repetition in lists of rules do not count. */
export function diffBundles(
  old: ParsedBundle,
  next: ParsedBundle,
  parts: readonly DiffPart[] = diffParts,
): readonly BundleChange[] {
  return diffParts.filter((part) => parts.includes(part)).flatMap((part) => comparisons[part](old, next));
}

const comparisons: Readonly<Record<DiffPart, (old: ParsedBundle, next: ParsedBundle) => readonly BundleChange[]>> = {
  permissions: (old, next) =>
    compareSets("permissions", permissionsIn(old), permissionsIn(next), (change, verbs) => [
      `${change === "added" ? "+" : "-"} ${verbs.join(", ")}`,
    ]),
  crds: (old, next) => compareObjects("crds", crdsOf(old), crdsOf(next)),
  objects: (old, next) => compareObjects("objects", othersOf(old), othersOf(next)),
  images: (old, next) => compareImages(imagesOf(old), imagesOf(next)),
};

/** Compares sets of words by subject; details are added words and removed words. */
function compareSets(
  part: DiffPart,
  old: ReadonlyMap<string, ReadonlySet<string>>,
  next: ReadonlyMap<string, ReadonlySet<string>>,
  words: (change: "added" | "removed", items: readonly string[]) => readonly string[],
): readonly BundleChange[] {
  const subjects = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return subjects.flatMap((subject): BundleChange[] => {
    const [before, after] = [old.get(subject) ?? new Set<string>(), next.get(subject) ?? new Set<string>()];
    const added = [...after].filter((item) => !before.has(item)).toSorted();
    const removed = [...before].filter((item) => !after.has(item)).toSorted();
    if (added.length + removed.length === 0) return [];
    const change = before.size === 0 ? "added" : after.size === 0 ? "removed" : "changed";
    const details = [
      ...(added.length === 0 ? [] : words("added", added)),
      ...(removed.length === 0 ? [] : words("removed", removed)),
    ];
    return [{ part, change, subject, details }];
  });
}

function compareObjects(
  part: DiffPart,
  old: ReadonlyMap<string, JsonObject>,
  next: ReadonlyMap<string, JsonObject>,
): readonly BundleChange[] {
  const subjects = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return subjects.flatMap((subject): BundleChange[] => {
    const [before, after] = [old.get(subject), next.get(subject)];
    if (before === undefined) return [{ part, change: "added", subject, details: [] }];
    if (after === undefined) return [{ part, change: "removed", subject, details: [] }];
    const changed = changedPointers(before, after, "");
    const pointers = part === "crds" ? changed.map((pointer) => schemaPath(pointer, after)) : changed;
    if (pointers.length === 0) return [];
    const shown = pointers.slice(0, mostPointers);
    const more = pointers.length - shown.length;
    return [
      { part, change: "changed", subject, details: [...shown, ...(more > 0 ? [`and ${more} more places`] : [])] },
    ];
  });
}

const mostPointers = 12;

/** A pointer into the schema of a version as people write it: `v1 .spec.list[].name` for any keyword of that field. */
function schemaPath(pointer: string, crd: JsonObject): string {
  const found = /^(. )\/spec\/versions\/(\d+)\/schema\/openAPIV3Schema(.*)$/.exec(pointer);
  if (found === null) return pointer;
  const [, sign = "", index = "0", rest = ""] = found;
  const version = listMember(objectMember(crd, "spec"), "versions")[Number(index)];
  const name = isJsonObject(version) ? textMember(version, "name") : index;
  const field = rest.replaceAll("/properties/", ".").replaceAll("/items", "[]");
  return `${sign}${name} ${field === "" ? "." : field}`;
}

/** Where two values differ, as deep as both are objects or lists of one length; `+` is put before added and `-` before removed values. */
function changedPointers(old: JsonValue, next: JsonValue, at: string): readonly string[] {
  if (deepEqual(old, next)) return [];
  if (Array.isArray(old) && Array.isArray(next) && old.length === next.length)
    return (old as readonly JsonValue[]).flatMap((item, index) =>
      changedPointers(item, (next as readonly JsonValue[])[index] ?? null, `${at}/${index}`),
    );
  if (!isJsonObject(old) || !isJsonObject(next)) return [`~ ${at === "" ? "/" : at}`];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted().flatMap((key) => {
    const pointer = `${at}/${escapePointer(key)}`;
    const [before, after] = [member(old, key), member(next, key)];
    if (before === undefined) return [`+ ${pointer}`];
    if (after === undefined) return [`- ${pointer}`];
    return changedPointers(before, after, pointer);
  });
}

function crdsOf({ objects }: ParsedBundle): ReadonlyMap<string, JsonObject> {
  const crds = objects.filter(({ object }) => object["kind"] === "CustomResourceDefinition");
  return new Map(crds.map(({ object }) => [nameOf(object), object]));
}

/** Manifests but CSV and CRDs, and the CSV's deployments and webhooks. */
function othersOf({ objects, csv }: ParsedBundle): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { object } of objects) {
    const kind = textMember(object, "kind");
    if (kind !== "CustomResourceDefinition" && kind !== "ClusterServiceVersion")
      found.set(`${kind} ${nameOf(object)}`, object);
  }
  const spec = objectMember(csv.object, "spec");
  const strategy = objectMember(objectMember(spec, "install"), "spec");
  for (const item of listMember(strategy, "deployments"))
    if (isJsonObject(item)) found.set(`Deployment ${textMember(item, "name")}`, item);
  for (const item of listMember(spec, "webhookdefinitions"))
    if (isJsonObject(item)) found.set(`${textMember(item, "type")} ${textMember(item, "generateName")}`, item);
  return found;
}

function imagesOf({ csv }: ParsedBundle): ReadonlySet<string> {
  const related = csv.relatedImages();
  const own = csv.operatorImages();
  return new Set([...(related.ok ? related.value.map(({ image }) => image) : []), ...(own.ok ? own.value : [])]);
}

/** An image that stays but for tag or digest is one change. */
function compareImages(old: ReadonlySet<string>, next: ReadonlySet<string>): readonly BundleChange[] {
  const repository = (image: string): string => image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
  const added = [...next].filter((image) => !old.has(image)).toSorted();
  const removed = new Set([...old].filter((image) => !next.has(image)).toSorted());
  const changes: BundleChange[] = [];
  for (const image of added) {
    const before = [...removed].find((other) => repository(other) === repository(image));
    if (before === undefined) changes.push({ part: "images", change: "added", subject: image, details: [] });
    else {
      removed.delete(before);
      const details = [`- ${before}`, `+ ${image}`];
      changes.push({ part: "images", change: "changed", subject: repository(image), details });
    }
  }
  for (const image of removed) changes.push({ part: "images", change: "removed", subject: image, details: [] });
  return changes.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
}
