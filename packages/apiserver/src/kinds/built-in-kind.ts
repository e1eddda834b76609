import type { Entropy } from "@purser/kubernetes/entropy";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { GroupVersionKind, ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import type { MergeSchema } from "@purser/kubernetes/object/apply/merge-schema";
import type { DeletionRule } from "./deletion-rule.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** Where a write arrives: the object's own path, or one of its subresources. */
export type WriteEndpoint = "main" | "status" | "finalize" | "scale" | "binding" | "approval";

export interface Subresource {
  readonly name: string;
  /** What travels in the body: the kind itself for `status`, `Scale`, `TokenRequest`, `Eviction` otherwise. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly Verb[];
}

/** Committed objects, read synchronously within the request's transaction. */
export interface ObjectView {
  get(type: ResourceType, key: ObjectKey): KubeObject | undefined;
  /** Every object of the type, of one namespace when given. */
  list(type: ResourceType, namespace?: string): Iterable<KubeObject>;
}

export interface WriteContext {
  /** RFC 3339 with whole seconds. */
  readonly now: string;
  readonly entropy: Entropy;
  readonly view: ObjectView;
  readonly dryRun: boolean;
  /** The object is made through its status endpoint, which allocates nothing. */
  readonly throughStatus?: boolean;
  /** PEM of the authority that pods should trust; published as `kube-root-ca.crt`. */
  readonly rootAuthority: string;
}

/** An object after the typed decoding of the real server: unknown members and empty optional ones are gone. */
export interface Decoded {
  readonly value: JsonObject;
  /** Paths of unknown members (`spec.bogus`, `spec.containers[0].bogus`), for field validation. */
  readonly unknown: readonly string[];
  /** Why the body cannot be that type, in the words of Go's decoder (without the kind prefix). */
  readonly problem?: string;
}

/**
 * Which of Go's readers the words of a problem come from: that of JSON text, or that of decoded JSON. What comes from
 * storage has no empty lists: protobuf does not tell them from none.
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
  /** False for reviews: create answers, nothing is kept. */
  readonly stored: boolean;
  /** Stored as JSON, as definitions are: an empty list stays one. Protobuf forgets it. */
  readonly storedAsJson: boolean;
  /** Said in a warning to every request of the kind. */
  readonly deprecation?: string;
  /** PUT to a missing name creates the object. */
  readonly createsOnPut: boolean;
  /** PUT without `metadata.resourceVersion` is refused. */
  readonly requiresResourceVersion: boolean;
  /** DELETE answers with the object; with a Status otherwise. */
  readonly deleteReturnsObject: boolean;
  /** Propagation of a DELETE that names none. */
  readonly defaultPropagation: "Background" | "Orphan";
  readonly deletion: DeletionRule;
  /** Paths that the status endpoint neither takes nor tracks. */
  readonly statusReset: readonly (readonly string[])[];
  /** The first deletionTimestamp raises `metadata.generation` (when it is above 0). */
  readonly deletionBumpsGeneration: boolean;
  /** How lists and maps merge in strategic merge patch and server-side apply; built on first use. */
  mergeSchema(): MergeSchema;
  /** `numbers`: how numbers of the text that it came from are written, by path, where that is not as integers are. */
  decode(object: JsonObject, source?: DecodedFrom, numbers?: ReadonlyMap<string, string>): Decoded;
  /** Served form from stored form and back, where `storedAs` differs; identity otherwise. */
  toStored(object: JsonObject): JsonObject;
  fromStored(object: JsonObject): JsonObject;
  defaults(object: JsonObject): JsonObject;
  /** Defaults that reading it back adds to what a write has prepared. */
  asRead?(object: JsonObject): JsonObject;
  /** Drops what the server owns (status), sets generation and initial status, allocates addresses. */
  prepareCreate(object: JsonObject, context: WriteContext): JsonObject;
  /** Keeps from `old` what this endpoint must not change, and bumps the generation. */
  prepareUpdate(next: JsonObject, old: JsonObject, endpoint: WriteEndpoint, context: WriteContext): JsonObject;
  /** What is wrong with a name (without the value), empty when nothing is; `prefix` for the base of a generateName. */
  validateName(name: string, prefix: boolean): readonly string[];
  /** New objects are asked about their metadata only when nothing else is wrong with them. */
  readonly looksAtMetadataLast: boolean;
  /** What is refused before anything else is looked at, metadata included: what cannot be allocated. */
  unallocatable?(object: JsonObject, context: WriteContext, old?: JsonObject): readonly FieldError[];
  /** Everything but generic metadata, whose errors are `earlier`. `old` on updates. */
  validate(
    object: JsonObject,
    context: WriteContext,
    old?: JsonObject,
    endpoint?: WriteEndpoint,
    earlier?: readonly FieldError[],
  ): readonly FieldError[];
  warnings(object: JsonObject, old?: JsonObject): readonly string[];
  /** Objects created right after it in the same transaction (a namespace brings its account and root CA). */
  companions(object: JsonObject, context: WriteContext): readonly JsonObject[];
  readonly printer: TablePrinter;
}
