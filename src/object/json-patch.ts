import { isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { deepEqual } from "./semantic-equal.ts";
import { withMember } from "./json-edit.ts";

/** Which operation failed and why. The API server answers all of them with one generic text. */
export interface PatchProblem {
  /** Zero-based index of the operation; -1 when the patch itself is no list of operations. */
  readonly operation: number;
  readonly message: string;
}

/**
 * RFC 6902 as the API server's library implements it: `replace` of a missing key adds it, `test` of a missing path
 * equals null, `copy` of a missing key adds null, index `-1` appends, `add` without a value adds null. Nothing is mutated; untouched subtrees
 * are shared with `document`.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): Result<JsonValue, PatchProblem> {
  if (!Array.isArray(patch)) return failed({ operation: -1, message: "a JSON patch is a list of operations" });
  let current: JsonValue = document;
  for (const [index, step] of patch.entries()) {
    const next = isJsonObject(step) ? applyOperation(current, step) : failed("an operation is an object");
    if (!next.ok) return failed({ operation: index, message: next.problem });
    current = next.value;
  }
  return done(current);
}

function applyOperation(document: JsonValue, operation: JsonObject): Result<JsonValue, string> {
  const held = member(operation, "op");
  const op = typeof held === "string" ? held : "";
  const path = pointer(member(operation, "path"));
  if (path === undefined) return failed("path is missing or malformed");
  switch (op) {
    case "add":
      return edit(document, path, { kind: "add", value: member(operation, "value") ?? null });
    case "replace":
      return edit(document, path, { kind: "replace", value: member(operation, "value") ?? null });
    case "remove":
      return edit(document, path, { kind: "remove" });
    case "test":
      return test(document, path, member(operation, "value") ?? null);
    case "move":
    case "copy":
      return transfer(document, op, pointer(member(operation, "from")), path);
    default:
      return failed(`unexpected kind: ${op}`);
  }
}

function test(document: JsonValue, path: readonly string[], wanted: JsonValue): Result<JsonValue, string> {
  const found = read(document, path);
  if (!found.ok) return found;
  return deepEqual(found.value ?? null, wanted) ? done(document) : failed(`testing path ${path.join("/")} failed`);
}

function transfer(
  document: JsonValue,
  op: "move" | "copy",
  from: readonly string[] | undefined,
  to: readonly string[],
): Result<JsonValue, string> {
  if (from === undefined) return failed("from is missing or malformed");
  const found = read(document, from);
  if (!found.ok) return found;
  if (op === "copy") return edit(document, to, { kind: "add", value: found.value ?? null });
  if (found.value === undefined) return failed(`missing key: ${from.join("/")}`);
  const without = edit(document, from, { kind: "remove" });
  return without.ok ? edit(without.value, to, { kind: "add", value: found.value }) : without;
}

/** Undefined for a text that is no pointer. */
function pointer(text: JsonValue | undefined): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  if (text === "") return [];
  if (!text.startsWith("/")) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A missing last key reads as undefined; a missing parent fails. */
function read(document: JsonValue, path: readonly string[]): Result<JsonValue | undefined, string> {
  let current: JsonValue | undefined = document;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(current)) {
      const index = listIndex(key, current.length);
      if (index === undefined || index >= current.length) return failed(`no index ${key}`);
      current = current[index];
    } else if (isJsonObject(current)) {
      const next = member(current, key);
      if (next === undefined && depth < path.length - 1) return failed(`missing path: ${key}`);
      current = next;
    } else return failed(`missing path: ${key}`);
  }
  return done(current);
}

type Edit =
  | { readonly kind: "add"; readonly value: JsonValue }
  | { readonly kind: "replace"; readonly value: JsonValue }
  | { readonly kind: "remove" };

function edit(document: JsonValue, path: readonly string[], change: Edit): Result<JsonValue, string> {
  const [key, ...rest] = path;
  if (key === undefined) return change.kind === "remove" ? failed("cannot remove the document") : done(change.value);
  if (Array.isArray(document)) return editList(document, key, rest, change);
  if (!isJsonObject(document)) return failed(`missing path: ${key}`);
  const held = member(document, key);
  if (rest.length > 0) {
    if (held === undefined) return failed(`missing path: ${key}`);
    const inner = edit(held, rest, change);
    return inner.ok ? done(withMember(document, key, inner.value)) : inner;
  }
  if (change.kind !== "remove") return done(withMember(document, key, change.value));
  return held === undefined
    ? failed(`unable to remove nonexistent key: ${key}`)
    : done(withMember(document, key, undefined));
}

function editList(
  list: readonly JsonValue[],
  key: string,
  rest: readonly string[],
  change: Edit,
): Result<JsonValue, string> {
  const index = change.kind === "add" && rest.length === 0 && key === "-" ? list.length : listIndex(key, list.length);
  if (index === undefined) return failed(`no index ${key}`);
  const held = list[index];
  if (rest.length > 0) {
    if (held === undefined) return failed(`no index ${key}`);
    const inner = edit(held, rest, change);
    return inner.ok ? done(list.with(index, inner.value)) : inner;
  }
  switch (change.kind) {
    case "add": {
      // A negative index counts from the length AFTER the insertion, so that -1 appends.
      const place = key.startsWith("-") && key !== "-" ? index + 1 : index;
      return place > list.length
        ? failed(`index ${key} is out of range`)
        : done(list.toSpliced(place, 0, change.value));
    }
    case "replace":
      return held === undefined ? failed(`no index ${key}`) : done(list.with(index, change.value));
    case "remove":
      return held === undefined ? failed(`no index ${key}`) : done(list.toSpliced(index, 1));
  }
}

/** Counted from the end when negative; undefined when it is no index of a list this long. */
function listIndex(key: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,15}$/.test(key)) return undefined;
  const index = Number(key);
  if (index >= 0) return index;
  return -index > length + 1 ? undefined : index + length;
}
