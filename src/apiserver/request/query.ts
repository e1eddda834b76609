import type { ApiStatus } from "../../apis/object-write.ts";
import type { FieldError } from "../../object/field-error.ts";
import { notSupported, required } from "../../object/field-error.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import { badRequest, invalidOptions, unexplained } from "./refusal.ts";

export type Query = URLSearchParams;

/** Go's `strconv.ParseBool`, as query parameters are read; other texts count as true. */
export function flag(query: Query, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return !(text === "" || /^(0|f|false|F|FALSE|False)$/.test(text));
}

function integer(query: Query, name: string): Result<number | undefined, ApiStatus> {
  const text = query.get(name);
  if (text === null || text === "") return done(undefined);
  if (!/^[+-]?\d+$/.test(text)) return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return done(Number(text));
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** As the client sent it; webhooks are told. */
  readonly givenFieldManager: string | undefined;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly force: boolean | undefined;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const validations: ReadonlySet<string> = new Set(["", "Ignore", "Strict", "Warn"]);

function fieldManagerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > 128)
    errors.push({ type: "FieldValueTooLong", field: "fieldManager", detail: "may not be more than 128 bytes" });
  let position = 0;
  for (const character of manager) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f || (code >= 0x80 && code < 0xa0)) {
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      const detail = `invalid character ${name} (at position ${position})`;
      errors.push({ type: "FieldValueInvalid", field: "fieldManager", badValue: manager, detail });
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
  const name = (userAgent ?? "").split("/")[0] ?? "";
  const printable = name.replaceAll(/[^ -~]/g, "");
  return printable === "" ? "unknown" : printable.slice(0, 128);
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

/** Reads and checks the options of a list or watch. */
export function listOptions(query: Query, watch: boolean): Result<ListOptions, ApiStatus> {
  const limit = integer(query, "limit");
  if (!limit.ok) return limit;
  const timeoutSeconds = integer(query, "timeoutSeconds");
  if (!timeoutSeconds.ok) return timeoutSeconds;
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const continueToken = query.get("continue") ?? "";
  const sendInitialEvents = flag(query, "sendInitialEvents");
  const problem = watch
    ? watchMatchProblem(match, sendInitialEvents)
    : listMatchProblem(match, resourceVersion, continueToken, sendInitialEvents);
  if (problem !== undefined) return invalidOptions("ListOptions", [problem]);
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

function listMatchProblem(
  match: string,
  resourceVersion: string,
  continueToken: string,
  sendInitialEvents: boolean | undefined,
): FieldError | undefined {
  if (sendInitialEvents !== undefined)
    return forbiddenOption("sendInitialEvents", "sendInitialEvents is forbidden for list");
  if (match === "") return undefined;
  if (continueToken !== "")
    return forbiddenOption("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  if (resourceVersion === "")
    return forbiddenOption(
      "resourceVersionMatch",
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    );
  if (match !== "Exact" && match !== "NotOlderThan")
    return notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]);
  return match === "Exact" && resourceVersion === "0"
    ? forbiddenOption("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    : undefined;
}

function watchMatchProblem(match: string, sendInitialEvents: boolean | undefined): FieldError | undefined {
  if (sendInitialEvents === undefined)
    return match === ""
      ? undefined
      : forbiddenOption(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        );
  if (match === "NotOlderThan") return undefined;
  return match === ""
    ? forbiddenOption("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    : notSupported("resourceVersionMatch", match, ["NotOlderThan"]);
}

/** A revision in a query. Lists answer a broken one with 400, everything else with a 500 that has no reason. */
export function parseRevision(text: string, verb: "list" | "get" | "watch"): Result<number, ApiStatus> {
  if (/^\d+$/.test(text)) return done(Number(text));
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return verb === "list" ? badRequest(`invalid resource version: ${why}`) : unexplained(why);
}

/** `?timeout=` of any request, in milliseconds. */
export function requestTimeout(query: Query): Result<number | undefined, ApiStatus> {
  const text = query.get("timeout");
  if (text === null || text === "") return done(undefined);
  const milliseconds = goDuration(text);
  return milliseconds === undefined
    ? badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`)
    : done(milliseconds);
}

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A Go duration such as `1m30s` in milliseconds. */
export function goDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    total += Number(number) * (units[unit] ?? 0);
  return text.startsWith("-") ? -total : total;
}
