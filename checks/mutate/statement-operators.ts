// Mutations of statements: an empty block, a call that is not made or not awaited, a result that is not returned.
import { isBugBranch } from "./left-out.ts";
import { change, type Change } from "./change.ts";
import { child, children, type Syntax } from "./syntax.ts";

export function statementChanges(node: Syntax, ancestors: readonly Syntax[], text: string): readonly Change[] {
  if (node.type === "BlockStatement" || node.type === "FunctionBody") {
    const isEmpty = children(node, "body").length === 0;
    return isEmpty || isBugBranch(node) ? [] : [change("block", node, "{}")];
  }
  if (node.type === "ReturnStatement") {
    const value = child(node, "argument");
    if (value === undefined || value["name"] === "undefined" || !mayReturnUndefined(ancestors, text)) return [];
    return [change("return", value, "undefined")];
  }
  const expression = node.type === "ExpressionStatement" ? child(node, "expression") : undefined;
  if (expression === undefined) return [];
  if (expression.type === "AwaitExpression") {
    const argument = child(expression, "argument");
    const unawaited =
      argument === undefined ? [] : [change("await", node, `void ${text.slice(argument.start, node.end)}`)];
    return [change("call", node, ";"), ...unawaited];
  }
  return isCall(expression) ? [change("call", node, ";")] : [];
}

function isCall(node: Syntax): boolean {
  if (node.type === "UnaryExpression" && node["operator"] === "void") {
    const argument = child(node, "argument");
    return argument !== undefined && isCall(argument);
  }
  const inner = node.type === "ChainExpression" ? child(node, "expression") : node;
  return inner?.type === "CallExpression" && child(inner, "callee")?.type !== "Super";
}

/** The declared result of the nearest function may be undefined; any other result the compiler would refuse. */
function mayReturnUndefined(ancestors: readonly Syntax[], text: string): boolean {
  const nearest = ancestors.find(({ type }) => /^(Arrow)?Function(Declaration|Expression)?$/.test(type));
  const result = nearest === undefined ? undefined : child(nearest, "returnType");
  return result !== undefined && /\bundefined\b/.test(text.slice(result.start, result.end));
}
