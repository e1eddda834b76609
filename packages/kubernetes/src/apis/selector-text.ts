import type { Result } from "../result.ts";
import { done } from "../result.ts";
import type { Requirement, RequirementOperator, Selector, SelectorProblem } from "./requirement.ts";
import { keyProblem, requirementOf, selectorProblem } from "./requirement.ts";

interface Token {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };

function tokensOf(text: string): readonly Token[] {
  return Array.from(text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g), ([found]) => ({
    kind: /^[=!(),<>]/.test(found) ? "symbol" : "word",
    text: found,
  }));
}

const operators: Readonly<Record<string, RequirementOperator>> = {
  in: "in",
  notin: "notIn",
  "=": "equals",
  "==": "equals",
  "!=": "notEquals",
  ">": "greater",
  "<": "less",
};

/** Tokenizes a selector; problems have kube-apiserver's text. */
class SelectorReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }

  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }

  at(symbol: string): boolean {
    const { kind, text } = this.peek();
    return kind === "symbol" && text === symbol;
  }

  take(symbol: string): boolean {
    const found = this.at(symbol);
    if (found) this.#position++;
    return found;
  }
}

/** The list in parentheses; two consecutive commas contain an empty value. */
function readValues(reader: SelectorReader): Result<readonly string[], SelectorProblem> {
  if (!reader.take("(")) return selectorProblem(`found '${reader.peek().text}' expected: '('`);
  const values: string[] = [];
  if (reader.take(")")) return done([""]);
  if (reader.peek().kind !== "word" && !reader.at(","))
    return selectorProblem(`found '${reader.peek().text}', expected: ',', ')' or identifier`);
  if (reader.at(",")) values.push("");
  while (!reader.take(")")) {
    if (reader.peek().kind === "word") {
      values.push(reader.next().text);
      if (!reader.at(",") && !reader.at(")"))
        return selectorProblem(`found '${reader.peek().text}', expected: ',' or ')'`);
      continue;
    }
    reader.next();
    if (reader.at(",") || reader.at(")")) values.push("");
    else if (reader.peek().kind !== "word")
      return selectorProblem(`found '${reader.peek().text}', expected: ',', or identifier`);
  }
  // Sorted and without duplicates, as apimachinery's sets are.
  return done([...new Set(values)].toSorted());
}

function readRequirement(reader: SelectorReader): Result<Requirement, SelectorProblem> {
  const negated = reader.take("!");
  const token = reader.next();
  if (token.kind !== "word") return selectorProblem(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const problem = keyProblem(key, "<nil>");
  if (problem !== undefined) return { ok: false, problem };
  if (negated) return requirementOf(key, "doesNotExist", []);
  if (reader.peek().kind === "end" || reader.at(",")) return requirementOf(key, "exists", []);
  const sign = reader.next().text;
  const operator = Object.hasOwn(operators, sign) ? operators[sign] : undefined;
  if (operator === undefined) return selectorProblem(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
  if (operator === "in" || operator === "notIn") {
    const values = readValues(reader);
    return values.ok ? requirementOf(key, operator, values.value) : values;
  }
  if (reader.peek().kind === "end" || reader.at(",")) return requirementOf(key, operator, [""]);
  const value = reader.next();
  if (value.kind !== "word") return selectorProblem(`found '${value.text}', expected: identifier`);
  return requirementOf(key, operator, [value.text]);
}

/**
 * Parses the text of a `labelSelector` parameter: `a=b, c!=d, e in (f,g), h, !i, j>5`. The empty text selects
 * everything. The problem has kube-apiserver's message for status 400.
 */
export function parseLabelSelector(text: string): Result<Selector, SelectorProblem> {
  const reader = new SelectorReader(text);
  const requirements: Requirement[] = [];
  while (reader.peek().kind !== "end") {
    if (reader.peek().kind !== "word" && !reader.at("!"))
      return selectorProblem(`found '${reader.peek().text}', expected: !, identifier, or 'end of string'`);
    const requirement = readRequirement(reader);
    if (!requirement.ok) return selectorProblem(`unable to parse requirement: ${requirement.problem.message}`);
    requirements.push(requirement.value);
    if (reader.peek().kind === "end") break;
    if (!reader.take(",")) return selectorProblem(`found '${reader.peek().text}', expected: ',' or 'end of string'`);
    if (reader.peek().kind !== "word" && !reader.at("!"))
      return selectorProblem(`found '${reader.peek().text}', expected: identifier after ','`);
  }
  return done(requirements);
}
