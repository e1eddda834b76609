import { managedLabel, ownerLabel, ownerNamespaceLabel } from "../../../apis/v0/labels.ts";
import { installationsOf } from "../../../installation/installation.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import type { TakeoverWorld } from "./takeover-world.ts";

/** Objects of operators that no longer exist, and operators that nothing asks for. */
export function leftoverFindings({ owned, csvs, subscriptions }: TakeoverWorld): readonly TakeoverFinding[] {
  const existing = new Set(csvs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const leftovers = owned.flatMap(({ kind, metadata }): readonly TakeoverFinding[] => {
    const {
      [ownerLabel]: name = "",
      [ownerNamespaceLabel]: namespace = "",
      [managedLabel]: managed,
    } = metadata.labels ?? {};
    if (existing.has(`${namespace}/${name}`) || (kind !== "APIService" && managed !== "true")) return [];
    return [
      {
        code: "LeftoverDeleted",
        severity: "change",
        object: objectText(kind, { name: metadata.name ?? "" }),
        summary: `is deleted: its ClusterServiceVersion ${namespace}/${name} does not exist`,
      },
    ];
  });
  const orphans = installationsOf({ subscriptions, csvs, installPlans: [], extensions: [] })
    .filter(({ state }) => state === "Orphan")
    .map(({ namespace = "", name }): TakeoverFinding => ({
      code: "OrphanedOperator",
      severity: "note",
      object: objectText("ClusterServiceVersion", { namespace, name }),
      summary: "has no Subscription: it keeps running and is never upgraded, and blocks a Subscription for its package",
    }));
  return [...leftovers, ...orphans];
}
