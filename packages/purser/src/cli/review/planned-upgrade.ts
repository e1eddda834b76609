import { decideExtension } from "../../engine/snapshot/snapshot-decision.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { decideNamespace } from "../../engine/snapshot/snapshot-decision.ts";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import { summaryOf } from "../../explanation/summary.ts";
import { chooseBundle } from "../cluster/package-request.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { type DecidedChange, decidedChanges, installationOf } from "./decided-changes.ts";
import { packagePath } from "./package-path.ts";
import { reviewedPath } from "./reviewed-path.ts";

/** What an upgrade of an installation does. */
export interface PlannedUpgrade {
  /** The version it ends at; the installed one when there is nothing to upgrade. */
  readonly target: string;
  /** Versions on the way, the target last. */
  readonly path: readonly string[];
  /** Merge patch of the Subscription or ClusterExtension; undefined: it already asks for the target. */
  readonly patch?: JsonObject;
  /** The patch asks for other bundles, so an InstallPlan that waits already is not the first upgrade. */
  readonly isRerouted: boolean;
  /** The patch in words. */
  readonly writes: readonly string[];
  /** Of the first upgrade; empty when no bundle is read. */
  readonly changes: readonly DecidedChange[];
  /** Reads the changes of all hops; absent when there is but one, or no bundle is read. */
  readonly wholeWay?: () => Promise<DecidedChange>;
}

export interface UpgradeWish {
  readonly to: string | undefined;
  readonly channel: string | undefined;
}

type Planned = Promise<Result<PlannedUpgrade, Explanation>>;

/** Plans the upgrade of an installed Subscription or ClusterExtension; the problem is why the catalog has no such upgrade. */
export function plannedUpgrade(opened: OpenedWorld, installation: Installation, wish: UpgradeWish): Planned {
  return installation.api === "v1"
    ? upgradedExtension(opened, installation, wish)
    : upgradedSubscription(opened, installation, wish);
}

async function upgradedSubscription(opened: OpenedWorld, installation: Installation, wish: UpgradeWish): Planned {
  const { world } = opened;
  const { namespace = "", name, reference, version = "" } = installation;
  const subscription = world.snapshot.subscriptions.find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  invariant(subscription !== undefined, "the installation has a Subscription");
  const { spec } = subscription;
  const source = world.snapshot.catalogSources.find(
    ({ metadata }) => metadata.name === spec.source && metadata.namespace === spec.sourceNamespace,
  );
  const content = source === undefined ? undefined : world.contentOfSource(source);
  const index = content?.kind === "present" ? content.index : undefined;
  const summary = index?.package(spec.name);
  if (index === undefined || summary === undefined) return failed(withoutContent(reference, spec, index === undefined));
  const wanted = wish.channel ?? spec.channel;
  const bundle = chooseBundle({ source: { name: spec.source, index }, summary }, wanted, wish.to);
  if (!bundle.ok) return failed(asUpgrade(bundle.problem, installation));
  const { channel } = bundle.value;
  const path = packagePath(summary, { rules: "v0", from: version, to: wish.to, channel });
  if (!path.ok) return failed(asUpgrade(path.problem, installation));
  const versions = path.value.slice(1).map((one) => one.version);
  const target = versions.at(-1) ?? version;
  const moves = spec.channel !== channel && wish.channel !== undefined;
  const isManual = spec.installPlanApproval === "Manual";
  const stays = wish.to !== undefined && !isManual && target !== headVersion(summary, channel);
  const changed: JsonObject = {
    ...(moves ? { channel } : {}),
    ...(stays ? { installPlanApproval: "Manual" } : {}),
  };
  const upgraded = { ...subscription, spec: { ...spec, ...changed } } as Subscription;
  const isPatched = moves || stays;
  const catalog = { namespace: spec.sourceNamespace, name: spec.source };
  const subject = { kind: "namespace", world, namespace, reference, assumed: false } as const;
  const reviewed = installationOf(subject, { catalog, subscriptions: [name] });
  const { bundles, present } = opened;
  return done({
    ...(bundles === undefined || path.value.length < 3
      ? {}
      : {
          wholeWay: () =>
            reviewedPath(
              path.value,
              { index, source, installation: reviewed, bundles, present },
              { installation: reference, options: plainJson(reviewed) as JsonObject, dependencies: [] },
            ),
        }),
    target,
    path: versions,
    ...(isPatched ? { patch: { spec: changed } } : {}),
    isRerouted: moves,
    writes: [
      ...(moves ? [`channel ${channel} instead of ${spec.channel ?? "the default channel"}`] : []),
      ...(stays ? [`approval Manual, so that it stays at ${target}`] : []),
    ],
    changes: target === version ? [] : await subscriptionChanges(opened, namespace, reference, upgraded),
  });
}

