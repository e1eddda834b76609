import type {
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "@purser/kubernetes/apis/admissionregistration";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { applyJsonPatch } from "@purser/kubernetes/object/patches/json-patch";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { turns } from "../../turns.ts";
import type { Result } from "@purser/kubernetes/result";
import { allSteps } from "@purser/kubernetes/steps";
import { done, failed } from "@purser/kubernetes/result";
import type { RbacAuthorizer } from "../../authorization/rbac-authorizer.ts";
import type { Machinery } from "../../machinery.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { badRequest, forbidden, internalError } from "../../request/refusal.ts";
import { jsonType } from "../../kinds/decoding/decode-walk.ts";
import { readAs } from "../../resource/decode.ts";
import type { AdmissionRequest } from "../admission.ts";
import { authorizerValue } from "../authorizer-value.ts";
import { matchConditions } from "../policies/match-conditions.ts";
import { Reinvocation } from "../reinvocation.ts";
import { callWebhook } from "./webhook-client.ts";
import { isExempt, matchRules, matchSelectors } from "./webhook-match.ts";
import type { ReviewVersion, WebhookAnswer } from "./webhook-response.ts";
import { denial, formProblem, readAnswer } from "./webhook-response.ts";
import type { Objects } from "./webhook-review.ts";
import { describedRequest, reviewRequest } from "./webhook-review.ts";
import { inVersion } from "./webhook-versions.ts";

const tables = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
};

const defaultTimeoutSeconds = 10;

/** A matching webhook, with the objects in the version of its rule. */
interface Invocation {
  readonly hook: ValidatingWebhook;
  readonly match: ServedKind;
  readonly objects: Objects;
}

/** Calls the admission webhooks that match a write. */
export class Webhooks {
  readonly #machinery: Machinery;
  readonly #authorizer: RbacAuthorizer;

