import { isJsonObject, type JsonValue } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { allSteps, type Steps } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";
import { parseJson } from "../../text/json-document.ts";
import { LongList } from "../apply/long-list.ts";
import { TextError } from "../../text/problem.ts";
import { nodeOf, type PatchNode, type RawNode, sameNodes, textOf } from "./json-patch-node.ts";

/** Which operation failed and why, in the words of the library that the API server uses; webhooks' patches show them. */
export interface PatchProblem {
  /** Zero-based index of the operation; -1 when the patch itself is no list of operations. */
  readonly operation: number;
  readonly message: string;
}

/**
 * RFC 6902 as the API server's library implements it: `replace` of a missing key adds it, `test` of a missing path
 * equals null, `copy` of a missing key adds null, index `-1` appends, `add` without a value adds null. Nothing is mutated.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): Result<JsonValue, PatchProblem> {
  if (!Array.isArray(patch)) return failed({ operation: -1, message: "a JSON patch is a list of operations" });
  const strange = (patch as readonly JsonValue[]).findIndex((step) => !isJsonObject(step));
  if (strange >= 0) return failed({ operation: strange, message: "an operation is an object" });
  const result = allSteps(patchJsonText(goJson(document), goJson(patch)));
  return result.ok ? done(parseJson(result.value)) : result;
}

/**
 * As {@link applyJsonPatch}, from text to text. Both must be JSON, the patch a list of objects and nulls. What no operation
 * led through stays as it is written; of the rest keys come sorted.
 */
export function* patchJsonText(document: string, patch: string): Steps<Result<string, PatchProblem>> {
  let root: PatchNode = nodeOf(document);
  yield;
  const operations = nodeOf(patch)?.open();
  const copies = new Copies();
  let index = 0;
  try {
    for (const operation of operations instanceof LongList ? operations : []) {
      const members = operation?.open();
      const next = applyOperation(root, members instanceof Map ? members : new Map<string, PatchNode>(), copies);
      if (!next.ok) return failed({ operation: index, message: next.problem });
      root = next.value;
      index++;
      if (index % operationsPerStep === 0 || copies.isDue()) yield;
    }
    yield;
    return done(textOf(root));
  } catch (error) {
    if (error instanceof TextError) return failed({ operation: Math.max(0, index - 1), message: error.message });
    throw error;
  }
}

/** Some milliseconds when each operation has a long path. */
const operationsPerStep = 500;

/** Bytes that the copies of one patch may add: a few operations could double a document without end. */
const copyLimit = 3_145_728;

/** Writing that many bytes of copies takes some milliseconds. */
const copiedPerStep = 64 * 1024;

class Copies {
  #bytes = 0;
  #bytesAtPause = 0;

