import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../apis/admissionregistration.ts";
import type { KubeObject } from "../../apis/object.ts";
import { asJson, asKubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { readStatus } from "../../apis/status.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import { applyJsonPatch } from "../../object/json-patch.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import type { Machinery } from "../machinery.ts";
import { badRequest, forbidden, internalError } from "../request/refusal.ts";
import { readAs } from "../resource/decode.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { AdmissionRequest } from "./admission.ts";
import { authorizerValue } from "./authorizer-value.ts";
import { matchConditions } from "./match-conditions.ts";
import { callWebhook } from "./webhook-client.ts";
import { isExempt, matchRules, matchSelectors } from "./webhook-match.ts";
import type { Objects } from "./webhook-review.ts";
import { reviewRequest } from "./webhook-review.ts";

const tables = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
};

const defaultTimeoutSeconds = 10;

/** Calls the webhooks that want to hear of a write. */
export class Webhooks {
  readonly #machinery: Machinery;
  readonly #authorizer: RbacAuthorizer;

  constructor(machinery: Machinery, authorizer: RbacAuthorizer) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
  }

  async mutate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    if (isExempt(request.kind)) return done(object);
    const hooks = this.#configured<MutatingWebhookConfiguration>(tables.mutating).flatMap(
      ({ webhooks = [] }) => webhooks,
    );
    let current = object;
    const called: { readonly hook: MutatingWebhook; readonly saw: KubeObject | undefined }[] = [];
    for (const hook of hooks) {
      const next = await this.#mutateWith(hook, request, { object: current, old });
      if (!next.ok) return next;
      if (next.value.called) called.push({ hook, saw: next.value.object });
      current = next.value.object;
    }
    for (const { hook, saw } of called) {
      if (hook.reinvocationPolicy !== "IfNeeded" || sameObject(saw, current)) continue;
      const next = await this.#mutateWith(hook, request, { object: current, old });
      if (!next.ok) return next;
      current = next.value.object;
    }
    return done(current);
  }

  async validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>> {
    if (isExempt(request.kind)) return done(undefined);
    const hooks = this.#configured<ValidatingWebhookConfiguration>(tables.validating).flatMap(
      ({ webhooks = [] }) => webhooks,
    );
    if (hooks.length === 0) return done(undefined);
    const answers = await Promise.all(
      hooks.map(async (hook) => {
        const answer = await this.#ask(hook, request, { object, old });
        if (!answer.ok || answer.value === undefined) return answer.ok ? done(undefined) : answer;
        return member(answer.value, "patch") === undefined
          ? done(undefined)
          : this.#failure(hook, "received invalid webhook response: validating webhook may not return response.patch");
      }),
    );
    return answers.find((answer) => !answer.ok) ?? done(undefined);
  }

  #configured<Configuration extends KubeObject>(table: string): readonly Configuration[] {
    const found = this.#machinery.storage.list(table);
    return found.ok ? (found.value as readonly Configuration[]) : [];
  }

  async #mutateWith(
    hook: MutatingWebhook,
    request: AdmissionRequest,
    objects: Objects,
  ): Promise<Result<{ readonly called: boolean; readonly object: KubeObject | undefined }, ApiStatus>> {
    const answer = await this.#ask(hook, request, objects);
    if (!answer.ok) return answer;
    if (answer.value === undefined) return done({ called: false, object: objects.object });
    const patch = member(answer.value, "patch");
    if (typeof patch !== "string" || patch === "" || objects.object === undefined)
      return done({ called: true, object: objects.object });
    const patched = applyPatch(request, objects.object, patch);
    return patched.ok ? done({ called: true, object: patched.value }) : patched;
  }

  /** The `response` of an allowed review; undefined when the webhook was not asked, or failed and may. */
  async #ask(
    hook: ValidatingWebhook,
    request: AdmissionRequest,
    objects: Objects,
  ): Promise<Result<JsonObject | undefined, ApiStatus>> {
    const match = matchRules(this.#machinery, hook, request);
    if (match === undefined) return done(undefined);
    if (!matchSelectors(this.#machinery, hook, request, objects.object, objects.old)) return done(undefined);
    const uid = this.#machinery.entropy.uuid();
    const admission = reviewRequest(uid, match, request, objects);
    const conditions = matchConditions(
      hook.matchConditions ?? [],
      admission,
      authorizerValue(this.#authorizer, request),
    );
    switch (conditions.kind) {
      case "skip":
        return done(undefined);
      case "error":
        return hook.failurePolicy === "Ignore"
          ? done(undefined)
          : forbidden(request.kind.type, request.name, conditions.message);
      case "call":
        break;
    }
    if (request.dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun")
      return badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request: admission };
    const timeout = (hook.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
    const called = await callWebhook(this.#machinery, hook.clientConfig, review, timeout, request.call.signal);
    if (!called.ok) return this.#failure(hook, `failed to call webhook: ${called.problem}`);
    return this.#judge(hook, request, uid, called.value);
  }

  #judge(
    hook: ValidatingWebhook,
    request: AdmissionRequest,
    uid: string,
    review: JsonValue,
  ): Result<JsonObject | undefined, ApiStatus> {
    const invalidResponse = (why: string): Result<undefined, ApiStatus> =>
      this.#failure(hook, `received invalid webhook response: ${why}`);
    const response = isJsonObject(review) ? member(review, "response") : undefined;
    if (!isJsonObject(response)) return invalidResponse("webhook response was absent");
    const found = member(response, "uid");
    if (found !== uid)
      return invalidResponse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found ?? "")}`);
    const patch = member(response, "patch") ?? "";
    const patchType = member(response, "patchType") ?? "";
    if (patch !== "" && patchType === "")
      return invalidResponse("webhook returned response.patch but not response.patchType");
    if (patch === "" && patchType !== "")
      return invalidResponse("webhook returned response.patchType but not response.patch");
    if (patchType !== "" && patchType !== "JSONPatch")
      return invalidResponse(`webhook returned unexpected patchType: ${JSON.stringify(patchType)}`);
    const warnings = member(response, "warnings");
    if (Array.isArray(warnings))
      for (const warning of warnings as readonly JsonValue[])
        if (typeof warning === "string") request.call.warnings.add(warning);
    return member(response, "allowed") === true ? done(response) : denied(hook.name, response);
  }

  /** A webhook that could not be asked: its policy decides. */
  #failure(hook: ValidatingWebhook, why: string): Result<undefined, ApiStatus> {
    if (hook.failurePolicy === "Ignore") return done(undefined);
    return internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${why}`);
  }
}

function sameObject(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && deepEqual(asJson(a), asJson(b)));
}

