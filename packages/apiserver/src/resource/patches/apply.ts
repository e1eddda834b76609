import { formatTime } from "@purser/kubernetes/clock";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { typedObjectText } from "@purser/kubernetes/object/apply/check-typed";
import { applyServerSide } from "@purser/kubernetes/object/apply/apply-server-side";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { jsonType } from "../../kinds/decoding/decode-walk.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { revisionProblem, type WriteOptions } from "../../request/query.ts";
import { badRequest, conflict, notFound, unexplained } from "../../request/refusal.ts";
import { create, inNamespace } from "../create.ts";
import { readAs, warningsOf } from "../decode.ts";
import { modify } from "../modify.ts";
import { emptyObject, knownVersions, resetFields, typeFaults } from "../ownership.ts";
import type { ObjectRequest } from "../resource-request.ts";
import type { PatchBody } from "./patch-body.ts";
import { named } from "./patch-forms.ts";

/** Validates the kind of an apply configuration; its name and namespace are checked after merging. */
function checkConfiguration(kind: ServedKind, value: JsonObject): Result<JsonObject, ApiStatus> {
  const sentVersion = member(value, "apiVersion");
  const sentKind = member(value, "kind");
  if (sentVersion !== apiVersionOf(kind.type) || sentKind !== kind.type.kind) {
    const { group, version } = parseApiVersion(typeof sentVersion === "string" ? sentVersion : "");
    return badRequest(`invalid object type: ${group}/${version}, Kind=${typeof sentKind === "string" ? sentKind : ""}`);
  }
  const metadata = member(value, "metadata");
  const held: JsonObject = isJsonObject(metadata) ? metadata : {};
  if (member(held, "managedFields") !== undefined && member(held, "managedFields") !== null)
    return badRequest("metadata.managedFields must be nil");
  return done(value);
}

interface Application {
  readonly options: WriteOptions;
  readonly body: Result<PatchBody, ApiStatus>;
}

function configurationOf(body: Result<PatchBody, ApiStatus>): JsonObject {
  return body.ok && isJsonObject(body.value.value) ? body.value.value : {};
}

/** The apply configuration, of the kind of its path. */
export function appliedConfiguration(
  kind: ServedKind,
  body: Result<PatchBody, ApiStatus>,
): Result<JsonObject, ApiStatus> {
  if (!body.ok) return body;
  const { value } = body.value;
  if (value !== null && !isJsonObject(value))
    return badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    );
  return checkConfiguration(kind, configurationOf(body));
}

/** The result of an apply to an object, or to none, with managed fields. */
export function* appliedObject(
  request: Omit<ObjectRequest, "protobuf" | "sent">,
  { options, body }: Application,
  live: KubeObject | undefined,
): Steps<Result<KubeObject, ApiStatus>> {
  const { kind, call, namespace, name } = request;
  const configuration = appliedConfiguration(kind, body);
  if (!configuration.ok) return configuration;
  const applied = configuration.value;
  const force = options.force === true;
  const duplicates = body.ok ? body.value.duplicates : [];
  const merged = yield* merge(request, { applied, options, force, live });
  if (!merged.ok) return merged;
  const placed = named(inNamespace(kind, merged.value, namespace), name);
  if (duplicates.length === 0) return placed;
  // Reported before an object that belongs elsewhere is refused.
  const finding = `error strict decoding YAML: error converting YAML to JSON: ${duplicates.join("\n")}`;
  if (options.fieldValidation === "Strict") return badRequest(finding);
  if (options.fieldValidation === "Warn")
    for (const duplicate of duplicates) for (const warning of warningsOf(duplicate)) call.warnings.add(warning);
  return placed;
}

/** Server-side apply. */
export async function applyObject(
  request: ObjectRequest,
  application: Application,
  mayCreate: () => Result<undefined, ApiStatus>,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const { kind, call, name, endpoint } = request;
  const { options, body } = application;
  return modify(request, {
    options,
    ownershipDone: true,
    next: (live) => appliedObject(request, application, live),
    missing: async () => {
      if (endpoint !== "main" && !(endpoint === "status" && kind.createsOnPut)) return notFound(kind.type, name);
      const object = await call.work.through(appliedObject(request, application, undefined));
      if (!object.ok) return object;
      const metadata = member(configurationOf(body), "metadata");
      const uid = isJsonObject(metadata) ? member(metadata, "uid") : undefined;
      if (typeof uid === "string" && uid !== "")
        return conflict(
          kind.type,
          name,
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      const { resourceVersion: revision = "" } = object.value.metadata;
      const problem = revision === "" ? undefined : revisionProblem(revision);
      if (problem !== undefined) return unexplained(problem);
      const allowed = mayCreate();
      if (!allowed.ok) return allowed;
      return create(request, { object: object.value, options, by: "apply" }, endpoint);
    },
  });
}

/** The message when the merged object cannot be converted to its type. */
function conversionProblem(kind: ServedKind, applied: JsonObject, why: string): string {
  const metadata = member(applied, "metadata");
  const said = (key: string): string => {
    const value = isJsonObject(metadata) ? member(metadata, key) : undefined;
    return typeof value === "string" ? value : "";
  };
  const { group, version } = kind.type;
  const type = `${group}/${version}, Kind=${kind.type.kind}`;
  return `failed to convert new object (${said("namespace")}/${said("name")}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${why}`;
}

interface Merge {
  readonly applied: JsonObject;
  readonly options: WriteOptions;
  readonly force: boolean;
  readonly live: KubeObject | undefined;
}

function* merge(
  { machinery, kind, endpoint }: Omit<ObjectRequest, "call" | "protobuf" | "sent">,
  { applied, options, force, live }: Merge,
): Steps<Result<KubeObject, ApiStatus>> {
  const faults = live === undefined ? [] : yield* typeFaults(kind, live);
  if (live !== undefined && faults.length > 0 && (live.metadata.managedFields ?? []).length === 0) {
    const what = typedObjectText(asJson(live), apiVersionOf(kind.type), faults, "new object", " to smd typed");
    return unexplained(`failed to create manager for existing fields: failed to convert ${what}`);
  }
  yield;
  const result = yield* applyServerSide({
    ...(live === undefined ? {} : { live: asJson(live) }),
    applied,
    manager: options.fieldManager,
    force,
    apiVersion: apiVersionOf(kind.type),
    ...(endpoint === "main" ? {} : { subresource: endpoint }),
    schema: kind.mergeSchema(),
    empty: emptyObject(kind),
    now: formatTime(machinery.clock.now()),
    resetFields: resetFields(kind, endpoint),
    knownVersions: knownVersions(kind),
  });
  if (live !== undefined && faults.length > 0 && (result.ok || result.problem.kind !== "schema"))
    return unexplained(
      `failed to create ${typedObjectText(asJson(live), apiVersionOf(kind.type), faults, "typed live object")}`,
    );
  if (!result.ok) {
    const { problem } = result;
    switch (problem.kind) {
      case "schema":
        return unexplained(problem.message);
      case "conflicts":
        return failed(
          statusOf("Conflict", problem.message, {
            causes: problem.conflicts.map(({ message, field }) => ({
              reason: "FieldManagerConflict",
              message,
              field,
            })),
          }),
        );
    }
  }
  yield;
  const read = yield* readAs(kind, result.value.object, [], "unstructured");
  if (!read.ok) return unexplained(conversionProblem(kind, applied, read.problem));
  return done(asKubeObject(asJson(read.value.object)) ?? read.value.object);
}
