import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ManagedFieldsEntry } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { deepEqual, semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import { deploymentSpecHashLabel } from "../../../apis/v0/labels.ts";

/**
 * The first field of a Deployment that others changed since it was installed, as `spec.template.spec.containers[name=c].image`;
 * undefined when there is none, or when managedFields do not show who installed it. What others added is no edit, nor is
 * a number of replicas that came through the subresource `scale`, but for 0, which no HorizontalPodAutoscaler sets.
 * @param wanted the Deployment of the strategy
 */
export function editedField(live: Deployment, wanted: JsonObject): string | undefined {
  const managers = live.metadata.managedFields ?? [];
  const installers = managers.filter((entry) => part(fieldsOf(entry), ...hashLabel) !== undefined);
  const spec = member(wanted, "spec");
  const held = member(asJson(live), "spec");
  if (installers.length === 0 || !isJsonObject(spec) || !isJsonObject(held)) return undefined;
  const sets = (entries: readonly ManagedFieldsEntry[]) => below(entries.map(fieldsOf), "f:spec");
  const { replicas, ...rest } = spec;
  if (isScaledAway(managers, installers, member(held, "replicas"), replicas)) return "spec.replicas";
  return edited(rest, held, { installed: sets(installers), all: sets(managers) }, "spec");
}

/**
 * Whether writing the Deployment of the strategy would change nothing but what others added, which a write would remove: an
 * annotation that `kubectl rollout restart` sets or the replicas of an autoscaler, for example. False when managedFields do not show who installed it.
 */
export function isInstalled(live: Deployment, wanted: JsonObject): boolean {
  const managers = live.metadata.managedFields ?? [];
  if (managers.length === 0) return false;
  const spec = member(wanted, "spec");
  if (!isJsonObject(spec) || !isAutoscaled(managers, live.spec?.replicas)) return contains(asJson(live), wanted);
  const { replicas: _, ...rest } = spec;
  return contains(asJson(live), { ...wanted, spec: rest });
}

/** Whether all of `wanted` is in `live`; items of lists are found by their name, or in their order. */
function contains(live: JsonValue | undefined, wanted: JsonValue): boolean {
  if (semanticEqual({ wanted }, live === undefined ? {} : { wanted: live })) return true;
  if (Array.isArray(wanted)) {
    const items = wanted as readonly JsonValue[];
    if (!Array.isArray(live)) return false;
    const held = live as readonly JsonValue[];
    return items.every((item, at) => contains(named(held, item) ?? held[at], item));
  }
  if (!isJsonObject(wanted) || !isJsonObject(live)) return false;
  return Object.entries(wanted).every(([key, value]) => value === undefined || contains(member(live, key), value));
}

function named(items: readonly JsonValue[], wanted: JsonValue): JsonValue | undefined {
  const nameOf = (item: JsonValue): JsonValue | undefined => (isJsonObject(item) ? member(item, "name") : undefined);
  const name = nameOf(wanted);
  return name === undefined ? undefined : items.find((item) => nameOf(item) === name);
}

const hashLabel = ["f:metadata", "f:labels", `f:${deploymentSpecHashLabel}`] as const;

const ownsReplicas = (entry: ManagedFieldsEntry): boolean =>
  part(fieldsOf(entry), "f:spec", "f:replicas") !== undefined;

/** Whether the number of replicas, which is not 0, came through the subresource `scale`. */
function isAutoscaled(managers: readonly ManagedFieldsEntry[], replicas: JsonValue | undefined): boolean {
  return replicas !== 0 && managers.some((entry) => entry.subresource === "scale" && ownsReplicas(entry));
}

function isScaledAway(
  managers: readonly ManagedFieldsEntry[],
  installers: readonly ManagedFieldsEntry[],
  live: JsonValue | undefined,
  wanted: JsonValue | undefined,
): boolean {
  if (deepEqual(live, wanted ?? 1) || installers.some(ownsReplicas)) return false;
  return live === 0 || (wanted !== undefined && !isAutoscaled(managers, live));
}

/** Field sets at one place of the object: of the managers that installed it, and of all. */
interface Owned {
  readonly installed: readonly JsonObject[];
  readonly all: readonly JsonObject[];
}

function edited(wanted: JsonValue, live: JsonValue, owned: Owned, path: string): string | undefined {
  // A set without members stands for the whole value.
  if (owned.installed.some((set) => Object.keys(set).length === 0)) return undefined;
  if (isJsonObject(wanted) && isJsonObject(live)) return editedMember(wanted, live, owned, path);
  const keys = owned.all.flatMap((set) => Object.keys(set)).filter((key) => key.startsWith("k:"));
  if (Array.isArray(wanted) && Array.isArray(live) && keys.length > 0) {
    for (const item of wanted as readonly JsonValue[]) {
      const found = editedItem(item, live, [...new Set(keys)], owned, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return path;
}

/** Lists that a server never drops, so that one that is missing was removed. */
const neverDropped = new Set(["command", "args"]);

function editedMember(wanted: JsonObject, live: JsonObject, owned: Owned, path: string): string | undefined {
  for (const [key, value] of Object.entries(wanted)) {
    const held = member(live, key);
    if (value === undefined || semanticEqual({ [key]: value }, held === undefined ? {} : { [key]: held })) continue;
    const place = `${path}.${key}`;
    if (held === undefined && neverDropped.has(key)) return place;
    const found = held === undefined ? undefined : edited(value, held, inside(owned, `f:${key}`), place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An item of a list with merge keys, which managedFields name as `k:{"name":"c"}`. */
function editedItem(
  wanted: JsonValue,
  live: readonly JsonValue[],
  keys: readonly string[],
  owned: Owned,
  path: string,
): string | undefined {
  const key = keys.find((name) => matches(wanted, name));
  const held = key === undefined ? undefined : live.find((item) => matches(item, key));
  const [name, value] = Object.entries(mergeKey(key ?? keys[0] ?? ""))[0] ?? ["", ""];
  const shown = key === undefined && isJsonObject(wanted) ? member(wanted, name) : value;
  const place = `${path}[${name}=${typeof shown === "string" || typeof shown === "number" ? shown : ""}]`;
  if (key === undefined || held === undefined) return place;
  return edited(wanted, held, inside(owned, key), place);
}

/** Whether a list's item has the merge key; a member that it does not set (a port's protocol) has its default. */
function matches(item: JsonValue, key: string): boolean {
  return (
    isJsonObject(item) &&
    Object.entries(mergeKey(key)).every(
      ([name, value]) => member(item, name) === undefined || deepEqual(member(item, name), value),
    )
  );
}

function mergeKey(key: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(key.slice("k:".length));
    return isJsonObject(parsed as JsonValue) ? (parsed as JsonObject) : {};
  } catch {
    return {};
  }
}

const fieldsOf = ({ fieldsV1 }: ManagedFieldsEntry): JsonObject => fieldsV1 ?? {};

const inside = ({ installed, all }: Owned, key: string): Owned => ({
  installed: below(installed, key),
  all: below(all, key),
});

function below(sets: readonly JsonObject[], key: string): readonly JsonObject[] {
  return sets.flatMap((set) => {
    const inner = member(set, key);
    return isJsonObject(inner) ? [inner] : [];
  });
}

function part(set: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((at, key) => (isJsonObject(at) ? member(at, key) : undefined), set);
}
