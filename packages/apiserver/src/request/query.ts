import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { FieldError } from "@purser/kubernetes/object/field-error";
import { notSupported, required } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { goDuration } from "@purser/kubernetes/go-duration";
import { badRequest, invalidOptions, unexplained } from "./refusal.ts";

export type Query = URLSearchParams;

/** A boolean query parameter: everything but false values is true, even an empty text. */
export function flag(query: Query, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return !/^(0|false)$/i.test(text);
}

/** Parses a query as Go does: parameters with invalid encoding or a semicolon are dropped. */
export function parseQuery(text: string): Query {
  if (text === "" || (!text.includes(";") && !brokenEscape.test(text))) return new URLSearchParams(text);
  const pairs = text.split("&").filter((pair) => !pair.includes(";") && !brokenEscape.test(pair));
  return new URLSearchParams(pairs.join("&"));
}

const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** The error of Go's 64-bit `strconv.ParseInt` or `ParseUint`; undefined for a valid number. */
function integerProblem(text: string, parser: "ParseInt" | "ParseUint"): string | undefined {
  const refuse = (why: string): string => `strconv.${parser}: parsing ${JSON.stringify(text)}: ${why}`;
  const shape = parser === "ParseInt" ? /^[+-]?\d+$/ : /^\d+$/;
  if (!shape.test(text)) return refuse("invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 20) return refuse("value out of range");
  const value = BigInt(`${text.startsWith("-") ? "-" : ""}${digits === "" ? "0" : digits}`);
  const fits = parser === "ParseInt" ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  return fits ? undefined : refuse("value out of range");
}

function integer(query: Query, name: string): Result<number | undefined, ApiStatus> {
  const text = query.get(name);
  if (text === null) return done(undefined);
  const problem = integerProblem(text, "ParseInt");
  return problem === undefined ? done(Number(text)) : badRequest(problem);
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** As sent by the client, for webhooks. */
  readonly givenFieldManager: string | undefined;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly force: boolean | undefined;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const validations: ReadonlySet<string> = new Set(["", "Ignore", "Strict", "Warn"]);

/** Go's unicode.IsPrint: the only allowed white space is U+0020. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Limit of a manager's name in bytes. */
const longestManager = 128;

export function fieldManagerErrors(manager: string, field = "fieldManager"): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > longestManager)
    errors.push({ type: "FieldValueTooLong", field, detail: `may not be more than ${longestManager} bytes` });
  let position = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = character.codePointAt(0) ?? 0;
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      const detail = `invalid character ${name} (at position ${position})`;
      errors.push({ type: "FieldValueInvalid", field, badValue: manager, detail });
      break;
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}

function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All")
    ? []
    : [{ type: "FieldValueNotSupported", field: "dryRun", badValue: [...values], detail: 'supported values: "All"' }];
}

