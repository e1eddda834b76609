/** A parsed CEL expression. `at` is the zero-based offset that error messages point to. */
export type Expr =
  | { readonly kind: "literal"; readonly value: LiteralValue; readonly at: number }
  | { readonly kind: "name"; readonly name: string; readonly at: number }
  | {
      readonly kind: "select";
      readonly from: Expr;
      readonly field: string;
      readonly optional: boolean;
      readonly at: number;
    }
  | { readonly kind: "has"; readonly from: Expr; readonly field: string; readonly at: number }
  | {
      readonly kind: "index";
      readonly from: Expr;
      readonly index: Expr;
      readonly optional: boolean;
      readonly at: number;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly target?: Expr;
      readonly args: readonly Expr[];
      readonly at: number;
    }
  | { readonly kind: "list"; readonly items: readonly Expr[]; readonly at: number }
  | { readonly kind: "map"; readonly entries: readonly (readonly [Expr, Expr])[]; readonly at: number }
  | { readonly kind: "and" | "or"; readonly left: Expr; readonly right: Expr; readonly at: number }
  | {
      readonly kind: "if";
      readonly condition: Expr;
      readonly yes: Expr;
      readonly no: Expr;
      readonly at: number;
    }
  | Loop;

export type LiteralValue =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int" | "uint"; readonly value: bigint }
  | { readonly kind: "double"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "bytes"; readonly value: Uint8Array };

/** A comprehension macro: evaluates `body` for each element. */
export interface Loop {
  readonly kind: "loop";
  readonly macro:
    | "all"
    | "exists"
    | "existsOne"
    | "map"
    | "filter"
    | "sortBy"
    | "transformList"
    | "transformMap"
    | "transformMapEntry"
    | "optMap"
    | "optFlatMap";
  readonly over: Expr;
  /** One variable name; two for key and value (index and item). */
  readonly variables: readonly string[];
  readonly filter?: Expr;
  readonly body: Expr;
  readonly at: number;
}

/** The parts of an expression, in the order of the source. */
export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case "literal":
    case "name":
      return [];
    case "select":
    case "has":
      return [node.from];
    case "index":
      return [node.from, node.index];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "list":
      return node.items;
    case "map":
      return node.entries.flat();
    case "and":
    case "or":
      return [node.left, node.right];
    case "if":
      return [node.condition, node.yes, node.no];
    case "loop":
      return [node.over, ...(node.filter === undefined ? [] : [node.filter]), node.body];
  }
}

/** Names of the free variables of an expression. */
export function freeNames(expression: Expr): ReadonlySet<string> {
  const names = new Set<string>();
  collect(expression, new Set(), names);
  return names;
}

function collect(node: Expr, bound: ReadonlySet<string>, names: Set<string>): void {
  switch (node.kind) {
    case "literal":
      return;
    case "name":
      if (!bound.has(node.name)) names.add(node.name);
      return;
    case "select":
    case "has":
      collect(node.from, bound, names);
      return;
    case "index":
      collect(node.from, bound, names);
      collect(node.index, bound, names);
      return;
    case "call":
      if (node.target !== undefined) collect(node.target, bound, names);
      for (const argument of node.args) collect(argument, bound, names);
      return;
    case "list":
      for (const item of node.items) collect(item, bound, names);
      return;
    case "map":
      for (const entry of node.entries) for (const part of entry) collect(part, bound, names);
      return;
    case "and":
    case "or":
      collect(node.left, bound, names);
      collect(node.right, bound, names);
      return;
    case "if":
      collect(node.condition, bound, names);
      collect(node.yes, bound, names);
      collect(node.no, bound, names);
      return;
    case "loop": {
      collect(node.over, bound, names);
      const inner = new Set([...bound, ...node.variables]);
      if (node.filter !== undefined) collect(node.filter, inner, names);
      collect(node.body, inner, names);
    }
  }
}
