import { parseHttpDate } from "./http-date.ts";

/** Request headers by lower-case name. */
export type RequestHeaders = ReadonlyMap<string, string>;

export type Precondition = "go on" | "not modified" | "failed" | "malformed date";

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Evaluates the conditional headers of a GET or HEAD for content that has a date, and a weak entity tag or none (RFC 9110, 13.2.2).
 * A weak tag never satisfies `If-Match`.
 * An invalid date is a separate result, because upstream's two endpoints handle it differently.
 */
export function checkPreconditions(headers: RequestHeaders, modifiedMs: number, tag?: string): Precondition {
  const match = headers.get("if-match") ?? "";
  if (match !== "") {
    if (match.trim() !== "*") return "failed";
  } else {
    const since = parseHttpDate(headers.get("if-unmodified-since") ?? "");
    if (since !== undefined && wholeSeconds(modifiedMs) > wholeSeconds(since)) return "failed";
  }
  const noneMatch = headers.get("if-none-match") ?? "";
  if (noneMatch !== "") return noneMatch.trim() === "*" || names(noneMatch, tag) ? "not modified" : "go on";
  const modifiedSince = headers.get("if-modified-since") ?? "";
  if (modifiedSince === "") return "go on";
  const since = parseHttpDate(modifiedSince);
  if (since === undefined) return "malformed date";
  return wholeSeconds(modifiedMs) <= wholeSeconds(since) ? "not modified" : "go on";
}

/** Whether a list of entity tags has this one, weak or strong. */
function names(list: string, tag: string | undefined): boolean {
  return tag !== undefined && Array.from(list.matchAll(/"[^"]*"/g), ([found]) => found).includes(`"${tag}"`);
}

/** Whether the `Range` header applies: `If-Range` must be absent or equal to the date of the content. */
export function rangeApplies(headers: RequestHeaders, modifiedMs: number): boolean {
  const condition = headers.get("if-range") ?? "";
  if (condition === "") return true;
  const date = parseHttpDate(condition);
  return date !== undefined && wholeSeconds(date) === wholeSeconds(modifiedMs);
}
