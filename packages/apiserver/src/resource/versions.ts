import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { dropNulls } from "@purser/kubernetes/object/schema/schema-defaults";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { allSteps, type Steps, Strides } from "@purser/kubernetes/steps";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { convertByWebhook } from "../custom-resources/conversion.ts";
import { defaulted } from "../kinds/built-in-kind.ts";
import { emptiedIn } from "../kinds/emptied.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Item } from "../request/answer.ts";
import { itemOf } from "../request/answer.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { RequestWork, turns } from "../turns.ts";

/** Whether what is stored now is what was read: a tree may have been made anew, a revision is given once. */
export function isSameState(now: StoredVersion | undefined, read: KubeObject): boolean {
  return now !== undefined && String(now.revision) === read.metadata.resourceVersion;
}

/** What was served for a stored object before; a kind is made anew whenever its definition changes. */
const served = new WeakMap<ServedKind, WeakMap<KubeObject, KubeObject>>();

/** Whether the stored text is what this version shows: nothing is converted and nothing is defaulted on reading. */
export function isServedAsStored({ custom, table, type }: ServedKind): boolean {
  return custom === undefined && table === `${type.plural}${type.group === "" ? "" : `.${type.group}`}`;
}

/** Whether this version may show other labels than the stored ones. */
export function convertsMetadata({ custom }: ServedKind): boolean {
  return custom?.definition.spec.conversion?.strategy === "Webhook";
}

/** Stored objects as items of this version: texts where nothing is to be done to them. */
export async function itemsToServed(
  machinery: Machinery,
  kind: ServedKind,
  versions: readonly StoredVersion[],
): Promise<Result<readonly Item[], ApiStatus>> {
  if (isServedAsStored(kind)) return done(versions);
  const objects: KubeObject[] = [];
  for (const version of versions) {
    const wait = turns.before(version.size);
    if (wait !== undefined) await wait;
    const object = version.passing;
    await serve(kind, object, version.size);
    objects.push(object);
  }
  const converted = await toServed(machinery, kind, objects);
  return converted.ok ? done(converted.value.map(itemOf)) : converted;
}

/** The stored objects as this version shows them; untouched ones are handed over as they are. */
async function toServed(
  machinery: Machinery,
  kind: ServedKind,
  objects: readonly KubeObject[],
): Promise<Result<readonly KubeObject[], ApiStatus>> {
  const missing = objects.filter((object) => servedNow(kind, object) === undefined);
  if (missing.length > 0) {
    const converted = await convertByWebhook(machinery, kind, missing, apiVersionOf(kind.type));
    if (!converted.ok) return converted;
    for (const [index, object] of missing.entries()) {
      const result = converted.value[index];
      if (result !== undefined) remember(kind, object, kind.defaults(asJson(result)));
    }
  }
  return done(objects.map((object) => servedNow(kind, object) ?? object));
}

/**
 * Applies the defaults of a stored object of `size` characters of JSON text, in turns of their own, and remembers the
 * result for {@link servedNow}.
 */
async function serve(kind: ServedKind, stored: KubeObject, size: number): Promise<KubeObject | undefined> {
  const work = new RequestWork(turns);
  work.holds(size);
  return await work.through(servedInSteps(kind, stored));
}

/** Undefined when only a webhook can convert it. */
function servedNow(kind: ServedKind, stored: KubeObject): KubeObject | undefined {
  return allSteps(servedInSteps(kind, stored));
}

/** As {@link servedNow}, with pauses. */
function* servedInSteps(kind: ServedKind, stored: KubeObject): Steps<KubeObject | undefined> {
  const { custom } = kind;
  if (isServedAsStored(kind)) return stored;
  const known = served.get(kind)?.get(stored);
  if (known !== undefined) return known;
  const wanted = apiVersionOf(kind.type);
  if (custom === undefined) return remember(kind, stored, kind.fromStored(asJson(stored)));
  if (stored.apiVersion === wanted) return remember(kind, stored, yield* defaulted(kind, asJson(stored)));
  if (custom.definition.spec.conversion?.strategy === "Webhook") return undefined;
  return remember(kind, stored, yield* defaulted(kind, { ...asJson(stored), apiVersion: wanted }));
}

/**
 * The stored object as this version shows it. Defaults apply on every read, since the schema may have got new ones after
 * the object was stored.
 * @param size characters of its JSON text, where they are known: large ones have turns of their own
 */
export async function oneToServed(
  machinery: Machinery,
  kind: ServedKind,
  stored: KubeObject,
  size = 0,
): Promise<Result<KubeObject, ApiStatus>> {
  const now = await serve(kind, stored, size);
  if (now !== undefined) return done(now);
  const converted = await toServed(machinery, kind, [stored]);
  return converted.ok ? done(converted.value[0] ?? stored) : converted;
}

/** The object as it is kept. */
export async function toStored(
  machinery: Machinery,
  kind: ServedKind,
  object: KubeObject,
): Promise<Result<KubeObject, ApiStatus>> {
  const { custom } = kind;
  if (custom === undefined) return done(kind.toStored(asJson(object)) as unknown as KubeObject);
  const wanted = apiVersionOf({ group: kind.type.group, version: custom.storageVersion });
  if (object.apiVersion === wanted) return done(object);
  if (custom.definition.spec.conversion?.strategy !== "Webhook") return done({ ...object, apiVersion: wanted });
  const converted = await convertByWebhook(machinery, kind, [object], wanted);
  if (!converted.ok) return converted;
  const [result] = converted.value;
  return result === undefined ? failed({ code: 500, reason: "", message: "conversion gave no object" }) : done(result);
}

function remember(kind: ServedKind, stored: KubeObject, shown: JsonObject): KubeObject {
  let known = served.get(kind);
  if (known === undefined) {
    known = new WeakMap();
    served.set(kind, known);
  }
  const object = shown as unknown as KubeObject;
  known.set(stored, object);
  return object;
}

/** A built-in object as it is read back once stored: without empty lists where protobuf knows none. */
export function* asPersisted(kind: ServedKind, object: KubeObject): Steps<KubeObject> {
  const json = asJson(object);
  // Nulls that validation let through are read back as nothing.
  if (kind.custom !== undefined) return (yield* dropNulls(json, kind.custom.schema)) as unknown as KubeObject;
  if (kind.storedAsJson) return object;
  const hasEmptyList = yield* holdsEmptyList(json, new Strides());
  const kept = hasEmptyList ? (yield* kind.decodeInSteps(json, "storage")).value : json;
  if (kind.asRead === undefined) return kept as unknown as KubeObject;
  yield;
  return kind.asRead(kept) as unknown as KubeObject;
}

function* holdsEmptyList(value: JsonValue, strides: Strides): Steps<boolean> {
  if (Array.isArray(value)) {
    if (value.length === 0) return true;
    for (const item of value as readonly JsonValue[]) {
      if (strides.isDue()) yield;
      if (typeof item === "object" && item !== null && (yield* holdsEmptyList(item, strides))) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  if (emptiedIn(value).length > 0) return true;
  for (const key of knownKeys(value)) {
    const held = value[key];
    if (strides.isDue()) yield;
    if (typeof held === "object" && held !== null && (yield* holdsEmptyList(held, strides))) return true;
  }
  return false;
}
