import { done, failed, type Result } from "@purser/kubernetes/result";

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** Upstream's text for a header of which no range can be served. */
export type RangeProblem = "invalid range" | "invalid range: failed to overlap";

/** The ranges of a `Range` header over `size` bytes; ranges beyond the end are ignored unless all are. */
export function parseRanges(header: string, size: number): Result<readonly ByteRange[], RangeProblem> {
  if (!header.startsWith("bytes=")) return failed("invalid range");
  const ranges: ByteRange[] = [];
  let isOutside = false;
  for (const part of header.slice("bytes=".length).split(",")) {
    const text = part.trim();
    if (text === "") continue;
    const parsed = parseRange(text, size);
    if (parsed === "invalid") return failed("invalid range");
    if (parsed === "outside") isOutside = true;
    else ranges.push(parsed);
  }
  return isOutside && ranges.length === 0 ? failed("invalid range: failed to overlap") : done(ranges);
}

function parseRange(text: string, size: number): ByteRange | "invalid" | "outside" {
  const dash = text.indexOf("-");
  if (dash === -1) return "invalid";
  const first = text.slice(0, dash).trim();
  const last = text.slice(dash + 1).trim();
  if (first === "") {
    const wanted = wholeNumber(last);
    if (wanted === undefined) return "invalid";
    const length = Math.min(wanted, size);
    return { start: size - length, length };
  }
  const start = wholeNumber(first);
  if (start === undefined) return "invalid";
  if (start >= size) return "outside";
  if (last === "") return { start, length: size - start };
  const end = wholeNumber(last);
  if (end === undefined || end < start) return "invalid";
  return { start, length: Math.min(end, size - 1) - start + 1 };
}

function wholeNumber(text: string): number | undefined {
  return /^\+?\d{1,18}$/.test(text) ? Number(text) : undefined;
}
