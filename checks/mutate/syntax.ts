// The tree of oxc-parser in the loose shape that mutation needs: every node has a type and a place, its fields vary.
import { parseSync, visitorKeys } from "oxc-parser";

export interface Syntax {
  readonly type: string;
  /** In UTF-16 units from the beginning of the text. */
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The tree of a file, or undefined when it is not valid TypeScript. */
export function parse(path: string, text: string): Syntax | undefined {
  const { program, errors } = parseSync(path, text);
  return errors.length === 0 ? (program as unknown as Syntax) : undefined;
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string";

/** A field that holds one node; undefined when it is absent or of another shape. */
export function child(node: Syntax, field: string): Syntax | undefined {
  const value = node[field];
  return isSyntax(value) ? value : undefined;
}

/** A field that holds a list of nodes; holes of array literals are left out. */
export function children(node: Syntax, field: string): readonly Syntax[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isSyntax) : [];
}

/** The name of an identifier or of the property that a member expression reads; undefined for everything else. */
export function nameOf(node: Syntax | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "ChainExpression") return nameOf(child(node, "expression"));
  return node.type === "MemberExpression" && node["computed"] !== true ? nameOf(child(node, "property")) : undefined;
}

/** Calls `visit` on every node, outer nodes first, with its ancestors, nearest first. Returns early below a node for `false`. */
export function walk(
  node: Syntax,
  visit: (node: Syntax, ancestors: readonly Syntax[]) => boolean,
  ancestors: readonly Syntax[] = [],
): void {
  if (!visit(node, ancestors)) return;
  const inside = [node, ...ancestors];
  for (const field of visitorKeys[node.type] ?? []) {
    const value = node[field];
    for (const one of Array.isArray(value) ? value : [value]) if (isSyntax(one)) walk(one, visit, inside);
  }
}
