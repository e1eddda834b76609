import { isIP } from "node:net";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn } from "./decoding/json-parts.ts";
import { portNameProblems } from "./network-policy-validation.ts";

export type Rule = (held: JsonObject, path: string) => readonly FieldError[];

/** Reports each of the fields that is absent or an empty string. */
export function needTexts(held: JsonObject, path: string, ...keys: readonly string[]): readonly FieldError[] {
  return keys.filter((key) => textIn(held, key) === "").map((key) => required(`${path}.${key}`));
}

/** Requires the field to hold one of the listed values. */
export function oneOf(
  held: JsonObject,
  key: string,
  supported: readonly string[],
  path: string,
): readonly FieldError[] {
  const value = textIn(held, key);
  if (value === "") return [required(`${path}.${key}`)];
  return supported.includes(value) ? [] : [notSupported(`${path}.${key}`, value, supported)];
}

/** Requires the field to hold one of the listed values when it is set. */
export function oneOfGiven(
  held: JsonObject,
  key: string,
  supported: readonly string[],
  path: string,
): readonly FieldError[] {
  return hasMember(held, key) && !supported.includes(textIn(held, key))
    ? [notSupported(`${path}.${key}`, textIn(held, key), supported)]
    : [];
}

/** One error per fault that `problems` finds in the text. */
export function texts(
  value: string,
  path: string,
  problemsOf: (value: string) => readonly string[],
): readonly FieldError[] {
  return problemsOf(value).map((problem) => invalid(path, value, problem));
}

/** Requires the number to be within the bounds when it is set. */
export function between(
  held: JsonObject,
  key: string,
  [least, most]: readonly [number, number],
  path: string,
): readonly FieldError[] {
  const value = numberIn(held, key);
  return value === undefined || (value >= least && value <= most)
    ? []
    : [invalid(`${path}.${key}`, value, `must be between ${least} and ${most}, inclusive`)];
}

/** Requires the number to be zero or greater. */
export function notNegative(held: JsonObject, key: string, path: string): readonly FieldError[] {
  const value = numberIn(held, key);
  return value !== undefined && value < 0
    ? [invalid(`${path}.${key}`, value, "must be greater than or equal to 0")]
    : [];
}

/** Applies a rule to every object of a list. */
export function each(held: JsonObject, key: string, path: string, rule: Rule): readonly FieldError[] {
  return objectsIn(held, key).flatMap((item, index) => rule(item, `${path}.${key}[${index}]`));
}

/** As {@link each}, with pauses: a rule looks at some dozens of fields of each object. */
export function* eachInSteps(held: JsonObject, key: string, path: string, rule: Rule): Steps<readonly FieldError[]> {
  const strides = new Strides();
  const errors: FieldError[] = [];
  for (const [index, item] of objectsIn(held, key).entries()) {
    for (const error of rule(item, `${path}.${key}[${index}]`)) errors.push(error);
    if (strides.isDue(32)) yield;
  }
  return errors;
}

/** Applies a rule to a member when it is set. */
export function inside(held: JsonObject, key: string, path: string, rule: Rule): readonly FieldError[] {
  return hasMember(held, key) ? rule(objectIn(held, key), `${path}.${key}`) : [];
}

const ports: readonly [number, number] = [1, 65_535];

export function portNumber(port: number, path: string): readonly FieldError[] {
  return port >= ports[0] && port <= ports[1]
    ? []
    : [invalid(path, port, `must be between ${ports[0]} and ${ports[1]}, inclusive`)];
}

/** Validates a port given as a number or a name. */
export function portOf(port: JsonValue | undefined, path: string): readonly FieldError[] {
  return typeof port === "string"
    ? texts(port, path, portNameProblems)
    : portNumber(typeof port === "number" ? port : 0, path);
}

/** Validates a file mode (0 to 0777). */
export function fileMode(held: JsonObject, key: string, path: string): readonly FieldError[] {
  const mode = numberIn(held, key);
  return mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalid(`${path}.${key}`, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

export function withoutBacksteps(value: string, path: string): readonly FieldError[] {
  return value.split("/").includes("..") ? [invalid(path, value, "must not contain '..'")] : [];
}

/** Validates a relative path without `..`. */
export function descendingPath(value: string, path: string): readonly FieldError[] {
  return [
    ...(value.startsWith("/") ? [invalid(path, value, "must be a relative path")] : []),
    ...withoutBacksteps(value, path),
  ];
}

/** Validates the path of a file in a volume; names that start with two dots are reserved for the volume's writer. */
export function volumePath(value: string, path: string): readonly FieldError[] {
  return [
    ...descendingPath(value, path),
    ...(value.startsWith("..") && !value.startsWith("../") ? [invalid(path, value, "must not start with '..'")] : []),
  ];
}

/** Error text for a value that is not an IP address. */
export const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Validates an IP address; leading zeros in IPv4 octets have an error text of their own. */
export function address(value: string, path: string): readonly FieldError[] {
  const plain = value.includes(":") ? value : value.replaceAll(/(?<![0-9])0+(?=[0-9])/gu, "");
  if (isIP(plain) === 0 || plain.includes("%")) return [invalid(path, value, notAnAddress)];
  if (plain !== value) return [invalid(path, value, "must not have leading 0s")];
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/iu.test(value)
    ? [invalid(path, value, "must not be an IPv4-mapped IPv6 address")]
    : [];
}
