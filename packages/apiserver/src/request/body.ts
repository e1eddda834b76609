import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { allSteps, type Steps } from "@purser/kubernetes/steps";
import { parseJsonInSteps } from "@purser/kubernetes/text/json-steps";
import { TextError } from "@purser/kubernetes/text/problem";
import { goJson } from "@purser/kubernetes/text/go-json";
import { decodeLenient, decodeUtf8 } from "@purser/kubernetes/text/utf8";
import { type RequestWork, workPerTurn } from "../turns.ts";
import { textSize } from "./body-size.ts";
import { scanJson } from "./json-scan.ts";
import { badRequest, unsupportedMediaType } from "./refusal.ts";
import { jsonAsYaml, yamlDocument } from "./yaml-body.ts";
import { yamlThread } from "./yaml-thread.ts";

/** kube-apiserver's limit for one request body, in bytes. */
export const bodyLimit = 3_145_728;

export interface Body {
  readonly value: JsonValue;
  /** Texts about keys that stood twice, as field validation reports them. */
  readonly duplicates: readonly string[];
  /** Its first bytes, as refusals quote them. */
  readonly summary?: string;
  /** As it was sent. */
  readonly text?: string;
  /** The JSON text that decoders come to see: what was sent, or what was made of YAML. */
  readonly json?: string;
}

function tooLargeBody(): Result<never, ApiStatus> {
  return failed(statusOf("RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimit}`));
}

/** The content type without parameters, in lower case; empty when there is none. */
export function contentType(request: ApiRequest): string {
  return (request.headers?.["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Collects a streamed body, within the limit. */
export async function bodyBytes(request: ApiRequest): Promise<Result<Uint8Array, ApiStatus>> {
  const { body } = request;
  if (body === undefined) return done(new Uint8Array());
  switch (body.kind) {
    case "bytes":
      return body.bytes.length > bodyLimit ? tooLargeBody() : done(body.bytes);
    case "object":
      return done(new TextEncoder().encode(JSON.stringify(body.value)));
    case "events":
      return badRequest("a request carries no events");
    case "texts":
      return done(new TextEncoder().encode([...body.texts].join("")));
    case "stream": {
      // What is announced as too long is not waited for.
      if (Number(request.headers?.["content-length"] ?? "0") > bodyLimit) return tooLargeBody();
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body.chunks) {
        size += chunk.length;
        if (size > bodyLimit) return tooLargeBody();
        chunks.push(chunk);
      }
      const [only] = chunks;
      return done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    }
  }
}

export type ParseProblem = { readonly message: string };

/** Reads JSON text as Go's decoder does. */
export function parseJsonBody(text: string): Result<Body, ParseProblem> {
  return allSteps(readJsonBody(text));
}

/** As {@link parseJsonBody}, with pauses. */
export function* readJsonBody(text: string): Steps<Result<Body, ParseProblem>> {
  let value: JsonValue;
  try {
    value = yield* parseJsonInSteps(text);
  } catch (problem) {
    if (problem instanceof TextError) return failed({ message: problem.message });
    throw problem;
  }
  yield;
  const { duplicates, tooDeep } = yield* scanJson(text);
  return tooDeep === undefined
    ? done({ value, duplicates: duplicates.map(duplicateField) })
    : failed({ message: `invalid character '${tooDeep}' exceeded max depth` });
}

/** The message of Go's strict decoder about a duplicate key. */
export function duplicateField(path: string): string {
  return `duplicate field ${JSON.stringify(path)}`;
}

/** Longer YAML, in characters, is read by another thread: the parser cannot pause. */
const longYaml = 100_000;

/**
 * Reads YAML 1.1 as sigs.k8s.io/yaml does: the first document, turned into JSON. With pauses, and long texts in another thread.
 */
export async function readYaml(
  bytes: Uint8Array,
  work: RequestWork,
  /** Whether `json` of the body is asked for. */
  needsJson: boolean,
): Promise<Result<Body, ParseProblem>> {
  const text = decodeUtf8(bytes);
  if (text === undefined) return failed({ message: "invalid leading UTF-8 octet" });
  if (text.length > longYaml) return readLongYaml(text, work, needsJson);
  try {
    const { value, repeated } = yamlDocument(text);
    return done({ value, ...repetition(repeated), text, ...(needsJson ? { json: goJson(value) } : {}) });
  } catch (problem) {
    if (problem instanceof TextError) return failed({ message: problem.message });
    throw problem;
  }
}

async function readLongYaml(text: string, work: RequestWork, needsJson: boolean): Promise<Result<Body, ParseProblem>> {
  const known = needsJson ? undefined : await work.through(jsonAsYaml(text));
  if (known !== undefined) return done({ value: known.value, duplicates: [], text });
  const answer = await yamlThread.read(text);
  await work.nextStep();
  switch (answer.kind) {
    case "read": {
      const { json, goJson: goText, repeated } = answer;
      return done({ value: await work.through(parseJsonInSteps(json)), ...repetition(repeated), text, json: goText });
    }
    case "refused":
      return failed({ message: answer.message });
    case "failed":
      throw new Error(answer.message);
  }
}

function repetition(repeated: string | undefined): Pick<Body, "duplicates"> {
  return { duplicates: repeated === undefined ? [] : [repeated] };
}

/** JSON with U+FFFD for what is not UTF-8; a byte order mark is no JSON. */
export function decodeText(bytes: Uint8Array): string {
  return decodeLenient(bytes);
}

/** Reads bytes of another form, with pauses. */
export type BodyDecoder = (bytes: Uint8Array) => Steps<Result<Body, ApiStatus>>;

/**
 * Reads the body of a create or update. `kind` is what the path expects and is named in refusals;
 * `protobuf` decodes Kubernetes' protobuf envelope where the kind has one.
 */
export async function readBody(
  request: ApiRequest,
  kind: string,
  protobuf: BodyDecoder | undefined,
  work: RequestWork,
): Promise<Result<Body, ApiStatus>> {
  if (request.body?.kind === "object") {
    work.holds(textSize(request.body.value, workPerTurn));
    return done({ value: request.body.value, duplicates: [] });
  }
  const type = contentType(request);
  const isUnnamed = (request.headers?.["content-type"] ?? "") === "";
  const encoding =
    isUnnamed || type === "application/json"
      ? "json"
      : type === "application/yaml"
        ? "yaml"
        : type === "application/vnd.kubernetes.protobuf" && protobuf !== undefined
          ? "protobuf"
          : undefined;
  if (encoding === undefined)
    return unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  const bytes = await bodyBytes(request);
  if (!bytes.ok) return bytes;
  work.holds(bytes.value.length);
  await work.nextStep();
  if (encoding === "protobuf" && protobuf !== undefined) return await work.through(protobuf(bytes.value));
  const text = decodeText(bytes.value);
  const parsed = encoding === "json" ? await work.through(readJsonBody(text)) : await readYaml(bytes.value, work, true);
  await work.nextStep();
  if (parsed.ok) return done({ json: text, ...parsed.value, summary: summary(bytes.value), text });
  const found = encoding === "json" ? "couldn't get version/kind; json parse error" : "yaml";
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${found}: ${parsed.problem.message} (${summary(bytes.value)})`,
  );
}

/** The first bytes of a body, as refusals quote them. */
export function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const head = Buffer.from(bytes.subarray(0, 30));
  const rest = bytes.length > 30 ? " ..." : "";
  return (bytes[0] === 0x7b ? head.toString("utf8") : head.toString("hex")) + rest;
}