  /** True when so much was copied since the last pause that it is time for another one. */
  isDue(): boolean {
    if (this.#bytes - this.#bytesAtPause < copiedPerStep) return false;
    this.#bytesAtPause = this.#bytes;
    return true;
  }

  copy(node: PatchNode): Result<PatchNode, string> {
    if (node === undefined) return done(undefined);
    const text = textOf(node);
    this.#bytes += new TextEncoder().encode(text).length;
    return this.#bytes > copyLimit
      ? failed(
          `Unable to complete the copy, the accumulated size increase of copy is ${this.#bytes}, exceeding the limit ${copyLimit}`,
        )
      : done(nodeOf(text));
  }
}

type Operation = ReadonlyMap<string, PatchNode>;
type Container = ReturnType<RawNode["open"]>;

function stringOf(operation: Operation, key: string): string | undefined {
  const text = operation.get(key)?.text;
  if (text === undefined) return undefined;
  const value = parseJson(text);
  return typeof value === "string" ? value : undefined;
}

function applyOperation(root: PatchNode, operation: Operation, copies: Copies): Result<PatchNode, string> {
  const op = stringOf(operation, "op") ?? "unknown";
  switch (op) {
    case "add":
    case "remove":
    case "replace":
    case "test": {
      const path = stringOf(operation, "path");
      if (path === undefined) return failed(`${op} operation failed to decode path: missing value`);
      if (path === "" && op === "replace") return replaceRoot(operation);
      if (path === "" && op === "test") return testNode(root, operation, root, path);
      return applyAt(root, op, operation, path);
    }
    case "move":
    case "copy":
      return transfer(root, op, operation, copies);
    default:
      return failed(`Unexpected kind: ${op}`);
  }
}

function replaceRoot(operation: Operation): Result<PatchNode, string> {
  const value = operation.get("value");
  return value?.open() === undefined
    ? failed("replace operation value must be object or array: %!w(<nil>)")
    : done(value);
}

function testNode(root: PatchNode, operation: Operation, found: PatchNode, path: string): Result<PatchNode, string> {
  return sameNodes(found, operation.get("value")) ? done(root) : failed(`testing value ${path} failed: test failed`);
}

function applyAt(
  root: PatchNode,
  op: "add" | "remove" | "replace" | "test",
  operation: Operation,
  path: string,
): Result<PatchNode, string> {
  const at = find(root, path);
  const shown = op === "add" || op === "remove" ? `"${path}"` : path;
  if (at === undefined)
    return failed(
      `${op} operation does not apply: ${op === "test" ? "" : "doc "}is missing path: ${shown}: missing value`,
    );
  const value = operation.get("value");
  switch (op) {
    case "add":
      return within(add(at, value), root, `error in add for path: '${path}'`);
    case "remove":
      return within(remove(at), root, `error in remove for path: '${path}'`);
    case "replace":
      if (!get(at).ok) return failed(`replace operation does not apply: doc is missing key: ${path}: missing value`);
      return within(set(at, value), root, `error in remove for path: '${path}'`);
    case "test": {
      const found = get(at);
      return found.ok
        ? testNode(root, operation, found.value, path)
        : failed(`error in test for path: '${path}': ${found.problem}`);
    }
  }
}

function transfer(
  root: PatchNode,
  op: "move" | "copy",
  operation: Operation,
  copies: Copies,
): Result<PatchNode, string> {
  const from = stringOf(operation, "from");
  if (from === undefined)
    return failed(`${op} operation failed to decode from: operation, missing from field: missing value`);
  const source = find(root, from);
  if (source === undefined)
    return failed(`${op} operation does not apply: doc is missing from path: ${from}: missing value`);
  const found = get(source);
  const trouble = op === "move" ? `error in move for path: '${source.key}'` : `error in copy for from: '${from}'`;
  if (!found.ok) return failed(`${trouble}: ${found.problem}`);
  if (op === "move") {
    const removed = remove(source);
    if (!removed.ok) return failed(`${trouble}: ${removed.problem}`);
  }
  const path = stringOf(operation, "path");
  if (path === undefined) return failed(`${op} operation failed to decode path: missing value`);
  const target = find(root, path);
  if (target === undefined)
    return failed(`${op} operation does not apply: doc is missing destination path: ${path}: missing value`);
  const value = op === "move" ? found : copies.copy(found.value);
  if (!value.ok) return value;
  const context = op === "move" ? `error in move for path: '${path}'` : "error while adding value during copy";
  return within(add(target, value.value), root, context);
}

function within(result: Result<void, string>, root: PatchNode, context: string): Result<PatchNode, string> {
  return result.ok ? done(root) : failed(`${context}: ${result.problem}`);
}

/** Where an operation acts: the container that its path leads to, and the last part of the path. */
interface Spot {
  readonly container: NonNullable<Container>;
  readonly key: string;
}

/** Undefined when the way there is missing. What stands before the first slash is lost, whether it is empty or not. */
function find(root: PatchNode, path: string): Spot | undefined {
  const [, ...parts] = path.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.pop();
  if (key === undefined) return undefined;
  let node = root;
  for (const part of parts) {
    const container = node?.open();
    if (container === undefined) return undefined;
    const next = get({ container, key: part });
    if (!next.ok) return undefined;
    node = next.value;
  }
  const container = node?.open();
  return container === undefined ? undefined : { container, key };
}

function get({ container, key }: Spot): Result<PatchNode, string> {
  if (container instanceof Map) return done(container.get(key));
  const index = existingIndex(key, container.length);
  return index.ok ? done(container.get(index.value)) : index;
}

/** Only for what {@link get} finds. */
function set({ container, key }: Spot, value: PatchNode): Result<void, string> {
  if (container instanceof Map) {
    container.set(key, value);
    return done(undefined);
  }
  const index = existingIndex(key, container.length);
  if (!index.ok) return index;
  container.set(index.value, value);
  return done(undefined);
}

function add({ container, key }: Spot, value: PatchNode): Result<void, string> {
  if (container instanceof Map) {
    container.set(key, value);
    return done(undefined);
  }
  if (key === "-") {
    container.insert(container.length, value);
    return done(undefined);
  }
  const given = parseIndex(key);
  if (!given.ok) return failed(`value was not a proper array index: '${key}': ${given.problem}`);
  // A negative index counts from the length AFTER the insertion, so that -1 appends.
  const index = placed(given.value, container.length + 1);
  if (!index.ok) return index;
  container.insert(index.value, value);
  return done(undefined);
}

function remove({ container, key }: Spot): Result<void, string> {
  if (container instanceof Map)
    return container.delete(key) ? done(undefined) : failed(`Unable to remove nonexistent key: ${key}: missing value`);
  const index = existingIndex(key, container.length);
  if (!index.ok) return index;
  container.remove(index.value);
  return done(undefined);
}

function existingIndex(key: string, length: number): Result<number, string> {
  const given = parseIndex(key);
  return given.ok ? placed(given.value, length) : given;
}

/** As Go's `strconv.Atoi`. */
function parseIndex(key: string): Result<number, string> {
  const quoted = JSON.stringify(key);
  if (!/^[+-]?\d+$/.test(key)) return failed(`strconv.Atoi: parsing ${quoted}: invalid syntax`);
  const value = BigInt(key.replace("+", ""));
  return BigInt.asIntN(64, value) === value
    ? done(Number(value))
    : failed(`strconv.Atoi: parsing ${quoted}: value out of range`);
}

/** A negative index counts from the end. */
function placed(index: number, length: number): Result<number, string> {
  return index >= length || index < -length
    ? failed(`Unable to access invalid index: ${index}: invalid index referenced`)
    : done(index < 0 ? index + length : index);
}
