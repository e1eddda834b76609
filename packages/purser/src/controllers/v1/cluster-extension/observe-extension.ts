import type { ObjectKey } from "@purser/kubernetes/apis/object";
import {
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterUpdatePolicies,
} from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter, ClusterExtension, ClusterExtensionSpec } from "../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel } from "../../../apis/v1/labels.ts";
import { clusterVersions } from "../../../apis/openshift.ts";
import { isPaused } from "../../../apis/v1/paused.ts";
import type { RegistryBundle } from "../../../bundle/registry-bundle.ts";
import type { PackageSummary } from "../../../catalog/catalog-index.ts";
import {
  extensionHolds,
  type InstallationHolds,
  isWithoutPolicies,
  noHolds,
} from "../../../policy/installation-holds.ts";
import type { PullSecret } from "../../../catalog/content.ts";
import { reservedClaims, reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import { renderExtension } from "../../../bundle/render/render-v1.ts";
import { featuresOff } from "../../../bundle/gated-features.ts";
import type { CertificateProvider } from "../../../bundle/render/certificate-need.ts";
import { readableCatalog } from "../../../content/readable-catalog.ts";
import { derivedOnce } from "../../../derived-once.ts";
import { defaultGates } from "../../../feature-gates.ts";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import type { ExtensionCatalog } from "../../../resolver/v1/input.ts";
import type { ExtensionOutcome } from "../../../resolver/v1/outcome.ts";
import { admitsBundle } from "../../../resolver/v1/admits-bundle.ts";
import { catalogSelection } from "../../../resolver/v1/selected-catalogs.ts";
import { resolveExtension } from "../../../resolver/v1/resolve-extension.ts";
import type { Place } from "@purser/kubernetes/place";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed } from "@purser/kubernetes/result";
import { turns, workPerTurn } from "@purser/kubernetes/system/turns";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import type { KnownUpgrades } from "../../../policy/upgrade-contents.ts";
import { judgeKubeVersion } from "../../../bundle/min-kube-version.ts";
import { resolveInSlices } from "../../resolve-in-slices.ts";
import type { AskForBundle } from "../../bundle-waiters.ts";
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
import { explainKubeVersion } from "./plan/explain-kube-version.ts";
import { reasonToLeave, successorOf } from "./plan/leave-rollout.ts";
import { bundleOf, pinnedProvider, recordFault, revisionStates } from "./plan/revision-state.ts";
import type { RevisionBundle, RevisionStates } from "./plan/revision-state.ts";
import type { ExtensionDecision, ExtensionWorld, WantedBundle } from "./plan/world.ts";

export interface ExtensionPorts {
  readonly ask: AskForBundle;
  readonly releases: HeldReleases;
}

/**
 * Reads an extension with its revisions, resolves it unless a rollout is under way, and renders its bundle.
 * @param upgrades what upgrades hold, as far as policies had to look at it
 */