function denied(name: string, response: JsonObject): Result<never, ApiStatus> {
  const sent = member(response, "status");
  const status = isJsonObject(sent) ? sent : {};
  const read = readStatus(0, { ...status, kind: "Status" });
  const why = read.message === "" ? read.reason : read.message;
  const message =
    why === ""
      ? `admission webhook ${JSON.stringify(name)} denied the request without explanation`
      : `admission webhook ${JSON.stringify(name)} denied the request: ${why}`;
  return failed({
    code: read.code >= 400 ? read.code : 400,
    reason: read.reason,
    message,
    ...(read.details === undefined ? {} : { details: read.details }),
  });
}

function applyPatch(request: AdmissionRequest, object: KubeObject, encoded: string): Result<KubeObject, ApiStatus> {
  let operations: JsonValue;
  try {
    operations = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as JsonValue;
  } catch (problem) {
    return internalError(problem instanceof Error ? problem.message : String(problem));
  }
  const patched = applyJsonPatch(asJson(object), operations);
  if (!patched.ok) return internalError(patched.problem.message);
  if (!isJsonObject(patched.value)) return internalError("the patched object is no object");
  const read = readAs(request.kind, patched.value, []);
  if (!read.ok) return internalError(read.problem);
  return done(asKubeObject(asJson(read.value.object)) ?? object);
}
