import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { parseQuantity } from "@purser/kubernetes/object/quantity";
import { deepEqual, decodedEqual } from "@purser/kubernetes/object/semantic-equal";
import { validateSources } from "./claim-source-validation.ts";
import { emptiedIn } from "../emptied.ts";
import { internalDifference } from "../internal-text.ts";
import {
  hasMember,
  mapMember,
  objectAt,
  objectIn,
  pickMembers,
  textIn,
  textsIn,
  without,
} from "../decoding/json-parts.ts";
import { subdomainProblems } from "../names.ts";
import { quantityOrder } from "../quotas/quota-validation.ts";
import { validateLabelSelector } from "../workloads/selector-validation.ts";
import { validateAttributesClass, validateVolumeNodes, validateVolumeSource } from "./volume-source-validation.ts";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

function validateAccess(spec: JsonObject, emptyText: string): readonly FieldError[] {
  const path = "spec.accessModes";
  const given = textsIn(spec, "accessModes");
  const others = given.some((mode) => mode !== "ReadWriteOncePod" && modes.includes(mode));
  return [
    ...(given.length === 0 ? [required(path, emptyText)] : []),
    ...given.filter((mode) => !modes.includes(mode)).map((mode) => notSupported(path, mode, modes)),
    ...(given.includes("ReadWriteOncePod") && others
      ? [forbidden(path, "may not use ReadWriteOncePod with other access modes")]
      : []),
  ];
}

function validatePositive(value: string, path: string): readonly FieldError[] {
  return quantityOrder(value, "0") > 0 ? [] : [invalid(path, value, "must be greater than zero")];
}

/** Rules shared by claims and volumes. */
function validateClassAndMode(spec: JsonObject): readonly FieldError[] {
  const [storageClass, mode] = [textIn(spec, "storageClassName"), textIn(spec, "volumeMode")];
  return [
    ...(storageClass === ""
      ? []
      : subdomainProblems(storageClass).map((problem) => invalid("spec.storageClassName", storageClass, problem))),
    ...(hasMember(spec, "volumeMode") && !["Block", "Filesystem"].includes(mode)
      ? [notSupported("spec.volumeMode", mode, ["Block", "Filesystem"])]
      : []),
  ];
}

/** Validates a claim. The spec is immutable, except the requested size and volumeAttributesClassName of a bound claim. */
export function validateClaim(claim: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(claim, "spec");
  const requests = objectAt(spec, "resources", "requests");
  const storage = "spec.resources[storage]";
  const attributes = textIn(spec, "volumeAttributesClassName");
  return [
    ...validateAccess(spec, "at least 1 access mode is required"),
    ...(hasMember(spec, "selector") ? validateLabelSelector(objectIn(spec, "selector"), "spec.selector") : []),
    ...(hasMember(requests, "storage") ? validatePositive(textIn(requests, "storage"), storage) : [required(storage)]),
    ...validateClassAndMode(spec),
    ...validateSources(spec),
    ...(attributes === ""
      ? []
      : subdomainProblems(attributes).map((problem) => invalid("spec.volumeAttributesClassName", attributes, problem))),
    ...(old === undefined ? [] : validateClaimUpdate(spec, old)),
  ];
}

/** Warns about a size that is not a whole number of bytes. */
export function claimWarnings(claim: JsonObject): readonly string[] {
  return ["requests", "limits"].flatMap((bound) => {
    const size = objectAt(claim, "spec", "resources", bound)["storage"];
    const read = parseQuantity(typeof size === "string" ? size : "0");
    // Go rounds up to thousandths first.
    const thousandths = read.ok ? (read.value.nanos + 999_999n) / 1_000_000n : 0n;
    return thousandths % 1000n === 0n
      ? []
      : [
          `spec.resources.${bound}[storage]: fractional byte value ${JSON.stringify(size)} is invalid, must be an integer`,
        ];
  });
}

