import { formatTime } from "../../clock.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson, asKubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { apiVersionOf, parseApiVersion } from "../../apis/resource-type.ts";
import { statusOf } from "../../apis/status.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import { applyJsonPatch } from "../../object/json-patch.ts";
import { applyServerSide } from "../../object/managed-fields.ts";
import { applyMergePatch } from "../../object/merge-patch.ts";
import { applyStrategicMergePatch } from "../../object/strategic-merge-patch.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { goText } from "../../object/go-text.ts";
import { goJson } from "../../text/go-json.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import type { WriteEndpoint } from "../kinds/built-in-kind.ts";
import type { Call, Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { bodyBytes, contentType, decodeText, parseJsonBody, parseYamlBody } from "../request/body.ts";
import type { WriteOptions } from "../request/query.ts";
import { writeOptions } from "../request/query.ts";
import {
  badRequest,
  conflict,
  invalidPatchResult,
  notFound,
  operationFailed,
  unexplained,
  unsupportedMediaType,
} from "../request/refusal.ts";
import { create, inNamespace } from "./create.ts";
import { goTypeName, readAs, typeMisfit } from "./decode.ts";
import { sortedAlong } from "./json-patch-order.ts";
import { modify } from "./modify.ts";
import { emptyObject, resetFields, servedVersions } from "./ownership.ts";

const jsonPatchLimit = 10_000;

export type PatchType = "json" | "merge" | "strategic" | "apply";

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

export interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly endpoint: WriteEndpoint;
  /** May the caller create the object, where an apply finds none? Refuses when not. */
  mayCreate(): Result<undefined, ApiStatus>;
}

export function patchTypeOf(request: ApiRequest, kind: ServedKind): Result<PatchType, ApiStatus> {
  const type = patchTypes.get(contentType(request));
  if (type === undefined && kind.custom === undefined)
    return failed(statusOf("UnsupportedMediaType", "415: Unsupported Media Type", {}));
  if (type === undefined || (type === "strategic" && kind.custom !== undefined))
    return unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
  return done(type);
}

