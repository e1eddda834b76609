import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";

const compute = ["cpu", "memory", "ephemeral-storage"];
const computeQuotas = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const quotas: ReadonlySet<string> = new Set([
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...counted,
]);

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && labelKeyFaults(`requests.${name}`).length === 0;
}

/** Whether the resource is counted in whole units only. */
export function isInteger(name: string): boolean {
  return counted.includes(name) || isExtended(name);
}

/** Whether a limit may differ from the request (cpu and memory may be overcommitted, extended resources may not). */
export function isOvercommitted(name: string): boolean {
  return isNative(name) && !name.startsWith("hugepages-");
}

/** Validates the name of a resource. */
export function validateResourceName(name: string, path: string): readonly FieldError[] {
  const faults = labelKeyFaults(name);
  if (faults.length > 0) return faults.map((fault) => invalid(path, name, fault));
  if (name.includes("/") || name === "storage" || quotas.has(name) || isHugePages(name)) return [];
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
}

/** Validates the name of a resource that a quota limits. */
export function validateQuotaName(name: string, path: string): readonly FieldError[] {
  const isKnown = name.includes("/") || quotas.has(name) || isHugePages(name);
  return [
    ...validateResourceName(name, path),
    ...(isKnown ? [] : [invalid(path, name, "must be a standard resource for quota")]),
  ];
}

/** Validates the name of a resource in a container's requests or limits. */
export function validateContainerResource(name: string, path: string): readonly FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes("/"))
    return compute.includes(name) || name.startsWith("hugepages-")
      ? errors
      : [...errors, invalid(path, name, "must be a standard resource for containers")];
  return isNative(name) || isExtended(name)
    ? errors
    : [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}

/** Whether a quota with the scope may limit the resource; `name` is a standard resource. */
export function fitsScope(scope: string, name: string): boolean {
  if (!quotas.has(name)) return true;
  switch (scope) {
    case "Terminating":
    case "NotTerminating":
    case "NotBestEffort":
    case "PriorityClass":
    case "CrossNamespacePodAffinity":
      return name === "pods" || computeQuotas.includes(name);
    case "BestEffort":
      return name === "pods";
    case "VolumeAttributesClass":
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return true;
  }
}