export async function observeExtension(
  key: ObjectKey,
  context: ObserveContext,
  surroundings: Surroundings,
  { ask, releases }: ExtensionPorts,
  upgrades: KnownUpgrades = new Map(),
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
    releases.read(name, context.cache, surroundings.client),
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
        { upgrades },
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
      const request = { bundle: installed, states, credentials, isInstalled: true, signal: context.signal };
      const wanted = await want(request, extension.spec, surroundings, ask);
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
          wanted: await want(
            { bundle: bundleOf(rolling), states, credentials, isInstalled: true, signal: context.signal },
            extension.spec,
            surroundings,
            ask,
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
  if (!isInstalled && outcome.kind === "resolved") {
    const known = { selected: knownContent(awaited, surroundings), all: knownContent(catalogs, surroundings) };
    const judged = await judgedDependencies(extension, outcome, known, policies, context, surroundings);
    if (judged.kind === "unmet") {
      const { upstream, explanation } = judged.outcome;
      const decision = { kind: "refused", upstream, explanation, installs: judged.installs } as const;
      return { ...base, holds, deprecation, missing, decision };
    }
  }
  const request = { bundle, catalogVersion, states, credentials, isInstalled, signal: context.signal };
  const wanted = await want(request, extension.spec, surroundings, ask);
  const world = { ...base, holds, deprecation, missing, decision: { kind: "want", wanted } } as const;
  const approval = isInstalled
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

interface BundleToWant {
  readonly bundle: RevisionBundle;
  /** The version as the catalog writes it. */
  readonly catalogVersion?: string;
  readonly states: RevisionStates;
  readonly credentials: readonly PullSecret[];
  /** Its revision rolled out before, whatever the cluster was then. */
  readonly isInstalled: boolean;
  readonly signal: AbortSignal;
}

type RenderProblem = Extract<NonNullable<WantedBundle["rendered"]>, { readonly ok: false }>["problem"];

async function want(
  request: BundleToWant,
  spec: ClusterExtensionSpec,
  surroundings: Surroundings,
  ask: AskForBundle,
): Promise<WantedBundle> {
  const wanted = await renderedBundle(request, spec, surroundings, ask);
  const { content, certificateProvider: _provider, ...others } = wanted;
  if (surroundings.compat.keepsUpstream("bundle-pins")) return { ...others, content };
  return content.kind === "ready" ? { ...wanted, digest: content.digest } : wanted;
}

async function renderedBundle(
  request: BundleToWant,
  spec: ClusterExtensionSpec,
  surroundings: Surroundings,
  ask: AskForBundle,
): Promise<WantedBundle> {
  const { bundle, catalogVersion = bundle.version, credentials } = request;
  const { state: content, objects } = ask({
    reference: bundle.image,
    packageName: bundle.packageName,
    version: catalogVersion,
    credentials,
    policy: [`package/${bundle.packageName}`],
  });
  if (objects === undefined) return { bundle, content };
  const read = await objects.registry();
  if (!read.ok)
    return {
      bundle,
      content,
      rendered: failed({
        message: read.problem.map(({ message }) => message).join("\n"),
        reason: "Retrying",
        violations: read.problem.map(placed),
      }),
    };
  const claimed = surroundings.compat.keepsUpstream("reserved-groups") ? undefined : reservedProblem(read.value);
  if (claimed !== undefined)
    return { bundle, content, rendered: failed({ message: claimed, reason: "Blocked", violations: [claimed] }) };
  const tooOld = await kubeVersionProblem(request, read.value, surroundings);
  if (tooOld !== undefined) return { bundle, content, rendered: failed(tooOld) };
  // A bundle may be megabytes long, so it is rendered in a turn of its own.
  await turns.before(workPerTurn);
  const isPinned = surroundings.webhookCertificates === "auto" && !surroundings.compat.keepsUpstream("bundle-pins");
  // A provider that appears later does not change what is installed.
  const pinned = isPinned ? pinnedProvider(request.states, bundle) : undefined;
  const hasCertificates = hasWebhooks(read.value);
  const provider = hasCertificates ? (pinned ?? (await certificateProvider(surroundings))) : "none";
  const rendered = renderedOnce(read.value, {
    installNamespace: spec.namespace,
    // Only the objects of webhooks depend on it.
    certificateProvider: provider,
    off: featuresOff(surroundings.gates ?? defaultGates, provider),
    ...(spec.config?.inline === undefined ? {} : { config: spec.config.inline }),
  });
  if (!rendered.ok) {
    const configuration = rendered.problem.some(({ kind }) => kind === "configuration");
    const message = rendered.problem.map((problem) => problem.message).join("\n");
    return {
      bundle,
      content,
      rendered: failed({
        message,
        reason: configuration ? "InvalidConfiguration" : "Retrying",
        violations: rendered.problem.map((problem) => problem.message),
        ...(configuration ? { configuration: rendered.problem.flatMap(({ faults = [] }) => faults) } : {}),
      }),
    };
  }
  const properties = bundleProperties(read.value.csv);
  return {
    bundle,
    content,
    registry: read.value,
    ...(hasCertificates ? { certificateProvider: provider } : {}),
    rendered: done({ objects: rendered.value.objects, ...(properties === undefined ? {} : { properties }) }),
  };
}

/** Keeps the rendered objects as long as the bundle's parsed tree stays in the cache. */
const renderedOnce = derivedOnce(renderExtension, (options) => JSON.stringify(options));

function hasWebhooks({ csv }: RegistryBundle): boolean {
  const { spec } = csv as unknown as Partial<ClusterServiceVersion>;
  return (spec?.webhookdefinitions ?? []).length > 0;
}

/** Why the cluster is too old for the bundle; a bundle that is installed stays. The version is read live, for few bundles and once. */
async function kubeVersionProblem(
  { bundle, isInstalled, signal }: BundleToWant,
  { csv }: RegistryBundle,
  { client, compat }: Surroundings,
): Promise<RenderProblem | undefined> {
  const { spec } = csv as unknown as Partial<ClusterServiceVersion>;
  const wanted = spec?.minKubeVersion ?? "";
  if (wanted === "" || isInstalled || compat.keepsUpstream("kube-versions")) return undefined;
  const read = await readOrRefusal(client.version(signal));
  const server = read.ok ? read.value.gitVersion : undefined;
  const { met, message } = judgeKubeVersion(wanted, server);
  if (met) return undefined;
  const explanation = explainKubeVersion(bundle, wanted, server, message);
  return { message, reason: "Blocked", violations: [message], explanation };
}

function reservedProblem({ csv, crds }: RegistryBundle): string | undefined {
  const claims = reservedClaims(csv as unknown as ClusterServiceVersion);
  return reservedClaimsProblem([...claims, ...reservedCrds(crds.map(({ object }) => object))]);
}

function placed({ message, place }: { readonly message: string; readonly place?: Place }): string {
  return place === undefined ? message : `${formatPlace(place)}: ${message}`;
}

function bundleProperties(csv: { readonly [key: string]: unknown }): string | undefined {
  const metadata = csv["metadata"] as { readonly annotations?: Readonly<Record<string, string>> } | undefined;
  return metadata?.annotations?.["olm.properties"];
}

/**
 * `auto`: the service CA on OpenShift, cert-manager where the cluster serves it, each unless its gate is off; else `own`, or `none`
 * with `--compat=webhook-certificates`.
 */
async function certificateProvider({
  webhookCertificates,
  compat,
  discovery,
  gates = defaultGates,
}: Surroundings): Promise<CertificateProvider> {
  if (webhookCertificates !== "auto") return webhookCertificates;
  if (gates.WebhookProviderOpenshiftServiceCA && (await discovery.serves(apiVersionOf(clusterVersions))))
    return "service-ca";
  if (gates.WebhookProviderCertManager && (await discovery.serves("cert-manager.io/v1"))) return "cert-manager";
  return compat.keepsUpstream("webhook-certificates") ? "none" : "own";
}
