import type { JsonObject } from "@purser/kubernetes/json";
import { compareQuantities, parseQuantity } from "@purser/kubernetes/object/quantity";
import { mapList, objectAt, objectIn, objectsIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import type { Amounts } from "../pods/pod-resources.ts";
import { amountsIn, isMore, podTotal, quantitiesIn } from "../pods/pod-resources.ts";

/** Requests and limits of a container, a pod or a claim. */
interface Resources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/**
 * Why a pod or a claim violates one LimitRange of its namespace, with the error text of kube-apiserver; undefined when
 * it does not. `limits` are the LimitRange's.
 */
export function beyondLimits(
  spec: JsonObject,
  limits: readonly JsonObject[],
  of: "Pod" | "PersistentVolumeClaim" = "Pod",
): string | undefined {
  const problems = limits.flatMap((limit): readonly string[] => {
    const type = textIn(limit, "type");
    if (of === "PersistentVolumeClaim")
      return type === of ? [...tooLittle(limit, type, claimed(spec)), ...tooMuchAsked(limit, type, claimed(spec))] : [];
    if (type === "Pod")
      return violations(limit, type, { requests: podTotal(spec, "requests"), limits: podTotal(spec, "limits") });
    if (type !== "Container") return [];
    return [...objectsIn(spec, "containers"), ...objectsIn(spec, "initContainers")].flatMap((container) =>
      violations(limit, type, { requests: amountsIn(container, "requests"), limits: amountsIn(container, "limits") }),
    );
  });
  const different = [...new Set(problems)];
  return different.length > 1 ? `[${different.join(", ")}]` : different[0];
}

function claimed(spec: JsonObject): Resources {
  return { requests: quantitiesIn(objectAt(spec, "resources", "requests")), limits: new Map() };
}

function violations(limit: JsonObject, type: string, resources: Resources): readonly string[] {
  return [
    ...tooLittle(limit, type, resources),
    ...tooMuch(limit, type, resources),
    ...tooElastic(limit, type, resources),
  ];
}

function bounds(limit: JsonObject, key: string): readonly (readonly [string, string])[] {
  return [...quantitiesIn(objectIn(limit, key))].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function tooLittle(limit: JsonObject, type: string, { requests, limits }: Resources): readonly string[] {
  return bounds(limit, "min").flatMap(([name, enforced]) => {
    const rule = `minimum ${name} usage per ${type} is ${enforced}`;
    const [request, most] = [requests.get(name), limits.get(name)];
    if (request === undefined) return [`${rule}.  No request is specified`];
    if (isMore(enforced, request)) return [`${rule}, but request is ${request}`];
    return most !== undefined && isMore(enforced, most) ? [`${rule}, but limit is ${most}`] : [];
  });
}

function tooMuch(limit: JsonObject, type: string, { requests, limits }: Resources): readonly string[] {
  return bounds(limit, "max").flatMap(([name, enforced]) => {
    const rule = `maximum ${name} usage per ${type} is ${enforced}`;
    const [request, most] = [requests.get(name), limits.get(name)];
    if (most === undefined) return [`${rule}.  No limit is specified`];
    if (isMore(most, enforced)) return [`${rule}, but limit is ${most}`];
    return request !== undefined && isMore(request, enforced) ? [`${rule}, but request is ${request}`] : [];
  });
}

/** Claims have no limits: their requests are checked against `max`. */
function tooMuchAsked(limit: JsonObject, type: string, { requests }: Resources): readonly string[] {
  return bounds(limit, "max").flatMap(([name, enforced]) => {
    const rule = `maximum ${name} usage per ${type} is ${enforced}`;
    const request = requests.get(name);
    if (request === undefined) return [`${rule}.  No request is specified`];
    return isMore(request, enforced) ? [`${rule}, but request is ${request}`] : [];
  });
}

function tooElastic(limit: JsonObject, type: string, { requests, limits }: Resources): readonly string[] {
  return bounds(limit, "maxLimitRequestRatio").flatMap(([name, enforced]) => {
    const rule = `${name} max limit to request ratio per ${type} is ${enforced}`;
    const [request, most] = [nanosOf(requests.get(name)), nanosOf(limits.get(name))];
    if (request === 0n) return [`${rule}, but no request is specified or request is 0`];
    if (most === 0n) return [`${rule}, but no limit is specified or limit is 0`];
    const ratio = Number(most) / Number(request);
    const allowed = parseQuantity(enforced);
    const given = parseQuantity(`${Math.ceil(ratio * 1000)}m`);
    const isBeyond = allowed.ok && given.ok && compareQuantities(given.value, allowed.value) > 0;
    return isBeyond ? [`${rule}, but provided ratio is ${ratio.toFixed(6)}`] : [];
  });
}

function nanosOf(amount: string | undefined): bigint {
  const parsed = amount === undefined ? undefined : parseQuantity(amount);
  return parsed?.ok === true ? parsed.value.nanos : 0n;
}

const note = "kubernetes.io/limit-ranger";

/** The pod with one LimitRange's defaults for containers, and the annotation that lists them. */
export function withLimitDefaults(pod: JsonObject, limits: readonly JsonObject[]): JsonObject {
  const own = limits.filter(({ type }) => type === "Container");
  const merged = (key: string): JsonObject =>
    Object.assign({}, ...own.map((limit) => objectIn(limit, key))) as JsonObject;
  const [defaults, defaultRequests] = [merged("default"), merged("defaultRequest")];
  const notes: string[] = [];
  const fill =
    (what: string) =>
    (container: JsonObject): JsonObject => {
      const resources = objectIn(container, "resources");
      const [requests, most] = [objectIn(resources, "requests"), objectIn(resources, "limits")];
      const noteDefaults = (before: JsonObject, after: JsonObject, word: string): void => {
        const set = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
        if (set.length > 0) notes.push(`${set.toSorted().join(", ")} ${word} for ${what} ${textIn(container, "name")}`);
      };
      const filled = { requests: withDefaults(requests, defaultRequests), limits: withDefaults(most, defaults) };
      noteDefaults(requests, filled.requests, "request");
      noteDefaults(most, filled.limits, "limit");
      if (filled.requests === requests && filled.limits === most) return container;
      const kept = Object.entries(filled).filter(([, amounts]) => Object.keys(amounts).length > 0);
      return { ...container, resources: { ...resources, ...Object.fromEntries(kept) } };
    };
  const spec = mapList(
    mapList(objectIn(pod, "spec"), "containers", fill("container")),
    "initContainers",
    fill("init container"),
  );
  if (notes.length === 0) return pod;
  const metadata = objectIn(pod, "metadata");
  const annotations = { ...objectIn(metadata, "annotations"), [note]: `LimitRanger plugin set: ${notes.join("; ")}` };
  return { ...pod, metadata: { ...metadata, annotations }, spec };
}
