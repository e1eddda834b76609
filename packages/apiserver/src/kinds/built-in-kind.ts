import type { Entropy } from "@purser/kubernetes/entropy";
import type { Steps } from "@purser/kubernetes/steps";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { GroupVersionKind, ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import type { MergeSchema } from "@purser/kubernetes/object/apply/merge-schema";
import type { DeletionRule } from "./deletion-rule.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** The endpoint a write is sent to: the object's own path ("main") or one of its subresources. */
export type WriteEndpoint = "main" | "status" | "finalize" | "scale" | "binding" | "approval";

export interface Subresource {
  readonly name: string;
  /** Kind of the request body: the kind itself for `status`; `Scale`, `TokenRequest` or `Eviction` for the others. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly Verb[];
}

/** A stored object that is read when it is looked at. */
export interface UnreadObject {
  /** Length of its text. */
  readonly size: number;
  /** The object itself, for one look. */
  readonly passing: KubeObject;
}

/** Committed objects, read synchronously within the request's transaction. */
export interface ObjectView {
  get(type: ResourceType, key: ObjectKey): KubeObject | undefined;
  /** All objects of the type, or those of one namespace when `namespace` is given. */
  list(type: ResourceType, namespace?: string): Iterable<KubeObject>;
  /** The same without reading them; an unchanged object is the same one each time. */
  unread(type: ResourceType, namespace?: string): readonly UnreadObject[];
}

export interface WriteContext {
  /** RFC 3339 with whole seconds. */
  readonly now: string;
  readonly entropy: Entropy;
  readonly view: ObjectView;
  readonly dryRun: boolean;
  /** The object is created through its status endpoint, which allocates no addresses. */
  readonly throughStatus?: boolean;
  /** PEM of the certificate authority that pods should trust; published as `kube-root-ca.crt`. */
  readonly rootAuthority: string;
}

/** An object after typed decoding as in kube-apiserver: unknown members and empty optional ones are dropped. */
export interface Decoded {
  readonly value: JsonObject;
  /** Paths of unknown members (`spec.bogus`, `spec.containers[0].bogus`), for field validation. */
  readonly unknown: readonly string[];
  /** Why the body cannot be decoded, in the wording of Go's decoder (without the kind prefix). */
  readonly problem?: string;
}

/**
 * The decoder whose error texts are used: Go's JSON decoder or the converter of unstructured objects. Objects from
 * "storage" have no empty lists: protobuf does not distinguish an empty list from an absent one.
 */
export type DecodedFrom = "json" | "unstructured" | "storage";

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date" | "number";
  /** `name` for the Name column, empty otherwise. */
  readonly format: string;
  readonly description: string;
  /** 0 always shown, 1 with `-o wide` only. */
  readonly priority: 0 | 1;
}

/** One row of a `meta.k8s.io/v1` Table, without its `object`. */
export interface TableRow {
  readonly cells: readonly JsonValue[];
  readonly conditions?: readonly JsonObject[];
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** `nowMs`: Unix epoch milliseconds, for ages. */
  row(object: KubeObject, nowMs: number): TableRow;
}

/** Refusal of a built-in admission plug-in: 403 unless `code` says otherwise; `message` follows `is forbidden: `. */
export interface AdmissionRefusal {
  readonly code: 403 | 404 | 429 | 501;
  readonly message: string;
}

/**
 * One kind as the server has it built in. Every function is pure over its arguments and returns new values; inputs may be frozen.
 * Order on a write: decode, defaults, (mutating admission, decode and defaults again), a new object's name and uid,
 * prepareCreate or prepareUpdate, unallocatable, validate, warnings, validating admission, store.
 */
export interface BuiltInKind {
  readonly type: ResourceType;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** The type whose storage it shares (`events.k8s.io` events are core events); its own otherwise. */
  readonly storedAs: ResourceType;
  /** False for reviews: create returns the answer and nothing is stored. */
  readonly stored: boolean;
  /** Stored as JSON (as CustomResourceDefinitions are), which keeps empty lists; protobuf drops them. */
  readonly storedAsJson: boolean;
  /** Warning that every request for the kind returns. */
  readonly deprecation?: string;
  /** PUT to a missing name creates the object. */
  readonly createsOnPut: boolean;
  /** PUT without `metadata.resourceVersion` is refused. */
  readonly requiresResourceVersion: boolean;
  /** DELETE answers with the object; with a Status otherwise. */
  readonly deleteReturnsObject: boolean;
  /** Propagation policy of a DELETE that sets none. */
  readonly defaultPropagation: "Background" | "Orphan";
  readonly deletion: DeletionRule;
  /** Paths that a write to the status endpoint neither changes nor records in managedFields. */
  readonly statusReset: readonly (readonly string[])[];
  /** Setting deletionTimestamp increments `metadata.generation` (when it is above 0). */
  readonly deletionBumpsGeneration: boolean;
  /** How lists and maps merge in strategic merge patch and server-side apply; built on first use. */
  mergeSchema(): MergeSchema;
  /** `numbers`: the source text of numbers by path, where it differs from plain integer notation. */
  decode(object: JsonObject, source?: DecodedFrom, numbers?: ReadonlyMap<string, string>): Decoded;
  /** The same with pauses. */
  decodeInSteps(object: JsonObject, source?: DecodedFrom, numbers?: ReadonlyMap<string, string>): Steps<Decoded>;
  /** Served form from stored form and back, where `storedAs` differs; identity otherwise. */
  toStored(object: JsonObject): JsonObject;
  fromStored(object: JsonObject): JsonObject;
  defaults(object: JsonObject): JsonObject;
  /** The same with pauses. */
  defaultsInSteps?(object: JsonObject): Steps<JsonObject>;
  /** Defaults that are applied when the object is read back, after prepareCreate or prepareUpdate. */
  asRead?(object: JsonObject): JsonObject;
  /** Drops fields that the server owns (status), sets generation and initial status, allocates addresses. */
  prepareCreate(object: JsonObject, context: WriteContext): JsonObject;
  /** Restores from `old` the fields that this endpoint must not change, and increments the generation. */
  prepareUpdate(next: JsonObject, old: JsonObject, endpoint: WriteEndpoint, context: WriteContext): JsonObject;
  /**
   * Faults of a name (texts without the value); empty when it is valid. `prefix`: the name is the base of a
   * generateName.
   */
  validateName(name: string, prefix: boolean): readonly string[];
  /** Metadata of new objects is validated only when everything else is valid. */
  readonly looksAtMetadataLast: boolean;
  /** Errors reported before any validation, metadata included: values that cannot be allocated. */
  unallocatable?(object: JsonObject, context: WriteContext, old?: JsonObject): readonly FieldError[];
  /** Validates everything but generic metadata, whose errors are `earlier`. `old` is set on updates. */
  validate(
    object: JsonObject,
    context: WriteContext,
    old?: JsonObject,
    endpoint?: WriteEndpoint,
    earlier?: readonly FieldError[],
  ): readonly FieldError[];
  /** As `validate`, with pauses: for kinds whose objects have megabytes to look at. */
  validateInSteps?(
    object: JsonObject,
    context: WriteContext,
    old?: JsonObject,
    endpoint?: WriteEndpoint,
    earlier?: readonly FieldError[],
  ): Steps<readonly FieldError[]>;
  warnings(object: JsonObject, old?: JsonObject): readonly string[];
  /** As `warnings`, with pauses: for kinds with pod templates. */
  warningsInSteps?(object: JsonObject, old?: JsonObject): Steps<readonly string[]>;
  /** Objects created in the same transaction (for a namespace: its default service account and root CA ConfigMap). */
  companions(object: JsonObject, context: WriteContext): readonly JsonObject[];
  readonly printer: TablePrinter;
}

/** The object with the defaults of its kind, in steps where the kind has them. */
export function* defaulted(
  kind: Pick<BuiltInKind, "defaults" | "defaultsInSteps">,
  object: JsonObject,
): Steps<JsonObject> {
  return kind.defaultsInSteps === undefined ? kind.defaults(object) : yield* kind.defaultsInSteps(object);
}

/** What is wrong with an object by the rules of its kind, in steps where the kind has them. */
export function* validation(
  kind: Pick<BuiltInKind, "validate" | "validateInSteps">,
  ...of: Parameters<BuiltInKind["validate"]>
): Steps<readonly FieldError[]> {
  if (kind.validateInSteps !== undefined) return yield* kind.validateInSteps(...of);
  return kind.validate(...of);
}

/** Warnings about an object by the rules of its kind, in steps where the kind has them. */
export function* warningsOf(
  kind: Pick<BuiltInKind, "warnings" | "warningsInSteps">,
  ...of: Parameters<BuiltInKind["warnings"]>
): Steps<readonly string[]> {
  if (kind.warningsInSteps !== undefined) return yield* kind.warningsInSteps(...of);
  return kind.warnings(...of);
}
