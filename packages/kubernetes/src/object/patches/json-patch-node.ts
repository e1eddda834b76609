import { compareBytes } from "../../text/members.ts";
import { endOfJsonString, htmlSafeJson } from "../../text/go-json.ts";
import { LongList } from "../apply/long-list.ts";
import { maxDepth, TextError } from "../../text/problem.ts";
import { WrittenJson } from "../../text/written-json.ts";

/**
 * A value of a document under a JSON patch, parsed only as far as the operations reach into it. The rest stays
 * the original text: numbers keep their form, duplicate members stay, keys keep their order. Undefined is an absent value
 * or null, as in kube-apiserver's JSON patch library: a path cannot continue through either.
 */
export type PatchNode = RawNode | undefined;

export class RawNode {
  readonly #written: WrittenJson;
  #members: Map<string, PatchNode> | undefined;
  #items: LongList<PatchNode> | undefined;

  constructor(written: WrittenJson) {
    this.#written = written;
  }

  /** As it came. */
  get text(): string {
    return this.#written.text;
  }

  /** Opens the value as the object or list that it is; undefined for a scalar. */
  open(): Map<string, PatchNode> | LongList<PatchNode> | undefined {
    if (this.#members !== undefined || this.#items !== undefined) return this.#members ?? this.#items;
    const members = this.#written.members();
    if (members !== undefined) return (this.#members = new Map(members.map(([key, held]) => [key, nodeFrom(held)])));
    const items = this.#written.items();
    if (items !== undefined) this.#items = new LongList(items.map(nodeFrom));
    return this.#items;
  }

  /** See {@link textOf}; `depth` levels stand around it. */
  write(depth: number): string {
    if (depth > maxDepth) throw new TextError("tooDeep", 0, "exceeded max depth");
    if (this.#members !== undefined) {
      const entries = [...this.#members].sort(([a], [b]) => compareBytes(a, b));
      const texts = entries.map(([key, held]) => `${htmlSafeJson(JSON.stringify(key))}:${textOf(held, depth + 1)}`);
      return `{${texts.join(",")}}`;
    }
    if (this.#items === undefined) return htmlSafeJson(compactJson(this.text));
    return `[${Array.from(this.#items, (item) => textOf(item, depth + 1)).join(",")}]`;
  }
}

/**
 * As Go's encoder writes it: what was opened with its keys sorted, all else as it stood.
 * @throws {TextError} when operations have built what is nested deeper than any text may be
 */
export function textOf(node: PatchNode, depth = 0): string {
  return node === undefined ? "null" : node.write(depth);
}

/** The node of a JSON text; null has none. */
export function nodeOf(text: string): PatchNode {
  return nodeFrom(WrittenJson.of(text));
}

function nodeFrom(written: WrittenJson): PatchNode {
  return written.isNull ? undefined : new RawNode(written);
}

/** Whether two values are the same: scalars are, when they are written alike. Opens both. */
export function sameNodes(a: PatchNode, b: PatchNode): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [left, right] = [a.open(), b.open()];
  if (left === undefined || right === undefined) return left === right && a.text === b.text;
  if (left instanceof LongList) return right instanceof LongList && sameItems(left, right);
  if (right instanceof LongList || left.size !== right.size) return false;
  for (const [key, held] of left) if (!right.has(key) || !sameNodes(held, right.get(key))) return false;
  return true;
}

function sameItems(left: LongList<PatchNode>, right: LongList<PatchNode>): boolean {
  if (left.length !== right.length) return false;
  const others = right[Symbol.iterator]();
  for (const item of left) if (!sameNodes(item, others.next().value)) return false;
  return true;
}

/** Without the blanks between its tokens. */
function compactJson(text: string): string {
  if (!/\s/.test(text)) return text;
  let out = "";
  let from = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', from)) {
    const end = endOfJsonString(text, at);
    out += text.slice(from, at).replaceAll(/\s+/g, "") + text.slice(at, end);
    from = end;
  }
  return out + text.slice(from).replaceAll(/\s+/g, "");
}
