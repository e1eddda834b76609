import { compareBytes } from "../text/members.ts";
import { endOfJsonString, htmlSafeJson } from "../text/go-json.ts";
import { jsonItems, jsonMembers } from "../text/json-members.ts";

/**
 * A value of a document under a JSON patch, read no further than an operation led. What nobody opened stays the text that it
 * came as: numbers keep their form, members that stand twice stay twice, keys keep their order. Undefined is an absent value
 * or null, as the reference's library has it: neither can be led through.
 */
export type PatchNode = RawNode | undefined;

export class RawNode {
  readonly text: string;
  #members: Map<string, PatchNode> | undefined;
  #items: PatchNode[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Opens the value as the object or list that it is; undefined for a scalar. */
  open(): Map<string, PatchNode> | PatchNode[] | undefined {
    if (this.#members !== undefined || this.#items !== undefined) return this.#members ?? this.#items;
    const first = this.text.trimStart().charAt(0);
    if (first === "{")
      return (this.#members = new Map(jsonMembers(this.text).map(([key, held]) => [key, nodeOf(held)])));
    if (first === "[") return (this.#items = jsonItems(this.text).map(nodeOf));
    return undefined;
  }

  replaceItems(items: PatchNode[]): void {
    this.#items = items;
  }

  /** As Go's encoder writes it: what was opened with its keys sorted, all else as it stood. */
  toString(): string {
    if (this.#members !== undefined) {
      const entries = [...this.#members].sort(([a], [b]) => compareBytes(a, b));
      return `{${entries.map(([key, held]) => `${htmlSafeJson(JSON.stringify(key))}:${textOf(held)}`).join(",")}}`;
    }
    return this.#items === undefined ? htmlSafeJson(compactJson(this.text)) : `[${this.#items.map(textOf).join(",")}]`;
  }
}

export function textOf(node: PatchNode): string {
  return node === undefined ? "null" : node.toString();
}

/** The node of a JSON text; null has none. */
export function nodeOf(text: string): PatchNode {
  return text.trim() === "null" ? undefined : new RawNode(text);
}

/** Whether two values are the same: scalars are, when they are written alike. Opens both. */
export function sameNodes(a: PatchNode, b: PatchNode): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [left, right] = [a.open(), b.open()];
  if (left === undefined || right === undefined) return left === right && a.text.trim() === b.text.trim();
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item: PatchNode, index) => sameNodes(item, right[index]))
    );
  if (Array.isArray(right) || left.size !== right.size) return false;
  for (const [key, held] of left) if (!right.has(key) || !sameNodes(held, right.get(key))) return false;
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
