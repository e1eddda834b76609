import { nearestNames } from "../../explanation/nearest-name.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { sortedKeys } from "@purser/kubernetes/text/documents";
import { foldKey, type GoShape, isPlainObject } from "../schemas/go-shape.ts";

/**
 * Why a key seems to be missing, where an unknown key has nearly its name. Unknown keys as such are no
 * fault: OLM ignores them. `undefined` fields are left out, so that the answer can be spread into a finding.
 */
export function misspelledKey(
  value: JsonValue | undefined,
  shape: GoShape,
  wanted: string,
): { readonly why?: string; readonly remedy?: string } {
  if (value === undefined || !isPlainObject(value) || shape.kind !== "struct") return {};
  const known = new Set(Object.keys(shape.fields).map(foldKey));
  const unknown = sortedKeys(value).filter((key) => !known.has(foldKey(key)));
  const [near] = nearestNames(wanted, unknown, 1);
  if (near === undefined) return {};
  return { why: `unknown key ${near}`, remedy: `rename ${near} to ${wanted}` };
}
