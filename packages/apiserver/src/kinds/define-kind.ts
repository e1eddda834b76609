import { allSteps } from "@purser/kubernetes/steps";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { mergeSchemaOf } from "@purser/kubernetes/object/apply/builtin-merge-schemas";
import { untyped } from "@purser/kubernetes/object/apply/merge-schema";
import { decodedEqual } from "@purser/kubernetes/object/semantic-equal";
import { namePrinter } from "../printing/printer.ts";
import type { BuiltInKind, Subresource, Verb, WriteContext, WriteEndpoint } from "./built-in-kind.ts";
import { decodeAs, decodeInSteps } from "./decoding/decode.ts";
import { exactlyEqual } from "./emptied.ts";
import { fieldsOf } from "./fields/field-table.ts";
import { objectIn, pickMembers, without } from "./decoding/json-parts.ts";
import { nameProblems, type NameRule } from "./names.ts";
import { zeroOf } from "./decoding/zero-values.ts";

export const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

const readWrite: readonly Verb[] = ["get", "patch", "update"];

/** Where one kind differs from the defaults of `defineKind`. */
export interface KindTraits extends Partial<
  Pick<
    BuiltInKind,
    | "shortNames"
    | "categories"
    | "verbs"
    | "storedAs"
    | "stored"
    | "deprecation"
    | "createsOnPut"
    | "requiresResourceVersion"
    | "deleteReturnsObject"
    | "defaultPropagation"
    | "deletion"
    | "looksAtMetadataLast"
    | "deletionBumpsGeneration"
    | "statusReset"
    | "toStored"
    | "fromStored"
    | "defaults"
    | "asRead"
    | "unallocatable"
    | "validate"
    | "validateInSteps"
    | "warnings"
    | "warningsInSteps"
    | "companions"
    | "printer"
  >
> {
  /** Name of its struct in the field table; the kind's name when absent. */
  readonly struct?: string;
  readonly status?: boolean;
  readonly scale?: boolean;
  readonly subresources?: readonly Subresource[];
  readonly nameRule?: NameRule;
  /** The part whose change increments `metadata.generation`; without it the kind has no generation. */
  readonly versioned?: (object: JsonObject) => JsonValue | undefined;
  /** A change between an empty and an absent list also increments the generation; for most kinds it does not. */
  readonly versionedExactly?: boolean;
  /** Metadata that a write to the status endpoint may change beside `status`; all of it when absent. */
  readonly statusTakes?: "metadata" | "metadataWithoutLabels" | "nothing";
  readonly onCreate?: (object: JsonObject, context: WriteContext) => JsonObject;
  readonly onUpdate?: (next: JsonObject, old: JsonObject, endpoint: WriteEndpoint, context: WriteContext) => JsonObject;
}

/** Groups whose objects are stored as JSON (served by the apiextensions and aggregator servers). */
const jsonGroups: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

const untakenMetadata = {
  metadata: [],
  metadataWithoutLabels: [["metadata", "labels"]],
  nothing: [["metadata"]],
} as const;

/** `spec`: the part whose change increments the generation of most kinds. */
export function specOf(object: JsonObject): JsonValue | undefined {
  return member(object, "spec");
}

export function defineKind(type: ResourceType, traits: KindTraits = {}): BuiltInKind {
  const struct = traits.struct ?? type.kind;
  const itself = { group: type.group, version: type.version, kind: type.kind };
  const subresources: Subresource[] = [];
  if (traits.status === true) subresources.push({ name: "status", kind: itself, verbs: readWrite });
  if (traits.scale === true) {
    subresources.push({
      name: "scale",
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: readWrite,
    });
  }
  subresources.push(...(traits.subresources ?? []));
  const nameRule = traits.nameRule ?? "subdomain";
  return {
    type,
    singular: type.kind.toLowerCase(),
    listKind: `${type.kind}List`,
    shortNames: traits.shortNames ?? [],
    categories: traits.categories ?? [],
    verbs: traits.verbs ?? allVerbs,
    subresources,
    storedAs: traits.storedAs ?? type,
    stored: traits.stored ?? true,
    storedAsJson: jsonGroups.has(type.group),
    ...(traits.deprecation === undefined ? {} : { deprecation: traits.deprecation }),
    createsOnPut: traits.createsOnPut ?? false,
    requiresResourceVersion: traits.requiresResourceVersion ?? false,
    deleteReturnsObject: traits.deleteReturnsObject ?? false,
    defaultPropagation: traits.defaultPropagation ?? "Background",
    deletion: traits.deletion ?? {},
    looksAtMetadataLast: traits.looksAtMetadataLast ?? false,
    deletionBumpsGeneration: traits.deletionBumpsGeneration ?? true,
    statusReset: [["spec"], ...(traits.statusReset ?? untakenMetadata[traits.statusTakes ?? "metadata"])],
    mergeSchema: () => mergeSchemaOf(itself) ?? untyped,
    decode: (object, source, numbers) => decodeAs(struct, object, source, numbers),
    decodeInSteps: (object, source, numbers) => decodeInSteps(struct, object, source, numbers),
    toStored: traits.toStored ?? unchanged,
    fromStored: traits.fromStored ?? unchanged,
    defaults: traits.defaults ?? unchanged,
    ...(traits.asRead === undefined ? {} : { asRead: traits.asRead }),
    prepareCreate: (object, context) => prepareCreate(struct, traits, object, context),
    prepareUpdate: (next, old, endpoint, context) => prepareUpdate(traits, next, old, endpoint, context),
    validateName: (name, prefix) => nameProblems(nameRule, name, prefix),
    ...(traits.unallocatable === undefined ? {} : { unallocatable: traits.unallocatable }),
    ...validationOf(traits),
    ...warningsFrom(traits),
    companions: traits.companions ?? nothing,
    printer: traits.printer ?? namePrinter,
  };
}

