import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { CelType } from "@purser/kubernetes/cel/cel";
import { compileCel } from "@purser/kubernetes/cel/cel";
import { formatType } from "@purser/kubernetes/cel/cel-type";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { hasMember, objectsIn, textIn } from "../decoding/json-parts.ts";

const dyn: CelType = { kind: "dyn" };
const authorizer: CelType = { kind: "opaque", name: "authorizer" };
/** Variables of every admission expression; message expressions have no `authorizer`. */
const common = ["object", "oldObject", "request"];

/** Which further variables an admission expression has. */
export interface ExpressionScope {
  /** Whether the policy sets paramKind, so that `params` exists. */
  readonly hasParams: boolean;
  /** The fields of `variables`; undefined when the policy declares none. */
  readonly variables?: ReadonlyMap<string, CelType>;
  readonly isMessage?: boolean;
  /** Webhook conditions have no `namespaceObject`. */
  readonly isWebhook?: boolean;
}

function typesOf({ hasParams, variables, isMessage, isWebhook }: ExpressionScope): ReadonlyMap<string, CelType> {
  const names = [...common, ...(isWebhook === true ? [] : ["namespaceObject"]), ...(hasParams ? ["params"] : [])];
  return new Map([
    ...names.map((name) => [name, dyn] as const),
    ...(isMessage === true ? [] : [["authorizer", authorizer] as const]),
    ...(variables === undefined ? [] : [["variables", variablesType(variables)] as const]),
  ]);
}

/** The type of `variables`, with the fields declared so far. */
export function variablesType(fields: ReadonlyMap<string, CelType>): CelType {
  return {
    kind: "object",
    name: "kubernetes.variables",
    fields: new Map([...fields].map(([name, type]) => [name, { key: name, type }])),
  };
}

type Wanted = "bool" | "string" | "any" | "note";

/** The type of the expression's result, or the error text of kube-apiserver for an expression that does not compile. */
function compiledType(expression: string, scope: ExpressionScope, wanted: Wanted): Result<CelType, string> {
  const result = wanted === "note" ? "any" : wanted;
  const compiled = compileCel(expression, { variables: typesOf(scope), library: "kubernetes", result });
  if (!compiled.ok) {
    const { kind, message } = compiled.problem;
    if (kind === "compile") return failed(`compilation failed: ${message}`);
    // Results of type dyn are checked at evaluation.
    return kind === "result" && compiled.problem.type === "dyn" ? done(dyn) : failed(message);
  }
  const { type } = compiled.value;
  if (wanted === "note" && type.kind !== "string" && type.kind !== "null")
    return failed(`must evaluate to one of [string null_type] but got ${formatType(type)}`);
  return done(type);
}

const mostConditions = 64;