function validateClaimUpdate(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = objectIn(old, "spec");
  const isBound = textIn(objectIn(old, "status"), "phase") === "Bound";
  // volumeName can be set once; a bound claim may grow and change its class.
  const first = textIn(before, "volumeName") === "" ? { ...before, ...pickMembers(spec, "volumeName") } : before;
  const from =
    textIn(before, "volumeName") === "" && !hasMember(spec, "volumeName") ? without(first, "volumeName") : first;
  const to = isBound ? withGrowthPutBack(spec, before) : spec;
  const sizeOf = (whole: JsonObject): string => textIn(objectAt(whole, "resources", "requests"), "storage") || "0";
  const held = textIn(objectAt(old, "status", "capacity"), "storage") || "0";
  const isSmaller = quantityOrder(sizeOf(spec), sizeOf(before)) < 0 && quantityOrder(sizeOf(spec), held) <= 0;
  return [
    ...(decodedEqual(to, from)
      ? []
      : [
          forbidden(
            "spec",
            `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${internalDifference("PersistentVolumeClaimSpec", from, to)}`,
          ),
        ]),
    ...(isSmaller ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")] : []),
    ...unchangedMode(spec, before),
  ];
}

/** The claim with the old size and class restored. */
function withGrowthPutBack(spec: JsonObject, before: JsonObject): JsonObject {
  const kept = { ...without(spec, "volumeAttributesClassName"), ...pickMembers(before, "volumeAttributesClassName") };
  const storage = objectAt(before, "resources", "requests")["storage"] ?? "0";
  return mapMember(kept, "resources", (resources) =>
    mapMember(resources, "requests", (requests) => ({ ...requests, storage })),
  );
}

function unchangedMode(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  return deepEqual(spec["volumeMode"] ?? null, before["volumeMode"] ?? null)
    ? []
    : [invalid("volumeMode", spec["volumeMode"] ?? null, "field is immutable")];
}

const policies = ["Delete", "Recycle", "Retain"];

/** Volume sources, in the order in which kube-apiserver checks them. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

function validateHostPath(spec: JsonObject): readonly FieldError[] {
  if (!hasMember(spec, "hostPath")) return [];
  const path = textIn(objectIn(spec, "hostPath"), "path");
  if (path === "") return [required("spec.hostPath.path")];
  return path.split("/").includes("..") ? [invalid("spec.hostPath.path", path, "must not contain '..'")] : [];
}

function validateSize(value: string, path: string): readonly FieldError[] {
  const read = parseQuantity(value);
  const whole = read.ok ? -(-read.value.nanos / 1_000_000_000n) : 0n;
  return [
    ...(whole < 0n ? [invalid(path, Number(whole), "must be a valid resource quantity")] : []),
    ...validatePositive(value, path),
  ];
}

/** Validates a volume, whose source is immutable. */
export function validateVolume(volume: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const spec = objectIn(volume, "spec");
  const capacity = objectIn(spec, "capacity");
  const names = Object.keys(capacity);
  const policy = textIn(spec, "persistentVolumeReclaimPolicy");
  const given = sources.filter((source) => hasMember(spec, source));
  const before = old === undefined ? spec : objectIn(old, "spec");
  const sourceOf = (whole: JsonObject): JsonObject => pickMembers(whole, ...sources);
  return [
    ...validateAccess(spec, ""),
    ...(names.length === 0 ? [required("spec.capacity")] : []),
    ...(hasMember(capacity, "storage") && names.length < 2
      ? []
      : [
          notSupported("spec.capacity", spec["capacity"] ?? (emptiedIn(spec).includes("capacity") ? {} : null), [
            "storage",
          ]),
        ]),
    ...names.flatMap((name) => validateSize(textIn(capacity, name), `spec.capacity[${name}]`)),
    ...(policy === "" || policies.includes(policy)
      ? []
      : [notSupported("spec.persistentVolumeReclaimPolicy", policy, policies)]),
    ...validateVolumeNodes(spec),
    ...given
      .slice(1)
      .map((source) =>
        forbidden(`spec.${source === "cephfs" ? "cephFS" : source}`, "may not specify more than 1 volume type"),
      ),
    ...(given.length === 0 ? [required("spec", "must specify a volume type")] : []),
    ...validateHostPath(spec),
    ...validateVolumeSource(spec, given[0]),
    ...validateClassAndMode(spec),
    ...validateAttributesClass(spec),
    ...(decodedEqual(sourceOf(spec), sourceOf(before))
      ? []
      : [
          forbidden(
            "spec.persistentvolumesource",
            `spec.persistentvolumesource is immutable after creation\n${internalDifference("PersistentVolumeSource", sourceOf(before), sourceOf(spec))}`,
          ),
        ]),
    ...unchangedMode(spec, before),
  ];
}
