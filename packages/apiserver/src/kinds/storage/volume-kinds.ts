import type { JsonObject } from "@purser/kubernetes/json";
import { claimPrinter, volumePrinter } from "../../printing/plain-printers.ts";
import { withSources } from "./claim-source-validation.ts";
import { validateClaimStatus, withPhase } from "./claim-status-validation.ts";
import { defineKind } from "../define-kind.ts";
import { claimWarnings, validateClaim, validateVolume } from "./storage-validation.ts";
import { mapMember, objectIn, textsIn, withDefaults } from "../decoding/json-parts.ts";
import { persistentVolumeClaims, persistentVolumes } from "../resource-types.ts";

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