/** Validates match conditions of a webhook or a policy: unique names, boolean expressions. */
export function validateConditions(
  conditions: readonly JsonObject[],
  path: string,
  scope: ExpressionScope = { hasParams: false, isWebhook: true },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > mostConditions) errors.push(tooMany(path, conditions.length, mostConditions));
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`;
    const expression = textIn(condition, "expression").trim();
    if (expression === "") errors.push(required(`${at}.expression`));
    else {
      const type = compiledType(expression, scope, "bool");
      if (!type.ok) errors.push(invalid(`${at}.expression`, expression, type.problem));
    }
    const name = textIn(condition, "name");
    if (name === "") errors.push(required(`${at}.name`));
    else errors.push(...labelKeyFaults(name).map((fault) => invalid(`${at}.name`, name, fault)));
    if (seen.has(name) && name !== "") errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
  }
  return errors;
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const mostAnnotations = 20;
const longestAnnotation = 5 * 1024;

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Validates all expressions of a policy. */
export function validatePolicyExpressions(spec: JsonObject, policyName: string): readonly FieldError[] {
  const hasParams = hasMember(spec, "paramKind");
  const policy = textIn(spec, "failurePolicy");
  const [validations, annotations] = [objectsIn(spec, "validations"), objectsIn(spec, "auditAnnotations")];
  const declared = declareVariables(objectsIn(spec, "variables"), hasParams);
  // `variables` exists as soon as one variable is declared, even an invalid one.
  const hasVariables = objectsIn(spec, "variables").length > 0;
  const scope: ExpressionScope = { hasParams, ...(hasVariables ? { variables: declared.types } : {}) };
  const lacking = "validations or auditAnnotations must contain at least one item";
  return [
    ...(policy === "" || policy === "Fail" || policy === "Ignore"
      ? []
      : [notSupported("spec.failurePolicy", policy, ["Fail", "Ignore"])]),
    ...validateConditions(objectsIn(spec, "matchConditions"), "spec.matchConditions", { hasParams }),
    ...declared.errors,
    ...(validations.length === 0 && annotations.length === 0
      ? [required("spec.validations", lacking), required("spec.auditAnnotations", lacking)]
      : []),
    ...validations.flatMap((validation, index) => validateValidation(validation, `spec.validations[${index}]`, scope)),
    ...(annotations.length > mostAnnotations
      ? [invalid("spec.auditAnnotations", annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : []),
    ...annotations.flatMap((annotation, index) => {
      const path = `spec.auditAnnotations[${index}]`;
      const key = textIn(annotation, "key");
      const isRepeated = annotations.slice(0, index).some((earlier) => textIn(earlier, "key") === key);
      return [
        ...labelKeyFaults(`${policyName}/${key}`).map((fault) => invalid(`${path}.key`, `${policyName}/${key}`, fault)),
        ...validateNote(annotation, `${path}.valueExpression`, scope),
        ...(isRepeated ? [duplicate(`${path}.key`, key)] : []),
      ];
    }),
  ];
}

/** Each variable may use those declared before it. */
function declareVariables(
  variables: readonly JsonObject[],
  hasParams: boolean,
): { readonly types: ReadonlyMap<string, CelType>; readonly errors: readonly FieldError[] } {
  const types = new Map<string, CelType>();
  const errors: FieldError[] = [];
  for (const [index, variable] of variables.entries()) {
    const path = `spec.variables[${index}]`;
    const name = textIn(variable, "name");
    if (name.trim() === "") errors.push(required(`${path}.name`, "name is not specified"));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.has(name))
      errors.push(invalid(`${path}.name`, name, "must be a valid CEL identifier"));
    const expression = textIn(variable, "expression");
    if (expression.trim() === "") {
      errors.push(required(`${path}.expression`, "expression is not specified"));
      continue;
    }
    const type = compiledType(expression, { hasParams, variables: types }, "any");
    if (!type.ok) errors.push(invalid(`${path}.expression`, expression, type.problem));
    types.set(name, type.ok ? type.value : dyn);
  }
  return { types, errors };
}

function validateValidation(validation: JsonObject, path: string, scope: ExpressionScope): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (key: string, within: ExpressionScope, wanted: Wanted): void => {
    const expression = textIn(validation, key);
    const type = compiledType(expression, within, wanted);
    if (!type.ok) errors.push(invalid(`${path}.${key}`, expression, type.problem));
  };
  const [messageExpression, message] = [textIn(validation, "messageExpression"), textIn(validation, "message")];
  if (textIn(validation, "expression").trim() === "")
    errors.push(required(`${path}.expression`, "expression is not specified"));
  else check("expression", scope, "bool");
  const blank = "must be non-empty if specified";
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(invalid(`${path}.messageExpression`, messageExpression, blank));
  else if (messageExpression !== "") check("messageExpression", { ...scope, isMessage: true }, "string");
  if (message !== "" && message.trim() === "") errors.push(invalid(`${path}.message`, message, blank));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  const reason = textIn(validation, "reason");
  if (hasMember(validation, "reason") && !reasons.includes(reason))
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  return errors;
}

function validateNote(annotation: JsonObject, path: string, scope: ExpressionScope): readonly FieldError[] {
  const given = textIn(annotation, "valueExpression");
  const expression = given.trim();
  if (expression === "") return [required(path, "valueExpression is not specified")];
  if (new TextEncoder().encode(expression).length > longestAnnotation)
    return [required(path, `must not exceed ${longestAnnotation} bytes in length`)];
  const type = compiledType(expression, scope, "note");
  return type.ok ? [] : [invalid(path, given, type.problem)];
}
