import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { CelType } from "@purser/kubernetes/cel/cel";
import { fromJson } from "@purser/kubernetes/cel/cel";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { RbacAuthorizer } from "../../authorization/rbac-authorizer.ts";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { forbidden } from "../../request/refusal.ts";
import type { AdmissionRequest } from "../admission.ts";
import { authorizerValue } from "../authorizer-value.ts";
import { turns } from "../../turns.ts";
import type { Values } from "./expression-budget.ts";
import type { Denial, PolicyRules } from "./policy-judgement.ts";
import { judge } from "./policy-judgement.ts";
import type { ParamKind, ParamRef } from "./policy-params.ts";
import { paramsOf, paramTypeOf } from "./policy-params.ts";
import type { MatchRule, MatchSelectors } from "../webhooks/webhook-match.ts";
import { isExempt, matchRules, matchSelectors } from "../webhooks/webhook-match.ts";
import type { Objects } from "../webhooks/webhook-review.ts";
import { describedRequest } from "../webhooks/webhook-review.ts";
import { inVersion } from "../webhooks/webhook-versions.ts";

const tables = {
  policies: "validatingadmissionpolicies.admissionregistration.k8s.io",
  bindings: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
};

interface MatchResources extends MatchSelectors {
  readonly resourceRules?: readonly MatchRule[];
  readonly excludeResourceRules?: readonly MatchRule[];
  readonly matchPolicy?: string;
}

interface PolicySpec extends PolicyRules {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
}

interface BindingSpec {
  readonly policyName?: string;
  readonly validationActions?: readonly string[];
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};

const dyn: CelType = { kind: "dyn" };

/** A denial and its source, for the message. */
interface Verdict extends Denial {
  /** `ValidatingAdmissionPolicy 'p' with binding 'b'`. */
  readonly place: string;
}

/** Applies the validating admission policies to a write; the first of several denials is returned. */
export async function applyPolicies(
  machinery: Machinery,
  authorizer: RbacAuthorizer,
  request: AdmissionRequest,
  objects: Objects,
): Promise<Result<undefined, ApiStatus>> {
  const { storage } = machinery;
  if (isExempt(request.kind) || storage.count(tables.policies) === 0) return done(undefined);
  const listed = storage.list(tables.bindings);
  const bindings = listed.ok ? listed.value : [];
  const policies = storage.list(tables.policies);
  const verdicts: Verdict[] = [];
  for (const policy of policies.ok ? policies.value : []) {
    const bound = bindings.filter(({ spec }) => (spec as BindingSpec | undefined)?.policyName === policy.metadata.name);
    if (bound.length > 0)
      verdicts.push(...(await new Policy(machinery, authorizer, policy).judge(request, objects, bound)));
  }
  const [first] = verdicts;
  if (first === undefined) return done(undefined);
  const message = `${first.place} denied request: ${first.message}`;
  const refused = forbidden(request.kind.type, nameOf(request, objects), message, [{ message }]);
  if (refused.ok) return refused;
  return failed({ ...refused.problem, reason: first.reason, code: codes[first.reason] ?? 422 });
}

/** Before the name is generated, messages use generateName. */
function nameOf({ name }: AdmissionRequest, { object }: Objects): string {
  return name === "" ? (object?.metadata.name ?? object?.metadata.generateName ?? "") : name;
}

class Policy {
  readonly #machinery: Machinery;
  readonly #authorizer: RbacAuthorizer;
  readonly #name: string;
  readonly #spec: PolicySpec;

