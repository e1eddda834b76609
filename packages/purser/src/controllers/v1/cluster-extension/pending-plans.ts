import { findCondition } from "@purser/kubernetes/apis/condition";
import type { Digest } from "@purser/kubernetes/digest";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { CauseCode } from "../../../explanation/explanation.ts";
import { type ApprovedPlan, planStaleCondition } from "../../../policy/approved-plan.ts";
import { reviewExtension } from "../../../rollout/review/review-extension.ts";
import type { ExtensionWorld } from "./plan/world.ts";
import { requestFor, wantedBundle } from "./wanted-bundle.ts";

const awaitsApproval: CauseCode = "ApprovalRequired";

type Pending = Pick<ExtensionWorld, "pending">;

/**
 * What extensions wait to get approved, with the digest of its changes. It is compared with the live objects once for each bundle and
 * spec, and again when an approval was stale: until then a change of a live object leaves the digest as it is, and approving that
 * shows the new one.
 */
export class PendingPlans {
  readonly #known = new Map<string, { readonly madeFrom: string; readonly plan: ApprovedPlan }>();

  /**
   * @param world what is decided without the approval
   * @param asApproved what would be decided with it, with the bundle as the function reads it
   */
  async pendingOf(
    world: ExtensionWorld,
    asApproved: (read: typeof wantedBundle) => Promise<ExtensionWorld | undefined>,
    client: KubeClient,
  ): Promise<Pending> {
    const { extension, decision, holds, states, approval } = world;
    if (holds === undefined) return {};
    if (decision.kind === "stale")
      return approval === undefined ? {} : { pending: { ...approval.approved, digest: approval.digest } };
    const cause = decision.kind === "refused" ? decision.explanation.code : holds.waiting?.code;
    if (cause !== awaitsApproval) return { pending: "nothing" };
    const { name = "" } = extension.metadata;
    const known = this.#known.get(name);
    // What is compared already is not rendered again.
    const wanted = await asApproved(async (_, request, surroundings, ports) => {
      const { bundle } = request;
      const { state: content } = ports.ask(requestFor(request));
      return content.kind === "ready" && known?.madeFrom === inputsOf(world, bundle.name, content.digest)
        ? { bundle, content }
        : wantedBundle(extension, request, surroundings, ports);
    });
    if (wanted?.decision.kind !== "want") return { pending: "nothing" };
    const { bundle, content, registry, rendered } = wanted.decision.wanted;
    if (content.kind !== "ready") return {};
    const madeFrom = inputsOf(world, bundle.name, content.digest);
    if (known?.madeFrom === madeFrom) return { pending: known.plan };
    if (rendered?.ok !== true || registry === undefined) return { pending: "nothing" };
    const to = { name: bundle.name, digest: content.digest, bundle: registry };
    const reviewed = await reviewExtension({ extension, installed: states.installed, to }, client);
    // Who approves it is shown why.
    if (!reviewed.ok) return { pending: "nothing" };
    const plan = { bundle: bundle.name, digest: reviewed.value.digest };
    this.#known.set(name, { madeFrom, plan });
    return { pending: plan };
  }

  forget(extension: string): void {
    this.#known.delete(extension);
  }
}

/** All that may change the digest, but for the live objects. */
function inputsOf({ extension: { metadata, status }, states }: ExtensionWorld, bundle: string, digest: Digest): string {
  const stale = findCondition(status?.conditions, planStaleCondition)?.message ?? "";
  return JSON.stringify([metadata.generation, bundle, digest, states.installed?.metadata.uid ?? "", stale]);
}
