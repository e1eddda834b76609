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
  const text = member(operation, "path");
  const path = pointer(text);
  if (path === undefined || typeof text !== "string") return failed("path is missing or malformed");
  const value = member(operation, "value") ?? null;
  // The whole document can be replaced and tested, nothing else.
  if (path.length === 0 && op !== "replace" && op !== "test") return failed("missing path");
  switch (op) {
    case "add":
    case "remove":
      if (!hasParent(document, path)) return missing(`${op} operation does not apply: doc is missing path: "${text}"`);
      return told(edit(document, path, op === "add" ? { kind: "add", value } : { kind: "remove" }), op, text);
    case "replace":
      if (!hasParent(document, path)) return missing(`replace operation does not apply: doc is missing path: ${text}`);
      return told(edit(document, path, { kind: "replace", value }), op, text);
    case "test":
      if (!hasParent(document, path)) return missing(`test operation does not apply: is missing path: ${text}`);
      return test(document, path, value);
    case "move":
    case "copy":
      return transfer(document, op, member(operation, "from"), text);
    default:
      return failed(`unexpected kind: ${op}`);
  }
}

/** In the words of the library that the API server uses; webhooks' patches show them. */
function missing(what: string): Result<never, string> {
  return failed(`${what}: missing value`);
}

function told(result: Result<JsonValue, string>, op: string, path: string): Result<JsonValue, string> {
  return result.ok ? result : failed(`error in ${op} for path: '${path}': ${result.problem}`);
}

function hasParent(document: JsonValue, path: readonly string[]): boolean {
  if (path.length === 0) return true;
  const parent = read(document, path.slice(0, -1));
  return parent.ok && (Array.isArray(parent.value) || isJsonObject(parent.value));
}

function test(document: JsonValue, path: readonly string[], wanted: JsonValue): Result<JsonValue, string> {
  const found = read(document, path);
  if (!found.ok) return found;
  return deepEqual(found.value ?? null, wanted)
    ? done(document)
    : failed(`testing value /${path.join("/")} failed: test failed`);
}

function transfer(
  document: JsonValue,
  op: "move" | "copy",
  fromText: JsonValue | undefined,
  toText: string,
): Result<JsonValue, string> {
  const from = pointer(fromText);
  if (from === undefined || typeof fromText !== "string") return failed("from is missing or malformed");
  const to = pointer(toText) ?? [];
  const absent = `${op} operation does not apply: doc is missing`;
  if (!hasParent(document, from)) return missing(`${absent} from path: ${fromText}`);
  const found = read(document, from);
  if (!found.ok) return told(found, op, fromText);
  if (op === "move" && found.value === undefined) return told(failed(`missing key: ${fromText}`), op, fromText);
  const rest = op === "copy" ? done(document) : edit(document, from, { kind: "remove" });
  if (!rest.ok) return told(rest, op, fromText);
  if (!hasParent(rest.value, to)) return missing(`${absent} destination path: ${toText}`);
  return told(edit(rest.value, to, { kind: "add", value: found.value ?? null }), op, toText);
}

/** Undefined for a text that is no pointer. */
function pointer(text: JsonValue | undefined): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  if (text === "") return [];
  // What stands before the first slash is lost, whether it is empty or not.
  const [, ...parts] = text.split("/");
  if (parts.length === 0) return undefined;
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
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
    ? missing(`unable to remove nonexistent key: ${key}`)
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
