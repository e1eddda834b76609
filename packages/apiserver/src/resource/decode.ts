import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { GroupVersionKind } from "@purser/kubernetes/apis/resource-type";
import { apiVersionOf, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { jsonType } from "../kinds/decoding/decode-walk.ts";
import { goJson } from "@purser/kubernetes/text/go-json";
import { compareBytes } from "@purser/kubernetes/text/members";
import { invalid as invalidField } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { type Call, warningCut, warningTotal } from "../call.ts";
import type { Machinery } from "../machinery.ts";
import { type DecodedFrom, defaulted } from "../kinds/built-in-kind.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { oddNumbers, scanJson } from "../request/json-scan.ts";
import { readRepeated } from "../request/repeated-members.ts";
import { type Body, duplicateField } from "../request/body.ts";
import type { WriteOptions } from "../request/query.ts";
import { badRequest, invalid } from "../request/refusal.ts";
import type { ResourceRequest } from "./resource-request.ts";

/** The refusal's subject: which kind in which version was sent, and what it cannot be handled as. */
function notHandled(sentKind: string, sentVersion: string, kind: ServedKind, why: string): Result<never, ApiStatus> {
  const { version } = parseApiVersion(sentVersion);
  return badRequest(
    `${sentKind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.type.kind}: ${why}`,
  );
}

/** Kinds that every version of every group has, beside those that it serves. */
const sharedKinds: ReadonlySet<string> = new Set(["DeleteOptions", "Status", "WatchEvent"]);

/** Whether Go's types hold the kind: one that is served, or a list of them. */
function isRegistered(machinery: Machinery, full: GroupVersionKind): boolean {
  const registry = machinery.registry();
  if (full.group === "" && full.kind === "List") return true;
  const isBuiltIn = (kind: string): boolean => {
    const known = registry.ofKind({ ...full, kind });
    return known !== undefined && known.custom === undefined;
  };
  const served = registry.group(full.group)?.versions.some(({ version }) => version === full.version) === true;
  return isBuiltIn(full.kind) || (served && sharedKinds.has(full.kind)) || isBuiltIn(full.kind.replace(/List$/, ""));
}

/** Checks that a body is what the path expects; a built-in one may leave out both. */
function* checkEnvelope(
  machinery: Machinery,
  kind: ServedKind,
  object: JsonObject,
  body: Body,
): Steps<Result<undefined, ApiStatus>> {
  const { type } = kind;
  const { summary = "", text = "" } = body;
  const wanted = apiVersionOf(type);
  const sentVersion = member(object, "apiVersion") ?? "";
  const sentKind = member(object, "kind") ?? "";
  const misfit = kind.custom === undefined ? yield* bodyMisfit(body) : typeMisfit(object);
  if (misfit !== undefined)
    return badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${misfit} (${summary})`);
  if (typeof sentVersion !== "string" || typeof sentKind !== "string") return done(undefined);
  const sent = parseApiVersion(sentVersion);
  if (kind.custom !== undefined) {
    if (member(object, "apiVersion") === null)
      return notHandled(sentKind, "", kind, ".apiVersion accessor error: <nil> is of the type <nil>, expected string");
    const read = sentVersion === "/" ? "" : apiVersionOf(sent);
    if (read !== wanted)
      return badRequest(`the API version in the data (${read}) does not match the expected API version (${wanted})`);
    if (sentKind === type.kind) return done(undefined);
    const name = nameOf(object);
    return invalid({ group: type.group, kind: sentKind }, name, [
      invalidField("kind", sentKind, `must be ${type.kind}`),
    ]);
  }
  const full = {
    ...(sent.group === "" && sent.version === "" ? parseApiVersion(wanted) : sent),
    kind: sentKind === "" ? type.kind : sentKind,
  };
  if (apiVersionOf(full) === wanted && full.kind === type.kind) return done(undefined);
  if (full.version === "") return notHandled(full.kind, "", kind, `Object 'apiVersion' is missing in '${text}'`);
  return notHandled(full.kind, apiVersionOf(full), kind, otherKindFault(machinery, kind, object, full));
}

/** Why an object that says it is of another kind cannot be of this one. What is registered is read as what it says first. */
export function otherKindFault(
  machinery: Machinery,
  { type }: ServedKind,
  object: JsonObject,
  full: GroupVersionKind,
): string {
  const sentAs = machinery.registry().ofKind(full);
  const unreadable = sentAs?.custom === undefined ? sentAs?.decode(object).problem : undefined;
  if (unreadable !== undefined) return unreadable;
  if (!isRegistered(machinery, full))
    return `no kind ${JSON.stringify(full.kind)} is registered for version ${JSON.stringify(apiVersionOf(full))} in scheme "pkg/runtime/scheme.go:111"`;
  const internal = `${type.group === "" ? "core" : (type.group.split(".")[0] ?? "")}.${type.kind}`;
  return `converting (${full.version}.${full.kind}) to (${internal}): unknown conversion`;
}

/** Why version and kind of a body cannot be read, in the words of Go's decoder. */
export function typeMisfit(value: JsonValue): string | undefined {
  const problem = (found: JsonValue, into: string): string =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(found)} into Go ${into}`;
  if (value === null) return undefined;
  if (!isJsonObject(value))
    return problem(
      value,
      'value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  for (const key of ["apiVersion", "kind"]) {
    const held = member(value, key) ?? null;
    if (held !== null && typeof held !== "string") return problem(held, `struct field .${key} of type string`);
  }
  return undefined;
}

function nameOf(object: JsonObject): string {
  const metadata = member(object, "metadata");
  const name = isJsonObject(metadata) ? member(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

export interface Findings {
  readonly object: KubeObject;
  /** Texts about unknown and doubled fields. */
  readonly findings: readonly string[];
}

/** The JSON that a value was read from. */
export interface Written {
  readonly text: () => string;
  /** How its numbers are written, by path, where that is not as integers are. */
  readonly numbers: ReadonlyMap<string, string>;
}

export function* writtenAs(text: string): Steps<Written> {
  return { text: () => text, numbers: yield* oddNumbers(text) };
}

/**
 * The object as the server's types hold it, with defaults; a problem is Go's sentence about what does not fit. In a JSON text
 * it counts for built-in kinds how numbers are written and in which order keys come.
 */
export function* readAs(
  kind: ServedKind,
  value: JsonObject,
  duplicates: readonly string[],
  source: DecodedFrom = "json",
  written?: Written,
): Steps<Result<Findings, string>> {
  const typed = kind.custom === undefined && source === "json" ? written : undefined;
  const doubled = typed !== undefined && duplicates.length > 0 ? typed.text() : undefined;
  const repeated = doubled === undefined ? { value, earlier: [] } : yield* readRepeated(doubled);
  for (const earlier of repeated.earlier) {
    yield;
    const { problem } = yield* kind.decodeInSteps(isJsonObject(earlier) ? earlier : {}, source, typed?.numbers);
    if (problem !== undefined) return { ok: false, problem };
  }
  yield;
  const decoded = yield* kind.decodeInSteps(
    isJsonObject(repeated.value) ? repeated.value : value,
    source,
    typed?.numbers,
  );
  yield;
  if (decoded.problem !== undefined) return { ok: false, problem: decoded.problem };
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = decoded.value;
  const object = yield* defaulted(kind, {
    kind: kind.type.kind,
    apiVersion: apiVersionOf(kind.type),
    metadata: isJsonObject(metadata) ? metadata : {},
    ...rest,
  });
  yield;
  return done({
    object: object as unknown as KubeObject,
    findings: yield* findingsOf(kind, duplicates, decoded.unknown, source, () => written?.text() ?? goJson(value)),
  });
}

/** Go's JSON decoder reports no more. */
const mostFindings = 100;

function* findingsOf(
  kind: ServedKind,
  duplicates: readonly string[],
  unknown: readonly string[],
  source: DecodedFrom,
  text: () => string,
): Steps<readonly string[]> {
  if (kind.custom !== undefined) {
    const findings = duplicates.slice(0, mostFindings);
    const strides = new Strides();
    for (const path of unknown) {
      findings.push(unknownField(path));
      if (strides.isDue()) yield;
    }
    return findings;
  }
  if (source === "unstructured") return [...duplicates, ...unknown.map(unknownField).toSorted(compareBytes)];
  return duplicates.length + unknown.length > 1
    ? yield* asRead(text(), duplicates, unknown)
    : [...duplicates, ...unknown.map(unknownField)];
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

/**
 * The findings of Go's strict decoder, which reports as it reads and does not look into unknown fields. What YAML's parser
 * found came before that.
 */
function* asRead(text: string, duplicates: readonly string[], unknown: readonly string[]): Steps<readonly string[]> {
  const repeated = new Set(duplicates.filter((finding) => finding.startsWith("duplicate field ")));
  const before = duplicates.filter((finding) => !repeated.has(finding));
  const unread = new Set(unknown);
  const found = new Set<string>();
  yield* scanJson(text, {
    key: (path, again) => {
      if (found.size >= mostFindings) return true;
      const isUnknown = unread.has(path);
      if (isUnknown) found.add(unknownField(path));
      else if (again && repeated.has(duplicateField(path))) found.add(duplicateField(path));
      return isUnknown;
    },
  });
  // Some may stand too far behind for the scan.
  for (const path of unknown) if (found.size < mostFindings) found.add(unknownField(path));
  return [...before, ...found];
}

/** The warnings for a finding: the YAML parser reports all of its own in one text. */
export function warningsOf(finding: string): readonly string[] {
  const [head = "", ...lines] = finding.split("\n");
  return head === "yaml: unmarshal errors:" ? lines.map((line) => line.trim()) : [finding];
}

/** Reads the body of a create or replace: the right kind, decoded, checked as `fieldValidation` asks, defaulted. */
export function* decodeBody(
  { machinery, kind, call }: Pick<ResourceRequest, "machinery" | "kind" | "call">,
  body: Body,
  options: WriteOptions,
): Steps<Result<KubeObject, ApiStatus>> {
  const value: JsonValue = body.value ?? {};
  const { summary = "" } = body;
  if (!isJsonObject(value))
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind.type.kind}): ${typeMisfit(value) ?? ""} (${summary})`,
    );
  const sent = member(value, "apiVersion");
  if (typeof sent === "string" && sent.split("/").length > 2)
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind.type.kind}): unexpected GroupVersion string: ${sent} (${summary})`,
    );
  if (kind.custom !== undefined && typeMisfit(value) === undefined && (member(value, "kind") ?? "") === "") {
    const missing = `Object 'Kind' is missing in '${body.text ?? goJson(body.value)}'`;
    // With `Warn` and `Strict` another decoder reads the body and words the refusal differently.
    return options.fieldValidation === "Ignore"
      ? notHandled(kind.type.kind, apiVersionOf(kind.type), kind, missing)
      : badRequest(`the object provided is unrecognized (must be of type ${kind.type.kind}): ${missing} (${summary})`);
  }
  const envelope = yield* checkEnvelope(machinery, kind, value, body);
  if (!envelope.ok) return envelope;
  const written = body.json === undefined ? undefined : yield* writtenAs(body.json);
  yield;
  const read = yield* readAs(kind, value, body.duplicates, "json", written);
  if (!read.ok) return notHandled(kind.type.kind, apiVersionOf(kind.type), kind, read.problem);
  const { object, findings } = read.value;
  const fault = strictFault(call, options, findings);
  return fault === undefined ? done(object) : notHandled(kind.type.kind, apiVersionOf(kind.type), kind, fault);
}

const twiceKind = duplicateField("kind");
const twiceVersion = duplicateField("apiVersion");

/** As {@link typeMisfit} of what was sent, also of a version or kind that a later one takes the place of. */
export function* bodyMisfit({ value, duplicates, json }: Body): Steps<string | undefined> {
  const isAmbiguous = duplicates.some((finding) => finding === twiceKind || finding === twiceVersion);
  const earlier = json === undefined || !isAmbiguous ? [] : (yield* readRepeated(json)).earlier;
  return [...earlier, value].map(typeMisfit).find((misfit) => misfit !== undefined);
}

/** Unknown and duplicate fields, as `fieldValidation` asks: returns the refusal, or adds warnings and returns undefined. */
export function strictFault(
  call: Call,
  { fieldValidation }: WriteOptions,
  findings: readonly string[],
): string | undefined {
  if (findings.length > 0 && fieldValidation === "Strict") return `strict decoding error: ${findings.join(", ")}`;
  if (fieldValidation !== "Warn") return undefined;
  let shown = 0;
  for (const finding of findings) {
    for (const warning of warningsOf(finding)) {
      call.warnings.add(warning);
      shown += Math.min(warning.length, warningCut);
    }
    // Clients see no more of them.
    if (shown > warningTotal) break;
  }
  return undefined;
}
