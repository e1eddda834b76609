import type { JsonObject } from "../../json.ts";
import { endpoints, leases, networkPolicies } from "../../apis/resources.ts";
import { forbidden, invalid, notSupported, required, type FieldError } from "../../object/field-error.ts";
import { goJson } from "../../text/go-json.ts";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import {
  budgetPrinter,
  claimPrinter,
  networkPolicyPrinter,
  quotaPrinter,
  volumePrinter,
} from "../printing/plain-printers.ts";
import { endpointSlicePrinter, endpointsPrinter } from "../printing/service-printers.ts";
import { withSources } from "./claim-source-validation.ts";
import { validateClaimStatus, withPhase } from "./claim-status-validation.ts";
import { validateConditions } from "./condition-validation.ts";
import { defineKind, specOf } from "./define-kind.ts";
import { validateEndpoints, validateEndpointSlice, withoutTopology } from "./endpoints-validation.ts";
import { validateNetworkPolicy } from "./network-policy-validation.ts";
import { validateAtMostAll, validateIntOrPercent } from "./percent-validation.ts";
import { validateLimitRange, validateQuota, validateQuotaStatus } from "./quota-validation.ts";
import { selectorText, validateLabelSelector } from "./selector-validation.ts";
import { validateCounts } from "./workload-status-validation.ts";
import { claimWarnings, validateClaim, validateVolume } from "./storage-validation.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectIn,
  textIn,
  textsIn,
  without,
  withDefaults,
} from "./json-parts.ts";
import {
  endpointSlices,
  limitRanges,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  priorityClasses,
  resourceQuotas,
} from "./resource-types.ts";

function tcp(port: JsonObject): JsonObject {
  return withDefaults(port, { protocol: "TCP" });
}

/** Behind a feature gate that is off by default: the real server drops both without a word. */
function withoutElection(lease: JsonObject): JsonObject {
  return mapMember(lease, "spec", (spec) => without(spec, "strategy", "preferredHolder"));
}

export const leaseKind = defineKind(leases, {
  createsOnPut: true,
  requiresResourceVersion: true,
  onCreate: withoutElection,
  onUpdate: (next) => withoutElection(next),
  validate: (lease) => {
    const spec = objectIn(lease, "spec");
    const errors: FieldError[] = [];
    const duration = numberIn(spec, "leaseDurationSeconds");
    if (duration !== undefined && duration <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
    }
    const transitions = numberIn(spec, "leaseTransitions");
    if (transitions !== undefined && transitions < 0) {
      errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return errors;
  },
  printer: printer([nameCell, cell("Holder", (lease) => textIn(objectIn(lease, "spec"), "holderIdentity")), ageCell]),
});

export const endpointsKind = defineKind(endpoints, {
  shortNames: ["ep"],
  createsOnPut: true,
  defaults: (object) => mapList(object, "subsets", (subset) => mapList(subset, "ports", tcp)),
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  validate: (object, _context, old) => validateEndpoints(object, old),
  printer: endpointsPrinter,
});

export const endpointSliceKind = defineKind(endpointSlices, {
  versioned: (slice) => ({
    endpoints: slice["endpoints"],
    ports: slice["ports"],
    labels: objectIn(objectIn(slice, "metadata"), "labels"),
  }),
  defaults: (slice) => mapList(slice, "ports", (port) => withDefaults(port, { name: "", protocol: "TCP" })),
  onCreate: (slice) => withoutTopology(slice, undefined),
  onUpdate: (next, old) => withoutTopology(next, old),
  validate: (slice, _context, old) => validateEndpointSlice(slice, old),
  warnings: (slice, old) =>
    old === undefined && textIn(slice, "addressType") === "FQDN"
      ? ["spec.addressType: FQDN endpoints are deprecated"]
      : [],
  printer: endpointSlicePrinter,
});

export const networkPolicyKind = defineKind(networkPolicies, {
  shortNames: ["netpol"],
  versionedExactly: true,
  versioned: specOf,
  defaults: (policy) =>
    mapMember(policy, "spec", (spec) => {
      const rule = (held: JsonObject): JsonObject => mapList(held, "ports", tcp);
      const filled = mapList(mapList(spec, "ingress", rule), "egress", rule);
      const types =
        textsIn(filled, "egress").length > 0 || hasMember(filled, "egress") ? ["Ingress", "Egress"] : ["Ingress"];
      return withDefaults(filled, { policyTypes: types });
    }),
  validate: (policy) => validateNetworkPolicy(objectIn(policy, "spec")),
  printer: networkPolicyPrinter,
});

const healthCounts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

/** Upstream prints its internal struct. */
function budgetText(spec: JsonObject): string {
  const part = (key: string): string => goJson(spec[key] ?? null);
  const selector = hasMember(spec, "selector") ? selectorText(objectIn(spec, "selector")) : "null";
  return `{"MinAvailable":${part("minAvailable")},"Selector":${selector},"MaxUnavailable":${part("maxUnavailable")},"UnhealthyPodEvictionPolicy":${part("unhealthyPodEvictionPolicy")}}`;
}

export const podDisruptionBudgetKind = defineKind(podDisruptionBudgets, {
  looksAtMetadataLast: true,
  nameRule: "pathSegment",
  shortNames: ["pdb"],
  status: true,
  requiresResourceVersion: true,
  versioned: specOf,
  validate: (budget, _context, _old, endpoint) => {
    if (endpoint === "status") {
      const status = objectIn(budget, "status");
      return [...validateConditions(status, "status.conditions"), ...validateCounts(status, healthCounts)];
    }
    const spec = objectIn(budget, "spec");
    const policy = textIn(spec, "unhealthyPodEvictionPolicy");
    return [
      ...(hasMember(spec, "minAvailable") && hasMember(spec, "maxUnavailable")
        ? [
            {
              ...invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"),
              badText: budgetText(spec),
            },
          ]
        : []),
      ...["minAvailable", "maxUnavailable"].flatMap((key) => {
        const value = spec[key] ?? null;
        return [...validateIntOrPercent(value, `spec.${key}`), ...validateAtMostAll(value, `spec.${key}`)];
      }),
      ...(hasMember(spec, "selector") ? validateLabelSelector(objectIn(spec, "selector"), "spec.selector") : []),
      ...(!hasMember(spec, "unhealthyPodEvictionPolicy") || evictionPolicies.includes(policy)
        ? []
        : [notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)]),
    ];
  },
  printer: budgetPrinter,
});

