import type { JsonObject } from "@purser/kubernetes/json";
import { duplicate, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { nameProblems } from "../names.ts";
import { validateLabelSelector } from "../workloads/selector-validation.ts";
import { repetitions } from "../repetitions.ts";

const scopes = ["*", "Cluster", "Namespaced"];
const matchPolicies = ["Equivalent", "Exact"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function validateStar(rule: JsonObject, key: string, path: string, what: string): readonly FieldError[] {
  const values = textsIn(rule, key);
  if (values.length === 0) return [required(`${path}.${key}`)];
  return values.length > 1 && values.includes("*")
    ? [invalid(`${path}.${key}`, values, `if '*' is present, must not specify other ${what}`)]
    : [];
}

/** Validates a rule of a webhook or a policy. */
export function validateMatchRule(rule: JsonObject, path: string): readonly FieldError[] {
  const scope = textIn(rule, "scope");
  return [
    ...validateStar(rule, "operations", path, "operations"),
    ...textsIn(rule, "operations").flatMap((operation, index) =>
      operations.includes(operation) ? [] : [notSupported(`${path}.operations[${index}]`, operation, operations)],
    ),
    ...validateStar(rule, "apiGroups", path, "API groups"),
    ...validateStar(rule, "apiVersions", path, "API versions"),
    ...textsIn(rule, "apiVersions").flatMap((version, index) =>
      version === "" ? [required(`${path}.apiVersions[${index}]`)] : [],
    ),
    ...validateResources(textsIn(rule, "resources"), `${path}.resources`),
    ...(hasMember(rule, "scope") && !scopes.includes(scope) ? [notSupported(`${path}.scope`, scope, scopes)] : []),
  ];
}

/** A resource must not be listed beside a wildcard that covers it. */
function validateResources(resources: readonly string[], path: string): readonly FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const wholes = new Set<string>();
  const everywhere = new Set<string>();
  let lastIsPlain = false;
  for (const [index, entry] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (entry === "") {
      errors.push(required(at));
      continue;
    }
    const slash = entry.indexOf("/");
    if (slash < 0) {
      lastIsPlain = entry !== "*";
      continue;
    }
    const [resource, sub] = [entry.slice(0, slash), entry.slice(slash + 1)];
    if (wholes.has(resource))
      errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`));
    if (everywhere.has(sub)) errors.push(invalid(at, entry, `if '*/${sub}' is present, must not specify ${entry}`));
    if (sub === "*") wholes.add(resource);
    if (resource === "*") everywhere.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && lastIsPlain)
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

/** Validates matchResources of a policy or a binding. */
export function validateMatchResources(match: JsonObject, path: string): readonly FieldError[] {
  const policy = textIn(match, "matchPolicy");
  const rules = (key: string): readonly FieldError[] =>
    objectsIn(match, key).flatMap((rule, index) => validateNamedRule(rule, `${path}.${key}[${index}]`));
  return [
    ...(matchPolicies.includes(policy) ? [] : [notSupported(`${path}.matchPolicy`, policy, matchPolicies)]),
    ...validateSelectors(match, path),
    ...rules("resourceRules"),
    ...rules("excludeResourceRules"),
  ];
}

/** Validates namespaceSelector and objectSelector of a webhook or a policy. */
export function validateSelectors(match: JsonObject, path: string): readonly FieldError[] {
  return ["namespaceSelector", "objectSelector"].flatMap((key) =>
    hasMember(match, key) ? validateLabelSelector(objectIn(match, key), `${path}.${key}`) : [],
  );
}

function validateNamedRule(rule: JsonObject, path: string): readonly FieldError[] {
  const names = textsIn(rule, "resourceNames");
  const repeated = repetitions(names);
  return [
    ...names.flatMap((name, index) => {
      const at = `${path}.resourceNames[${index}]`;
      const problems = nameProblems("pathSegment", name, false).map((problem) => invalid(at, name, problem));
      return repeated.has(index) ? [...problems, duplicate(at, name)] : problems;
    }),
    ...validateMatchRule(rule, path),
  ];
}