/** The options of a create, update or patch, from its query and User-Agent. */
export function writeOptions(
  query: Query,
  userAgent: string | undefined,
  kind: OptionsKind,
  apply = false,
): Result<WriteOptions, ApiStatus> {
  const given = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const errors = [...dryRunErrors(query.getAll("dryRun"))];
  const force = flag(query, "force");
  if (apply && given === "") errors.push(required("fieldManager", "is required for apply patch"));
  if (kind === "PatchOptions" && !apply && force !== undefined)
    errors.push({
      type: "FieldValueForbidden",
      field: "force",
      detail: "may not be specified for non-apply patch",
    });
  errors.push(...fieldManagerErrors(given));
  if (!validations.has(validation))
    errors.push(notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  if (errors.length > 0) return invalidOptions(kind, errors);
  return done({
    dryRun: query.getAll("dryRun").length > 0,
    fieldManager: given !== "" ? given : managerOfAgent(userAgent),
    givenFieldManager: given === "" ? undefined : given,
    fieldValidation: validation === "Ignore" || validation === "Strict" ? validation : "Warn",
    force,
  });
}

function managerOfAgent(userAgent: string | undefined): string {
  // Node decodes headers as latin1.
  const name = Buffer.from((userAgent ?? "").split("/")[0] ?? "", "latin1").toString("utf8");
  let readable = "";
  for (const letter of name) {
    if (!printable.test(letter)) continue;
    if (Buffer.byteLength(readable + letter) > longestManager) break;
    readable += letter;
  }
  return readable === "" ? "unknown" : readable;
}

export interface ListOptions {
  readonly limit: number;
  readonly continueToken: string | undefined;
  /** The empty string and an absent parameter are the same. */
  readonly resourceVersion: string | undefined;
  readonly match: "Exact" | "NotOlderThan" | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Parses and validates the options of a list or watch. */
export function listOptions(query: Query, watch: boolean): Result<ListOptions, ApiStatus> {
  const limit = integer(query, "limit");
  if (!limit.ok) return limit;
  const timeoutSeconds = integer(query, "timeoutSeconds");
  if (!timeoutSeconds.ok) return timeoutSeconds;
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const continueToken = query.get("continue") ?? "";
  const sendInitialEvents = flag(query, "sendInitialEvents");
  const problems = watch
    ? watchMatchProblems(match, continueToken, sendInitialEvents)
    : listMatchProblems(match, resourceVersion, continueToken, sendInitialEvents);
  if (problems.length > 0) return invalidOptions("ListOptions", problems);
  return done({
    limit: Math.max(0, limit.value ?? 0),
    continueToken: continueToken === "" ? undefined : continueToken,
    resourceVersion: resourceVersion === "" ? undefined : resourceVersion,
    match: match === "Exact" || match === "NotOlderThan" ? match : undefined,
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    timeoutSeconds: timeoutSeconds.value,
    bookmarks: flag(query, "allowWatchBookmarks") === true,
    sendInitialEvents,
  });
}

const forbiddenOption = (field: string, detail: string): FieldError => ({ type: "FieldValueForbidden", field, detail });

const matchField = "resourceVersionMatch";

function listMatchProblems(
  match: string,
  resourceVersion: string,
  continueToken: string,
  sendInitialEvents: boolean | undefined,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "")
      problems.push(forbiddenOption(matchField, `${matchField} is forbidden unless resourceVersion is provided`));
    if (continueToken !== "")
      problems.push(forbiddenOption(matchField, `${matchField} is forbidden when continue is provided`));
    if (match !== "Exact" && match !== "NotOlderThan")
      problems.push(notSupported(matchField, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      problems.push(forbiddenOption(matchField, `${matchField} "exact" is forbidden for resourceVersion "0"`));
  }
  if (sendInitialEvents !== undefined)
    problems.push(forbiddenOption("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return problems;
}

function watchMatchProblems(
  match: string,
  continueToken: string,
  sendInitialEvents: boolean | undefined,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    problems.push(forbiddenOption(matchField, `sendInitialEvents requires setting ${matchField} to NotOlderThan`));
  if (match !== "" && sendInitialEvents === undefined)
    problems.push(
      forbiddenOption(matchField, `${matchField} is forbidden for watch unless sendInitialEvents is provided`),
    );
  if (match !== "" && match !== "NotOlderThan") problems.push(notSupported(matchField, match, ["NotOlderThan"]));
  if (continueToken !== "")
    problems.push(forbiddenOption(matchField, `${matchField} is forbidden when continue is provided`));
  return problems;
}

/** A revision in a query. An invalid one is a 400 for lists, otherwise a 500 without a reason. */
export function parseRevision(text: string, verb: "list" | "get" | "watch"): Result<number, ApiStatus> {
  const problem = integerProblem(text, "ParseUint");
  if (problem === undefined) return done(Number(text));
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
  return verb === "list" ? badRequest(`invalid resource version: ${why}`) : unexplained(why);
}

/** Why an object's resourceVersion is invalid, with Go's error text; undefined for a valid one. */
export function revisionProblem(text: string): string | undefined {
  return integerProblem(text, "ParseUint");
}

/** `?timeout=` of any request, in milliseconds. */
export function requestTimeout(query: Query): Result<number | undefined, ApiStatus> {
  const text = query.get("timeout");
  if (text === null || text === "") return done(undefined);
  const read = goDuration(text);
  return read.ok ? read : badRequest(`invalid timeout specified in the request URL - ${read.problem}`);
}
