import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { goText } from "@purser/kubernetes/object/go-text";
import { patchJsonText } from "@purser/kubernetes/object/patches/json-patch";
import { mergePatchInSteps, mergePatchText } from "@purser/kubernetes/object/patches/merge-patch";
import { applyStrategicMergePatch, patchAsShown } from "@purser/kubernetes/object/patches/strategic-merge-patch";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Steps } from "@purser/kubernetes/steps";
import { goJson, htmlSafeJson } from "@purser/kubernetes/text/go-json";
import { jsonType } from "../../kinds/decoding/decode-walk.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { readRepeated } from "../../request/repeated-members.ts";
import { readJsonBody } from "../../request/body.ts";
import { oddNumbers } from "../../request/json-scan.ts";
import type { WriteOptions } from "../../request/query.ts";
import { badRequest, invalidPatchResult, operationFailed, unexplained } from "../../request/refusal.ts";
import { inNamespace } from "../create.ts";
import { readAs, typeMisfit, type Written, writtenAs } from "../decode.ts";
import type { ObjectRequest } from "../resource-request.ts";
import type { PatchBody, PatchType } from "./patch-body.ts";
import { withKindOfPath } from "./patched-kind.ts";

const jsonPatchLimit = 10_000;

function unmarshalProblem(value: JsonValue, into: string): Result<never, ApiStatus> {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go value of type ${into}`);
}

/** An object as Go's encoder writes it: built-in ones in the order of their types, custom ones with their keys sorted. */
function encoded(kind: ServedKind, object: JsonObject): string {
  return kind.custom === undefined ? htmlSafeJson(JSON.stringify(kind.decode(object).value)) : goJson(object);
}

/** A patch of a document, as opposed to an apply. */
export interface DocumentPatch {
  readonly form: Exclude<PatchType, "apply">;
  readonly options: WriteOptions;
  readonly body: PatchBody;
}

/** What a patch made of a document. */
interface Patched {
  readonly document: JsonObject;
  readonly written: Written;
  /** Messages about its duplicate members. */
  readonly duplicates: readonly string[];
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

/** With field validation a patch is read twice, into other types, whose names are in its refusals. */
function operationProblem(
  value: JsonValue,
  strict: string,
  lenient: string,
  checked: boolean,
): Result<never, ApiStatus> {
  return checked
    ? unmarshalProblem(value, strict)
    : badRequest(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${lenient}`);
}

/** Why these are no operations of a JSON patch; what they do to a document is another matter. */
function operationsFault(operations: readonly JsonValue[], checked: boolean): Result<never, ApiStatus> | undefined {
  for (const operation of operations) {
    if (operation === null) continue;
    if (!isJsonObject(operation))
      return operationProblem(operation, "handlers.jsonPatchOp", "jsonpatch.Operation", checked);
    for (const key of checked ? ["op", "path", "from"] : []) {
      const held = member(operation, key) ?? "";
      if (typeof held !== "string")
        return badRequest(
          `error decoding patch: json: cannot unmarshal ${jsonType(held)} into Go struct field jsonPatchOp.${key} of type string`,
        );
    }
  }
  return undefined;
}