function validationOf({
  validate = nothing,
  validateInSteps,
}: KindTraits): Pick<BuiltInKind, "validate" | "validateInSteps"> {
  return validateInSteps === undefined
    ? { validate }
    : { validate: (...of) => allSteps(validateInSteps(...of)), validateInSteps };
}

function warningsFrom({
  warnings = nothing,
  warningsInSteps,
}: KindTraits): Pick<BuiltInKind, "warnings" | "warningsInSteps"> {
  return warningsInSteps === undefined
    ? { warnings }
    : { warnings: (...of) => allSteps(warningsInSteps(...of)), warningsInSteps };
}

function unchanged(object: JsonObject): JsonObject {
  return object;
}

function nothing(): readonly never[] {
  return [];
}

function prepareCreate(struct: string, traits: KindTraits, object: JsonObject, context: WriteContext): JsonObject {
  let created = object;
  if (traits.status === true) {
    const field = fieldsOf(struct).find(({ name }) => name === "status");
    created = field?.always === true ? { ...created, status: zeroOf(field.type) } : without(created, "status");
  }
  if (traits.versioned !== undefined) created = withGeneration(created, 1);
  return traits.onCreate === undefined ? created : traits.onCreate(created, context);
}

function prepareUpdate(
  traits: KindTraits,
  next: JsonObject,
  old: JsonObject,
  endpoint: WriteEndpoint,
  context: WriteContext,
): JsonObject {
  let updated = endpoint === "status" ? statusWrite(traits, next, old) : next;
  if (endpoint === "main" && traits.status === true) updated = { ...without(next, "status"), ...statusOf(old) };
  if (traits.onUpdate !== undefined) updated = traits.onUpdate(updated, old, endpoint, context);
  const { versioned } = traits;
  if (versioned === undefined) return updated;
  const generation = objectIn(old, "metadata")["generation"];
  const before = typeof generation === "number" ? generation : 0;
  const same = traits.versionedExactly === true ? exactlyEqual : decodedEqual;
  const raised = endpoint !== "status" && endpoint !== "binding" && !same(versioned(updated), versioned(old));
  return withGeneration(updated, before + (raised ? 1 : 0));
}

function statusOf(object: JsonObject): JsonObject {
  const status = member(object, "status");
  return status === undefined ? {} : { status };
}

function statusWrite(traits: KindTraits, next: JsonObject, old: JsonObject): JsonObject {
  return { ...without(old, "status"), metadata: statusMetadata(traits, next, old), ...statusOf(next) };
}

function statusMetadata(traits: KindTraits, next: JsonObject, old: JsonObject): JsonObject {
  const given = objectIn(next, "metadata");
  const kept = objectIn(old, "metadata");
  switch (traits.statusTakes ?? "metadata") {
    case "metadata":
      return given;
    case "metadataWithoutLabels":
      return { ...without(given, "labels"), ...pickMembers(kept, "labels") };
    case "nothing":
      return {
        ...without(kept, "managedFields", "resourceVersion"),
        ...pickMembers(given, "managedFields", "resourceVersion"),
      };
  }
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  if (generation === 0) return object;
  return { ...object, metadata: { ...objectIn(object, "metadata"), generation } };
}
