import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { clusterUpdatePolicies } from "../../../apis/olm-resources.ts";
import { judgesContents } from "../../../policy/approval.ts";
import { extensionSubject } from "../../../policy/installation-holds.ts";
import type { UpgradeContents } from "../../../policy/upgrade-contents.ts";
import { upgradeContents } from "../../../review/change-plan/upgrade-contents.ts";
import { reviewExtension } from "../../../rollout/review/review-extension.ts";
import type { Surroundings } from "../../surroundings.ts";
import { type ExtensionPorts, observeExtension } from "./observe-extension.ts";
import type { PendingPlans } from "./pending-plans.ts";
import type { wantedBundle } from "./wanted-bundle.ts";
import { bundleOf } from "./plan/revision-state.ts";
import type { ExtensionWorld } from "./plan/world.ts";

/**
 * An extension as {@link observeExtension} reads it. Where policies judge upgrades by what they hold, the chosen bundle is compared
 * with what is installed, and the decision is taken again with that: another version is chosen where a policy denies it. What then
 * waits for approval is compared as well.
 */
export async function observeJudged(
  key: ObjectKey,
  context: ObserveContext,
  surroundings: Surroundings,
  ports: ExtensionPorts & { readonly pendingPlans: PendingPlans },
): Promise<ExtensionWorld | undefined> {
  const upgrades = new Map<string, UpgradeContents>();
  for (;;) {
    const world = await observeExtension(key, context, surroundings, ports, upgrades);
    const judged = world === undefined ? undefined : await judgedUpgrade(world, upgrades, context, surroundings);
    if (judged === undefined) {
      const asApproved = (read: typeof wantedBundle) =>
        observeExtension(key, context, surroundings, ports, upgrades, read);
      return world && { ...world, ...(await ports.pendingPlans.pendingOf(world, asApproved, surroundings.client)) };
    }
    upgrades.set(...judged);
  }
}

/** The wanted bundle with what its upgrade holds; undefined when no policy has to know, or it is known, or not readable yet. */
async function judgedUpgrade(
  { extension, states: { installed }, decision, holds }: ExtensionWorld,
  known: ReadonlyMap<string, UpgradeContents>,
  { reader, now }: ObserveContext,
  { client }: Surroundings,
): Promise<readonly [string, UpgradeContents] | undefined> {
  // What is rolled out already goes on.
  if (decision.kind !== "want" || holds === undefined || installed === undefined) return undefined;
  const { bundle, registry, content, rendered } = decision.wanted;
  const { name } = bundle;
  if (name === bundleOf(installed).name || known.has(name)) return undefined;
  if (registry === undefined || content.kind !== "ready" || rendered?.ok !== true) return undefined;
  const policies = { updatePolicies: [], clusterUpdatePolicies: await reader.list(clusterUpdatePolicies) };
  if (!judgesContents(policies, extensionSubject(extension), now)) return undefined;
  const to = { name, digest: content.digest, bundle: registry };
  const plan = await reviewExtension({ extension, installed, to }, client);
  if (!plan.ok) throw new Error(`the changes of ${name} cannot be computed, and a policy judges them: ${plan.problem}`);
  return [name, upgradeContents(plan.value)];
}
