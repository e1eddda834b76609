import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { parseQuantity } from "@purser/kubernetes/object/quantity";
import { hasMember, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems } from "../names.ts";
import { isMore, podTotal, quantitiesIn } from "./pod-resources.ts";
import { inside, texts, type Rule } from "../field-rules.ts";
import { quantityOrder, validateQuantity } from "../quotas/quota-validation.ts";
import { isOvercommitted, validateContainerResource, validateResourceName } from "../resource-names.ts";
import { objectAt, objectIn } from "../decoding/json-parts.ts";

const pagesPrefix = "hugepages-";

/** Huge pages must be a multiple of the page size. */
function validatePages(name: string, amount: string, path: string): readonly FieldError[] {
  if (!name.startsWith(pagesPrefix)) return [];
  const [size, held] = [parseQuantity(name.slice(pagesPrefix.length)), parseQuantity(amount)];
  const isWhole = size.ok && held.ok && size.value.nanos > 0n && held.value.nanos % size.value.nanos === 0n;
  return isWhole ? [] : [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)];
}

/** Validates requests and limits; `named` checks the resource names. */
export function validateResources(
  resources: JsonObject,
  path: string,
  claims: readonly string[],
  named: (name: string, path: string) => readonly FieldError[] = validateContainerResource,
): readonly FieldError[] {
  const [limits, requests] = [
    quantitiesIn(objectIn(resources, "limits")),
    quantitiesIn(objectIn(resources, "requests")),
  ];
  const each = (name: string, amount: string, at: string): readonly FieldError[] => [
    ...named(name, at),
    ...validateQuantity(name, amount, at),
  ];
  const names = [...limits.keys(), ...requests.keys()];
  const hasPages = names.some((name) => name.startsWith(pagesPrefix));
  return [
    ...[...limits].flatMap(([name, amount]) => {
      const at = `${path}.limits[${name}]`;
      return [...each(name, amount, at), ...validatePages(name, amount, at)];
    }),
    ...[...requests].flatMap(([name, amount]) => {
      const at = `${path}.requests[${name}]`;
      return [
        ...each(name, amount, at),
        ...validateAgainstLimit(name, amount, limits.get(name), path),
        ...validatePages(name, amount, at),
      ];
    }),
    ...(hasPages && !names.includes("cpu") && !names.includes("memory")
      ? [forbidden(path, "HugePages require cpu or memory")]
      : []),
    ...validateClaimNames(resources, `${path}.claims`, claims),
  ];
}

function validateAgainstLimit(
  name: string,
  amount: string,
  limit: string | undefined,
  path: string,
): readonly FieldError[] {
  if (limit === undefined)
    return isOvercommitted(name)
      ? []
      : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  const order = quantityOrder(amount, limit);
  if (order !== 0 && !isOvercommitted(name))
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  return order > 0
    ? [invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function validateClaimNames(resources: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsIn(resources, "claims").flatMap((claim, index) => {
    const [name, request, at] = [textIn(claim, "name"), textIn(claim, "request"), `${path}[${index}]`];
    if (name === "") return [required(at)];
    const key = request === "" ? name : `${name}/${request}`;
    const isTaken =
      seen.has(name) || seen.has(key) || (request === "" && [...seen].some((one) => one.startsWith(`${name}/`)));
    const errors: FieldError[] = isTaken ? [duplicate(at, seen.has(name) ? name : key)] : [];
    if (request !== "" && !seen.has(name)) errors.unshift(...texts(request, `${at}.request`, labelProblems));
    seen.add(key);
    const list = known.length === 0 ? " which is empty" : `: ${known.toSorted().join(", ")}`;
    if (!known.includes(name))
      errors.push({ ...notFound(at, name), detail: `must be one of the names in pod.spec.resourceClaims${list}` });
    return errors;
  });
}

const podWide = /^(cpu|memory|hugepages-.*)$/u;

function validatePodResource(name: string, path: string): readonly FieldError[] {
  const errors = validateResourceName(name, path);
  return errors.length > 0 || podWide.test(name) ? errors : [notSupported(path, name, ["cpu", "hugepages-", "memory"])];
}

/** Validates pod-level resources, which must not be less than the sum of the containers' requests. */
export function validatePodResources(spec: JsonObject, path: string, claims: readonly string[]): readonly FieldError[] {
  const rule: Rule = (resources, at) => {
    const [requests, limits] = [
      quantitiesIn(objectIn(resources, "requests")),
      quantitiesIn(objectIn(resources, "limits")),
    ];
    const together = podTotal({ ...spec, resources: {} }, "requests");
    return [
      ...(hasMember(resources, "claims")
        ? [forbidden(`${at}.claims`, "claims may not be set for Resources at pod-level")]
        : []),
      ...validateResources(resources, at, claims, validatePodResource),
      ...[...requests].flatMap(([name, amount]) => {
        const sum = together.get(name);
        const detail = `must be greater than or equal to aggregate container requests of ${sum}`;
        return sum !== undefined && isMore(sum, amount) ? [invalid(`${at}.requests[${name}]`, amount, detail)] : [];
      }),
      ...objectsIn(spec, "containers").flatMap((container, index) =>
        [...quantitiesIn(objectAt(container, "resources", "limits"))].flatMap(([name, amount]) => {
          const limit = limits.get(name);
          const field = `${at}.containers[${index}][${name}].limits`;
          const detail = `must be less than or equal to pod limits of ${limit}`;
          return limit !== undefined && isMore(amount, limit) ? [invalid(field, amount, detail)] : [];
        }),
      ),
    ];
  };
  return inside(spec, "resources", path, rule);
}

/** Validates resizePolicy. */
export function validateResizing(container: JsonObject, path: string, restartPolicy: string): readonly FieldError[] {
  const field = `${path}.resizePolicy`;
  const seen = new Set<string>();
  const word = (value: string, supported: readonly string[]): readonly FieldError[] =>
    value === "" ? [required(field)] : supported.includes(value) ? [] : [notSupported(field, value, supported)];
  return objectsIn(container, "resizePolicy").flatMap((policy, index) => {
    const [name, restart] = [textIn(policy, "resourceName"), textIn(policy, "restartPolicy")];
    const errors = seen.has(name) ? [duplicate(`${field}[${index}]`, name)] : [];
    seen.add(name);
    return [
      ...errors,
      ...word(name, ["cpu", "memory"]),
      ...word(restart, ["NotRequired", "RestartContainer"]),
      ...(restartPolicy === "Never" && restart !== "NotRequired"
        ? [invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}