  constructor(machinery: Machinery, authorizer: RbacAuthorizer) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
  }

  /** The current mutating webhooks, for both rounds of one request. */
  reinvocation(): Reinvocation {
    return new Reinvocation(
      this.#configured<MutatingWebhookConfiguration>(tables.mutating).flatMap(({ webhooks = [] }) => webhooks),
    );
  }

  /** One round: each webhook gets the object as mutated by those before it. */
  async mutate(
    rounds: Reinvocation,
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    if (isExempt(request.kind)) return done(object);
    let current = object;
    for (const hook of rounds.hooks) {
      const chosen = await this.#choose(hook, request, { object: current, old });
      if (!chosen.ok) return chosen;
      if (chosen.value === undefined || !rounds.mayCall(hook)) continue;
      const answer = await this.#ask(chosen.value, request, true);
      if (!answer.ok) return answer;
      if (answer.value === undefined) continue;
      const patched = await this.#patch(chosen.value, request, current, answer.value);
      if (!patched.ok) return patched;
      rounds.ran(hook, !sameObject(current, patched.value));
      current = patched.value;
    }
    return done(current);
  }

  /** All matching webhooks are called concurrently; the first refusal in configuration order is returned. */
  async validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>> {
    if (isExempt(request.kind)) return done(undefined);
    const invocations: Invocation[] = [];
    for (const { webhooks = [] } of this.#configured<ValidatingWebhookConfiguration>(tables.validating))
      for (const hook of webhooks) {
        const chosen = await this.#choose(hook, request, { object, old });
        if (!chosen.ok) return chosen;
        if (chosen.value !== undefined) invocations.push(chosen.value);
      }
    const answers = await Promise.all(invocations.map((invocation) => this.#ask(invocation, request, false)));
    return answers.find((answer) => !answer.ok) ?? done(undefined);
  }

  #configured<Configuration extends KubeObject>(table: string): readonly Configuration[] {
    const found = this.#machinery.storage.list(table);
    return found.ok ? (found.value as readonly Configuration[]) : [];
  }

  /** Whether the webhook matches the request. */
  async #choose(
    hook: ValidatingWebhook,
    request: AdmissionRequest,
    { object, old }: Objects,
  ): Promise<Result<Invocation | undefined, ApiStatus>> {
    const match = matchRules(this.#machinery, hook, request);
    if (match === undefined) return done(undefined);
    const selected = matchSelectors(this.#machinery, hook, request, object, old);
    if (!selected.ok) return selected;
    if (!selected.value) return done(undefined);
    const shown = await this.#shown(match, request, object);
    if (!shown.ok) return shown;
    const shownOld = await this.#shown(match, request, old);
    if (!shownOld.ok) return shownOld;
    const objects: Objects = { object: shown.value, old: shownOld.value };
    const conditions = await turns.through(
      matchConditions(
        hook.matchConditions ?? [],
        {
          request: describedRequest(match, request),
          object: objects.object === undefined ? null : asJson(objects.object),
          oldObject: objects.old === undefined ? null : asJson(objects.old),
        },
        authorizerValue(this.#authorizer, request),
      ),
    );
    switch (conditions.kind) {
      case "skip":
        return done(undefined);
      case "error":
        return hook.failurePolicy === "Ignore"
          ? done(undefined)
          : forbidden(request.kind.type, request.name, conditions.message);
      case "call":
        return done({ hook, match, objects });
    }
  }

  async #shown(
    match: ServedKind,
    { kind, body }: AdmissionRequest,
    object: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    return object === undefined || body !== undefined ? done(object) : inVersion(this.#machinery, kind, match, object);
  }

  /** The response of a webhook that allows the request; undefined when it failed and failurePolicy is Ignore. */
  async #ask(
    { hook, match, objects }: Invocation,
    request: AdmissionRequest,
    mutating: boolean,
  ): Promise<Result<WebhookAnswer | undefined, ApiStatus>> {
    if (request.dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun")
      return badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    const version = hook.admissionReviewVersions.find(isReviewVersion) ?? "v1";
    const uid = this.#machinery.entropy.uuid();
    const review = {
      kind: "AdmissionReview",
      apiVersion: `admission.k8s.io/${version}`,
      request: reviewRequest(uid, match, request, objects),
    };
    const timeout = (hook.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
    const called = await callWebhook(this.#machinery, hook.clientConfig, review, timeout, request.call.signal);
    if (!called.ok) return failure(hook, `failed to call webhook: ${called.problem}`);
    const otherForm = formProblem(called.value, version);
    if (otherForm !== undefined) return failure(hook, `failed to call webhook: ${otherForm}`);
    const answer = readAnswer(called.value, version, uid, mutating);
    if (!answer.ok) return failure(hook, `received invalid webhook response: ${answer.problem}`);
    for (const warning of answer.value.warnings) request.call.warnings.add(warning);
    return answer.value.allowed ? answer : denial(hook.name, answer.value.status);
  }

  /** Applies the response's patch and converts the object back to the version of the request. */
  async #patch(
    { hook, match, objects }: Invocation,
    request: AdmissionRequest,
    current: KubeObject | undefined,
    { patch: encoded, patchType }: WebhookAnswer,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    if (encoded === "") return done(current);
    const operations = decodePatch(encoded);
    const unusable = operations.ok
      ? patchType === "JSONPatch" || operations.value.length === 0
        ? undefined
        : `unsupported patch type ${JSON.stringify(patchType)}`
      : `received undecodable patch in webhook response: ${operations.problem}`;
    if (unusable !== undefined) {
      const refused = failure(hook, unusable);
      return refused.ok ? done(current) : refused;
    }
    if (!operations.ok || operations.value.length === 0) return done(current);
    if (objects.object === undefined)
      return internalError(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    const patched = applyJsonPatch(asJson(objects.object), operations.value);
    if (!patched.ok) return internalError(patched.problem.message);
    if (!isJsonObject(patched.value)) return internalError("the patched object is no object");
    if (request.body !== undefined) return done(asKubeObject(patched.value) ?? current);
    const read = allSteps(readAs(match, patched.value, []));
    if (!read.ok) return internalError(read.problem);
    return inVersion(this.#machinery, match, request.kind, read.value.object);
  }
}

function isReviewVersion(version: string): version is ReviewVersion {
  return version === "v1" || version === "v1beta1";
}

/** Applies failurePolicy after a failed call. */
function failure(hook: ValidatingWebhook, why: string): Result<undefined, ApiStatus> {
  if (hook.failurePolicy === "Ignore") return done(undefined);
  return internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${why}`);
}

export function sameObject(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && deepEqual(asJson(a), asJson(b)));
}

function decodePatch(encoded: string): Result<readonly JsonValue[], string> {
  try {
    const value = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as JsonValue;
    if (Array.isArray(value)) return done(value as readonly JsonValue[]);
    return failed(`json: cannot unmarshal ${jsonType(value)} into Go value of type jsonpatch.Patch`);
  } catch (problem) {
    return failed(problem instanceof Error ? problem.message : String(problem));
  }
}
