import { type CelType, formatType } from "./cel-type.ts";
import { CelFault } from "./cel-value.ts";
import type { CelFinding, CheckedExpression } from "./check.ts";
import { checkTemplate } from "./functions/format-check.ts";
import { parseGoDuration, parseTimestamp } from "./cel-value.ts";
import { compilePattern } from "./pattern.ts";
import { childrenOf, type Expr } from "./syntax.ts";
import { timestampOf } from "./functions/timestamp-range.ts";

/** Errors that Kubernetes' compiler reports for constants after type checking: they would fail in every evaluation. */
export function checkLiterals(node: Expr, checked: CheckedExpression): readonly CelFinding[] {
  const findings: CelFinding[] = [];
  walk(node, checked.types, false, findings);
  return findings;
}

type Types = ReadonlyMap<Expr, CelType>;

function walk(node: Expr, types: Types, insideFormat: boolean, findings: CelFinding[]): void {
  if (node.kind === "call") checkCall(node, types, findings);
  // The arguments of a format call may have different types.
  if (node.kind === "list" && !insideFormat) checkSame(node.items, types, findings, true);
  if (node.kind === "map" && !insideFormat) {
    checkSame(
      node.entries.map(([key]) => key),
      types,
      findings,
      false,
    );
    checkSame(
      node.entries.map(([, value]) => value),
      types,
      findings,
      false,
    );
  }
  const inside = insideFormat || (node.kind === "call" && node.name === "format");
  for (const child of childrenOf(node)) walk(child, types, inside, findings);
}

function checkSame(nodes: readonly Expr[], types: Types, findings: CelFinding[], onlyFirst: boolean): void {
  const [first, ...rest] = nodes;
  const wanted = first === undefined ? undefined : types.get(first);
  if (wanted === undefined) return;
  for (const node of rest) {
    const found = types.get(node);
    if (found === undefined || isSame(wanted, found)) continue;
    findings.push({ at: node.at, text: `expected type '${formatType(wanted)}' but found '${formatType(found)}'` });
    if (onlyFirst) return;
  }
}

/** The element type of an empty list or optional is inferred from its neighbours. */
function isSame(a: CelType, b: CelType): boolean {
  if (a.kind === "list" && b.kind === "list") return isSameInside(a.items, b.items);
  if (a.kind === "optional" && b.kind === "optional") return isSameInside(a.of, b.of);
  return formatType(a) === formatType(b);
}

function isSameInside(a: CelType, b: CelType): boolean {
  return a.kind === "dyn" || b.kind === "dyn" || isSame(a, b);
}

function checkCall(node: Extract<Expr, { kind: "call" }>, types: Types, findings: CelFinding[]): void {
  const [first] = node.args;
  if (first?.kind === "literal" && isInvalid(node.name, first.value)) {
    findings.push({ at: first.at, text: `invalid ${node.name} argument` });
  }
  if (node.name !== "format" || node.target?.kind !== "literal" || node.target.value.kind !== "string") return;
  if (node.args.length !== 1 || first?.kind !== "list") return;
  const finding = checkTemplate(node.target.value.value, first.items, types, node.at);
  if (finding !== undefined) findings.push(finding);
}

type Literal = Extract<Expr, { kind: "literal" }>["value"];

function isInvalid(name: string, literal: Literal): boolean {
  if (name === "matches") return literal.kind === "string" && !compilePattern(literal.value).ok;
  if (name === "duration") return literal.kind === "string" && parseGoDuration(literal.value) === undefined;
  if (name !== "timestamp") return false;
  if (literal.kind === "int") return timestampOf(literal.value * 1_000_000_000n) instanceof CelFault;
  if (literal.kind !== "string") return false;
  const parsed = parseTimestamp(literal.value);
  return parsed === undefined || timestampOf(parsed.nanos) instanceof CelFault;
}
