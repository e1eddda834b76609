import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { holdsOnInstallation, packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import { judgesContents } from "../../policy/approval.ts";
import type { UpgradeContents } from "../../policy/upgrade-contents.ts";
import type { PolicyBundle } from "../../policy/verdict.ts";
import { upgradeContents } from "../../review/change-plan/upgrade-contents.ts";
import type { OptionSpec } from "../command.ts";
import type { Subject } from "../decision/decision-subject.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { comparedChange, contentOf } from "../review/decided-changes.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { newerBundles } from "./held-newer.ts";
import { policySubjectOf } from "./policy-subject.ts";

/** Of commands that judge upgrades by what they hold. */
export const contentsOptions: readonly OptionSpec[] = [
  {
    ...bundlesOption,
    summary: "read bundles from directories <package>/<version>, for permissionIncrease and crdChange",
  },
  { flags: "--pull", summary: "read the bundles that no --bundles directory has from their images" },
];

/** A world that knows what the upgrades of an installation hold. */
export interface JudgedWorld {
  readonly world: DecisionWorld;
  /** Why an upgrade that a policy judges by what it holds was not looked at. */
  readonly unread?: string;
}

/**
 * Looks at upgrades of an installation where policies judge by what they hold, as its controller does: at the newest one that nothing
 * holds back, and when it is denied then at the next. Each is compared with the cluster.
 * @param known what is known of its upgrades already; what is looked at is added
 */
export async function judgedWorld(
  opened: OpenedWorld,
  given: DecisionWorld,
  installation: Installation,
  known: Map<string, UpgradeContents>,
): Promise<JudgedWorld> {
  const subject = policySubjectOf(given, installation);
  const installed = installedBundle(given, installation);
  if (subject === undefined || installed === undefined || !judgesContents(given.snapshot, subject, given.now ?? 0))
    return { world: given };
  for (;;) {
    const world = { ...given, upgrades: known };
    const next = newestAllowed(world, installation);
    if (next === undefined || known.has(next.name)) return { world };
    if (opened.bundles === undefined)
      return { world, unread: `what ${next.name} changes is not known without --bundles or --pull` };
    const looked = await contentsOf(opened, world, installation, { installed, next });
    if (typeof looked === "string") return { world, unread: looked };
    known.set(next.name, looked);
  }
}

/** The newest version above the installed one that policies do not hold back, in the channels that the installation follows. */
export function newestAllowed(world: DecisionWorld, installation: Installation): PolicyBundle | undefined {
  const { held } = holdsOnInstallation(world, installation);
  return askedNewer(world, installation).find(({ name }) => !held.some(({ bundles }) => bundles.includes(name)));
}

/** The versions above the installed one in the channels that the installation follows, the newest first. */
export function askedNewer(world: DecisionWorld, installation: Installation): readonly PolicyBundle[] {
  const asked = channelsOf(world, installation);
  const channels = packagesOfInstallation(world, installation)
    .flatMap((one) => one.channels)
    .filter(({ name }) => asked.length === 0 || asked.includes(name));
  return newerBundles(
    channels.flatMap(({ bundles }) => bundles),
    installation.version,
  );
}

/** The channels that it follows; empty means any. */
function channelsOf({ snapshot }: DecisionWorld, { api, name, namespace }: Installation): readonly string[] {
  if (api === "v1") {
    const extension = snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
    return extension?.spec?.source.catalog?.channels ?? [];
  }
  const own = snapshot.subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return own?.spec.channel === undefined || own.spec.channel === "" ? [] : [own.spec.channel];
}

/** What is installed of it; undefined for nothing. */
export function installedBundle(
  { snapshot }: DecisionWorld,
  { api, name, namespace }: Installation,
): PolicyBundle | undefined {
  if (api === "v1")
    return snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name)?.status?.install?.bundle;
  const own = snapshot.subscriptions.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const csv = snapshot.clusterServiceVersions.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === own?.status?.installedCSV,
  );
  return csv === undefined ? undefined : { name: csv.metadata.name ?? "", version: csv.spec.version ?? "" };
}

/** What an upgrade holds; a text is why that is not known. */
async function contentsOf(
  opened: OpenedWorld,
  world: DecisionWorld,
  { api, name, namespace = "", packageName, reference }: Installation,
  { installed, next }: { readonly installed: PolicyBundle; readonly next: PolicyBundle },
): Promise<UpgradeContents | string> {
  const { snapshot } = world;
  const extension =
    api === "v1" ? snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name) : undefined;
  const subject: Subject =
    extension === undefined
      ? { kind: "namespace", world, namespace, reference, assumed: false }
      : { kind: "extension", world, extension, reference, assumed: false };
  const objects = api === "v1" ? snapshot.clusterCatalogs : snapshot.catalogSources;
  for (const { metadata } of objects) {
    const catalog = { name: metadata.name ?? "", ...(api === "v1" ? {} : { namespace: metadata.namespace ?? "" }) };
    const chosen = {
      ...next,
      package: packageName,
      channel: "",
      image: "",
      catalog,
      replaces: installed.name,
      subscriptions: [name],
      upToDate: false,
    };
    if (!holds(contentOf(subject, chosen), packageName, next.name)) continue;
    const compared = await comparedChange(opened, subject, chosen, { chosen: [] });
    if (compared?.ok === true) return upgradeContents(compared.value.plan);
    if (compared !== undefined) return `what ${next.name} changes is not known: ${compared.problem.summary}`;
  }
  return `what ${next.name} changes is not known: no catalog on this machine has it`;
}

const holds = (content: CatalogIndex | undefined, packageName: string, bundle: string): boolean =>
  content?.package(packageName)?.channels.some(({ bundles }) => bundles.some(({ name }) => name === bundle)) === true;
