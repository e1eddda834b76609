// What is not mutated, by rule: types, logging, texts for people, and places where no test could see a difference.
import { child, children, nameOf, type Syntax } from "./syntax.ts";

/** Wrappers that are types only at their end. */
const withValue = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** True for nodes below which nothing is mutated. */
export function isLeftOut(node: Syntax, [parent]: readonly Syntax[]): boolean {
  if (node.type.startsWith("TS")) return !withValue.has(node.type);
  if (/^(Import|ExportAll|Directive)/.test(node.type) || node["declare"] === true) return true;
  if (isLogging(node) || isLogStatement(node) || isEngineFlag(node)) return true;
  if (node.type === "ExportNamedDeclaration" && child(node, "declaration") === undefined) return true;
  // An exception reports a bug or a broken world; its text is for developers.
  if (parent !== undefined && isError(parent) && children(parent, "arguments").includes(node)) return true;
  return node.type === "IfStatement" && isLoggingAlone(node);
}

/** `console.error(...)`, `log(...)`, `this.#log(...)`. */
function isLogging(node: Syntax): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = child(node, "callee");
  if (callee === undefined) return false;
  const object = child(callee, "object");
  const property = child(callee, "property");
  return (
    nameOf(callee) === "log" ||
    nameOf(object) === "console" ||
    (property?.type === "PrivateIdentifier" && property["name"] === "log")
  );
}

/** `setFlagsFromString(...);` of `node:v8`: flags of the JavaScript engine change speed and memory, no result. */
const isEngineFlag = (node: Syntax): boolean => {
  const call = node.type === "ExpressionStatement" ? child(node, "expression") : undefined;
  return call?.type === "CallExpression" && nameOf(child(call, "callee")) === "setFlagsFromString";
};

const isError = (node: Syntax): boolean =>
  node.type === "NewExpression" && (nameOf(child(node, "callee")) ?? "").endsWith("Error");

const isLogStatement = (node: Syntax): boolean => {
  const expression = node.type === "ExpressionStatement" ? child(node, "expression") : undefined;
  return expression !== undefined && isLogging(expression);
};

/** A condition that decides only whether something is logged. */
const isLoggingAlone = (node: Syntax): boolean =>
  child(node, "alternate") === undefined && statementsOf(child(node, "consequent")).every(isLogStatement);

const statementsOf = (node: Syntax | undefined): readonly Syntax[] =>
  node === undefined ? [] : node.type === "BlockStatement" ? children(node, "body") : [node];

/** A branch that does nothing but throw an `Error`: nothing reaches it while there is no bug. */
export const isBugBranch = (node: Syntax | undefined): boolean => {
  const [only, more] = statementsOf(node);
  const thrown = only?.type === "ThrowStatement" ? child(only, "argument") : undefined;
  return more === undefined && thrown !== undefined && isError(thrown);
};

/** Two words with a space between them: a text for people, compared as a whole where it matters. */
export const isSentence = (text: string): boolean => /[\p{L})},.:;'"] +[\p{L}({'"$]/u.test(text);

/** Fields of `metadata` that the types leave open and every stored object has. */
const alwaysSet = new Set(["name", "namespace", "uid", "resourceVersion"]);

/**
 * A value that only the compiler asks for: what stands for an element that is always there, `list[0] ?? ""`,
 * `const [first = ""] = list`, `metadata.name ?? ""` and `const { name = "" } = metadata`.
 */
export function isCompilersDefault(node: Syntax, ancestors: readonly Syntax[]): boolean {
  const [parent, grandparent, pattern, source] = ancestors;
  if (parent === undefined) return false;
  if (parent.type === "AssignmentPattern") {
    if (child(parent, "right") !== node) return false;
    if (grandparent?.type === "ArrayPattern") return true;
    const isField = grandparent?.type === "Property" && alwaysSet.has(nameOf(child(grandparent, "key")) ?? "");
    return isField && pattern !== undefined && source !== undefined && takesMetadata(pattern, source);
  }
  const left = child(parent, "left");
  return (
    parent.type === "LogicalExpression" &&
    parent["operator"] === "??" &&
    child(parent, "right") === node &&
    left?.type === "MemberExpression" &&
    (left["computed"] === true || (nameOf(child(left, "object")) === "metadata" && alwaysSet.has(nameOf(left) ?? "")))
  );
}

/** `const {...} = object.metadata` or `{ metadata: {...} }`. */
const takesMetadata = (pattern: Syntax, source: Syntax): boolean =>
  source.type === "VariableDeclarator"
    ? nameOf(child(source, "init")) === "metadata"
    : source.type === "Property" && child(source, "value") === pattern && nameOf(child(source, "key")) === "metadata";

/** `a < b ? -1 : 1`: for keys that differ, `<` and `<=` give one order. */
export function isOrder(node: Syntax, [parent]: readonly Syntax[]): boolean {
  if (parent?.type !== "ConditionalExpression" || child(parent, "test") !== node) return false;
  const outcome = child(parent, "consequent");
  return outcome?.type === "Literal"
    ? typeof outcome["value"] === "number"
    : outcome?.type === "UnaryExpression" && outcome["operator"] === "-";
}
