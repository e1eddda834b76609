// The mutations of one node, after StrykerJS's mutators (https://stryker-mutator.io/docs/mutation-testing-elements/supported-mutators).
import { isBugBranch, isCompilersDefault, isOrder, isSentence } from "./left-out.ts";
import { change, type Change } from "./change.ts";
import { callChanges } from "./call-operators.ts";
import { statementChanges } from "./statement-operators.ts";
import { child, children, type Syntax } from "./syntax.ts";

const comparisons: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
};
const logical: Readonly<Record<string, string>> = { "&&": "||", "||": "&&", "??": "&&" };
const arithmetic: Readonly<Record<string, string>> = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const assigned: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "??=": "&&=",
  "||=": "&&=",
  "&&=": "||=",
};

/** Every change of one node; `ancestors` nearest first, `text` is the whole file. */
export function changesOf(node: Syntax, ancestors: readonly Syntax[], text: string): readonly Change[] {
  return [
    ...conditionChanges(node),
    ...binaryChanges(node, ancestors, text),
    ...literalChanges(node, ancestors, text),
    ...callChanges(node, text),
    ...statementChanges(node, ancestors, text),
  ];
}

function conditionChanges(node: Syntax): readonly Change[] {
  const test = child(node, "test");
  if (test === undefined || node.type === "SwitchCase") return [];
  if (test.type === "Literal") return [];
  if (node.type !== "IfStatement" && node.type !== "ConditionalExpression") return [change("condition", test, "false")];
  const changes = [change("condition", test, "true"), change("condition", test, "false")];
  // Without its branch for a bug the program is the same.
  return isBugBranch(child(node, "consequent")) ? changes.slice(0, 1) : changes;
}

function binaryChanges(node: Syntax, ancestors: readonly Syntax[], text: string): readonly Change[] {
  const operator = String(node["operator"]);
  if (node.type === "UnaryExpression") {
    const argument = child(node, "argument");
    if (argument === undefined) return [];
    const inner = text.slice(argument.start, argument.end);
    if (operator === "!") return [change("negation", node, inner)];
    return operator === "-" && argument.type !== "Literal" ? [change("arithmetic", node, `+${inner}`)] : [];
  }
  if (node.type === "UpdateExpression") {
    const other = operator === "++" ? "--" : "++";
    return [
      change(
        "update",
        node,
        text.slice(node.start, node.end).replace(operator, () => other),
      ),
    ];
  }
  const [left, right] = [child(node, "left"), child(node, "right")];
  if (left === undefined || right === undefined) return [];
  // Parentheses keep the operands together where the other operator binds less tightly.
  const between = (other: string, isWrapped: boolean): string => {
    const joined = `${text.slice(node.start, left.end)} ${other} ${text.slice(right.start, node.end)}`;
    return isWrapped ? `(${joined})` : joined;
  };
  if (node.type === "AssignmentExpression") {
    const other = assigned[operator];
    return other === undefined || isText(right) ? [] : [change("assignment", node, between(other, false))];
  }
  if (node.type === "LogicalExpression") {
    const other = logical[operator];
    return other === undefined ? [] : [change("logical", node, between(other, true))];
  }
  if (node.type !== "BinaryExpression") return [];
  const compared = comparisons[operator] ?? [];
  if (compared.length > 0)
    return compared
      .filter((_other, at) => compared.length === 1 || at === 1 || !isOrder(node, ancestors))
      .map((other) => change(compared.length === 1 ? "equality" : "boundary", node, between(other, false)));
  const other = arithmetic[operator];
  if (other === undefined || isText(left) || isText(right)) return [];
  return [change("arithmetic", node, between(other, true))];
}

/** Texts are joined with `+`, which has no other operator. */
const isText = (node: Syntax): boolean =>
  node.type === "TemplateLiteral" ||
  (node.type === "Literal" && typeof node["value"] === "string") ||
  (node.type === "BinaryExpression" && [child(node, "left"), child(node, "right")].some((one) => one && isText(one)));

function literalChanges(node: Syntax, ancestors: readonly Syntax[], text: string): readonly Change[] {
  const [parent] = ancestors;
  if (parent === undefined || isCompilersDefault(node, ancestors)) return [];
  if (node.type === "ArrayExpression")
    return children(node, "elements").length > 0 ? [change("array", node, "[]")] : [];
  if (node.type === "ObjectExpression")
    return children(node, "properties").length > 0 ? [change("object", node, "({})")] : [];
  if (node.type === "TemplateLiteral") {
    const written = text.slice(node.start + 1, node.end - 1);
    if (parent.type === "TaggedTemplateExpression" || written === "" || isSentence(written)) return [];
    return [change("string", node, '""')];
  }
  if (node.type !== "Literal") return [];
  if (typeof node["value"] === "boolean") return [change("boolean", node, String(!node["value"]))];
  if (typeof node["value"] !== "string" || isName(node, parent) || isSentence(node["value"])) return [];
  return [change("string", node, node["value"] === "" ? '"mutated"' : '""')];
}

/** A key of an object, a field or a method, or what is read of an object by name. */
const isName = (node: Syntax, parent: Syntax): boolean =>
  child(parent, "key") === node || (parent.type === "MemberExpression" && child(parent, "property") === node);
