import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import { asJson } from "@purser/kubernetes/apis/object";
import { type FieldError, invalid } from "@purser/kubernetes/object/field-error";
import type { JsonObject } from "@purser/kubernetes/json";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import type { WriteContext, WriteEndpoint } from "./built-in-kind.ts";
import { defineKind, allVerbs } from "./define-kind.ts";
import type { DeletionRule } from "./deletion-rule.ts";
import { hasMember, objectAt, objectIn, textIn, textsIn, withDefaults } from "./decoding/json-parts.ts";
import { isStandardFinalizer } from "./names.ts";

const nameLabel = "kubernetes.io/metadata.name";

/** Sets the label `kubernetes.io/metadata.name`, which cannot be overridden. */
function labelled(namespace: JsonObject): JsonObject {
  const metadata = objectIn(namespace, "metadata");
  const name = textIn(metadata, "name");
  const labels = objectIn(metadata, "labels");
  if (name === "" || labels[nameLabel] === name) return namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...labels, [nameLabel]: name } } };
}

/** The ConfigMap `kube-root-ca.crt` that the root CA publisher keeps in every namespace. */
export function rootAuthorityConfigMap(namespace: string, rootAuthority: string): JsonObject {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: "kube-root-ca.crt",
      namespace,
      annotations: {
        "kubernetes.io/description":
          "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
          "No other usage is guaranteed across distributions of Kubernetes clusters.",
      },
    },
    data: { "ca.crt": rootAuthority },
  };
}

export function defaultServiceAccount(namespace: string): JsonObject {
  return { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default", namespace } };
}

function companions(namespace: JsonObject, context: WriteContext): readonly JsonObject[] {
  const name = textIn(objectIn(namespace, "metadata"), "name");
  return [rootAuthorityConfigMap(name, context.rootAuthority), defaultServiceAccount(name)];
}

function validateStatus(namespace: JsonObject): readonly FieldError[] {
  const phase = textIn(objectIn(namespace, "status"), "phase");
  const deleting = hasMember(objectIn(namespace, "metadata"), "deletionTimestamp");
  if (deleting && phase !== "Terminating")
    return [invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  return !deleting && phase !== "Active"
    ? [invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")]
    : [];
}

function validateFinalizers(namespace: JsonObject, endpoint: WriteEndpoint | undefined): readonly FieldError[] {
  return textsIn(objectIn(namespace, "spec"), "finalizers").flatMap((finalizer, index) => {
    const field = endpoint === "finalize" ? `spec.finalizers[${index}]` : "spec.finalizers";
    const faults = labelKeyFaults(finalizer);
    const isKnown = finalizer.includes("/") || isStandardFinalizer(finalizer);
    const unknown = "name is neither a standard finalizer name nor is it fully qualified";
    return [...faults, ...(isKnown ? [] : [unknown])].map((fault) => invalid(field, finalizer, fault));
  });
}

const deletion: DeletionRule = {
  // `spec.finalizers` blocks deletion too; only the `finalize` subresource changes it.
  isHeld: (object) => textsIn(objectIn(asJson(object), "spec"), "finalizers").length > 0,
  isTimeless: true,
  marked: (object) => ({
    ...object,
    status: { ...objectIn(asJson(object), "status"), phase: "Terminating" },
  }),
};

export const namespaceKind = defineKind(namespaces, {
  deletion,
  shortNames: ["ns"],
  verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
  status: true,
  subresources: [{ name: "finalize", kind: { group: "", version: "v1", kind: "Namespace" }, verbs: ["update"] }],
  nameRule: "label",
  deleteReturnsObject: true,
  deletionBumpsGeneration: false,
  defaults: (namespace) => ({
    ...labelled(namespace),
    status: withDefaults(objectIn(namespace, "status"), { phase: "Active" }),
  }),
  onCreate: (namespace) => {
    const spec = objectIn(namespace, "spec");
    const held = hasMember(spec, "finalizers") ? (spec["finalizers"] as readonly string[]) : [];
    const finalizers = held.includes("kubernetes") ? held : [...held, "kubernetes"];
    return { ...labelled(namespace), spec: { ...spec, finalizers }, status: { phase: "Active" } };
  },
  onUpdate: (next, old, endpoint) =>
    endpoint === "finalize"
      ? { ...labelled(old), metadata: objectIn(next, "metadata"), spec: objectIn(next, "spec") }
      : { ...labelled(next), spec: objectIn(old, "spec") },
  validate: (namespace, _context, old, endpoint) =>
    endpoint === "status" && old !== undefined ? validateStatus(namespace) : validateFinalizers(namespace, endpoint),
  companions,
  printer: printer([nameCell, cell("Status", (namespace) => textIn(objectAt(namespace, "status"), "phase")), ageCell]),
});
