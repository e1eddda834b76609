import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject, ObjectMeta } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { kindOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { AdmissionRequest } from "../admission/admission.ts";
import { definitionTable } from "../custom-resources/definitions.ts";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import { validation, warningsOf, type WriteContext, type WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { Machinery } from "../machinery.ts";
import { writeContext } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { revisionProblem, type WriteOptions } from "../request/query.ts";
import { alreadyExists, badRequest, forbidden, invalid, unexplained } from "../request/refusal.ts";
import { metadataErrors, withoutDuplicateOwners } from "./metadata-validation.ts";
import { withOwnership } from "./ownership.ts";
import { storageKey } from "./read.ts";
import { registryKey } from "./registry-key.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { type WrittenObject, writtenInSteps } from "../storage/written-object.ts";
import { storable } from "./stored-size.ts";
import { asPersisted, toStored } from "./versions.ts";

/** Characters of a generated name that come from its base. */
const generatedBase = 58;
const generatedTries = 8;

export interface Creation {
  /** Decoded and defaulted. */
  readonly object: KubeObject;
  readonly options: WriteOptions;
  /** Server-side apply has tracked ownership already; a PUT or apply ignores a `resourceVersion` in the body. */
  readonly by: "create" | "put" | "apply";
}

/** Puts the request's namespace in, or refuses when the body names another. */
export function inNamespace(
  kind: ServedKind,
  object: KubeObject,
  namespace: string | undefined,
): Result<KubeObject, ApiStatus> {
  const sent = object.metadata.namespace ?? "";
  if (!kind.type.namespaced) {
    if (sent === "") return done(object);
    const { namespace: _none, ...metadata } = object.metadata;
    return done({ ...object, metadata });
  }
  if (sent === namespace) return done(object);
  return sent === ""
    ? done({ ...object, metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) } })
    : badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Members that the server sets itself. */
function withoutServerFields(metadata: ObjectMeta): ObjectMeta {
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...kept
  } = metadata as ObjectMeta & { readonly selfLink?: string };
  return kept;
}

/** Creates one object: admission, preparation, names, validation, storage. */
export async function create(
  request: ResourceRequest,
  creation: Creation,
  /** Where the request went to. */
  endpoint: WriteEndpoint = "main",
): Promise<Result<KubeObject, ApiStatus>> {
  const { machinery, kind, namespace, call } = request;
  const { options, by } = creation;
  const sentRevision = creation.object.metadata.resourceVersion ?? "";
  const { resourceVersion: _revision, ...metadata } = withoutServerFields(creation.object.metadata);
  let object: KubeObject = { ...creation.object, metadata };
  const deduplicated = withoutDuplicateOwners(object, by === "apply" ? " after mutating admission happens" : "");
  object = deduplicated.object;
  if (deduplicated.warning !== undefined) call.warnings.add(deduplicated.warning);
  const now = formatTime(machinery.clock.now());
  await call.work.nextStep();
  if (by !== "apply" && kind.stored)
    object = await call.work.through(withOwnership(kind, "main", { next: object, manager: options.fieldManager, now }));
  if (kind.custom?.terminating === true)
    return forbidden(
      kind.type,
      metadata.name ?? "",
      "create not allowed while custom resource definition is terminating",
    );
  const admission: AdmissionRequest = {
    kind,
    call,
    operation: "CREATE",
    namespace: kind.type.namespaced ? namespace : undefined,
    name: metadata.name ?? "",
    subresource: "",
    dryRun: options.dryRun,
    options: createOptions(options),
  };
  await call.work.nextStep();
  const admitted = await machinery.admission.mutate(admission, object, undefined);
  if (!admitted.ok) return admitted;
  const throughStatus = endpoint === "status";
  const context = { ...writeContext(machinery, options.dryRun), throughStatus };
  const accepted = admitted.value ?? object;
  for (let attempt = 1; ; attempt++) {
    await call.work.nextStep();
    // Named and identified first: a job's labels carry its own name and uid.
    const identity = identified(machinery, accepted, now);
    const named = asKubeObject(kind.prepareCreate(asJson(identity), context)) ?? identity;
    const unallocatable = throughStatus ? [] : (kind.unallocatable?.(asJson(named), context) ?? []);
    if (unallocatable.length > 0) return invalid(kind.storedAs, named.metadata.name ?? "", unallocatable);
    const errors = await call.work.through(creationErrors(kind, named, context));
    if (errors.length > 0) return invalid(kind.storedAs, named.metadata.name ?? "", errors);
    await call.work.nextStep();
    const prepared = await call.work.through(asPersisted(kind, named));
    // What begins small cannot grow beyond the limit, but for what webhooks add.
    const isWritten = call.work.isLarge && kind.stored && !options.dryRun;
    const whole = isWritten ? await call.work.through(writtenInSteps(prepared)) : undefined;
    const registered = registryKey({ kind, namespace, name: named.metadata.name ?? "" }, false);
    const fitting =
      whole === undefined
        ? done(whole)
        : await call.work.through(storable(kind, whole, by === "apply", { key: registered, isUpdate: false }));
    const written = fitting.ok ? fitting.value : whole;
    const persisted = written?.object ?? prepared;
    const warnings = await call.work.through(warningsOf(kind, asJson(named)));
    // The last wait: what a quota has room for now is stored in the same turn.
    await call.work.nextStep();
    for (const warning of warnings) call.warnings.add(warning);
    const valid = await machinery.admission.validate(
      { ...admission, name: named.metadata.name ?? "" },
      named,
      undefined,
    );
    if (!valid.ok) return valid;
    if (by === "create" && kind.stored && !options.dryRun && isRevision(sentRevision))
      return unexplained("resourceVersion should not be set on objects to be created");
    if (!kind.stored) return done(named);
    if (!fitting.ok) return fitting;
    const kept = await toStored(machinery, kind, persisted);
    if (!kept.ok) return kept;
    const key = storageKey(kind, namespace, named.metadata.name ?? "");
    const present = machinery.storage.get(kind.table, key);
    if (present === undefined && options.dryRun && by !== "create" && sentRevision !== "")
      return done({ ...persisted, metadata: { ...persisted.metadata, resourceVersion: sentRevision } });
    if (present === undefined)
      return done(options.dryRun ? persisted : store(machinery, kind, key, kept.value, persisted, written));
    const generated = (accepted.metadata.name ?? "") === "";
    if (generated && attempt < generatedTries) continue;
    const refusal = alreadyExists(
      kind.type,
      named.metadata.name ?? "",
      present.metadata.deletionTimestamp !== undefined,
    );
    if (generated && !refusal.ok) {
      const { problem } = refusal;
      const message = `${problem.message}, the server was not able to generate a unique name for the object`;
      return { ok: false, problem: { ...problem, message } };
    }
    return refusal;
  }
}

