import { counted, listOf } from "../../explanation/summary.ts";
import type { PlanLine } from "../change-plan/plan-text.ts";
import type { ApiFate, UninstallPlan } from "./uninstall-plan.ts";

/** An uninstallation as text. */
export function uninstallLines(plan: UninstallPlan): readonly PlanLine[] {
  const { installation, mode, digest, objects, apis, dependents, unneeded } = plan;
  const kept = apis.filter(({ fate }) => fate === "kept");
  const removed = apis.filter(({ fate }) => fate === "removed");
  return [
    { text: `Uninstall ${installation} (mode ${mode})`, meaning: "strong" },
    line("removed", `${counted(objects.length, "object")}: ${kinds(objects)}`),
    ...(removed.length === 0 ? [] : [line("removed", apiText(removed), "attention")]),
    ...(kept.length === 0 ? [] : [line("kept", apiText(kept))]),
    ...kept.flatMap(({ crd, because }) => (because === undefined ? [] : [line("kept", `${crd}: ${because}`)])),
    ...dependents.map(({ installation: other, kind }) =>
      line("affects", `${other} requires ${kind}, which nothing will serve`, "attention"),
    ),
    ...unneeded.map(({ installation: other, instances }) =>
      line(
        "unneeded",
        `${other} was installed for it, and nothing else requires it${instances === undefined || instances === 0 ? "" : ` (${counted(instances, "instance")})`}`,
      ),
    ),
    line("plan", digest),
  ];
}

function line(title: string, text: string, meaning?: PlanLine["meaning"]): PlanLine {
  return { text: `  ${title.padEnd(8)} ${text}`, ...(meaning === undefined ? {} : { meaning }) };
}

/** `2 Role and 1 ClusterServiceVersion`, the most frequent first. */
function kinds(objects: UninstallPlan["objects"]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  return listOf(
    sorted.map(([kind, count]) => `${count} ${kind}`),
    8,
  );
}

/** `2 CRDs, 4 instances (EtcdCluster 3 and EtcdBackup 1)` */
function apiText(apis: readonly ApiFate[]): string {
  const known = apis.filter(({ instances = 0 }) => instances > 0);
  const total = known.reduce((sum, { instances = 0 }) => sum + instances, 0);
  const unknown = apis.filter(({ instances }) => instances === undefined).map(({ kind }) => kind);
  const words = [
    ...known.map(({ kind, instances }) => `${kind} ${instances}`),
    ...unknown.map((kind) => `${kind} not counted`),
  ];
  return `${counted(apis.length, "CRD")}, ${counted(total, "instance")}${words.length === 0 ? "" : ` (${listOf(words, 6)})`}`;
}
