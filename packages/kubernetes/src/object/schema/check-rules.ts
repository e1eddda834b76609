import type { CelProblem } from "../../cel/cel.ts";
import { isJsonObject, member } from "../../json.ts";
import { type BuiltNodes, buildSchemaInSteps } from "../apply/build-schema.ts";
import type { RuleSite } from "./check-schema.ts";
import { compiledRules } from "./compiled-rules.ts";
import { type Steps } from "../../steps.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { goRule } from "./go-schema.ts";

/**
 * Compiles the CEL rules of a new schema, with pauses; errors have the compiler's text.
 * @param built shared by all calls for one schema: sites may lie below one another
 */
export function* checkRuleSites(sites: readonly RuleSite[], built: BuiltNodes): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const [index, site] of sites.entries()) {
    if (index % sitesPerStep === 0) yield;
    errors.push(...(yield* checkSite(site, built)));
  }
  return errors;
}

/** Places with rules that are compiled between two pauses. */
const sitesPerStep = 8;

function refusalOf(problem: CelProblem, mistyped: string, program: string): string {
  if (problem.kind === "result") return mistyped;
  return problem.kind === "program" ? `${program}${problem.message}` : `compilation failed: ${problem.message}`;
}

function* checkSite(site: RuleSite, built: BuiltNodes): Steps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  const listed = member(site.node, "x-kubernetes-validations");
  const sources = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  const isResource = site.isRoot || member(site.node, "x-kubernetes-embedded-resource") === true;
  const schema = yield* buildSchemaInSteps(site.node, built);
  for (const [index, rule] of (yield* compiledRules(schema, isResource)).entries()) {
    const place = `${site.path}.x-kubernetes-validations[${index}]`;
    const source = sources[index] ?? {};
    if (!rule.program.ok) {
      const detail = refusalOf(rule.program.problem, "cel expression must evaluate to a bool", "program ");
      errors.push({ ...invalid(`${place}.rule`, source, detail), badText: goRule(source) });
      continue;
    }
    if (rule.message?.ok === false) {
      const { problem } = rule.message;
      const detail =
        problem.kind === "result"
          ? "messageExpression must evaluate to a string"
          : `messageExpression ${refusalOf(problem, "", "")}`;
      errors.push({ ...invalid(`${place}.messageExpression`, source, detail), badText: goRule(source) });
    }
    if (rule.isTransition && site.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${site.uncorrelatable}`;
      errors.push(invalid(`${place}.rule`, rule.source.rule, detail));
    } else if (!rule.isTransition && rule.source.optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      errors.push(invalid(`${place}.optionalOldSelf`, rule.source.optionalOldSelf, detail));
    }
  }
  return errors;
}
