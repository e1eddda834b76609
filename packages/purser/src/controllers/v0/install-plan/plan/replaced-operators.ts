import { isJsonObject, member } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { InstallPlan, Step } from "../../../../apis/v0/install-plan.ts";
import { referenceIn } from "../../../../resolver/v0/install-plan/bundle-reference.ts";

const generationOf = ({ spec }: InstallPlan): number => spec.generation ?? 0;

/** Whether a CSV gives way to its successor: from then on it needs nothing that its InstallPlan would still write. */
const givesWay = ({ status }: ClusterServiceVersion): boolean =>
  status?.phase === "Replacing" || status?.phase === "Deleting";

/**
 * The CSVs of a plan that existing CSVs of later plans have replaced, directly or through others that are deleted by now.
 * A process that ends before it records what a plan has done leaves it under way while the upgrades go on. Plans without a
 * generation were not made by a resolution; nothing counts as later than they are.
 *
 * @param csvs all of the plan's namespace, without copies
 * @param plans all of the plan's namespace
 */
export function replacedOperators(
  plan: InstallPlan,
  csvs: readonly ClusterServiceVersion[],
  plans: readonly InstallPlan[],
): ReadonlySet<string> {
  const existing = new Map(csvs.map((csv) => [csv.metadata.name ?? "", csv]));
  const candidates = plan.spec.clusterServiceVersionNames.filter((name) => {
    const csv = existing.get(name);
    return csv === undefined || givesWay(csv);
  });
  const later =
    plan.spec.generation === undefined ? [] : plans.filter((each) => generationOf(each) > generationOf(plan));
  if (candidates.length === 0 || later.length === 0) return new Set();
  const successors = Map.groupBy(
    later
      .flatMap(({ status }) => status?.plan ?? [])
      .filter(({ resource }) => resource.kind === "ClusterServiceVersion"),
    replacedBy,
  );
  const isReplaced = (name: string, seen: ReadonlySet<string> = new Set([name])): boolean =>
    (successors.get(name) ?? []).some(
      ({ resource: { name: next } }) =>
        !seen.has(next) && (existing.has(next) || isReplaced(next, new Set([...seen, next]))),
    );
  return new Set(candidates.filter((name) => isReplaced(name)));
}

/** The name of the CSV that the CSV of a step replaces; empty when it replaces none or its manifest cannot be read. */
function replacedBy({ resource: { manifest = "" } }: Step): string {
  const reference = referenceIn(manifest);
  if (!reference.ok) return "";
  if (reference.value !== undefined) return reference.value.replaces;
  const read = readYaml(manifest);
  const spec = read.ok && isJsonObject(read.value) ? member(read.value, "spec") : undefined;
  const replaces = isJsonObject(spec) ? member(spec, "replaces") : undefined;
  return typeof replaces === "string" ? replaces : "";
}
