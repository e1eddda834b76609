import type { JsonObject } from "../../json.ts";
import { compareQuantities, parseQuantity } from "../../object/quantity.ts";
import { objectAt, objectIn, objectsIn, textIn } from "./json-parts.ts";
import { sumQuantities } from "./quantity-text.ts";

/** What a container, or all containers of a pod together, ask for and may use. */
interface Resources {
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

/** Why a pod does not keep within the limits of its namespace, in the real server's words; undefined when it does. */
export function beyondLimits(spec: JsonObject, limits: readonly JsonObject[]): string | undefined {
  const containers = [...objectsIn(spec, "containers"), ...objectsIn(spec, "initContainers")].map(resourcesOf);
  const problems = limits.flatMap((limit): readonly string[] => {
    const type = textIn(limit, "type");
    if (type === "Container") return containers.flatMap((held) => violations(limit, type, held));
    return type === "Pod" ? violations(limit, type, total(objectsIn(spec, "containers").map(resourcesOf))) : [];
  });
  const [only] = problems;
  return problems.length > 1 ? `[${problems.join(", ")}]` : only;
}

function resourcesOf(container: JsonObject): Resources {
  return {
    requests: objectAt(container, "resources", "requests"),
    limits: objectAt(container, "resources", "limits"),
  };
}

/** Of a resource that one container names, those that do not name it count as nothing. */
function total(containers: readonly Resources[]): Resources {
  const sum = (part: "requests" | "limits"): JsonObject => {
    const names = new Set(containers.flatMap((held) => Object.keys(held[part])));
    return Object.fromEntries(
      [...names].map((name) => [name, sumQuantities(containers.map((held) => textIn(held[part], name) || "0")) ?? "0"]),
    );
  };
  return { requests: sum("requests"), limits: sum("limits") };
}

function violations(limit: JsonObject, type: string, { requests, limits }: Resources): readonly string[] {
  const problems: string[] = [];
  for (const [bound, wanted, what] of [
    ["min", requests, "request"],
    ["max", limits, "limit"],
  ] as const) {
    for (const name of Object.keys(objectIn(limit, bound)).toSorted()) {
      const enforced = textIn(objectIn(limit, bound), name);
      const rule = `${bound}imum ${name} usage per ${type} is ${enforced}`;
      const isBeyond = (given: string): boolean =>
        given !== "" && (bound === "min" ? isLess(given, enforced) : isLess(enforced, given));
      const [request, most] = [textIn(requests, name), textIn(limits, name)];
      const given = textIn(wanted, name);
      const other = bound === "min" ? most : request;
      if (given === "") problems.push(`${rule}.  No ${what} is specified`);
      else if (isBeyond(given)) problems.push(`${rule}, but ${what} is ${given}`);
      else if (isBeyond(other)) problems.push(`${rule}, but ${bound === "min" ? "limit" : "request"} is ${other}`);
    }
  }
  return problems;
}

function isLess(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left.ok && right.ok && compareQuantities(left.value, right.value) < 0;
}