export interface PatchBody {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

/** Reads the text of a patch; apply patches are YAML. */
export async function patchBody(
  request: ApiRequest,
  type: PatchType,
  checked = true,
): Promise<Result<PatchBody, ApiStatus>> {
  if (request.body?.kind === "object") return done({ value: request.body.value, duplicates: [] });
  const bytes = await bodyBytes(request);
  if (!bytes.ok) return bytes;
  const text = decodeText(bytes.value);
  if (type === "apply") {
    const parsed = text.ok ? parseYamlBody(text.value) : text;
    return parsed.ok
      ? parsed
      : badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${parsed.problem.message}`);
  }
  const parsed = text.ok ? parseJsonBody(text.value) : text;
  if (parsed.ok) return parsed;
  if (type === "merge" && !checked) return badRequest("Invalid JSON Patch");
  return badRequest(
    type === "strategic" || !checked ? parsed.problem.message : `error decoding patch: ${parsed.problem.message}`,
  );
}

function unmarshalProblem(value: JsonValue, into: string): Result<never, ApiStatus> {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goTypeName(value)} into Go value of type ${into}`);
}

function sorted(value: JsonObject): JsonObject {
  const parsed = JSON.parse(goJson(value)) as JsonValue;
  return isJsonObject(parsed) ? parsed : value;
}

/** Members of the operations that no operation has. */
function operationFindings(patch: JsonValue): readonly string[] {
  if (!Array.isArray(patch)) return [];
  return (patch as readonly JsonValue[]).flatMap((operation, index) =>
    (isJsonObject(operation) ? Object.keys(operation) : [])
      .filter((key) => !["op", "path", "from", "value"].includes(key))
      .map((key) => `json patch unknown field ${JSON.stringify(`[${index}].${key}`)}`),
  );
}

/** With field validation a patch is read twice, into other types, whose names its refusals bear. */
function operationProblem(
  value: JsonValue,
  strict: string,
  lenient: string,
  checked: boolean,
): Result<never, ApiStatus> {
  return checked
    ? unmarshalProblem(value, strict)
    : badRequest(`json: cannot unmarshal ${goTypeName(value)} into Go value of type ${lenient}`);
}

/** The document after the patch, in the request's version, not yet decoded. */
function patched(
  kind: ServedKind,
  type: Exclude<PatchType, "apply">,
  live: KubeObject,
  patch: JsonValue,
  checked: boolean,
): Result<JsonObject, ApiStatus> {
  const document = asJson(live);
  switch (type) {
    case "json": {
      if (patch === null) return done(document);
      if (!Array.isArray(patch)) return operationProblem(patch, "[]handlers.jsonPatchOp", "jsonpatch.Patch", checked);
      for (const operation of patch as readonly JsonValue[]) {
        if (operation === null) continue;
        if (!isJsonObject(operation))
          return operationProblem(operation, "handlers.jsonPatchOp", "jsonpatch.Operation", checked);
        for (const key of ["op", "path", "from"]) {
          const held = member(operation, key) ?? "";
          if (checked && typeof held !== "string")
            return badRequest(
              `error decoding patch: json: cannot unmarshal ${goTypeName(held)} into Go struct field jsonPatchOp.${key} of type string`,
            );
        }
      }
      if (patch.length > jsonPatchLimit)
        return failed(
          statusOf(
            "RequestEntityTooLarge",
            `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchLimit}, got ${patch.length}`,
          ),
        );
      const result = applyJsonPatch(document, patch);
      if (result.ok && isJsonObject(result.value)) return done(result.value);
      return operationFailed();
    }
    case "merge": {
      if (patch === null) return badRequest("Invalid JSON Patch");
      if (!isJsonObject(patch) && !checked) return invalidPatchResult(goJson(patch), typeMisfit(patch) ?? "");
      if (!isJsonObject(patch)) return unmarshalProblem(patch, "map[string]interface {}");
      const result = applyMergePatch(document, patch);
      return isJsonObject(result) ? done(result) : badRequest("Invalid JSON Patch");
    }
    case "strategic": {
      if (patch === null) return done(document);
      if (!isJsonObject(patch))
        return badRequest(`json: cannot unmarshal ${goTypeName(patch)} into Go value of type map[string]interface {}`);
      const result = applyStrategicMergePatch(document, patch, kind.mergeSchema());
      return result.ok ? result : unexplained(result.problem.message);
    }
  }
}

/** Decodes what a patch made; its findings are checked as `fieldValidation` asks. */
function readPatched(
  kind: ServedKind,
  call: Call,
  options: WriteOptions,
  document: JsonObject,
  { value: patch, duplicates }: PatchBody,
  form: Exclude<PatchType, "apply">,
): Result<KubeObject, ApiStatus> {
  // A strategic merge patch is converted without a detour over JSON, and is shown itself.
  const shown = (): string => (form === "strategic" ? goText(patch) : goJson(document));
  if (member(document, "apiVersion") !== apiVersionOf(kind.type) || member(document, "kind") !== kind.type.kind)
    return invalidPatchResult(
      goJson(document),
      `no kind ${JSON.stringify(member(document, "kind") ?? "")} is registered for version ${JSON.stringify(member(document, "apiVersion") ?? "")}`,
    );
  const read = readAs(kind, document, duplicates, form === "strategic" ? "unstructured" : "json");
  // What is patched as JSON comes back with keys sorted, and is read in that order.
  const isAsSent = form === "strategic" || (read.ok && read.value.findings.length < 2);
  const again = isAsSent
    ? read
    : readAs(kind, form === "json" ? sortedAlong(document, patch) : sorted(document), duplicates);
  if (!again.ok) return invalidPatchResult(shown(), again.problem);
  const { object } = again.value;
  const findings = [...(form === "json" ? operationFindings(patch) : []), ...again.value.findings];
  if (findings.length > 0 && options.fieldValidation === "Strict")
    return invalidPatchResult(shown(), `strict decoding error: ${findings.join(", ")}`);
  if (options.fieldValidation === "Warn") for (const finding of findings) call.warnings.add(finding);
  return done(object);
}

/** PATCH of all four types. */
export async function patchObject(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const type = patchTypeOf(request, kind);
  if (!type.ok) return type;
  const options = writeOptions(call.query, call.headers["user-agent"], "PatchOptions", type.value === "apply");
  if (!options.ok) return options;
  const body = await patchBody(request, type.value, options.value.fieldValidation !== "Ignore");
  if (!body.ok && body.problem.code === 413) return body;
  if (type.value === "apply") return applyObject(machinery, kind, call, target, options.value, body);
  const form = type.value;
  const { namespace, name, endpoint } = target;
  return modify(machinery, call, {
    kind,
    namespace,
    name,
    endpoint,
    options: options.value,
    ownershipDone: false,
    put: false,
    next: (live) => {
      // Nobody reads the patch of an object that is not there.
      if (!body.ok) return body;
      const document = patched(kind, form, live, body.value.value, options.value.fieldValidation !== "Ignore");
      if (!document.ok) return document;
      const object = readPatched(kind, call, options.value, document.value, body.value, form);
      if (!object.ok) return object;
      return named(inNamespace(kind, object.value, namespace), name);
    },
  });
}

function named(object: Result<KubeObject, ApiStatus>, name: string): Result<KubeObject, ApiStatus> {
  if (!object.ok) return object;
  const sent = object.value.metadata.name ?? "";
  if (sent === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  return sent === name
    ? object
    : badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}

/** Checks what kind of object an apply configures; its name and namespace are looked at when it is merged. */
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

/** Server-side apply. */
async function applyObject(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  options: WriteOptions,
  body: Result<PatchBody, ApiStatus>,
): Promise<Result<{ readonly object: KubeObject; readonly created: boolean }, ApiStatus>> {
  const { namespace, name, endpoint } = target;
  const applied = body.ok && isJsonObject(body.value.value) ? body.value.value : {};
  const mergeInto = (live: KubeObject | undefined): Result<KubeObject, ApiStatus> => {
    if (!body.ok) return body;
    const { value, duplicates } = body.value;
    if (value !== null && !isJsonObject(value))
      return badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goTypeName(value)} into Go value of type map[string]interface {}`,
      );
    const checked = checkConfiguration(kind, applied);
    if (!checked.ok) return checked;
    const merged = merge(machinery, kind, endpoint, { applied, options, force, live, namespace, name });
    if (!merged.ok || duplicates.length === 0) return merged;
    const finding = `error strict decoding YAML: error converting YAML to JSON: ${duplicates.join("\n")}`;
    if (options.fieldValidation === "Strict") return badRequest(finding);
    if (options.fieldValidation === "Warn")
      for (const duplicate of duplicates) call.warnings.add(duplicate.replace("yaml: unmarshal errors:\n  ", ""));
    return merged;
  };
  const force = options.force === true;
  return modify(machinery, call, {
    kind,
    namespace,
    name,
    endpoint,
    options,
    ownershipDone: true,
    put: false,
    next: mergeInto,
    missing: async () => {
      if (endpoint !== "main" && !(endpoint === "status" && kind.createsOnPut)) return notFound(kind.type, name);
      const object = mergeInto(undefined);
      if (!object.ok) return object;
      const { resourceVersion: revision = "" } = object.value.metadata;
      if (!/^\d*$/.test(revision))
        return unexplained(`strconv.ParseUint: parsing ${JSON.stringify(revision)}: invalid syntax`);
      const allowed = target.mayCreate();
      if (!allowed.ok) return allowed;
      const metadata = isJsonObject(applied["metadata"]) ? applied["metadata"] : {};
      const { uid } = metadata;
      if (typeof uid === "string" && uid !== "")
        return conflict(
          kind.type,
          name,
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      return create(machinery, call, { kind, namespace, object: object.value, options, by: "apply" });
    },
  });
}

/** What is said when the merged object cannot be the typed one. */
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
  readonly namespace: string | undefined;
  readonly name: string;
}

function merge(
  machinery: Machinery,
  kind: ServedKind,
  endpoint: WriteEndpoint,
  { applied, options, force, live, namespace, name }: Merge,
): Result<KubeObject, ApiStatus> {
  const served = servedVersions(kind);
  const result = applyServerSide({
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
    ...(served === undefined ? {} : { servedVersions: served }),
  });
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
  const read = readAs(kind, result.value.object, [], "unstructured");
  if (!read.ok) return unexplained(conversionProblem(kind, applied, read.problem));
  const object = asKubeObject(asJson(read.value.object)) ?? read.value.object;
  return named(inNamespace(kind, object, namespace), name);
}
