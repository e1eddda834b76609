import { plainJson } from "@purser/kubernetes/json";
import type { BundleSummary } from "../../catalog/catalog-index.ts";
import { bundleIn } from "../../engine/review/dependencies.ts";
import type { ChosenBundle, Decision } from "../../engine/snapshot/snapshot-decision.ts";
import type { ReviewInput } from "../../review/change-plan/change-plan.ts";
import type { Subject } from "../decision/decision-subject.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { contentOf, type DecidedChange, installationOf, installedName, sourceOf } from "./decided-changes.ts";
import { packagePath } from "./package-path.ts";
import { reviewedPath } from "./reviewed-path.ts";

/** The upgrades that follow the one that is decided, as the catalog has them now. */
export interface LaterUpgrades {
  /** In order; at least one. */
  readonly versions: readonly string[];
  /** The installed version and all that follow, the decided one first. */
  readonly path: readonly BundleSummary[];
  readonly chosen: ChosenBundle;
}

/**
 * What follows the next upgrade of an installation on the way to the head of its channel, without regard to policies, which decide when its time comes.
 * Undefined for a first installation, for several upgrades at once, where nothing follows, and for a ClusterExtension that names its
 * versions.
 */
export function laterUpgrades(subject: Subject, { chosen }: Decision): LaterUpgrades | undefined {
  const [next, ...others] = chosen.filter(({ upToDate }) => !upToDate);
  if (next === undefined || others.length > 0 || subject.assumed) return undefined;
  const isNamed = subject.kind === "extension" && subject.extension.spec?.source.catalog?.version !== undefined;
  const old = installedName(subject, next);
  const index = contentOf(subject, next);
  const summary = index?.package(next.package);
  if (isNamed || old === undefined || index === undefined || summary === undefined) return undefined;
  const installed = bundleIn(index, next.package, old, next.channel);
  const rules = subject.kind === "extension" ? "v1" : "v0";
  const way = packagePath(summary, { rules, from: next.version, to: undefined, channel: next.channel });
  if (installed === undefined || !way.ok || way.value.length < 2) return undefined;
  const versions = way.value.slice(1).map(({ version }) => version);
  return { versions, path: [installed, ...way.value], chosen: next };
}

/** What all upgrades of the way change, by hop and in total; undefined when no bundle is read. */
export async function laterChanges(
  { bundles, present }: OpenedWorld,
  subject: Subject,
  { path, chosen }: LaterUpgrades,
): Promise<DecidedChange | undefined> {
  const index = contentOf(subject, chosen);
  if (index === undefined || bundles === undefined) return undefined;
  const installation = installationOf(subject, chosen);
  const source = { index, source: sourceOf(subject, chosen), installation, bundles, present };
  const options = plainJson(installation) as ReviewInput["options"];
  return reviewedPath(path, source, { installation: subject.reference, options, dependencies: [] });
}