const highestPriority = 1_000_000_000;
const preemptionPolicies = ["PreemptLowerPriority", "Never"];

export const priorityClassKind = defineKind(priorityClasses, {
  shortNames: ["pc"],
  versioned: () => null,
  defaults: (priority) => withDefaults(priority, { preemptionPolicy: "PreemptLowerPriority" }),
  validate: (priority, _context, old) => {
    const [value, policy] = [numberIn(priority, "value") ?? 0, textIn(priority, "preemptionPolicy")];
    if (old !== undefined)
      return [
        ...((numberIn(old, "value") ?? 0) === value ? [] : [forbidden("value", "may not be changed in an update.")]),
        ...(textIn(old, "preemptionPolicy") === policy
          ? []
          : [invalid("preemptionPolicy", policy, "field is immutable")]),
      ];
    return [
      ...(value > highestPriority && !textIn(objectIn(priority, "metadata"), "name").startsWith("system-")
        ? [forbidden("value", `maximum allowed value of a user defined priority is ${highestPriority}`)]
        : []),
      ...(policy === ""
        ? [required("preemptionPolicy")]
        : preemptionPolicies.includes(policy)
          ? []
          : [notSupported("preemptionPolicy", policy, preemptionPolicies)]),
    ];
  },
  printer: printer([
    nameCell,
    cell("Value", (priority) => numberIn(priority, "value") ?? 0, { type: "integer" }),
    cell("Global-Default", (priority) => priority["globalDefault"] === true, { type: "boolean" }),
    ageCell,
    cell("PreemptionPolicy", (priority) => textIn(priority, "preemptionPolicy")),
  ]),
});

function withFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const metadata = objectIn(object, "metadata");
  const held = textsIn(metadata, "finalizers");
  if (held.includes(finalizer)) return object;
  return { ...object, metadata: { ...metadata, finalizers: [...held, finalizer] } };
}

export const persistentVolumeClaimKind = defineKind(persistentVolumeClaims, {
  shortNames: ["pvc"],
  status: true,
  deleteReturnsObject: true,
  defaults: (claim) => mapMember(claim, "spec", (spec) => withDefaults(spec, { volumeMode: "Filesystem" })),
  onCreate: (claim) => ({
    ...withFinalizer(
      mapMember(claim, "spec", (spec) => withSources(spec, undefined)),
      "kubernetes.io/pvc-protection",
    ),
    status: { phase: "Pending" },
  }),
  onUpdate: (next, old, endpoint) =>
    endpoint === "main"
      ? mapMember(next, "spec", (spec) => withSources(spec, objectIn(old, "spec")))
      : endpoint === "status"
        ? withPhase(next)
        : next,
  validate: (claim, _context, old, endpoint) =>
    endpoint === "status" ? validateClaimStatus(claim) : validateClaim(claim, old),
  warnings: claimWarnings,
  printer: claimPrinter,
});

export const persistentVolumeKind = defineKind(persistentVolumes, {
  shortNames: ["pv"],
  status: true,
  deleteReturnsObject: true,
  defaults: (volume) =>
    mapMember(volume, "spec", (spec) =>
      mapMember(
        withDefaults(spec, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" }),
        "hostPath",
        (path) => withDefaults(path, { type: "" }),
      ),
    ),
  onCreate: (volume) => ({ ...withFinalizer(volume, "kubernetes.io/pv-protection"), status: { phase: "Pending" } }),
  validate: (volume, _context, old, endpoint) => (endpoint === "status" ? [] : validateVolume(volume, old)),
  printer: volumePrinter,
});

export const resourceQuotaKind = defineKind(resourceQuotas, {
  shortNames: ["quota"],
  status: true,
  deleteReturnsObject: true,
  validate: (quota, _context, old, endpoint) =>
    endpoint === "status" ? validateQuotaStatus(quota) : validateQuota(quota, old),
  printer: quotaPrinter,
});

export const limitRangeKind = defineKind(limitRanges, {
  createsOnPut: true,
  // The one kind that gives itself a name.
  onCreate: (range, { entropy }) => {
    const metadata = objectIn(range, "metadata");
    return textIn(metadata, "name") === "" ? { ...range, metadata: { ...metadata, name: entropy.uuid() } } : range;
  },
  validate: validateLimitRange,
  shortNames: ["limits"],
  defaults: (range) =>
    mapMember(range, "spec", (spec) =>
      mapList(spec, "limits", (limit) => {
        if (limit["type"] !== "Container") return limit;
        const fallback = { ...objectIn(limit, "max"), ...objectIn(limit, "default") };
        const requests = { ...objectIn(limit, "min"), ...fallback, ...objectIn(limit, "defaultRequest") };
        return {
          ...limit,
          ...(Object.keys(fallback).length === 0 ? {} : { default: fallback }),
          ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
        };
      }),
    ),
});
