import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { managedLabel } from "../../../../apis/v0/labels.ts";
import { managedLabelOn } from "../../managed-label/plan/plan-managed-labels.ts";
import type { CsvAction } from "./csv-action.ts";
import type { RequirementWorld } from "./world.ts";

/**
 * Labels the accounts that an older OLM made for the CSV: they name it as owner by reference alone, so no informer of labels
 * shows them. Accounts without an owner are the user's and stay as they are.
 */
export function labelAccounts({
  csv,
  serviceAccounts: accounts,
}: Pick<RequirementWorld, "csv" | "serviceAccounts">): readonly CsvAction[] {
  return [...accounts.values()].flatMap((object) => {
    const { labels = {}, ownerReferences = [], deletionTimestamp } = object.metadata;
    const isOwned = ownerReferences.some(({ uid }) => uid === csv.metadata.uid);
    if (!isOwned || deletionTimestamp !== undefined || labels[managedLabel] === "true") return [];
    return [managedLabelOn({ type: serviceAccounts, object })];
  });
}
