import { isIP } from "node:net";
import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "./decoding/json-parts.ts";
import { validateLabelSelector } from "./workloads/selector-validation.ts";

const range = "must be between 1 and 65535, inclusive";

function isPort(number: number): boolean {
  return number >= 1 && number <= 65_535;
}

/** Faults of a port name (IANA service name). */
export function portNameProblems(name: string): readonly string[] {
  return [
    ...(name.length > 15 ? ["must be no more than 15 characters"] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(name !== "" && (name.startsWith("-") || name.endsWith("-")) ? ["must not begin or end with a hyphen"] : []),
  ];
}

function validatePort(held: JsonObject, path: string): readonly FieldError[] {
  const { port, endPort } = held;
  const protocol = textIn(held, "protocol");
  const errors: FieldError[] =
    protocol === "" || ["TCP", "UDP", "SCTP"].includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, ["TCP", "UDP", "SCTP"])];
  const last = numberIn(held, "endPort");
  if (typeof port === "number") {
    if (!isPort(port)) errors.push(invalid(`${path}.port`, port, range));
    if (last !== undefined && last < port)
      errors.push(invalid(`${path}.endPort`, port, "must be greater than or equal to `port`"));
    if (last !== undefined && !isPort(last)) errors.push(invalid(`${path}.endPort`, last, range));
  } else if (typeof port === "string") {
    if (last !== undefined)
      errors.push(invalid(`${path}.endPort`, endPort, "may not be specified when `port` is non-numeric"));
    errors.push(...portNameProblems(port).map((problem) => invalid(`${path}.port`, port, problem)));
  } else if (last !== undefined)
    errors.push(invalid(`${path}.endPort`, endPort, "may not be specified when `port` is not specified"));
  return errors;
}

/** Whether the text is a CIDR block. */
export function isBlock(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  const family = isIP(address);
  return family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

export const notABlock = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function validateBlock(block: JsonObject, path: string): readonly FieldError[] {
  const cidr = textIn(block, "cidr");
  if (cidr === "") return [required(`${path}.cidr`)];
  return [
    ...(isBlock(cidr) ? [] : [invalid(`${path}.cidr`, cidr, notABlock)]),
    ...textsIn(block, "except").flatMap((text, index) =>
      isBlock(text) ? [] : [invalid(`${path}.except[${index}]`, text, notABlock)],
    ),
  ];
}

function validatePeer(peer: JsonObject, path: string): readonly FieldError[] {
  const given = ["podSelector", "namespaceSelector", "ipBlock"].filter((key) => hasMember(peer, key));
  const selectors = given.filter((key) => key !== "ipBlock");
  return [
    ...selectors.flatMap((key) => validateLabelSelector(objectIn(peer, key), `${path}.${key}`)),
    ...(hasMember(peer, "ipBlock") ? validateBlock(objectIn(peer, "ipBlock"), `${path}.ipBlock`) : []),
    ...(given.length === 0 ? [required(path, "must specify a peer")] : []),
    ...(given.length > 1 && given.includes("ipBlock")
      ? [forbidden(path, "may not specify both ipBlock and another peer")]
      : []),
  ];
}

/** Validates a NetworkPolicy's spec. */
export function validateNetworkPolicy(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [...validateLabelSelector(objectIn(spec, "podSelector"), "spec.podSelector")];
  for (const [way, peers] of [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const)
    for (const [index, rule] of objectsIn(spec, way).entries()) {
      const path = `spec.${way}[${index}]`;
      errors.push(
        ...objectsIn(rule, "ports").flatMap((port, at) => validatePort(port, `${path}.ports[${at}]`)),
        ...objectsIn(rule, peers).flatMap((peer, at) => validatePeer(peer, `${path}.${peers}[${at}]`)),
      );
    }
  const types = textsIn(spec, "policyTypes");
  if (types.length > 2)
    return [...errors, invalid("spec.policyTypes", [...types], "may not specify more than two policyTypes")];
  for (const [index, type] of types.entries())
    if (type !== "Ingress" && type !== "Egress")
      errors.push(notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]));
  return errors;
}
