import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Result } from "@purser/kubernetes/result";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { Machinery } from "../machinery.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { onlyDefaultPriority } from "./default-priority.ts";
import { withinLimits } from "./limit-ranges.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { completePod } from "./new-pod.ts";
import { ownersPermitted } from "./owner-references.ts";
import { accountAllows } from "./pod-account.ts";
import { podSecurity } from "./pod-security.ts";
import { applyPolicies } from "./policies/policies.ts";
import { prepareQuota, withinQuota } from "./quotas.ts";
import { roleEscalation } from "./role-escalation.ts";
import { scaleView, withScaled } from "./scale-view.ts";
import { withoutOverhead } from "./runtime-class.ts";
import { warnOfUnsupported } from "./unsupported.ts";
import type { Reinvocation } from "./reinvocation.ts";
import { sameObject, Webhooks } from "./webhooks/webhooks.ts";

/** Admission plug-ins that can be configured at start. */
export interface AdmissionOptions {
  /** `off`: the `pod-security.kubernetes.io/` labels of namespaces are ignored (the plug-in is disabled). */
  readonly podSecurity: "enforce" | "off";
  /** Enables the plug-in OwnerReferencesPermissionEnforcement, which is off by default in kube-apiserver. */
  readonly enforceOwnerPermissions: boolean;
}

/** The admission plug-ins in the order of kube-apiserver. */
export class AdmissionChain implements Admission {
  readonly #machinery: () => Machinery;
  readonly #authorizer: RbacAuthorizer;
  readonly #options: AdmissionOptions;
  #webhooks: Webhooks | undefined;

  /** `machinery` is a function because the machinery contains this chain. */
  constructor(machinery: () => Machinery, authorizer: RbacAuthorizer, options: AdmissionOptions) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
    this.#options = options;
  }

  async mutate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    await prepareQuota(this.#machinery(), request);
    const held = roleEscalation(this.#authorizer, request, object, old);
    if (!held.ok) return held;
    const lives = namespaceLifecycle(this.#machinery().storage, request, object);
    if (!lives.ok) return lives;
    const supported = warnOfUnsupported(request, object);
    if (!supported.ok) return supported;
    const rounds = this.#hooks().reinvocation();
    const first = await this.#mutateOnce(rounds, request, object, old);
    if (!first.ok || !rounds.changed) return first;
    rounds.again = true;
    return this.#mutateOnce(rounds, request, first.value, old);
  }

  /** Built-in mutating plug-ins, then webhooks. */
  async #mutateOnce(
    rounds: Reinvocation,
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    const completed = completePod(this.#machinery(), request, object);
    if (!completed.ok) return completed;
    if (rounds.again && !sameObject(completed.value, object)) rounds.objectChanged();
    const scaled = completed.value === undefined ? undefined : scaleView(request, { object: completed.value, old });
    if (completed.value === undefined || scaled === undefined)
      return this.#hooks().mutate(rounds, request, completed.value, old);
    const { objects } = scaled;
    const mutated = await this.#hooks().mutate(rounds, scaled.request, objects.object, objects.old);
    return mutated.ok ? withScaled(request.kind, completed.value, objects.object, mutated.value) : mutated;
  }

  async validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>> {
    const limited = withinLimits(this.#machinery(), request, object, old);
    if (!limited.ok) return limited;
    const accounted = accountAllows(this.#machinery().storage, request, object);
    if (!accounted.ok) return accounted;
    const prioritized = onlyDefaultPriority(this.#machinery(), request, object);
    if (!prioritized.ok) return prioritized;
    if (this.#options.podSecurity === "enforce") {
      const secure = podSecurity(this.#machinery().storage, request, object, old);
      if (!secure.ok) return secure;
    }
    if (this.#options.enforceOwnerPermissions) {
      const permitted = ownersPermitted(this.#machinery(), this.#authorizer, request, object, old);
      if (!permitted.ok) return permitted;
    }
    const plain = withoutOverhead(request, object);
    if (!plain.ok) return plain;
    const seen = scaleView(request, { object, old }) ?? { request, objects: { object, old } };
    const lawful = await applyPolicies(this.#machinery(), this.#authorizer, seen.request, seen.objects);
    if (!lawful.ok) return lawful;
    const hooked = await this.#hooks().validate(seen.request, seen.objects.object, seen.objects.old);
    return hooked.ok ? withinQuota(this.#machinery(), request, object, old) : hooked;
  }

  #hooks(): Webhooks {
    return (this.#webhooks ??= new Webhooks(this.#machinery(), this.#authorizer));
  }
}