/** The document after the patch, in the request's version, not yet decoded. */
function* patched(
  kind: ServedKind,
  type: Exclude<PatchType, "apply">,
  live: KubeObject,
  { value: patch, text, duplicates: twice }: PatchBody,
  checked: boolean,
): Steps<Result<Patched, ApiStatus>> {
  const document = asJson(live);
  const asTree = (value: JsonObject, shown: () => string): Patched => ({
    document: value,
    written: { text: shown, numbers: new Map() },
    duplicates: [],
  });
  switch (type) {
    case "json": {
      if (patch === null) return done(asTree(document, () => goJson(document)));
      if (!Array.isArray(patch)) return operationProblem(patch, "[]handlers.jsonPatchOp", "jsonpatch.Patch", checked);
      const earlier = checked && twice.length > 0 && text !== undefined ? (yield* readRepeated(text)).earlier : [];
      for (const reading of [...earlier, patch]) {
        const fault = operationsFault(Array.isArray(reading) ? reading : [], checked);
        if (fault !== undefined) return fault;
      }
      if (patch.length > jsonPatchLimit)
        return failed(
          statusOf(
            "RequestEntityTooLarge",
            `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchLimit}, got ${patch.length}`,
          ),
        );
      const before = encoded(kind, document);
      yield;
      const result = yield* patchJsonText(before, text ?? JSON.stringify(patch));
      if (!result.ok) return operationFailed();
      yield;
      const read = yield* readJsonBody(result.value);
      if (!read.ok) return invalidPatchResult(result.value, read.problem.message);
      yield;
      const { value, duplicates } = read.value;
      if (isJsonObject(value)) return done({ document: value, written: yield* writtenAs(result.value), duplicates });
      return invalidPatchResult(result.value, typeMisfit(value) ?? "");
    }
    case "merge": {
      if (patch === null || (!checked && typeof patch !== "object")) return badRequest("Invalid JSON Patch");
      // A list replaces what there is, without the nulls in it, and is no object then.
      if (!isJsonObject(patch) && !checked)
        return invalidPatchResult(mergePatchText("[]", text ?? JSON.stringify(patch)), typeMisfit(patch) ?? "");
      if (!isJsonObject(patch)) return unmarshalProblem(patch, "map[string]interface {}");
      const result = yield* mergePatchInSteps(document, patch);
      yield;
      if (!isJsonObject(result)) return badRequest("Invalid JSON Patch");
      const sent = text ?? JSON.stringify(patch);
      const shown = (): string => mergePatchText(encoded(kind, document), sent);
      return done({
        document: result,
        written: {
          text: shown,
          numbers: (yield* oddNumbers(sent)).size === 0 ? new Map<string, string>() : yield* oddNumbers(shown()),
        },
        duplicates: [],
      });
    }
    case "strategic": {
      if (patch === null) return done(asTree(document, () => goText(patch)));
      if (!isJsonObject(patch))
        return badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`);
      const result = yield* applyStrategicMergePatch(document, patch, kind.mergeSchema());
      if (result.ok) return done(asTree(result.value, () => goText(patchAsShown(document, patch))));
      const { isFormat, message } = result.problem;
      return isFormat ? badRequest(message) : unexplained(message);
    }
  }
}

/** Decodes what a patch made; its findings are checked as `fieldValidation` asks. */
function* readPatched(
  { kind, call }: Pick<ObjectRequest, "kind" | "call">,
  { form, options, body }: DocumentPatch,
  { document, written, duplicates }: Patched,
): Steps<Result<KubeObject, ApiStatus>> {
  const ofPatch =
    form === "json"
      ? [...body.duplicates.map((finding) => `json patch ${finding}`), ...operationFindings(body.value)]
      : body.duplicates;
  // A strategic merge patch is converted without a detour over JSON, and is shown itself.
  const read = yield* readAs(kind, document, duplicates, form === "strategic" ? "unstructured" : "json", written);
  if (!read.ok) return invalidPatchResult(written.text(), read.problem);
  const { object } = read.value;
  const findings = [...ofPatch, ...read.value.findings];
  if (findings.length > 0 && options.fieldValidation === "Strict")
    return invalidPatchResult(written.text(), `strict decoding error: ${findings.join(", ")}`);
  if (options.fieldValidation === "Warn") for (const finding of findings) call.warnings.add(finding);
  return done(object);
}

/** What a patch that is no apply makes of an object, in the request's version. */
export function* patchedObject(
  request: Omit<ObjectRequest, "protobuf" | "sent">,
  live: KubeObject,
  patch: DocumentPatch,
): Steps<Result<KubeObject, ApiStatus>> {
  const { kind, call, namespace, name } = request;
  const { form, options, body } = patch;
  const result = yield* patched(kind, form, live, body, options.fieldValidation !== "Ignore");
  if (!result.ok) return result;
  yield;
  const warn = (text: string): void => {
    if (options.fieldValidation === "Warn") call.warnings.add(text);
  };
  const own = withKindOfPath(request, result.value.document, { form, warn, shown: result.value.written.text });
  if (!own.ok) return own;
  const object = yield* readPatched(request, patch, { ...result.value, document: own.value });
  return object.ok ? named(inNamespace(kind, object.value, namespace), name) : object;
}

/** Refuses an object whose name differs from that in its path. */
export function named(object: Result<KubeObject, ApiStatus>, name: string): Result<KubeObject, ApiStatus> {
  if (!object.ok) return object;
  const sent = object.value.metadata.name ?? "";
  if (sent === "")
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  return sent === name
    ? object
    : badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}
