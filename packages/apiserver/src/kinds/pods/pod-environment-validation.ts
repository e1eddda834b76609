import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { configKeyProblems } from "../config-keys.ts";
import { hasMember, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { each, inside, texts, withoutBacksteps, type Rule } from "../field-rules.ts";
import { canonicalQuantity } from "../quantity-text.ts";

const nameText = "a valid environment variable name must consist only of printable ASCII characters other than '='";

function nameProblems(name: string): readonly string[] {
  return /^[ -<>-~]*$/u.test(name) ? [] : [nameText];
}

/** Validates `env` and `envFrom` of a container. */
export function validateEnvironment(container: JsonObject, path: string): readonly FieldError[] {
  return [...each(container, "env", path, validateVariable), ...validateEnvFrom(container, `${path}.envFrom`)];
}

function validateVariable(variable: JsonObject, path: string): readonly FieldError[] {
  const name = textIn(variable, "name");
  return [
    ...(name === "" ? [required(`${path}.name`)] : texts(name, `${path}.name`, nameProblems)),
    ...inside(variable, "valueFrom", path, (from, at) => validateValueFrom(from, at, textIn(variable, "value"))),
  ];
}

function validateValueFrom(from: JsonObject, path: string, value: string): readonly FieldError[] {
  const given = Object.keys(sources).filter((key) => hasMember(from, key));
  const detail =
    given.length === 0
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : value !== ""
        ? "may not be specified when `value` is not empty"
        : given.length > 1
          ? "may not have more than one field specified at a time"
          : undefined;
  return [
    ...Object.entries(sources).flatMap(([key, rule]) => inside(from, key, path, rule)),
    ...(detail === undefined ? [] : [invalid(path, "", detail)]),
  ];
}

const keyOf: Rule = (held, path) => [
  ...texts(textIn(held, "name"), `${path}.name`, subdomainProblems),
  ...(textIn(held, "key") === ""
    ? [required(`${path}.key`)]
    : texts(textIn(held, "key"), `${path}.key`, configKeyProblems)),
];
const variableFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const sources: Readonly<Record<string, Rule>> = {
  fieldRef: (held, path) => validateFieldRef(held, path, variableFields),
  resourceFieldRef: (held, path) => validateResourceRef(held, path, false),
  configMapKeyRef: keyOf,
  secretKeyRef: keyOf,
  fileKeyRef: (held, path) => {
    const [key, volume, file] = [textIn(held, "key"), textIn(held, "volumeName"), textIn(held, "path")];
    return [
      ...(key === "" ? [required(`${path}.key`)] : texts(key, `${path}.key`, nameProblems)),
      ...(volume === "" ? [required(`${path}.volumeName`)] : texts(volume, `${path}.volumeName`, labelProblems)),
      ...(file === "" ? [required(`${path}.path`)] : withoutBacksteps(file, `${path}.path`)),
    ];
  },
};

const readable = new Set([
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  ...variableFields,
]);

/** Validates a fieldRef; a single annotation or label may be named in brackets. */
export function validateFieldRef(held: JsonObject, path: string, supported: readonly string[]): readonly FieldError[] {
  const [version, label] = [textIn(held, "apiVersion"), textIn(held, "fieldPath")];
  const field = `${path}.fieldPath`;
  if (version === "") return [required(`${path}.apiVersion`)];
  if (label === "") return [required(field)];
  const failed = (why: string): FieldError[] => [invalid(field, label, `error converting fieldPath: ${why}`)];
  if (version !== "v1") return failed(`unsupported pod version: ${version}`);
  const [, map, key] = /^([^]+?)\['([^]*)'\]$/u.exec(label) ?? [];
  if (map !== undefined && key !== undefined) {
    if (map === "metadata.annotations") return texts(key.toLowerCase(), path, labelKeyFaults);
    return map === "metadata.labels"
      ? texts(key, path, labelKeyFaults)
      : failed(`field label does not support subscript: ${label}`);
  }
  const internal = label === "spec.host" ? "spec.nodeName" : label;
  if (!readable.has(internal)) return failed(`field label not supported: ${label}`);
  return supported.includes(internal) ? [] : [notSupported(field, internal, supported.toSorted())];
}

const amounts = ["cpu", "ephemeral-storage", "memory"];
const resources = ["limits", "requests"].flatMap((part) => amounts.map((name) => `${part}.${name}`));
const units = ["1", ..."kMGTPE".split("").map((unit) => `1${unit}`), ..."KMGTPE".split("").map((unit) => `1${unit}i`)];
const divisors: readonly (readonly [RegExp, readonly string[], string])[] = [
  [/^(limits|requests)\.cpu$/u, ["1m", "1"], "only divisor's values 1m and 1 are supported with the cpu resource"],
  ...(
    [
      ["memory$", "memory"],
      ["ephemeral-storage$", "local ephemeral storage"],
      ["hugepages-", "hugepages"],
    ] as const
  ).map(
    ([suffix, word]) =>
      [
        new RegExp(`^(limits|requests)\\.${suffix}`, "u"),
        units,
        `only divisor's values ${units.join(", ")} are supported with the ${word} resource`,
      ] as const,
  ),
];

/** Validates a resourceFieldRef; in a downward API volume (`isFile`) it must name the container. */
export function validateResourceRef(held: JsonObject, path: string, isFile: boolean): readonly FieldError[] {
  const name = textIn(held, "resource");
  const divisor = canonicalQuantity(textIn(held, "divisor")) ?? "0";
  const errors: FieldError[] = [];
  if (isFile && textIn(held, "containerName") === "") errors.push(required(`${path}.containerName`));
  else if (name === "") errors.push(required(`${path}.resource`));
  else if (!resources.includes(name) && !/^(limits|requests)\.hugepages-/u.test(name))
    errors.push(notSupported(`${path}.resource`, name, resources));
  for (const [which, supported, detail] of divisors)
    if (divisor !== "0" && which.test(name) && !supported.includes(divisor))
      errors.push(invalid(`${path}.divisor`, name, detail));
  return errors;
}

function validateEnvFrom(container: JsonObject, path: string): readonly FieldError[] {
  const name: Rule = (held, at) =>
    textIn(held, "name") === ""
      ? [required(`${at}.name`)]
      : texts(textIn(held, "name").replace(/-$/u, "a"), `${at}.name`, subdomainProblems);
  return objectsIn(container, "envFrom").flatMap((from, index) => {
    const at = `${path}[${index}]`;
    const given = ["configMapRef", "secretRef"].filter((key) => hasMember(from, key));
    return [
      ...texts(textIn(from, "prefix"), `${at}.prefix`, nameProblems),
      ...given.flatMap((key) => name(objectIn(from, key), `${at}.${key}`)),
      ...(given.length === 0 ? [invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")] : []),
      ...(given.length > 1 ? [invalid(path, "", "may not have more than one field specified at a time")] : []),
    ];
  });
}
