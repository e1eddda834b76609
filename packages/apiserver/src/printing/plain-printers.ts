import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { numberIn, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { ageCell, cell, nameCell, printer, wide } from "./printer.ts";
import { selectorText } from "./workload-printers.ts";

function spec(object: JsonObject): JsonObject {
  return objectIn(object, "spec");
}

function status(object: JsonObject): JsonObject {
  return objectIn(object, "status");
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles(node: JsonObject): string {
  const labels = Object.entries(objectIn(objectIn(node, "metadata"), "labels"));
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) return [key.slice(rolePrefix.length)];
    return key === "kubernetes.io/role" && typeof value === "string" && value !== "" ? [value] : [];
  });
  return [...new Set(roles)].toSorted().join(",") || "<none>";
}

function nodeStatus(node: JsonObject): string {
  const ready = objectsIn(status(node), "conditions").find(({ type }) => type === "Ready");
  const text = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  return spec(node)["unschedulable"] === true ? `${text},SchedulingDisabled` : text;
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = objectsIn(status(node), "addresses").find((address) => address["type"] === type);
  return found === undefined ? "<none>" : textIn(found, "address");
}

function nodeInfo(key: string): (node: JsonObject) => string {
  return (node) => textIn(objectIn(status(node), "nodeInfo"), key) || "<unknown>";
}

export const nodePrinter = printer([
  nameCell,
  cell("Status", nodeStatus),
  cell("Roles", nodeRoles),
  ageCell,
  cell("Version", (node) => textIn(objectIn(status(node), "nodeInfo"), "kubeletVersion")),
  wide("Internal-IP", (node) => nodeAddress(node, "InternalIP")),
  wide("External-IP", (node) => nodeAddress(node, "ExternalIP")),
  wide("OS-Image", nodeInfo("osImage")),
  wide("Kernel-Version", (node) => {
    const architecture = textIn(objectIn(status(node), "nodeInfo"), "architecture");
    return `${nodeInfo("kernelVersion")(node)}${architecture === "" ? "" : ` (${architecture})`}`;
  }),
  wide("Container-Runtime", nodeInfo("containerRuntimeVersion")),
]);

/** In display order. */
const shortModes: ReadonlyMap<string, string> = new Map([
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
]);

function accessModes(holder: JsonObject): string {
  const held = new Set(textsIn(holder, "accessModes"));
  return [...shortModes].flatMap(([mode, short]) => (held.has(mode) ? [short] : [])).join(",");
}

/** The deprecated class annotation overrides the field. */
function storageClass(object: JsonObject): string {
  const annotations = objectIn(objectIn(object, "metadata"), "annotations");
  const former = "volume.beta.kubernetes.io/storage-class";
  return Object.hasOwn(annotations, former) ? textIn(annotations, former) : textIn(spec(object), "storageClassName");
}

export const claimPrinter = printer([
  nameCell,
  cell("Status", (claim) =>
    Object.hasOwn(objectIn(claim, "metadata"), "deletionTimestamp") ? "Terminating" : textIn(status(claim), "phase"),
  ),
  cell("Volume", (claim) => textIn(spec(claim), "volumeName")),
  cell("Capacity", (claim) =>
    textIn(spec(claim), "volumeName") === "" ? "" : textIn(objectIn(status(claim), "capacity"), "storage") || "0",
  ),
  cell("Access Modes", (claim) => (textIn(spec(claim), "volumeName") === "" ? "" : accessModes(status(claim)))),
  cell("StorageClass", storageClass),
  cell("VolumeAttributesClass", (claim) => textIn(spec(claim), "volumeAttributesClassName") || "<unset>"),
  ageCell,
  wide("VolumeMode", (claim) => textIn(spec(claim), "volumeMode") || "<unset>"),
]);

export const volumePrinter = printer([
  nameCell,
  cell("Capacity", (volume) => textIn(objectIn(spec(volume), "capacity"), "storage") || "0"),
  cell("Access Modes", (volume) => accessModes(spec(volume))),
  cell("Reclaim Policy", (volume) => textIn(spec(volume), "persistentVolumeReclaimPolicy")),
  cell("Status", (volume) =>
    Object.hasOwn(objectIn(volume, "metadata"), "deletionTimestamp") ? "Terminating" : textIn(status(volume), "phase"),
  ),
  cell("Claim", (volume) => {
    const claim = objectIn(spec(volume), "claimRef");
    return !Object.hasOwn(spec(volume), "claimRef") ? "" : `${textIn(claim, "namespace")}/${textIn(claim, "name")}`;
  }),
  cell("StorageClass", storageClass),
  cell("VolumeAttributesClass", (volume) => textIn(spec(volume), "volumeAttributesClassName") || "<unset>"),
  cell("Reason", (volume) => textIn(status(volume), "reason")),
  ageCell,
  wide("VolumeMode", (volume) => textIn(spec(volume), "volumeMode") || "<unset>"),
]);

/** `used/hard` of all resources whose names start with `limits.`, or of all others. */
function usage(quota: JsonObject, limits: boolean): string {
  const hard = objectIn(status(quota), "hard");
  const used = objectIn(status(quota), "used");
  return Object.keys(hard)
    .toSorted()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${textIn(used, name) || "0"}/${textIn(hard, name)}`)
    .join(", ");
}

export const quotaPrinter = printer([
  nameCell,
  cell("Request", (quota) => usage(quota, false)),
  cell("Limit", (quota) => usage(quota, true)),
  ageCell,
]);

function orNotGiven(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "N/A";
}

export const budgetPrinter = printer([
  nameCell,
  cell("Min Available", (budget) => orNotGiven(spec(budget)["minAvailable"])),
  cell("Max Unavailable", (budget) => orNotGiven(spec(budget)["maxUnavailable"])),
  cell("Allowed Disruptions", (budget) => numberIn(status(budget), "disruptionsAllowed") ?? 0, { type: "integer" }),
  ageCell,
]);

export const networkPolicyPrinter = printer([
  nameCell,
  cell("Pod-Selector", (policy) => selectorText(objectIn(spec(policy), "podSelector"))),
  ageCell,
]);

/** Columns of Scale. */
export const scalePrinter = printer([
  cell("Name", (scale) => textIn(objectIn(scale, "metadata"), "name")),
  cell("Desired", (scale) => numberIn(spec(scale), "replicas") ?? 0, { type: "integer" }),
  cell("Available", (scale) => numberIn(status(scale), "replicas") ?? 0, { type: "integer" }),
  ageCell,
]);
