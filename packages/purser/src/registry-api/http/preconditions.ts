import { parseHttpDate } from "./http-date.ts";

/** Request headers by lower-case name. */
export type RequestHeaders = ReadonlyMap<string, string>;

export type Precondition = "go on" | "not modified" | "failed" | "malformed date";

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Evaluates the conditional headers of a GET or HEAD for content that has a date but no entity tag (RFC 9110, 13.2.2).
 * An invalid date is a separate result, because upstream's two endpoints handle it differently.
 */
export function checkPreconditions(headers: RequestHeaders, modifiedMs: number): Precondition {
  const match = headers.get("if-match") ?? "";
  if (match !== "") {
    if (match.trim() !== "*") return "failed";
  } else {
    const since = parseHttpDate(headers.get("if-unmodified-since") ?? "");
    if (since !== undefined && wholeSeconds(modifiedMs) > wholeSeconds(since)) return "failed";
  }
  const noneMatch = headers.get("if-none-match") ?? "";
  if (noneMatch !== "") return noneMatch.trim() === "*" ? "not modified" : "go on";
  const modifiedSince = headers.get("if-modified-since") ?? "";
  if (modifiedSince === "") return "go on";
  const since = parseHttpDate(modifiedSince);
  if (since === undefined) return "malformed date";
  return wholeSeconds(modifiedMs) <= wholeSeconds(since) ? "not modified" : "go on";
}

/** Whether the `Range` header applies: `If-Range` must be absent or equal to the date of the content. */
export function rangeApplies(headers: RequestHeaders, modifiedMs: number): boolean {
  const condition = headers.get("if-range") ?? "";
  if (condition === "") return true;
  const date = parseHttpDate(condition);
  return date !== undefined && wholeSeconds(date) === wholeSeconds(modifiedMs);
}
