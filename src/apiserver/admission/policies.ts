import type { RuleWithOperations, ValidatingWebhook } from "../../apis/admissionregistration.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { matchesSelector, selectorOf } from "../../apis/selector.ts";
import type { LabelSelector } from "../../apis/selector.ts";
import { parseApiVersion } from "../../apis/resource-type.ts";
import type { CelEnvironment, CelProblem, CelProgram, CelType, CelValue } from "../../cel/cel.ts";
import { compileCel, fromJson } from "../../cel/cel.ts";
import { literalMap } from "../../cel/cel-value.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import type { Machinery } from "../machinery.ts";
import { forbidden } from "../request/refusal.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { AdmissionRequest } from "./admission.ts";
import { authorizerValue } from "./authorizer-value.ts";
import { isExempt, matchRules, matchSelectors } from "./webhook-match.ts";
import { reviewRequest } from "./webhook-review.ts";

const tables = {
  policies: "validatingadmissionpolicies.admissionregistration.k8s.io",
  bindings: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
};

/** Steps one expression may take. */
const maxCost = 1_000_000;

interface MatchResources {
  readonly resourceRules?: readonly (RuleWithOperations & { readonly resourceNames?: readonly string[] })[];
  readonly excludeResourceRules?: readonly RuleWithOperations[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations?: readonly Validation[];
}

interface BindingSpec {
  readonly policyName?: string;
  readonly validationActions?: readonly string[];
  readonly matchResources?: MatchResources;
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: LabelSelector;
    readonly parameterNotFoundAction?: string;
  };
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};

const dyn: CelType = { kind: "dyn" };
const names = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];
const variables = new Map<string, CelType>([
  ...names.map((name) => [name, dyn] as const),
  ["authorizer", { kind: "opaque", name: "authorizer" }],
]);

type Variables = ReadonlyMap<string, CelValue | (() => CelValue)>;

const programs = new Map<string, Result<CelProgram, CelProblem>>();

function evaluate(expression: string, result: "bool" | "any" | "string", values: Variables): Result<CelValue, string> {
  const key = `${result} ${expression}`;
  let program = programs.get(key);
  if (program === undefined) {
    if (programs.size > 1000) programs.clear();
    const environment: CelEnvironment = { variables, library: "kubernetes", result };
    programs.set(key, (program = compileCel(expression, environment)));
  }
  if (!program.ok) return failed(program.problem.message);
  const evaluated = program.value.evaluate(values, { maxCost });
  return evaluated.ok ? done(evaluated.value.value) : failed(evaluated.problem.message);
}