async function subscriptionChanges(
  opened: OpenedWorld,
  namespace: string,
  reference: string,
  upgraded: Subscription,
): Promise<readonly DecidedChange[]> {
  const { kubeVersion, reservedGroups, replacedOperators, plansPer, bundles } = opened;
  if (bundles === undefined) return [];
  const { snapshot } = opened.world;
  const { metadata } = upgraded;
  const world = {
    ...opened.world,
    snapshot: {
      ...snapshot,
      subscriptions: snapshot.subscriptions.map((one) => (one.metadata.uid === metadata.uid ? upgraded : one)),
    },
  };
  const options = { clock: systemClock, kubeVersion, reservedGroups, replacedOperators, plansPer, bundles };
  const decision = await decideNamespace(world, namespace, options);
  if (decision.explanation !== undefined) return [failed(decision.explanation)];
  return decidedChanges(opened, { kind: "namespace", world, namespace, reference, assumed: false }, decision);
}

async function upgradedExtension(opened: OpenedWorld, installation: Installation, wish: UpgradeWish): Planned {
  const { snapshot } = opened.world;
  const { reference, version = "" } = installation;
  const extension = snapshot.clusterExtensions.find(({ metadata }) => metadata.name === installation.name);
  const spec = extension?.spec;
  const filter = spec?.source.catalog;
  invariant(
    extension !== undefined && spec !== undefined && filter !== undefined,
    "an installed extension has a package",
  );
  const given: JsonObject = {
    ...(wish.to === undefined || wish.to === filter.version ? {} : { version: wish.to }),
    ...(wish.channel === undefined || isOnly(filter.channels, wish.channel) ? {} : { channels: [wish.channel] }),
  };
  const upgraded = {
    ...extension,
    spec: { ...spec, source: { ...spec.source, catalog: { ...filter, ...given } } },
  } as typeof extension;
  const world = {
    ...opened.world,
    snapshot: {
      ...snapshot,
      clusterExtensions: snapshot.clusterExtensions.map((one) => (one === extension ? upgraded : one)),
    },
  };
  const decision = decideExtension(world, upgraded, { clock: systemClock, kubeVersion: opened.kubeVersion });
  const [chosen] = decision.chosen;
  if (decision.explanation !== undefined || chosen === undefined) {
    invariant(decision.explanation !== undefined, "a decision without a bundle is refused");
    return failed(decision.explanation);
  }
  const isPatched = Object.keys(given).length > 0;
  const subject = { kind: "extension", world, extension: upgraded, reference, assumed: false } as const;
  return done({
    target: chosen.version,
    path: chosen.upToDate ? [] : [chosen.version],
    ...(isPatched ? { patch: { spec: { source: { catalog: given } } } } : {}),
    isRerouted: isPatched,
    writes: [
      ...("version" in given ? [`version ${wish.to} instead of ${filter.version ?? "any"}`] : []),
      ...("channels" in given ? [`channel ${wish.channel} instead of ${filter.channels?.join(", ") ?? "any"}`] : []),
    ],
    changes: chosen.version === version ? [] : await decidedChanges(opened, subject, decision),
  });
}

const isOnly = (channels: readonly string[] | undefined, channel: string): boolean =>
  channels?.length === 1 && channels[0] === channel;

function headVersion({ channels }: Parameters<typeof packagePath>[0], channel: string): string | undefined {
  const found = channels.find(({ name }) => name === channel);
  return found?.bundles.find(({ name }) => name === found.head)?.version;
}

/** The refusal of an installation, with commands that upgrade instead; none of them to an older version. */
function asUpgrade(explanation: Explanation, { reference, version: installed = "" }: Installation): Explanation {
  const remedies = explanation.remedies.flatMap((remedy): readonly Remedy[] => {
    const [, version, channel] = /^purser install [^\s@]+(?:@(\S+))? --channel (\S+)$/.exec(remedy.command ?? "") ?? [];
    if (channel === undefined) return [remedy];
    const [before, after] = [parseTolerantVersion(installed), parseTolerantVersion(version ?? "")];
    if (before.ok && after.ok && compareVersions(after.value, before.value) < 0) return [];
    const to = version === undefined ? "" : ` --to ${version}`;
    return [{ ...remedy, command: `purser upgrade ${reference}${to} --channel ${channel}` }];
  });
  return { ...explanation, remedies };
}

function withoutContent(reference: string, spec: Subscription["spec"], isUnread: boolean): Explanation {
  const catalog = `${spec.sourceNamespace}/${spec.source}`;
  return {
    code: isUnread ? "CatalogUnavailable" : "PackageNotFound",
    summary: summaryOf(
      isUnread
        ? `The content of catalog ${catalog} is not on this machine, so the upgrades of ${reference} are unknown`
        : `Catalog ${catalog} no longer has package ${spec.name}, so ${reference} has no upgrade`,
    ),
    facts: { installation: reference, catalog, package: spec.name },
    derivation: [],
    remedies: [{ summary: "see what prevents the upgrade", command: `purser explain ${reference}` }],
  };
}
