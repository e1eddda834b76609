import type { JsonObject } from "@purser/kubernetes/json";
import type { Installation } from "../../installation/installation.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import type { Invocation } from "../command.ts";
import { shown, type Shown } from "../output/shown.ts";
import { planSetDocument, planSetText } from "./change-plan-outcome.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";

/** What an upgrade writes and changes; `set` is undefined while bundles are not read, or cannot be. */
export function upgradeText(
  { terminal, options }: Invocation,
  { reference, version }: Installation,
  { target, path, writes, changes }: PlannedUpgrade,
  set: PlanSet | undefined,
): Shown {
  const hops = path.length > 1 ? `, ${path.length} upgrades: ${[version, ...path].join(" -> ")}` : "";
  const head = shown(
    terminal.paint("strong", `Upgrade ${reference}: ${version} -> ${target}${hops}`),
    ...writes.map((text) => `  writes      ${text}`),
    ...(set === undefined
      ? (changes.length === 0
          ? [
              "bundles are not read: add --pull to read their images, or --bundles DIR for directories <package>/<version>",
            ]
          : changes.flatMap((change) => (change.ok ? [] : [change.problem.summary]))
        ).map((text) => `  changes     unknown: ${text}`)
      : []),
  );
  return [head, ...(set === undefined ? [] : [planSetText(terminal, set, options["full"] === true)])].join(
    "\n",
  ) as Shown;
}

/** The same facts for `-o json|yaml`. */
export function upgradeDocument(
  { reference, version }: Installation,
  { target, path, patch }: PlannedUpgrade,
  set: PlanSet | undefined,
): JsonObject {
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: "Upgrade",
    installation: reference,
    from: version ?? null,
    to: target,
    path,
    patch: patch ?? null,
    changes: set === undefined ? null : planSetDocument(set),
  };
}
