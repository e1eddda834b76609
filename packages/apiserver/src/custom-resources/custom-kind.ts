import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@purser/kubernetes/apis/apiextensions";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { mergeSchemaOfStructural } from "@purser/kubernetes/object/apply/crd-merge-schema";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import type { MergeSchema } from "@purser/kubernetes/object/apply/merge-schema";
import { pruneInSteps } from "@purser/kubernetes/object/schema/prune";
import { applyDefaults, applyDefaultsInSteps, dropNulls } from "@purser/kubernetes/object/schema/schema-defaults";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { StructuralSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { compileSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { validateValueInSteps } from "@purser/kubernetes/object/schema/validate";
import type { Decoded, DecodedFrom, Subresource, Verb, WriteEndpoint } from "../kinds/built-in-kind.ts";
import { allSteps, type Steps } from "@purser/kubernetes/steps";
import { decodeInSteps } from "../kinds/decoding/decode.ts";
import { nameProblems } from "../kinds/names.ts";
import type { CustomVersion, ServedKind } from "../registry/served-kind.ts";
import { replicasErrors } from "../resource/subresources/scale.ts";
import { tableOf } from "../registry/served-kind.ts";
import { readEmbeddedMetadata } from "./embedded-metadata.ts";
import { customPrinter } from "./custom-printer.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";

/** Order of verbs in the discovery of custom resources. */
const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs: readonly Verb[] = ["get", "patch", "update"];

function subresourcesOf(type: ResourceType, version: CustomResourceDefinitionVersion): readonly Subresource[] {
  const { group, version: name, kind } = type;
  return [
    ...(version.subresources?.status === undefined
      ? []
      : [{ name: "status", kind: { group, version: name, kind }, verbs: subresourceVerbs }]),
    ...(version.subresources?.scale === undefined
      ? []
      : [{ name: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: subresourceVerbs }]),
  ];
}

const anything: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The kind for one version of a definition. */
export function customKind(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  retired: AbortSignal,
): ServedKind {
  const { group, scope, versions } = definition.spec;
  const names = definition.status?.acceptedNames ?? definition.spec.names;
  const type: ResourceType = {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === "Namespaced",
  };
  // Compiled on first use, so that a start with hundreds of definitions does not compile unused schemas.
  let compiled: StructuralSchema | undefined;
  const schema = (): StructuralSchema => (compiled ??= compile(version));
  let merge: MergeSchema | undefined;
  const hasStatus = version.subresources?.status !== undefined;
  const custom: CustomVersion = {
    definition,
    version,
    get schema() {
      return schema();
    },
    storageVersion: versions.find(({ storage }) => storage)?.name ?? version.name,
    terminating: definition.metadata.deletionTimestamp !== undefined,
    servedVersions: versions.filter(({ served }) => served).map(({ name }) => name),
    retired,
  };
  const validateInSteps: NonNullable<ServedKind["validateInSteps"]> = function* (
    object,
    _context,
    old,
    endpoint,
    earlier,
  ) {
    const failures: string[] = [];
    const errors = yield* validateValueInSteps(object, schema(), {
      old,
      earlier: earlier ?? [],
      afterTypes: replicasErrors(version.subresources?.scale, object, endpoint === "status"),
      statusOnly: endpoint === "status",
      onTolerated: (error) => failures.push(formatFieldError(error)),
    });
    if (failures.length > 0) tolerated.set(object, failures);
    return errors;
  };
  return {
    type,
    table: tableOf(type),
    custom,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    subresources: subresourcesOf(type, version),
    storedAs: type,
    storedAsJson: true,
    stored: true,
    createsOnPut: false,
    requiresResourceVersion: true,
    deleteReturnsObject: false,
    defaultPropagation: "Background",
    deletion: {},
    looksAtMetadataLast: false,
    deletionBumpsGeneration: true,
    statusReset: [["spec"], ["metadata"]],
    mergeSchema: () => (merge ??= mergeSchemaOfStructural(schema())),
    decode: (object, source) => allSteps(decode(object, schema(), source)),
    decodeInSteps: (object, source) => decode(object, schema(), source),
    toStored: (object) => object,
    fromStored: (object) => object,
    defaults: (object) => objectOr(applyDefaults(object, schema()), object),
    *defaultsInSteps(object) {
      return objectOr(yield* applyDefaultsInSteps(object, schema()), object);
    },
    prepareCreate: (object) => {
      const { status: _status, ...rest } = object;
      return withGeneration(hasStatus ? rest : object, 1);
    },
    prepareUpdate: (next, old, endpoint) => prepareUpdate(next, old, endpoint, hasStatus),
    validateName: (name, prefix) => nameProblems("subdomain", name, prefix),
    validate: (...of) => allSteps(validateInSteps(...of)),
    validateInSteps,
    warnings: (object, old) => [...finalizerWarnings(object, old), ...(tolerated.get(object) ?? [])],
    companions: () => [],
    printer: customPrinter(version),
  };
}

/** Violations in unchanged parts of a validated object (ratcheting), which become warnings. */
const tolerated = new WeakMap<JsonObject, readonly string[]>();

function compile(version: CustomResourceDefinitionVersion): StructuralSchema {
  const source = version.schema?.openAPIV3Schema ?? anything;
  const compiled = compileSchema(source, { trusted: true });
  if (compiled.ok) return compiled.value;
  const open = compileSchema(anything, { trusted: true });
  if (open.ok) return open.value;
  throw new Error("the schema of anything does not compile");
}

function objectOr(value: JsonValue, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise;
}

/** Nulls are dropped from JSON requests only; those in the result of an apply are kept and refused later. */
function* decode(object: JsonObject, schema: StructuralSchema, source: DecodedFrom = "json"): Steps<Decoded> {
  const { value, pruned: unknown } = yield* pruneInSteps(object, schema, { isResourceRoot: true });
  yield;
  const dropped = objectOr(source === "json" ? yield* dropNulls(value, schema) : value, object);
  yield;
  const embedded = yield* readEmbeddedMetadata(dropped, schema);
  if (embedded.problem !== undefined) return { value: dropped, unknown, problem: embedded.problem };
  const kept = objectOr(embedded.value, dropped);
  const pruned = [...unknown, ...embedded.unknown];
  const metadata = member(kept, "metadata");
  if (metadata === undefined || metadata === null) return { value: kept, unknown: pruned };
  if (!isJsonObject(metadata))
    return {
      value: kept,
      unknown: pruned,
      problem: `json: cannot unmarshal ${Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata} into Go value of type v1.ObjectMeta`,
    };
  const read = yield* decodeInSteps("ObjectMeta", metadata);
  // kube-apiserver decodes metadata twice here, which drops an empty managedFields list, so it does not clear
  // ownership.
  const { managedFields, ...others } = read.value;
  const hasEntries = Array.isArray(managedFields) && managedFields.length > 0;
  return {
    value: { ...kept, metadata: hasEntries ? read.value : others },
    unknown: [...read.unknown.map((path) => `metadata.${path}`).toSorted(), ...pruned],
    ...(read.problem === undefined ? {} : { problem: read.problem }),
  };
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), generation } };
}

function prepareUpdate(next: JsonObject, old: JsonObject, endpoint: WriteEndpoint, hasStatus: boolean): JsonObject {
  if (endpoint === "status") {
    const { status: _status, ...rest } = old;
    const status = member(next, "status");
    const { managedFields: _managed, ...metadata } = metadataOf(old);
    const managedFields = member(metadataOf(next), "managedFields");
    return {
      ...rest,
      metadata: managedFields === undefined ? metadata : { ...metadata, managedFields },
      ...(status === undefined ? {} : { status }),
    };
  }
  let kept = next;
  if (hasStatus) {
    const { status: _status, ...rest } = next;
    const status = member(old, "status");
    kept = status === undefined ? rest : { ...rest, status };
  }
  const generation = member(metadataOf(old), "generation");
  const before = typeof generation === "number" ? generation : 0;
  return withGeneration(kept, deepEqual(withoutMetadata(kept), withoutMetadata(old)) ? before : before + 1);
}

function withoutMetadata(object: JsonObject): JsonObject {
  const { metadata: _metadata, ...rest } = object;
  return rest;
}
