import { labelKeyFaults, labelValueFaults } from "@purser/kubernetes/apis/label-syntax";
import type { KubeObject, ObjectMeta, OwnerReference } from "@purser/kubernetes/apis/object";
import { groupResource, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { knownKeys } from "@purser/kubernetes/known-keys";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import { forbidden, invalid, required } from "@purser/kubernetes/object/field-error";
import { validateNoNewFinalizers } from "@purser/kubernetes/object/metadata-rules";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { canonicalJson } from "@purser/kubernetes/text/go-json";
import { isStandardFinalizer, nameProblems } from "../kinds/names.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { fieldManagerErrors } from "../request/query.ts";

/** Keys and values of all annotations together, in bytes. */
const annotationLimit = 262_144;

function nameErrors(
  kind: Pick<ServedKind, "validateName">,
  { name = "", generateName = "" }: ObjectMeta,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (generateName !== "")
    for (const fault of kind.validateName(generateName, true))
      errors.push(invalid("metadata.generateName", generateName, fault));
  if (name === "") return [...errors, required("metadata.name", "name or generateName is required")];
  for (const fault of kind.validateName(name, false)) errors.push(invalid("metadata.name", name, fault));
  return errors;
}

/** Many labels without a fault: one write looks at the same ones up to five times. */
const faultless = new WeakSet<object>();
/** With fewer, to remember them costs more than to look again. */
const manyLabels = 100;

function* labelErrors(
  labels: Readonly<Record<string, string>> | undefined,
  strides: Strides,
): Steps<readonly FieldError[]> {
  if (labels === undefined || faultless.has(labels)) return [];
  const errors: FieldError[] = [];
  const keys = knownKeys(labels);
  for (const key of keys) {
    if (strides.isDue()) yield;
    const value = labels[key] ?? "";
    for (const fault of labelKeyFaults(key)) errors.push(invalid("metadata.labels", key, fault));
    for (const fault of labelValueFaults(value)) errors.push(invalid("metadata.labels", value, fault));
  }
  if (errors.length === 0 && keys.length >= manyLabels) faultless.add(labels);
  return errors;
}

function* annotationErrors(
  annotations: Readonly<Record<string, string>> = {},
  strides: Strides,
): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of knownKeys(annotations)) {
    if (strides.isDue()) yield;
    const value = annotations[key] ?? "";
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const fault of labelKeyFaults(key.toLowerCase())) errors.push(invalid("metadata.annotations", key, fault));
  }
  if (size > annotationLimit)
    errors.push({
      type: "FieldValueTooLong",
      field: "metadata.annotations",
      detail: `may not be more than ${annotationLimit} bytes`,
    });
  return errors;
}

/** Kinds that leave their metadata to what all of Kubernetes' servers share. */
const plainGroups: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "coordination.k8s.io",
  "policy",
]);

/** Most built-in kinds demand a domain in front of every finalizer that is not Kubernetes' own. */
function needsDomains({ custom, type }: ServedKind): boolean {
  return custom === undefined && !plainGroups.has(type.group) && groupResource(type) !== "events";
}

function* finalizerErrors(finalizers: readonly string[] | undefined, strides: Strides): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const finalizer of finalizers ?? []) {
    if (strides.isDue()) yield;
    errors.push(...labelKeyFaults(finalizer).map((fault) => invalid("metadata.finalizers", finalizer, fault)));
  }
  if (finalizers?.includes("orphan") === true && finalizers.includes("foregroundDeletion"))
    errors.push(
      invalid("metadata.finalizers", [...finalizers], "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  return errors;
}

/** What is wrong with entries of managed fields: a client may send them. */
function ownerEntryErrors(entries: ObjectMeta["managedFields"]): readonly FieldError[] {
  return (entries ?? []).flatMap(({ manager = "", subresource = "" }, index) => {
    const field = `metadata.managedFields[${index}]`;
    const errors = fieldManagerErrors(manager, `${field}.manager`);
    if (Buffer.byteLength(subresource) <= longestSubresource) return errors;
    const detail = `may not be more than ${longestSubresource} bytes`;
    return [...errors, { type: "FieldValueTooLong", field: `${field}.subresource`, detail } as const];
  });
}

const longestSubresource = 256;

const ownerField = "metadata.ownerReferences";

function invalidOwner(badText: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: ownerField, detail, badValue: null, badText };
}