/** Whether match constraints choose the request; absent ones choose everything. */
function chooses(
  machinery: Machinery,
  constraints: MatchResources | undefined,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): boolean {
  if (constraints === undefined) return true;
  const hook = (rules: readonly RuleWithOperations[] | undefined): ValidatingWebhook => ({
    name: "",
    clientConfig: {},
    sideEffects: "None",
    admissionReviewVersions: [],
    ...(rules === undefined ? {} : { rules }),
    ...(constraints.matchPolicy === undefined ? {} : { matchPolicy: constraints.matchPolicy }),
    ...(constraints.namespaceSelector === undefined ? {} : { namespaceSelector: constraints.namespaceSelector }),
    ...(constraints.objectSelector === undefined ? {} : { objectSelector: constraints.objectSelector }),
  });
  if (
    constraints.excludeResourceRules !== undefined &&
    matchRules(machinery, hook(constraints.excludeResourceRules), request)
  )
    return false;
  const named = (constraints.resourceRules ?? []).filter(
    ({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(request.name),
  );
  const covered = constraints.resourceRules === undefined || matchRules(machinery, hook(named), request) !== undefined;
  return covered && matchSelectors(machinery, hook(undefined), request, object, old);
}

/** Applies the validating admission policies to a write. */
export function applyPolicies(
  machinery: Machinery,
  authorizer: RbacAuthorizer,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Result<undefined, ApiStatus> {
  if (isExempt(request.kind)) return done(undefined);
  const bindings = machinery.storage.list(tables.bindings);
  for (const held of bindings.ok ? bindings.value : []) {
    const binding = (held.spec ?? {}) as BindingSpec;
    const policy = machinery.storage.get(tables.policies, binding.policyName ?? "");
    if (policy === undefined) continue;
    const judged = judge(machinery, authorizer, request, object, old, policy, held, binding);
    if (!judged.ok) return judged;
  }
  return done(undefined);
}

function judge(
  machinery: Machinery,
  authorizer: RbacAuthorizer,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
  policy: KubeObject,
  held: KubeObject,
  binding: BindingSpec,
): Result<undefined, ApiStatus> {
  const spec = (policy.spec ?? {}) as PolicySpec;
  if (!chooses(machinery, spec.matchConstraints, request, object, old)) return done(undefined);
  if (!chooses(machinery, binding.matchResources, request, object, old)) return done(undefined);
  const place = `ValidatingAdmissionPolicy '${policy.metadata.name ?? ""}' with binding '${held.metadata.name ?? ""}'`;
  const refuse = (message: string, reason = "Invalid"): Result<undefined, ApiStatus> => {
    const actions = binding.validationActions ?? ["Deny"];
    if (actions.includes("Warn")) request.call.warnings.add(`Validation failed for ${place}: ${message}`);
    if (!actions.includes("Deny")) return done(undefined);
    const full = `${place} denied request: ${message}`;
    const refused = forbidden(request.kind.type, request.name, full, [{ message: full }]);
    if (refused.ok) return refused;
    return failed({ ...refused.problem, reason, code: codes[reason] ?? 422 });
  };
  const broken = (why: string): Result<undefined, ApiStatus> =>
    spec.failurePolicy === "Ignore" ? done(undefined) : refuse(why);
  const params = paramsOf(machinery, request, spec, binding);
  if (params === "missing")
    return binding.paramRef?.parameterNotFoundAction === "Allow"
      ? done(undefined)
      : broken("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction");
  for (const param of params) {
    const values = new Map([
      ...valuesOf(machinery, request, object, old, param),
      ["authorizer", authorizerValue(authorizer, request)] as const,
    ]);
    for (const { expression } of spec.matchConditions ?? []) {
      const holds = evaluate(expression, "bool", values);
      if (!holds.ok) return broken(`expression '${expression}' resulted in error: ${holds.problem}`);
      if (holds.value !== true) return done(undefined);
    }
    const computed = withVariables(spec, values);
    if (!computed.ok) return broken(computed.problem);
    for (const validation of spec.validations ?? []) {
      const { expression } = validation;
      const valid = evaluate(expression, "bool", computed.value);
      const verdict = !valid.ok
        ? broken(`expression '${expression}' resulted in error: ${valid.problem}`)
        : valid.value === true
          ? done(undefined)
          : refuse(messageOf(validation, computed.value), validation.reason);
      if (!verdict.ok) return verdict;
    }
  }
  return done(undefined);
}

function messageOf({ expression, message, messageExpression }: Validation, values: Variables): string {
  if (messageExpression !== undefined && messageExpression !== "") {
    const told = evaluate(messageExpression, "string", values);
    if (told.ok && typeof told.value === "string" && told.value.trim() !== "") return told.value;
  }
  return message ?? `failed expression: ${expression}`;
}

/** The parameter objects of a binding; one `null` for policies without. */
function paramsOf(
  machinery: Machinery,
  request: AdmissionRequest,
  { paramKind }: PolicySpec,
  { paramRef }: BindingSpec,
): readonly JsonValue[] | "missing" {
  if (paramKind === undefined || paramRef === undefined) return [null];
  const kind = machinery.registry().ofKind({ ...parseApiVersion(paramKind.apiVersion), kind: paramKind.kind });
  if (kind === undefined) return "missing";
  const namespace = kind.type.namespaced ? (paramRef.namespace ?? request.namespace) : undefined;
  const listed = machinery.storage.list(kind.table, namespace === undefined ? {} : { namespace });
  const selector = paramRef.selector === undefined ? undefined : selectorOf(paramRef.selector);
  const found = (listed.ok ? listed.value : []).filter(({ metadata }) =>
    paramRef.name === undefined
      ? selector?.ok === true && matchesSelector(selector.value, metadata.labels)
      : metadata.name === paramRef.name,
  );
  return found.length === 0 ? "missing" : found.map(asJson);
}

function valuesOf(
  { storage }: Machinery,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
  params: JsonValue,
): Variables {
  const json =
    (value: KubeObject | undefined): (() => CelValue) =>
    () =>
      fromJson(value === undefined ? null : asJson(value), dyn);
  const namespace = request.namespace === undefined ? undefined : storage.get("namespaces", request.namespace);
  const described: JsonObject = reviewRequest("", request.kind, request, { object, old });
  return new Map<string, CelValue | (() => CelValue)>([
    ["object", json(object)],
    ["oldObject", json(old)],
    ["request", () => fromJson(described, dyn)],
    ["params", () => fromJson(params, dyn)],
    ["namespaceObject", json(namespace)],
  ]);
}

/** Variables see those before them. */
function withVariables({ variables: declared = [] }: PolicySpec, values: Variables): Result<Variables, string> {
  const computed: [CelValue, CelValue][] = [];
  let current: Variables = values;
  for (const { name, expression } of declared) {
    const value = evaluate(expression, "any", current);
    if (!value.ok) return failed(`expression '${expression}' resulted in error: ${value.problem}`);
    computed.push([name, value.value]);
    const map = literalMap(computed);
    if (map !== undefined) current = new Map([...values, ["variables", map]]);
  }
  return done(current);
}
