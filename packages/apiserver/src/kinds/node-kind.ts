import { isIP } from "node:net";
import { labelKeyFaults, labelValueFaults } from "@purser/kubernetes/apis/label-syntax";
import { nodes } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { goJson } from "@purser/kubernetes/text/go-json";
import { nodePrinter } from "../printing/plain-printers.ts";
import type { BuiltInKind, WriteEndpoint } from "./built-in-kind.ts";
import { defineKind } from "./define-kind.ts";
import { hasMember, mapMember, objectIn, objectsIn, textIn, textsIn, without } from "./decoding/json-parts.ts";
import { isBlock, notABlock } from "./network-policy-validation.ts";
import { validateQuantity } from "./quotas/quota-validation.ts";
import { repetitions } from "./repetitions.ts";

/** `podCIDR` overrides the first entry of `podCIDRs`. */
function withRanges(spec: JsonObject): JsonObject {
  const [single, several] = [textIn(spec, "podCIDR"), textsIn(spec, "podCIDRs")];
  const [first = ""] = several;
  if (single === "") return first === "" ? spec : { ...spec, podCIDR: first };
  return single === first ? spec : { ...spec, podCIDRs: [single] };
}

/** `allocatable` defaults to `capacity`. */
function withAllocatable(status: JsonObject): JsonObject {
  return hasMember(status, "allocatable") || !hasMember(status, "capacity")
    ? status
    : { ...status, allocatable: objectIn(status, "capacity") };
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function validateTaint(taint: JsonObject, path: string): readonly FieldError[] {
  const [key, value, effect] = [textIn(taint, "key"), textIn(taint, "value"), textIn(taint, "effect")];
  const faults = labelValueFaults(value);
  return [
    ...labelKeyFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
    ...(faults.length === 0 ? [] : [invalid(`${path}.value`, value, faults.join(";"))]),
    ...(effect === ""
      ? [required(`${path}.effect`)]
      : effects.includes(effect)
        ? []
        : [notSupported(`${path}.effect`, effect, effects)]),
  ];
}

/** A taint as error messages quote it. */
function taintText(taint: JsonObject): string {
  const part = (key: string): string => goJson(textIn(taint, key));
  return `{"Key":${part("key")},"Value":${part("value")},"Effect":${part("effect")},"TimeAdded":${goJson(taint["timeAdded"] ?? null)}}`;
}

function validateTaints(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsIn(spec, "taints").flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const errors = validateTaint(taint, path);
    const own = `${textIn(taint, "key")} ${textIn(taint, "effect")}`;
    if (!seen.has(own)) {
      seen.add(own);
      return errors;
    }
    const again = { ...duplicate(path, {}), badText: taintText(taint) };
    return [...errors, { ...again, detail: "taints must be unique by key and effect pair" }];
  });
}

function validateRanges(spec: JsonObject): readonly FieldError[] {
  const field = "spec.podCIDRs";
  const ranges = textsIn(spec, "podCIDRs");
  const families = new Set(ranges.map((range) => isIP(range.split("/")[0] ?? "")));
  return [
    ...ranges.flatMap((range, index) => (isBlock(range) ? [] : [invalid(`${field}[${index}]`, range, notABlock)])),
    ...(ranges.length > 1 && (families.size < 2 || ranges.length > 2)
      ? [invalid(field, [...ranges], "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

function validateAmounts(node: JsonObject): readonly FieldError[] {
  return ["capacity", "allocatable"].flatMap((key) => {
    const amounts = objectIn(objectIn(node, "status"), key);
    return Object.keys(amounts).flatMap((name) =>
      validateQuantity(name, textIn(amounts, name), `status.${key}.${name}`),
    );
  });
}

function validateChange(node: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [objectIn(node, "spec"), objectIn(old, "spec")];
  const [after, former] = [textsIn(spec, "podCIDRs"), textsIn(before, "podCIDRs")];
  const moved = former.length === after.length ? former.filter((range, index) => range !== after[index]).length : 1;
  const provider = textIn(before, "providerID");
  const addressTexts = objectsIn(objectIn(node, "status"), "addresses").map((address) => goJson(address));
  return [
    ...validateAmounts(node),
    ...[...repetitions(addressTexts)].map((index) => ({
      ...duplicate(`status.addresses[${index}]`, {}),
      badText: addressText(node, index),
    })),
    ...(former.length === 0
      ? []
      : Array.from({ length: moved }, () =>
          forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'),
        )),
    ...(provider !== "" && provider !== textIn(spec, "providerID")
      ? [forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
    ...validateTaints(spec),
    ...(textIn(spec, "externalID") === textIn(before, "externalID")
      ? []
      : [forbidden("spec.externalID", "may not be updated")]),
  ];
}

function addressText(node: JsonObject, index: number): string {
  const address = objectsIn(objectIn(node, "status"), "addresses")[index] ?? {};
  return `{"Type":${goJson(textIn(address, "type"))},"Address":${goJson(textIn(address, "address"))}}`;
}

function validateNode(
  node: JsonObject,
  old: JsonObject | undefined,
  endpoint: WriteEndpoint | undefined,
): readonly FieldError[] {
  const spec = objectIn(node, "spec");
  return [
    ...(endpoint === "status" ? [] : [...validateTaints(spec), ...validateAmounts(node), ...validateRanges(spec)]),
    ...(old === undefined ? [] : validateChange(node, old)),
  ];
}

function nodeWarnings(node: JsonObject): readonly string[] {
  const spec = objectIn(node, "spec");
  return [
    ...(hasMember(spec, "configSource") ? ["spec.configSource: the feature is removed"] : []),
    ...(textIn(spec, "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ];
}

function withoutConfiguration(node: JsonObject): JsonObject {
  return mapMember(
    mapMember(node, "spec", (spec) => without(spec, "configSource")),
    "status",
    (status) => without(status, "config"),
  );
}

const notReadyTaint: JsonObject = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A new node is not schedulable before the node lifecycle controller has seen it ready. */
function notReady(node: JsonObject): JsonObject {
  const spec = objectIn(node, "spec");
  const taints = objectsIn(spec, "taints");
  const { key, effect } = notReadyTaint;
  return taints.some((taint) => taint["key"] === key && taint["effect"] === effect)
    ? node
    : { ...node, spec: { ...spec, taints: [...taints, notReadyTaint] } };
}

export const nodeKind: BuiltInKind = {
  ...defineKind(nodes, {
    shortNames: ["no"],
    status: true,
    defaults: (node) => mapMember(mapMember(node, "spec", withRanges), "status", withAllocatable),
    onUpdate: withoutConfiguration,
    validate: (node, _context, old, endpoint) => validateNode(node, old, endpoint),
    warnings: nodeWarnings,
    printer: nodePrinter,
  }),
  prepareCreate: (node) => notReady(withoutConfiguration(node)),
};
