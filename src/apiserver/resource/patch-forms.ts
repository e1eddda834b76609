import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { statusOf } from "../../apis/status.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import { goText } from "../../object/go-text.ts";
import { applyJsonPatch } from "../../object/json-patch.ts";
import { applyMergePatch } from "../../object/merge-patch.ts";
import { applyStrategicMergePatch } from "../../object/strategic-merge-patch.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import { goJson } from "../../text/go-json.ts";
import type { Call } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { WriteOptions } from "../request/query.ts";
import { badRequest, invalidPatchResult, operationFailed, unexplained } from "../request/refusal.ts";
import { inNamespace } from "./create.ts";
import { goTypeName, readAs, typeMisfit } from "./decode.ts";
import { sortedAlong } from "./json-patch-order.ts";
import type { PatchBody, PatchType } from "./patch-body.ts";
import { withKindOfPath } from "./patched-kind.ts";

const jsonPatchLimit = 10_000;

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
      const misfit = result.ok ? typeMisfit(result.value) : undefined;
      if (result.ok && misfit !== undefined) return invalidPatchResult(goJson(result.value), misfit);
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
      if (result.ok) return result;
      const { isFormat, message } = result.problem;
      return isFormat ? badRequest(message) : unexplained(message);
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
  const found = form === "json" ? duplicates.map((text) => `json patch ${text}`) : duplicates;
  const shown = (): string => (form === "strategic" ? goText(patch) : goJson(document));
  const read = readAs(kind, document, form === "json" ? [] : found, form === "strategic" ? "unstructured" : "json");
  // What is patched as JSON comes back with keys sorted, and is read in that order.
  const isAsSent = form === "strategic" || (read.ok && read.value.findings.length < 2);
  const again = isAsSent
    ? read
    : readAs(kind, form === "json" ? sortedAlong(document, patch) : sorted(document), form === "json" ? [] : found);
  if (!again.ok) return invalidPatchResult(shown(), again.problem);
  const { object } = again.value;
  const findings = [...(form === "json" ? [...found, ...operationFindings(patch)] : []), ...again.value.findings];
  if (findings.length > 0 && options.fieldValidation === "Strict")
    return invalidPatchResult(shown(), `strict decoding error: ${findings.join(", ")}`);
  if (options.fieldValidation === "Warn") for (const finding of findings) call.warnings.add(finding);
  return done(object);
}

/** What a patch that is no apply makes of an object, in the request's version. */
export function patchedObject(
  kind: ServedKind,
  call: Call,
  options: WriteOptions,
  target: { readonly namespace: string | undefined; readonly name: string },
  live: KubeObject,
  body: PatchBody,
  form: Exclude<PatchType, "apply">,
): Result<KubeObject, ApiStatus> {
  const document = patched(kind, form, live, body.value, options.fieldValidation !== "Ignore");
  if (!document.ok) return document;
  const warn = (text: string): void => {
    if (options.fieldValidation === "Warn") call.warnings.add(text);
  };
  const own = withKindOfPath(kind, document.value, form, target.name, warn);
  if (!own.ok) return own;
  const object = readPatched(kind, call, options, own.value, body, form);
  return object.ok ? named(inNamespace(kind, object.value, target.namespace), target.name) : object;
}

/** Refuses an object that does not bear the name of its path. */
export function named(object: Result<KubeObject, ApiStatus>, name: string): Result<KubeObject, ApiStatus> {
  if (!object.ok) return object;
  const sent = object.value.metadata.name ?? "";
  if (sent === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  return sent === name
    ? object
    : badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}