function* ownerErrors(owners: readonly OwnerReference[] | undefined, strides: Strides): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  let controller: OwnerReference | undefined;
  let all: string | undefined;
  for (const owner of owners ?? []) {
    if (strides.isDue(4)) yield;
    const { apiVersion, kind, name, uid } = owner;
    const { group, version } = parseApiVersion(apiVersion);
    if (version === "" || apiVersion.split("/").length > 2)
      errors.push(invalid(`${ownerField}.apiVersion`, apiVersion, "version must not be empty"));
    for (const [field, value] of [
      ["kind", kind],
      ["name", name],
      ["uid", uid],
    ] as const)
      if (value === "") errors.push(invalid(`${ownerField}.${field}`, value, "must not be empty"));
    if (group === "" && version === "v1" && kind === "Event")
      errors.push(invalidOwner(JSON.stringify(owner), "/v1, Kind=Event is disallowed from being an owner"));
    if (owner.controller !== true) continue;
    if (controller !== undefined)
      errors.push(
        invalidOwner(
          (all ??= JSON.stringify(owners)),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${kind}/${name}`,
        ),
      );
    else controller = owner;
  }
  return errors;
}

/** What is wrong with the metadata of any object. */
export function* metadataErrors(kind: ServedKind, object: KubeObject): Steps<readonly FieldError[]> {
  return [...(yield* objectErrors(kind, object)), ...domainErrors(kind, object.metadata)];
}

function* objectErrors(
  kind: Pick<ServedKind, "type" | "validateName">,
  { metadata }: KubeObject,
): Steps<readonly FieldError[]> {
  const { generation = 0 } = metadata;
  const strides = new Strides();
  return [
    ...nameErrors(kind, metadata),
    ...(kind.type.namespaced || metadata.namespace === undefined
      ? []
      : [forbidden("metadata.namespace", "not allowed on this type")]),
    ...(generation < 0 ? [invalid("metadata.generation", generation, "must be greater than or equal to 0")] : []),
    ...(yield* labelErrors(metadata.labels, strides)),
    ...(yield* annotationErrors(metadata.annotations, strides)),
    ...(yield* ownerErrors(metadata.ownerReferences, strides)),
    ...(yield* finalizerErrors(metadata.finalizers, strides)),
    ...ownerEntryErrors(metadata.managedFields),
  ];
}

const immutable = "field is immutable";

/** Errors for finalizers without a domain, which most built-in kinds report besides the common ones. */
function domainErrors(kind: ServedKind, { finalizers = [] }: ObjectMeta): readonly FieldError[] {
  if (!needsDomains(kind)) return [];
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes("/") || isStandardFinalizer(finalizer)
      ? []
      : [
          invalid(
            `metadata.finalizers[${index}]`,
            finalizer,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ],
  );
}

/** What is wrong with the metadata of any changed object, whatever its kind. */
export function* commonUpdateErrors(kind: ServedKind, next: KubeObject, old: KubeObject): Steps<readonly FieldError[]> {
  const names = { validateName: (name: string) => nameProblems("pathSegment", name, false) };
  return [...(yield* objectErrors({ ...names, type: kind.type }, next)), ...(yield* changeErrors(next, old))];
}

/** The errors that the kind's own validation reports for changed metadata, in addition to {@link commonUpdateErrors}. */
export function* ownUpdateErrors(kind: ServedKind, next: KubeObject, old: KubeObject): Steps<readonly FieldError[]> {
  return [...(yield* changeErrors(next, old)), ...domainErrors(kind, next.metadata)];
}

function* changeErrors(next: KubeObject, old: KubeObject): Steps<readonly FieldError[]> {
  const strides = new Strides();
  const errors: FieldError[] = [];
  const [after, before] = [next.metadata, old.metadata];
  if (before.deletionTimestamp !== undefined)
    errors.push(...validateNoNewFinalizers(after.finalizers ?? [], before.finalizers ?? [], "metadata.finalizers"));
  if (after.uid !== before.uid) errors.push(invalid("metadata.uid", after.uid ?? "", immutable));
  if (after.deletionTimestamp !== before.deletionTimestamp)
    errors.push(invalid("metadata.deletionTimestamp", after.deletionTimestamp ?? null, immutable));
  if (after.deletionGracePeriodSeconds !== before.deletionGracePeriodSeconds)
    errors.push(invalid("metadata.deletionGracePeriodSeconds", after.deletionGracePeriodSeconds ?? null, immutable));
  return [
    ...errors,
    ...(yield* labelErrors(after.labels, strides)),
    ...(yield* annotationErrors(after.annotations, strides)),
    ...(yield* ownerErrors(after.ownerReferences, strides)),
    ...ownerEntryErrors(after.managedFields),
  ];
}

/**
 * Drops owner references that equal an earlier one; returns the warning when there were any. A patch is checked
 * after mutating admission only, and its warning says so.
 */
export function withoutDuplicateOwners(
  object: KubeObject,
  when: "" | " after mutating admission happens",
): { readonly object: KubeObject; readonly warning?: string } {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || new Set(owners.map(({ uid }) => uid)).size === owners.length) return { object };
  const seen = new Set<string>();
  const kept: OwnerReference[] = [];
  const dropped: string[] = [];
  for (const owner of owners) {
    const text = canonicalJson({ ...owner });
    if (seen.has(text)) dropped.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (dropped.length === 0) return { object };
  return {
    object: { ...object, metadata: { ...object.metadata, ownerReferences: kept } },
    warning: `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${dropped.join(", ")}`,
  };
}
