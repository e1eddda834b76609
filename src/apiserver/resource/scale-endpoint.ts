import { asJson, type KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { isJsonObject, type JsonObject, member } from "../../json.ts";
import { applyJsonPatch } from "../../object/json-patch.ts";
import { applyMergePatch } from "../../object/merge-patch.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import { goJson } from "../../text/go-json.ts";
import { decodeAs } from "../kinds/decode.ts";
import type { Call, Machinery } from "../machinery.ts";
import { scalePrinter } from "../printing/plain-printers.ts";
import type { ProtobufDecoders } from "../protobuf/decoders.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import { readBody } from "../request/body.ts";
import type { WriteOptions } from "../request/query.ts";
import { writeOptions } from "../request/query.ts";
import { badRequest, invalidPatchResult, notFound, operationFailed } from "../request/refusal.ts";
import { typeMisfit } from "./decode.ts";
import { modify } from "./modify.ts";
import type { Output } from "./output.ts";
import { outputOf } from "./output.ts";
import { patchBody, patchTypeOf } from "./patch.ts";
import { storageKey } from "./read.ts";
import { scaleOf, withScale } from "./scale.ts";
import { oneToServed } from "./versions.ts";

interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
}

const scaleType = { group: "autoscaling", version: "v1", kind: "Scale" };

export async function getScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  { namespace, name }: Target,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, scaleKind(kind), call);
  if (!output.ok) return output;
  const stored = machinery.storage.get(kind.table, storageKey(kind, namespace, name));
  if (stored === undefined) return notFound(kind.type, name);
  const live = await oneToServed(machinery, kind, stored);
  if (!live.ok) return live;
  return scaleAnswer(kind, live.value, output.value);
}

function scaleAnswer(kind: ServedKind, object: KubeObject, output: Output): Result<Answer, ApiStatus> {
  const scale = scaleOf(kind, object);
  return scale.ok ? output.object(scale.value, 200) : scale;
}

/** The kind as its Scale is shown. */
function scaleKind(kind: ServedKind): ServedKind {
  return { ...kind, type: { ...kind.type, ...scaleType }, printer: scalePrinter };
}

export async function putScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
  protobuf: ProtobufDecoders,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, scaleKind(kind), call);
  if (!output.ok) return output;
  const body = await readBody(request, "Scale", protobuf.decoderOfKind(scaleType));
  if (!body.ok) return body;
  const scale = body.value.value ?? {};
  const misfit = typeMisfit(scale);
  if (misfit !== undefined)
    return badRequest(
      `the object provided is unrecognized (must be of type Scale): ${misfit} (${body.value.summary ?? ""})`,
    );
  if (!isJsonObject(scale)) return badRequest("the body is no Scale");
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const named = checkName(scale, target.name);
  if (!named.ok) return named;
  const written = await modify(machinery, call, {
    kind,
    ...target,
    endpoint: "scale",
    options: options.value,
    ownershipDone: false,
    put: false,
    expectedUid: uidOf(scale),
    next: (live) => withScale(kind, live, scale),
  });
  return written.ok ? scaleAnswer(kind, written.value.object, output.value) : written;
}

/** The Scale that a patch made, as its type holds it; a problem is Go's sentence about what does not fit. */
function readScale(
  call: Call,
  { fieldValidation }: WriteOptions,
  document: JsonObject,
  duplicates: readonly string[],
): Result<JsonObject, string> {
  const sent = { kind: member(document, "kind"), version: member(document, "apiVersion") };
  if (sent.kind !== "Scale" || sent.version !== "autoscaling/v1")
    return failed(
      `no kind ${JSON.stringify(sent.kind ?? "")} is registered for version ${JSON.stringify(sent.version ?? "")} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { value, unknown, problem } = decodeAs("Scale", document);
  if (problem !== undefined) return failed(problem);
  const findings = [...duplicates, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  if (findings.length > 0 && fieldValidation === "Strict")
    return failed(`strict decoding error: ${findings.join(", ")}`);
  if (fieldValidation === "Warn") for (const finding of findings) call.warnings.add(finding);
  return done(value);
}

function uidOf(scale: JsonObject): string {
  const metadata = member(scale, "metadata");
  const uid = isJsonObject(metadata) ? member(metadata, "uid") : undefined;
  return typeof uid === "string" ? uid : "";
}

function checkName(scale: JsonObject, wanted: string): Result<undefined, ApiStatus> {
  const metadata = member(scale, "metadata");
  const name = isJsonObject(metadata) ? (member(metadata, "name") ?? "") : "";
  if (name === wanted) return done(undefined);
  return badRequest(
    typeof name !== "string" || name === ""
      ? `the name of the object (${wanted} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${wanted})`,
  );
}

export async function patchScale(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  target: Target,
  request: ApiRequest,
): Promise<Result<Answer, ApiStatus>> {
  const type = patchTypeOf(request, kind);
  if (!type.ok) return type;
  const output = outputOf(machinery, scaleKind(kind), call);
  if (!output.ok) return output;
  const options = writeOptions(call.query, call.headers["user-agent"], "PatchOptions", type.value === "apply");
  if (!options.ok) return options;
  const body = await patchBody(request, type.value);
  if (!body.ok) return body;
  const patch = body.value.value;
  const written = await modify(machinery, call, {
    kind,
    ...target,
    endpoint: "scale",
    options: options.value,
    ownershipDone: false,
    put: false,
    next: (live) => {
      const scale = scaleOf(kind, live);
      if (!scale.ok) return scale;
      const before = asJson(scale.value);
      const after = type.value === "json" ? applyJsonPatch(before, patch) : done(applyMergePatch(before, patch));
      if (!after.ok || !isJsonObject(after.value)) return operationFailed();
      const read = readScale(call, options.value, after.value, body.value.duplicates);
      if (!read.ok) return invalidPatchResult(goJson(after.value), read.problem);
      const named = checkName(read.value, target.name);
      if (!named.ok) return named;
      return withScale(kind, live, read.value);
    },
  });
  return written.ok ? scaleAnswer(kind, written.value.object, output.value) : written;
}
