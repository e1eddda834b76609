import { type CelProblem, type CelProgram, compileCel, type CelType } from "../../cel/cel.ts";
import type { Result } from "../../result.ts";
import type { Steps } from "../../steps.ts";
import { resolveFieldPath } from "./check-schema.ts";
import { celTypeOf } from "./schema-cel-type.ts";
import type { RuleSource, StructuralSchema } from "./schema-node.ts";

/** A compiled CEL rule. */
export interface CompiledRule {
  readonly source: RuleSource;
  readonly program: Result<CelProgram, CelProblem>;
  readonly message?: Result<CelProgram, CelProblem>;
  readonly isTransition: boolean;
  /** The suffix of the error's field for `fieldPath`; empty without one. */
  readonly fieldPath: string;
  readonly type: CelType;
}

const compiled = new WeakMap<
  StructuralSchema,
  { readonly plain?: readonly CompiledRule[]; readonly root?: readonly CompiledRule[] }
>();

/** Characters of rules that are compiled between two pauses: some milliseconds. */
const textPerStep = 4096;

/** The rules of one node, compiled on first use, with pauses. */
export function* compiledRules(schema: StructuralSchema, isResource: boolean): Steps<readonly CompiledRule[]> {
  if (schema.rules.length === 0) return [];
  const known = compiled.get(schema);
  const found = isResource ? known?.root : known?.plain;
  if (found !== undefined) return found;
  const type = celTypeOf(schema, isResource);
  const rules: CompiledRule[] = [];
  let text = 0;
  for (const source of type === undefined ? [] : schema.rules) {
    if (type === undefined || source.rule.trim() === "") continue;
    rules.push(compileRule(source, type, schema));
    text += source.rule.length + source.messageExpression.length;
    if (text < textPerStep) continue;
    text = 0;
    yield;
  }
  compiled.set(schema, { ...known, ...(isResource ? { root: rules } : { plain: rules }) });
  return rules;
}

function compileRule(source: RuleSource, type: CelType, schema: StructuralSchema): CompiledRule {
  const oldType: CelType = source.optionalOldSelf === true ? { kind: "optional", of: type } : type;
  const variables = new Map([
    ["self", type],
    ["oldSelf", oldType],
  ]);
  const program = compileCel(source.rule, { variables, library: "kubernetes", result: "bool" });
  const messageVariables = new Map([
    ["self", type],
    ["oldSelf", type],
  ]);
  const message =
    source.messageExpression.trim() === ""
      ? undefined
      : compileCel(source.messageExpression, { variables: messageVariables, library: "kubernetes", result: "string" });
  return {
    source,
    program,
    ...(message === undefined ? {} : { message }),
    isTransition: program.ok && program.value.mentions.has("oldSelf"),
    fieldPath: source.fieldPath === "" ? "" : (resolveFieldPath(source.fieldPath, schema.source) ?? ""),
    type,
  };
}
