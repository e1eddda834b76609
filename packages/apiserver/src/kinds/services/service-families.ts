import { isIP } from "node:net";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { duplicate, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { notAnAddress } from "../field-rules.ts";
import { hasMember, objectIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { repetitions } from "../repetitions.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** The only IP family of the cluster. */
const ownFamily = "IPv4";

const isSix = (address: string): boolean => isIP(address) === 6;

/** Whether the Service has clusterIP None. */
export function isHeadless(spec: JsonObject): boolean {
  const addresses = textsIn(spec, "clusterIPs");
  return addresses.length === 1 && addresses[0] === "None";
}

function isOpen(spec: JsonObject): boolean {
  return textIn(spec, "clusterIP") === "None" && Object.keys(objectIn(spec, "selector")).length === 0;
}

/** Validates addresses, families and their policy, each and together; ExternalName Services must not set them. */
export function validateAddressFields(spec: JsonObject): readonly FieldError[] {
  if (textIn(spec, "type") === "ExternalName") return [];
  const addresses = textsIn(spec, "clusterIPs");
  const address = textIn(spec, "clusterIP");
  const field = "spec.clusterIPs";
  const given: JsonValue = spec["clusterIPs"] ?? null;
  const errors: FieldError[] = [];
  if (address === "") {
    if (addresses.length > 0) errors.push(invalid(field, given, "must be empty when `clusterIP` is not specified"));
  } else if (addresses.length === 0) errors.push(required(field));
  else if (addresses[0] !== address) errors.push(invalid(field, given, "first value must match `clusterIP`"));
  errors.push(...validateFamilyNames(spec));
  const misfits = addresses.flatMap((one, index) => {
    if (index > 0 || one !== "None") return isIP(one) > 0 ? [] : [invalid(`${field}[${index}]`, one, notAnAddress)];
    return addresses.length > 1 ? [invalid(field, given, "'None' must be the first and only value")] : [];
  });
  errors.push(...misfits);
  if (addresses.length > 2) errors.push(invalid(field, given, "may only hold up to 2 values"));
  if (misfits.length > 0) return errors;
  const sixes = addresses.filter(isSix).length;
  if (addresses.length > 1 && (sixes === 0 || sixes === addresses.length))
    errors.push(invalid(field, given, "may specify no more than one IP for each IP family"));
  return [...errors, ...validateFamilyOfAddresses(spec, addresses)];
}

function validateFamilyNames(spec: JsonObject): readonly FieldError[] {
  const names = textsIn(spec, "ipFamilies");
  const repeated = repetitions(names);
  const policy = textIn(spec, "ipFamilyPolicy");
  return [
    ...names.flatMap((family, index) => [
      ...(families.includes(family) ? [] : [notSupported(`spec.ipFamilies[${index}]`, family, families)]),
      ...(repeated.has(index) ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []),
    ]),
    ...(!hasMember(spec, "ipFamilyPolicy") || policies.includes(policy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", policy, policies)]),
  ];
}

function validateFamilyOfAddresses(spec: JsonObject, addresses: readonly string[]): readonly FieldError[] {
  if (isHeadless(spec)) return [];
  const names = textsIn(spec, "ipFamilies");
  return addresses.slice(0, names.length).flatMap((address, index) => {
    const family = names[index] ?? "";
    return families.includes(family) && isSix(address) !== (family === "IPv6")
      ? [
          invalid(
            `spec.clusterIPs[${index}]`,
            address,
            `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
          ),
        ]
      : [];
  });
}

/** A PreferDualStack Service keeps its families as long as the fields are unchanged, whatever the cluster supports. */
export function keepsPreferred(spec: JsonObject, before: JsonObject | undefined): boolean {
  const preferred = "PreferDualStack";
  return (
    before !== undefined &&
    textIn(spec, "ipFamilyPolicy") === preferred &&
    textIn(spec, "type") === textIn(before, "type") &&
    ["ClusterIP", "NodePort", "LoadBalancer"].includes(textIn(spec, "type")) &&
    (!hasMember(before, "ipFamilyPolicy") || textIn(before, "ipFamilyPolicy") === preferred) &&
    sameList(spec, before, "clusterIPs") &&
    sameList(spec, before, "ipFamilies")
  );
}

function sameList(spec: JsonObject, before: JsonObject, key: string): boolean {
  return deepEqual([...textsIn(spec, key)], [...textsIn(before, key)]);
}

/**
 * Sets policy and families of a Service that has addresses, from the request, the old object and the cluster; or
 * returns the errors of what the cluster does not support.
 */
export function withFamilies(
  spec: JsonObject,
  before: JsonObject | undefined,
): Result<JsonObject, readonly FieldError[]> {
  if (textIn(spec, "type") === "ExternalName" || keepsPreferred(spec, before)) return done(spec);
  const policy = policyOf(spec, before);
  const named: JsonObject = { ...spec, ipFamilyPolicy: policy };
  const misfits = validateAddressFields(named);
  if (misfits.length > 0) return failed(misfits);
  const released = before !== undefined && policy === "SingleStack" ? withoutSecond(named, before) : named;
  const errors = [...validateRelease(released, before), ...validateSingle(released)];
  const names = [...textsIn(released, "ipFamilies")];
  for (const [index, address] of textsIn(released, "clusterIPs").entries()) {
    if (address === "None") break;
    if (index < names.length) continue;
    if (isSix(address))
      errors.push(
        invalid(`spec.clusterIPs[${index}]`, released["clusterIPs"] ?? null, "IPv6 is not configured on this cluster"),
      );
    else names.push("IPv4");
  }
  if (errors.length > 0) return failed(errors);
  if (isOpen(released)) return done({ ...released, ipFamilies: openFamilies(names, policy) });
  const unknown = [
    ...(policy === "RequireDualStack"
      ? [invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services")]
      : []),
    ...names.flatMap((family, index) =>
      family === ownFamily ? [] : [invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ];
  if (unknown.length > 0) return failed(unknown);
  return done({ ...released, ipFamilies: names.length === 0 ? [ownFamily] : names });
}

function policyOf(spec: JsonObject, before: JsonObject | undefined): string {
  if (hasMember(spec, "ipFamilyPolicy")) return textIn(spec, "ipFamilyPolicy");
  if (before !== undefined && hasMember(before, "ipFamilyPolicy")) return textIn(before, "ipFamilyPolicy");
  return isOpen(spec) ? "RequireDualStack" : "SingleStack";
}

/** A headless Service without selector may have both families on every cluster: nothing is allocated. */
function openFamilies(names: readonly string[], policy: string): readonly string[] {
  const [first = ownFamily] = names;
  if (names.length > 1 || policy === "SingleStack") return names.length === 0 ? [first] : names;
  return [first, first === "IPv4" ? "IPv6" : "IPv4"];
}

/** A change to SingleStack that leaves the lists unchanged releases the secondary family. */
function withoutSecond(spec: JsonObject, before: JsonObject): JsonObject {
  const lists = ["clusterIPs", "ipFamilies"].filter(
    (key) => sameList(spec, before, key) && textsIn(spec, key).length > 1,
  );
  return { ...spec, ...Object.fromEntries(lists.map((key) => [key, textsIn(spec, key).slice(0, 1)])) };
}

function validateRelease(spec: JsonObject, before: JsonObject | undefined): FieldError[] {
  const policy = textIn(spec, "ipFamilyPolicy");
  if (before === undefined || policy === "SingleStack") return [];
  const isLess = (key: string): boolean => {
    const count = textsIn(spec, key).length;
    return count > 0 && count < textsIn(before, key).length;
  };
  const refused = (what: string): FieldError =>
    invalid("spec.ipFamilyPolicy", policy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isLess("clusterIPs") ? [refused("cluster IP")] : []),
    ...(isLess("ipFamilies") ? [refused("IP family")] : []),
  ];
}

function validateSingle(spec: JsonObject): readonly FieldError[] {
  const policy = textIn(spec, "ipFamilyPolicy");
  if (policy !== "SingleStack") return [];
  const refused = (what: string): FieldError =>
    invalid(
      "spec.ipFamilyPolicy",
      policy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(textsIn(spec, "clusterIPs").length === 2 ? [refused("cluster IPs")] : []),
    ...(textsIn(spec, "ipFamilies").length === 2 ? [refused("IP families")] : []),
  ];
}
