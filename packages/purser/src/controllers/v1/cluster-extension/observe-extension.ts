import type { ObjectKey } from "@purser/kubernetes/apis/object";
import {
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterUpdatePolicies,
} from "../../../apis/olm-resources.ts";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter, ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel } from "../../../apis/v1/labels.ts";
import { isPaused } from "../../../apis/v1/paused.ts";
import type { PackageSummary } from "../../../catalog/catalog-index.ts";
import {
  extensionHolds,
  type InstallationHolds,
  isWithoutPolicies,
  noHolds,
} from "../../../policy/installation-holds.ts";
import { readableCatalog } from "../../../content/readable-catalog.ts";
import { defaultGates } from "../../../feature-gates.ts";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import type { ExtensionCatalog } from "../../../resolver/v1/input.ts";
import type { ExtensionOutcome } from "../../../resolver/v1/outcome.ts";
import { admitsBundle } from "../../../resolver/v1/admits-bundle.ts";
import { catalogSelection } from "../../../resolver/v1/selected-catalogs.ts";
import { resolveExtension } from "../../../resolver/v1/resolve-extension.ts";
import type { KnownUpgrades } from "../../../policy/upgrade-contents.ts";
import { resolveInSlices } from "../../resolve-in-slices.ts";
import type { Surroundings } from "../../surroundings.ts";
import { clusterCatalogContent } from "../cluster-catalog/cluster-catalog-controller.ts";
import { pullSecretsOf } from "../cluster-catalog/plan/catalog-request.ts";
import { observeRollback } from "./observe-rollback.ts";
import { judgedDependencies } from "./observe-dependencies.ts";
import { chooseBundle } from "./plan/choose-bundle.ts";
import { checkedApproval } from "./checked-approval.ts";
import type { HeldReleases } from "./held-releases.ts";
import { isBeingMigrated, migratedRevision, revisionFromRelease } from "../../../rollout/plan/revision-from-release.ts";
import { finalizersWrite } from "./plan/plan-extension.ts";
import { reasonToLeave, successorOf } from "./plan/leave-rollout.ts";
import { bundleOf, recordFault, revisionStates } from "./plan/revision-state.ts";
import type { RevisionBundle } from "./plan/revision-state.ts";
import type { ExtensionDecision, ExtensionWorld } from "./plan/world.ts";
import { wantedBundle, type WantedPorts } from "./wanted-bundle.ts";

export interface ExtensionPorts extends WantedPorts {
  readonly releases: HeldReleases;
}

/**
 * Reads an extension with its revisions, resolves it unless a rollout is under way, and renders its bundle.
 * @param upgrades what upgrades hold, as far as policies had to look at it
 * @param asApproved decides as if a person had approved everything, whatever the cluster lacks for it, and reads the bundle by this function
 */
