import type { KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { Result } from "../../result.ts";
import type { RbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import type { Machinery } from "../machinery.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { completePod, withinLimits, withinQuota } from "./built-in-plugins.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { applyPolicies } from "./policies.ts";
import { roleEscalation } from "./role-escalation.ts";
import { tellUnsupported } from "./unsupported.ts";
import { Webhooks } from "./webhooks.ts";

/** The admission plug-ins in the real server's order. */
export class AdmissionChain implements Admission {
  readonly #machinery: () => Machinery;
  readonly #authorizer: RbacAuthorizer;
  #webhooks: Webhooks | undefined;

  /** The machinery holds this chain, so it comes later. */
  constructor(machinery: () => Machinery, authorizer: RbacAuthorizer) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
  }

  async mutate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<KubeObject | undefined, ApiStatus>> {
    const held = roleEscalation(this.#authorizer, request, object, old);
    if (!held.ok) return held;
    const lives = namespaceLifecycle(this.#machinery().storage, request);
    if (!lives.ok) return lives;
    const told = tellUnsupported(request, object, old);
    if (!told.ok) return told;
    const completed = completePod(this.#machinery(), request, object);
    if (!completed.ok) return completed;
    return this.#hooks().mutate(request, completed.value, old);
  }

  async validate(
    request: AdmissionRequest,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): Promise<Result<undefined, ApiStatus>> {
    const limited = withinLimits(this.#machinery(), request, object);
    if (!limited.ok) return limited;
    const lawful = applyPolicies(this.#machinery(), this.#authorizer, request, object, old);
    if (!lawful.ok) return lawful;
    const hooked = await this.#hooks().validate(request, object, old);
    return hooked.ok ? withinQuota(this.#machinery(), request, object) : hooked;
  }

  #hooks(): Webhooks {
    return (this.#webhooks ??= new Webhooks(this.#machinery(), this.#authorizer));
  }
}
