import type { JsonObject } from "../../json.ts";
import { asJson, type KubeObject } from "../../apis/object.ts";
import type { ResourceType } from "../../apis/resource-type.ts";
import { compareQuantities, parseQuantity } from "../../object/quantity.ts";
import type { AdmissionRefusal, ObjectView } from "./built-in-kind.ts";
import { objectAt, objectIn, objectsIn, textIn } from "./json-parts.ts";
import { resourceQuotas } from "./resource-types.ts";
import { sumQuantities } from "./quantity-text.ts";

/** How much of each tracked resource one object of the type takes. */
export function usageOf(type: ResourceType, object: JsonObject): ReadonlyMap<string, string> {
  const usage = new Map<string, string>();
  const counted = type.group === "" ? type.plural : `${type.plural}.${type.group}`;
  usage.set(`count/${counted}`, "1");
  if (type.group === "") usage.set(type.plural, "1");
  if (type.plural === "pods" && type.group === "") {
    const phase = textIn(objectIn(object, "status"), "phase");
    if (phase === "Succeeded" || phase === "Failed") return new Map([[`count/${counted}`, "1"]]);
    for (const [list, prefix] of [
      ["requests", "requests."],
      ["limits", "limits."],
    ] as const) {
      for (const resource of ["cpu", "memory"]) {
        const values = objectsIn(objectIn(object, "spec"), "containers").map(
          (container) => textIn(objectAt(container, "resources", list), resource) || "0",
        );
        const total = sumQuantities(values) ?? "0";
        usage.set(`${prefix}${resource}`, total);
        if (list === "requests") usage.set(resource, total);
      }
    }
  }
  return usage;
}

/** What all objects of the types take together, of the resources that `hard` limits. */
export function usedIn(
  view: ObjectView,
  types: readonly ResourceType[],
  namespace: string,
  hard: JsonObject,
): Readonly<Record<string, string>> {
  const used = new Map<string, string>(Object.keys(hard).map((name) => [name, "0"]));
  for (const type of types) {
    for (const object of view.list(type, namespace)) {
      for (const [name, amount] of usageOf(type, asJson(object))) {
        const before = used.get(name);
        if (before !== undefined) used.set(name, sumQuantities([before, amount]) ?? before);
      }
    }
  }
  return Object.fromEntries(used);
}

function exceeds(amount: string, limit: string): boolean {
  const [a, b] = [parseQuantity(amount), parseQuantity(limit)];
  return a.ok && b.ok && compareQuantities(a.value, b.value) > 0;
}

/** Refuses a new object that a quota of its namespace has no room for. */
export function checkQuota(
  type: ResourceType,
  object: KubeObject,
  namespace: string,
  view: ObjectView,
): AdmissionRefusal | undefined {
  const wanted = usageOf(type, asJson(object));
  for (const quota of view.list(resourceQuotas, namespace)) {
    const hard = objectIn(objectIn(asJson(quota), "spec"), "hard");
    const names = Object.keys(hard).filter((name) => (wanted.get(name) ?? "0") !== "0");
    if (names.length === 0) continue;
    const used = usedIn(view, [type], namespace, hard);
    const over = names
      .toSorted()
      .filter((name) =>
        exceeds(sumQuantities([used[name] ?? "0", wanted.get(name) ?? "0"]) ?? "0", textIn(hard, name)),
      );
    if (over.length === 0) continue;
    const list = (amounts: (name: string) => string): string =>
      over.map((name) => `${name}=${amounts(name)}`).join(",");
    const requested = list((name) => wanted.get(name) ?? "0");
    const limited = list((name) => textIn(hard, name));
    const message = `exceeded quota: ${quota.metadata.name ?? ""}, requested: ${requested}, used: ${list((name) => used[name] ?? "0")}, limited: ${limited}`;
    return { code: 403, message };
  }
  return undefined;
}