export async function observeExtension(
  key: ObjectKey,
  context: ObserveContext,
  surroundings: Surroundings,
  ports: ExtensionPorts,
  upgrades: KnownUpgrades = new Map(),
  asApproved?: typeof wantedBundle,
): Promise<ExtensionWorld | undefined> {
  const { reader } = context;
  const extension = await reader.get(clusterExtensions, key);
  if (extension === undefined) return undefined;
  const revisions = await reader.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${key.name}` });
  const states = revisionStates(revisions);
  const hasPlainTexts = surroundings.compat.keepsUpstream("condition-texts");
  const unreadable = states.installed === undefined ? undefined : recordFault(states.installed);
  const base = {
    extension,
    revisions,
    states,
    ...(hasPlainTexts ? { hasPlainTexts } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
  } as const;
  if (extension.metadata.deletionTimestamp !== undefined || finalizersWrite(extension) !== undefined)
    return { ...base, deprecation: "unknown", missing: "unknown", decision: { kind: "wait" } };
  if (extension.spec === undefined) return undefined;
  if (isPaused(extension)) return { ...base, deprecation: "unknown", missing: "unknown", decision: { kind: "paused" } };
  const adoption = await adoptionOf(extension, revisions, (name) =>
    ports.releases.read(name, context.cache, surroundings.client),
  );
  if (adoption !== undefined) return { ...base, deprecation: "unknown", missing: "unknown", decision: adoption };
  if (unreadable !== undefined)
    return { ...base, deprecation: "unknown", missing: "unknown", decision: { kind: "wait" } };
  const listed = await reader.list(clusterCatalogs);
  // The content of a catalog that is being deleted is given up already; asking for it would read it again.
  const catalogs = listed.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // A revision does not say which catalog its bundle came from.
  const credentials = catalogs.flatMap(pullSecretsOf);
  const filter = extension.spec.source.catalog ?? { packageName: "" };
  const isSelected = catalogSelection(filter);
  const awaited = isSelected.ok ? catalogs.filter(isSelected.value) : [];
  const installed = states.installed === undefined ? undefined : bundleOf(states.installed);
  const policies = { updatePolicies: [], clusterUpdatePolicies: await reader.list(clusterUpdatePolicies) };
  const holds = isWithoutPolicies(policies)
    ? noHolds
    : extensionHolds(
        policies,
        extension,
        installed,
        packagesIn(knownContent(awaited, surroundings), filter),
        context.now,
        { upgrades, ...(asApproved === undefined ? {} : { approved: "all" }) },
      );
  const asked = { extension, catalogs, held: holds.held };
  const staysForEver = surroundings.compat.keepsUpstream("stuck-rollouts");
  const rolling = staysForEver ? states.rollingOut[0] : states.rollingOut.at(-1);
  const rollback =
    rolling === undefined || states.installed === undefined || staysForEver
      ? undefined
      : await observeRollback(
          { extension, installed: states.installed, rolling, policies, now: context.now },
          surroundings,
        );
  if (rollback?.kind === "due")
    return {
      ...base,
      deprecation: "unknown",
      missing: "unknown",
      decision: { kind: "rollBack", rolledBack: rollback.rolledBack },
    };
  let outcome: ExtensionOutcome | undefined;
  if (rolling !== undefined) {
    if (rollback?.kind === "going" && installed !== undefined) {
      const request = { bundle: installed, revisions, states, credentials, isInstalled: true, signal: context.signal };
      const wanted = await wantedBundle(extension, request, surroundings, ports);
      return { ...base, deprecation: "unknown", missing: "unknown", decision: { kind: "want", wanted } };
    }
    const reason = staysForEver
      ? undefined
      : reasonToLeave(rolling, admitsBundle(filter, bundleOf(rolling), knownContent(awaited, surroundings)));
    if (reason !== undefined) {
      const [fromInstalled, fromRollingOut] = [
        await resolve(asked, installed, context, surroundings),
        await resolve(asked, bundleOf(rolling), context, surroundings),
      ];
      outcome = successorOf(rolling, reason, fromInstalled, fromRollingOut);
    }
    if (outcome === undefined)
      return {
        ...base,
        ...(rollback === undefined ? {} : { rollback }),
        deprecation: "unknown",
        missing: "unknown",
        decision: {
          kind: "want",
          wanted: await wantedBundle(
            extension,
            { bundle: bundleOf(rolling), revisions, states, credentials, isInstalled: true, signal: context.signal },
            surroundings,
            ports,
          ),
        },
      };
  }
  if (awaited.some((catalog) => isBeingRead(catalog, context.now, surroundings)))
    return { ...base, deprecation: "unknown", missing: "unknown", decision: { kind: "wait" } };
  outcome ??= await resolve(asked, installed, context, surroundings);
  const deprecation = outcome.kind === "resolved" ? outcome.deprecation : "unknown";
  const missing = (outcome.kind === "resolved" ? outcome.missing : undefined) ?? [];
  const choice = chooseBundle(outcome, filter, installed, catalogs);
  if (choice.kind === "refused") return { ...base, holds, deprecation, missing, decision: choice };
  const { bundle, catalogVersion } = choice;
  const isInstalled = bundle.name === installed?.name;
  if (!isInstalled && outcome.kind === "resolved" && asApproved === undefined) {
    const known = { selected: knownContent(awaited, surroundings), all: knownContent(catalogs, surroundings) };
    const judged = await judgedDependencies(extension, outcome, known, policies, context, surroundings);
    if (judged.kind === "unmet") {
      const { upstream, explanation } = judged.outcome;
      const { installs, isComing } = judged;
      const decision = { kind: "refused", upstream, explanation, installs, ...(isComing ? { isComing } : {}) } as const;
      return { ...base, holds, deprecation, missing, decision };
    }
  }
  const request = { bundle, catalogVersion, revisions, states, credentials, isInstalled, signal: context.signal };
  const wanted = await (asApproved ?? wantedBundle)(extension, request, surroundings, ports);
  const world = { ...base, holds, deprecation, missing, decision: { kind: "want", wanted } } as const;
  const approval =
    isInstalled || asApproved !== undefined
      ? undefined
      : await checkedApproval(
          { extension, installed: states.installed, wanted, policies, upgrades, now: context.now },
          surroundings,
        );
  if (approval === undefined) return world;
  // What is no longer what was approved is not installed: the next pass decides without the approval.
  return approval.digest === approval.approved.digest
    ? { ...world, approval }
    : { ...world, approval, decision: { kind: "stale" } };
}

/** What has to be done before anything is resolved, when Helm installed the extension; undefined when it did not. */
async function adoptionOf(
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
  heldRelease: (extension: string) => ReturnType<HeldReleases["read"]>,
): Promise<ExtensionDecision | undefined> {
  const { name = "", uid = "" } = extension.metadata;
  // Its status is written by the controller of revisions.
  if (revisions.some(isBeingMigrated)) return { kind: "wait" };
  if (revisions.length > 0) return undefined;
  const release = await heldRelease(name);
  if (!release.ok) return { kind: "unadoptable", upstream: release.problem };
  if (release.value === undefined) return undefined;
  const desired = revisionFromRelease(name, release.value);
  if (!desired.ok) return { kind: "unadoptable", upstream: desired.problem };
  return { kind: "adopt", revision: migratedRevision(desired.value, { name, uid }) };
}

/** How long the first read of a catalog may take before it is reported as a fault. */
const patienceMs = 15_000;

function isBeingRead(catalog: ClusterCatalog, now: number, { content }: Surroundings): boolean {
  const found = clusterCatalogContent(catalog, content);
  return found?.index === undefined && found?.state.kind === "pending" && now - found.state.since < patienceMs;
}

function knownContent(catalogs: readonly ClusterCatalog[], { content }: Surroundings): readonly ExtensionCatalog[] {
  return catalogs.map((catalog) => {
    const found = clusterCatalogContent(catalog, content);
    const cause = "it is switched off or names no image";
    return { catalog, content: found === undefined ? { kind: "unavailable", cause } : readableCatalog(found) };
  });
}

/** The package as the catalogs that can be read have it. */
function packagesIn(catalogs: readonly ExtensionCatalog[], { packageName }: CatalogFilter): readonly PackageSummary[] {
  return catalogs.flatMap(({ content }) => {
    const found = content.kind === "present" ? content.index.package(packageName) : undefined;
    return found === undefined ? [] : [found];
  });
}

/** What a resolution starts from, whatever is installed. */
interface Asked {
  readonly extension: ClusterExtension;
  readonly catalogs: readonly ClusterCatalog[];
  readonly held: InstallationHolds["held"];
}

function resolve(
  { extension, catalogs, held }: Asked,
  installed: RevisionBundle | undefined,
  { signal }: ObserveContext,
  surroundings: Surroundings,
): Promise<ExtensionOutcome> {
  return resolveInSlices(
    resolveExtension({
      name: extension.metadata.name ?? "",
      ...(extension.spec === undefined ? {} : { namespace: extension.spec.namespace }),
      filter: extension.spec?.source.catalog ?? { packageName: "" },
      ...(installed === undefined
        ? {}
        : {
            installed: {
              name: installed.name,
              version: installed.version,
              ...(installed.release === undefined ? {} : { release: installed.release }),
            },
          }),
      catalogs: knownContent(catalogs, surroundings),
      ...(surroundings.compat.keepsUpstream("extension-dependencies") ? {} : { judgesDependencies: true as const }),
      ...(held.length === 0 ? {} : { holds: held }),
      gates: { bundleReleaseSupport: (surroundings.gates ?? defaultGates).BundleReleaseSupport },
      missingCatalogs: surroundings.compat.keepsUpstream("missing-catalogs") ? "block" : "skip",
    }),
    signal,
  );
}
