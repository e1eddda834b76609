import { digitsOf, type JsonValue } from "../json.ts";
import { goJson } from "../text/go-json.ts";

/** A decoded JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`. */
export function goText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value !== "object" || digitsOf(value) !== undefined) return goJson(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => goText(item)).join(" ")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, held]) => `${key}:${goText(held)}`).join(" ")}]`;
}
