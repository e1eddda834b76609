import type { Plan } from "@purser/kubernetes/kube/plan";
import { resolveNow } from "../../../../resolver/resolution.ts";
import {
  contentKey,
  type KnownContent,
  type WantedContent,
} from "../../../../resolver/v0/install-plan/known-content.ts";
import { resolveNamespace } from "../../../../resolver/v0/resolve-namespace.ts";
import type { NamespaceAction } from "../plan/namespace-action.ts";
import { planNamespace } from "../plan/plan-namespace.ts";
import type { NamespaceWorld } from "../plan/world.ts";

export interface PlannedPass {
  /** With all that the plan asked for. */
  readonly world: NamespaceWorld;
  readonly plan: Plan<NamespaceAction>;
  /** What the stages asked for, in order: `resolution`, or `objects NAME` and `diagnosis NAME` of bundles. */
  readonly asked: readonly string[];
}

/** All stages of one pass over a namespace, as its controller runs them; `contentOf` stands in for the content of bundles. */
export function plannedPass(
  start: NamespaceWorld,
  now: number,
  contentOf: (wanted: WantedContent) => KnownContent,
): PlannedPass {
  const asked: string[] = [];
  for (let world = start; ;) {
    const stage = planNamespace(world, now);
    if (!("needs" in stage)) return { world, plan: stage, asked };
    const { needs } = stage;
    switch (needs.kind) {
      case "resolution":
        asked.push("resolution");
        world = { ...world, resolution: resolveNow(resolveNamespace(needs.input)) };
        break;
      case "contents":
        asked.push(...needs.bundles.map(({ bundle, reading }) => `${reading} ${bundle.name}`));
        world = {
          ...world,
          contents: new Map([
            ...world.contents,
            ...needs.bundles.map((wanted) => [contentKey(wanted.bundle), contentOf(wanted)] as const),
          ]),
        };
        break;
      case "rollbacks":
        throw new Error("no upgrade of these worlds is past its time");
      case "upgrades":
        asked.push(...needs.upgrades.map(({ csv }) => `upgrade ${csv}`));
        world = {
          ...world,
          upgrades: new Map(needs.upgrades.map(({ csv }) => [csv, { permissions: [], crds: [] }] as const)),
        };
    }
  }
}