/** What is no number counts as none. */
function isRevision(text: string): boolean {
  return revisionProblem(text) === undefined && BigInt(text) > 0n;
}

/** What is wrong with a new object. */
function* creationErrors(kind: ServedKind, object: KubeObject, context: WriteContext): Steps<readonly FieldError[]> {
  const earlier = yield* metadataErrors(kind, object);
  if (!kind.looksAtMetadataLast)
    return joined(earlier, yield* validation(kind, asJson(object), context, undefined, undefined, earlier));
  const own = yield* validation(kind, asJson(object), context);
  return own.length > 0 ? own : earlier;
}

/** Both; one may have hundreds of thousands, and is not copied for nothing. */
function joined(some: readonly FieldError[], others: readonly FieldError[]): readonly FieldError[] {
  return some.length === 0 ? others : [...some, ...others];
}

/** Name, uid and time of birth. */
function identified({ entropy }: Machinery, object: KubeObject, now: string): KubeObject {
  const { metadata } = object;
  const { generateName = "" } = metadata;
  const name =
    (metadata.name ?? "") !== "" || generateName === ""
      ? metadata.name
      : `${generateName.slice(0, generatedBase)}${entropy.suffix(5)}`;
  return {
    ...object,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...metadata,
      ...(name === undefined ? {} : { name }),
      uid: entropy.uuid(),
      creationTimestamp: now,
    },
  };
}

/** Stores the object and what comes with it, and gives back the served form with its revision. */
function store(
  machinery: Machinery,
  kind: ServedKind,
  key: string,
  kept: KubeObject,
  shown: KubeObject,
  written: WrittenObject | undefined,
): KubeObject {
  const stored = machinery.storage.put(kind.table, key, kept, written);
  for (const companion of kind.companions(asJson(stored), writeContext(machinery, false)))
    storeCompanion(machinery, companion);
  afterWrite(machinery, kind, key);
  return kept === shown || (kind.custom === undefined && kept.apiVersion === shown.apiVersion)
    ? stored
    : { ...shown, metadata: { ...shown.metadata, resourceVersion: stored.metadata.resourceVersion ?? "" } };
}

/** An object that the server makes by itself, in the same turn: no admission, no owner. */
export function storeCompanion(machinery: Machinery, value: JsonObject): void {
  const object = asKubeObject(value);
  const kind = object === undefined ? undefined : machinery.registry().ofKind(kindOf(object));
  if (object === undefined || kind === undefined) return;
  const key = storageKey(kind, object.metadata.namespace, object.metadata.name ?? "");
  if (machinery.storage.get(kind.table, key) !== undefined) return;
  const prepared = kind.prepareCreate(kind.defaults(asJson(object)), writeContext(machinery, false));
  const named = identified(machinery, prepared as unknown as KubeObject, formatTime(machinery.clock.now()));
  machinery.storage.put(kind.table, key, named);
}

/** What must follow a stored change in the same turn. */
export function afterWrite(machinery: Machinery, kind: ServedKind, key: string): void {
  if (kind.table === definitionTable) machinery.definitionChanged(key);
  else if (isGoing(machinery, kind)) machinery.definitionChanged(kind.table);
}

/** Its definition is not removed before the last object is deleted. */
function isGoing({ storage }: Machinery, { custom }: ServedKind): boolean {
  if (custom === undefined) return false;
  return storage.get(definitionTable, custom.definition.metadata.name ?? "")?.metadata.deletionTimestamp !== undefined;
}

export function createOptions(options: WriteOptions): JsonObject {
  return optionsObject("CreateOptions", options);
}

export function optionsObject(kind: string, { dryRun, givenFieldManager }: WriteOptions): JsonObject {
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(givenFieldManager === undefined ? {} : { fieldManager: givenFieldManager }),
  };
}
