import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { installerRights } from "../../bundle/installer-rights.ts";
import type { BundleSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import { bundleRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { invalid, unread } from "../../engine/review/review-bundle.ts";
import { packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { installationsOf } from "../../installation/installation.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { rightsOutcome } from "../bundle/rights.ts";
import { findInstallation } from "../cluster/installations.ts";
import { chooseBundle, choosePackage, parsePackageArgument } from "../cluster/package-request.ts";
import { flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { sourcesIn } from "../decision/decision-subject.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";

/**
 * `purser permissions INSTALLATION|PACKAGE --least`: the account that may install the bundle, and nothing beyond it.
 * @throws UsageError for a package without `--namespace`
 */
export async function leastPermissions(invocation: Invocation, what: string): Promise<Outcome> {
  const opened = await openWorld(invocation, { bundles: "always" });
  if (!opened.ok) return opened.problem;
  try {
    const { world, bundles } = opened.value;
    const found = bundleOf(invocation, world, what);
    if (!found.ok) return { explanation: found.problem };
    const { bundle, namespace } = found.value;
    if (bundles === undefined) return { explanation: unread(bundle.name, "bundles are not read") };
    const read = await bundles.read(bundleRequest(bundle, undefined));
    if (!read.ok) return { explanation: unread(bundle.name, read.problem) };
    const registry = await read.value.objects.registry();
    if (!registry.ok)
      return {
        explanation: invalid(bundle.name, registry.problem.map((one) => one.message).join("; "), bundle.package),
      };
    const { csv, crds, others } = registry.value;
    const objects = [...crds, ...others].map(({ object }) => object);
    const rights = installerRights({ csv: csv as unknown as ClusterServiceVersion, objects }, namespace);
    return rightsOutcome(invocation, rights, "least-privilege", namespace);
  } finally {
    await opened.value.close();
  }
}

interface WantedBundle {
  readonly bundle: BundleSummary;
  /** Where the operator runs. */
  readonly namespace: string;
}

/** The installed bundle of an installation, else the bundle of a package that would be installed. */
function bundleOf(
  invocation: Invocation,
  world: OpenedWorld["world"],
  what: string,
): Result<WantedBundle, Explanation> {
  const { subscriptions, clusterServiceVersions: csvs, installPlans, clusterExtensions: extensions } = world.snapshot;
  const given = textOption(invocation, "namespace");
  const found = findInstallation(what, installationsOf({ subscriptions, csvs, installPlans, extensions }), given);
  if (found.kind === "found") {
    const { installation } = found;
    const extension = extensions.find(({ metadata }) => metadata.name === installation.name);
    const bundle = named(packagesOfInstallation(world, installation), installation.bundle ?? "");
    if (bundle !== undefined)
      return done({ bundle, namespace: installation.namespace ?? extension?.spec?.namespace ?? "default" });
    return failed(unread(installation.bundle ?? what, "no catalog that can be read has it"));
  }
  if (given === undefined)
    throw new UsageError(
      "--least needs the namespace of the operator",
      `purser permissions ${what} --least -n NAMESPACE`,
    );
  const { packageName, version } = parsePackageArgument(what);
  const api = flagOption(invocation, "as-extension") ? "v1" : "v0";
  const sources = sourcesIn(world, given, api);
  const chosen = choosePackage(packageName, sources, textOption(invocation, "from-source"), api);
  if (!chosen.ok) return chosen;
  const wanted = chooseBundle(chosen.value, textOption(invocation, "channel"), version);
  if (!wanted.ok) return wanted;
  const name = wanted.value.bundle ?? wanted.value.head ?? "";
  const bundle = named([chosen.value.summary], name);
  return bundle === undefined
    ? failed(unread(name, "the catalog does not have it"))
    : done({ bundle, namespace: given });
}

const named = (packages: readonly PackageSummary[], name: string): BundleSummary | undefined =>
  packages.flatMap(({ channels }) => channels.flatMap(({ bundles }) => bundles)).find((one) => one.name === name);
