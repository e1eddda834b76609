import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** Bytes of a request body. */
export const mostBodyBytes = 2 ** 20;
const mostQueryBytes = 100_000;

/** The text of `query` in the body of a request, `undefined` for a body that is too large; else catalogd's words for why it is refused. */
export function queryOf(body: string | undefined): Result<string, string> {
  const query = body === undefined ? undefined : queryIn(body);
  if (query === undefined) return failed("Invalid request body");
  if (query === "") return failed("Query cannot be empty");
  return new TextEncoder().encode(query).length > mostQueryBytes ? failed("Query too large") : done(query);
}

/** As Go decodes it: a missing or null `query` is empty, and the case of its name does not matter. */
function queryIn(body: string): string | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
  if (value === null) return "";
  if (!isJsonObject(value)) return undefined;
  const query = Object.entries(value).findLast(([name]) => name.toLowerCase() === "query")?.[1] ?? "";
  return typeof query === "string" ? query : undefined;
}