  constructor(machinery: Machinery, authorizer: RbacAuthorizer, { metadata, spec }: KubeObject) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
    this.#name = metadata.name ?? "";
    this.#spec = (spec ?? {}) as PolicySpec;
  }

  /** Denials in the order of the bindings; warnings are added to the response immediately. */
  async judge(
    request: AdmissionRequest,
    objects: Objects,
    bindings: readonly KubeObject[],
  ): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    const match = this.#matches(this.#spec.matchConstraints, request, objects);
    if (!match.ok) return this.#broken(`failed to configure policy: ${match.problem}`, undefined);
    if (match.value === undefined) return [];
    const { paramKind } = this.#spec;
    const isKnown = paramKind === undefined || paramTypeOf(this.#machinery, paramKind) !== undefined;
    if (!isKnown)
      return this.#broken(
        `failed to configure policy: failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`,
        undefined,
      );
    for (const held of bindings) {
      const binding = (held.spec ?? {}) as BindingSpec;
      const name = held.metadata.name ?? "";
      const bound = this.#matches(binding.matchResources, request, objects);
      if (!bound.ok) verdicts.push(...this.#broken(`failed to configure binding: ${bound.problem}`, name));
      if (!bound.ok || bound.value === undefined) continue;
      const params = await paramsOf(this.#machinery, request.namespace, this.#spec.paramKind, binding.paramRef);
      if (!params.ok) {
        verdicts.push(...this.#broken(`failed to configure binding: ${params.problem}`, name));
        continue;
      }
      const shown = await this.#shown(match.value, request, objects);
      if (!shown.ok) {
        verdicts.push(
          ...this.#broken(`failed to configure binding: failed to convert object version: ${shown.problem}`, name),
        );
        continue;
      }
      for (const param of params.value) {
        const values = this.#values(match.value, request, shown.value, param);
        for (const denial of await turns.through(judge(this.#spec, this.#spec.paramKind !== undefined, values)))
          verdicts.push(...this.#act(request, binding, { ...denial, place: this.#place(name) }));
      }
    }
    return verdicts;
  }

  #place(binding: string | undefined): string {
    const policy = `ValidatingAdmissionPolicy '${this.#name}'`;
    return binding === undefined ? policy : `${policy} with binding '${binding}'`;
  }

  /** An invalid policy or binding denies regardless of validationActions, unless failurePolicy is Ignore. */
  #broken(message: string, binding: string | undefined): readonly Verdict[] {
    return this.#spec.failurePolicy === "Ignore"
      ? []
      : [{ message, reason: "Invalid", always: true, place: this.#place(binding) }];
  }

  /** Applies validationActions to a denial: Audit has no effect here, Warn adds a warning, Deny refuses. */
  #act({ call }: AdmissionRequest, { validationActions = [] }: BindingSpec, verdict: Verdict): readonly Verdict[] {
    if (verdict.always) return [verdict];
    if (validationActions.includes("Warn"))
      call.warnings.add(`Validation failed for ${verdict.place}: ${verdict.message}`);
    return validationActions.includes("Deny") ? [verdict] : [];
  }

  /** The kind in the version that the match constraints select; everything matches when they are absent. */
  #matches(
    constraints: MatchResources | undefined,
    request: AdmissionRequest,
    { object, old }: Objects,
  ): Result<ServedKind | undefined, string> {
    if (constraints === undefined) return done(request.kind);
    const { resourceRules: rules = [], excludeResourceRules: excluded = [], matchPolicy = "Equivalent" } = constraints;
    const selected = matchSelectors(this.#machinery, constraints, request, object, old);
    if (!selected.ok) return failed(selected.problem.message);
    if (!selected.value) return done(undefined);
    if (matchRules(this.#machinery, { rules: excluded, matchPolicy }, request) !== undefined) return done(undefined);
    return done(rules.length === 0 ? request.kind : matchRules(this.#machinery, { rules, matchPolicy }, request));
  }

  async #shown(
    match: ServedKind,
    { kind, body }: AdmissionRequest,
    { object, old }: Objects,
  ): Promise<Result<Objects, string>> {
    if (match === kind || body !== undefined) return done({ object, old });
    const next = object === undefined ? done(undefined) : await inVersion(this.#machinery, kind, match, object);
    if (!next.ok) return failed(next.problem.message);
    const before = old === undefined ? done(undefined) : await inVersion(this.#machinery, kind, match, old);
    return before.ok ? done({ object: next.value, old: before.value }) : failed(before.problem.message);
  }

  #values(match: ServedKind, request: AdmissionRequest, { object, old }: Objects, params: JsonValue): Values {
    const { namespace, kind } = request;
    const held =
      namespace === undefined || kind.table === "namespaces"
        ? undefined
        : this.#machinery.storage.get("namespaces", namespace);
    const json = (value: KubeObject | undefined) => () => fromJson(value === undefined ? null : asJson(value), dyn);
    return new Map([
      ["object", json(object)],
      ["oldObject", json(old)],
      ["request", () => fromJson(describedRequest(match, request), dyn)],
      ["params", () => fromJson(params, dyn)],
      ["namespaceObject", json(held)],
      ["authorizer", () => authorizerValue(this.#authorizer, request)],
    ]);
  }
}
