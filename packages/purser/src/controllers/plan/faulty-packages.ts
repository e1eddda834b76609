import { type Condition, withCondition } from "@purser/kubernetes/apis/condition";
import type { PackageFault } from "../../catalog/catalog-index.ts";
import { faultsText } from "../../catalog/package-fault.ts";

const type = "FaultyPackages";

/**
 * The conditions with `FaultyPackages`, which exists only while packages of the served content cannot be used and names the
 * first of them.
 * @param faults undefined while there is no content: the condition stays as it is
 */
export function withFaultyPackages(
  conditions: readonly Condition[],
  faults: readonly PackageFault[] | undefined,
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  if (faults === undefined) return conditions;
  if (faults.length === 0) return conditions.filter((condition) => condition.type !== type);
  const message = `${faults.length === 1 ? "1 package" : `${faults.length} packages`} cannot be used: ${faultsText(faults)}`;
  return withCondition(
    conditions,
    { type, status: "True", reason: "CatalogInvalid", message, observedGeneration },
    now,
  );
}

/** The text of an event, when other packages are faulty than before; undefined when nothing changed or none is. */
export function faultyPackagesNews(
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): string | undefined {
  const text = (conditions: readonly Condition[] | undefined): string | undefined =>
    conditions?.find((condition) => condition.type === type)?.message;
  return text(after) === text(before) ? undefined : text(after);
}
