import type { BundleLookup, InstallPlan, InstallPlanSpec, Step } from "../../apis/v0/install-plan.ts";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Explanation } from "../../explanation/explanation.ts";
import { approvalsOf } from "../../controllers/v0/namespace/plan/approvals.ts";
import { resolveNow, stepwise } from "../../resolver/resolution.ts";
import type { NamespaceInput } from "../../resolver/v0/input.ts";
import { decidedWorld, namespaceWorld } from "../../resolver/v0/namespace-steps.ts";
import type { NamespaceOutcome, ResolvedOperator } from "../../resolver/v0/outcome.ts";
import { contentKey, type KnownContents, type WantedContent } from "../../resolver/v0/install-plan/known-content.ts";
import { planInstall, type ToInstall } from "../../resolver/v0/install-plan/plan-install.ts";
import { whyBundle } from "../../resolver/v0/explain/why.ts";
import { resolveExtension } from "../../resolver/v1/resolve-extension.ts";
import { whyExtensionBundle } from "../../resolver/v1/why.ts";
import type { WhyBundle } from "../../resolver/why-bundle.ts";
import type { Version } from "@purser/kubernetes/version";
import type { SnapshotBundles } from "./snapshot-bundles.ts";
import type { DecisionWorld } from "./snapshot-world.ts";
import { judgeInSnapshot } from "./snapshot-dependencies.ts";
import { extensionInputOf, namespaceInputOf } from "./decision-inputs.ts";
import { versionWarning } from "./version-warning.ts";

/** A bundle that a decision installs or keeps. */
export interface ChosenBundle {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly release?: string;
  readonly channel: string;
  readonly image: string;
  /** A CatalogSource; without a namespace, a ClusterCatalog. */
  readonly catalog: { readonly namespace?: string; readonly name: string };
  /** The bundle that it replaces. */
  readonly replaces?: string;
  readonly startingCSV?: string;
  /** Names of its Subscriptions; empty for a dependency, for which OLM creates one. */
  readonly subscriptions: readonly string[];
  readonly upToDate: boolean;
}

/** The InstallPlan that OLM would create. */
export interface PlannedInstall {
  readonly namespace: string;
  /** `Automatic` or `Manual`. */
  readonly approval: string;
  readonly generation: number;
  readonly clusterServiceVersionNames: readonly string[];
}

export interface Decision {
  readonly outcome: "resolved" | "unsatisfiable" | "error";
  readonly chosen: readonly ChosenBundle[];
  /** Subscriptions that move, with the CSV they move to. */
  readonly updated: readonly { readonly name: string; readonly currentCSV: string }[];
  readonly steps: readonly Step[];
  readonly lookups: readonly BundleLookup[];
  /** In the order of their generations; empty when no Subscription moves. */
  readonly installPlans: readonly PlannedInstall[];
  readonly explanation?: Explanation;
  /** OLM's text for the refusal. */
  readonly upstream?: string;
  /** Why sets of operators get no InstallPlan while others of the namespace do; each is a warning too. */
  readonly refusals?: readonly Explanation[];
  /** Problems that do not affect the decision but will block the installation. */
  readonly warnings: readonly { readonly code: Explanation["code"]; readonly summary: string }[];
  readonly variablesMs: number;
  readonly solveMs: number;
}

const nothing = { chosen: [], updated: [], steps: [], lookups: [], installPlans: [], warnings: [] } as const;

export interface DecideOptions {
  readonly clock: Clock;
  readonly kubeVersion: Version;
  /** Whether bundles may bring APIs of the lifecycle manager; only bundles that are read are judged. */
  readonly reservedGroups: "accepted" | "refused";
  /** As `NamespaceInput.replacedOperators`; by default `passedOver`. */
  readonly replacedOperators?: "passedOver" | "orphans";
  /** Whether what hangs together has an InstallPlan of its own (the default), or a whole namespace has one as with OLM. */
  readonly plansPer?: "set" | "namespace";
  /** Reads the bundles of an InstallPlan; absent: the plan contains only the steps that are known from the catalog. */
  readonly bundles?: Pick<SnapshotBundles, "contentOf">;
}

/** The decision for a namespace of OLM v0. */
export async function decideNamespace(
  world: DecisionWorld,
  namespace: string,
  options: DecideOptions,
): Promise<Decision> {
  const { clock, replacedOperators } = options;
  const input = namespaceInputOf(world, namespace, replacedOperators);
  const started = clock.monotonic();
  const read = resolveNow(stepwise(namespaceWorld(input)));
  const built = clock.monotonic();
  const outcome = read.kind === "error" ? read : resolveNow(stepwise(decidedWorld(input, read)));
  const timings = { variablesMs: built - started, solveMs: clock.monotonic() - built };
  if (outcome.kind === "resolved") return { ...(await resolvedNamespace(world, input, outcome, options)), ...timings };
  const { kind, explanation, upstream } = outcome;
  return { outcome: kind, ...nothing, explanation, upstream, ...timings };
}

function indexIn({ catalogs }: NamespaceInput, key: ResolvedOperator["catalog"]): CatalogIndex | undefined {
  const found = catalogs.find((catalog) => catalog.key.namespace === key.namespace && catalog.key.name === key.name);
  return found?.content.kind === "present" ? found.content.index : undefined;
}

async function resolvedNamespace(
  world: DecisionWorld,
  input: NamespaceInput,
  outcome: Extract<NamespaceOutcome, { readonly kind: "resolved" }>,
  options: DecideOptions,
): Promise<Omit<Decision, "variablesMs" | "solveMs">> {
  const { namespace } = input;
  const installs: Planned[] = [];
  for (const part of options.plansPer === "namespace" ? [outcome] : outcome.sets)
    installs.push({ part, install: await installOf(world, input, part, installs, options) });
  const refusals = installs.flatMap(({ install }) => (install.kind === "refused" ? [install.refusal] : []));
  const made = installs.flatMap(({ part, install }) =>
    install.kind === "refused" ? [] : [{ part, content: install.content }],
  );
  const [refusal] = refusals;
  if (refusal !== undefined && !made.some(({ part }) => part.updated.length > 0)) {
    const { message, explanation } = refusal;
    return { outcome: "error", ...nothing, upstream: message, explanation };
  }
  const operators = made.flatMap(({ part }) => part.operators);
  return {
    outcome: "resolved",
    chosen: operators.map(chosenOperator),
    updated: made
      .flatMap(({ part }) => part.updated)
      .map(({ subscription, currentCSV }) => ({ name: subscription.metadata.name ?? "", currentCSV })),
    steps: made.flatMap(({ content }) => content.steps),
    lookups: made.flatMap(({ content }) => content.lookups),
    installPlans: made.flatMap(({ content: { spec } }) =>
      spec === undefined ? [] : [plannedInstall(namespace, spec)],
    ),
    ...(refusals.length === 0 ? {} : { refusals: refusals.map(({ explanation }) => explanation) }),
    warnings: [
      ...refusals.map(({ explanation: { code, summary } }) => ({ code, summary })),
      ...operators
        .filter(({ upToDate }) => !upToDate)
        .flatMap(({ bundle, catalog }) => versionWarning(indexIn(input, catalog), bundle, options.kubeVersion)),
    ],
  };
}

/** A part of a decision and what would be made of it. */
interface Planned {
  readonly part: ToInstall;
  readonly install: ReturnType<typeof planInstall>;
}

/** Plans again with the contents that the plan asked for until it needs no more. */
async function installOf(
  { snapshot, now = 0, upgrades }: DecisionWorld,
  input: NamespaceInput,
  part: ToInstall,
  before: readonly Planned[],
  { reservedGroups, bundles }: DecideOptions,
): Promise<Planned["install"]> {
  const sourceOf = ({ catalog }: WantedContent): CatalogSource | undefined =>
    snapshot.catalogSources.find(
      ({ metadata }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
    );
  const installPlans = [...snapshot.installPlans, ...plansMade(input.namespace, before)];
  const approvals = approvalsOf(snapshot, part, snapshot.clusterServiceVersions, { now, upgrades });
  let contents: KnownContents = new Map();
  for (;;) {
    const install = planInstall({ ...input, installPlans, contents, reservedGroups, approvals }, part);
    if (install.kind !== "incomplete" || bundles === undefined || install.needs.length === 0) return install;
    const read = install.needs.map(
      async (wanted) => [contentKey(wanted.bundle), await bundles.contentOf(wanted, sourceOf(wanted))] as const,
    );
    contents = new Map([...contents, ...(await Promise.all(read))]);
  }
}

/** As InstallPlans of the namespace, whose generations count for the next one. */
function plansMade(namespace: string, before: readonly Planned[]): readonly InstallPlan[] {
  return before.flatMap(({ install }) =>
    install.kind === "refused" || install.content.spec === undefined
      ? []
      : [
          {
            apiVersion: "operators.coreos.com/v1alpha1",
            kind: "InstallPlan",
            metadata: { namespace },
            spec: install.content.spec,
          } as const,
        ],
  );
}

function plannedInstall(namespace: string, spec: InstallPlanSpec): PlannedInstall {
  const { approval, generation = 0, clusterServiceVersionNames } = spec;
  return { namespace, approval, generation, clusterServiceVersionNames };
}

function chosenOperator(operator: ResolvedOperator): ChosenBundle {
  const { bundle, catalog, replaces, startingCSV, subscriptions, upToDate } = operator;
  return {
    name: bundle.name,
    package: bundle.package,
    version: bundle.version,
    channel: bundle.channel,
    image: bundle.image,
    catalog: { namespace: catalog.namespace, name: catalog.name },
    ...(replaces === undefined ? {} : { replaces }),
    ...(startingCSV === undefined ? {} : { startingCSV }),
    subscriptions: subscriptions.map(({ metadata }) => metadata.name ?? ""),
    upToDate,
  };
}

/** The decision for a ClusterExtension. */
export function decideExtension(
  world: DecisionWorld,
  extension: ClusterExtension,
  { clock, kubeVersion }: Pick<DecideOptions, "clock" | "kubeVersion">,
): Decision {
  const input = extensionInputOf(world, extension);
  const started = clock.monotonic();
  const resolved = resolveNow(resolveExtension(input));
  const isNew = resolved.kind === "resolved" && resolved.bundle.name !== input.installed?.name;
  const judged = isNew && world.ignoresDependencies !== true ? judgeInSnapshot(world, extension, resolved) : undefined;
  const outcome = judged?.kind === "unmet" ? judged.outcome : resolved;
  const timings = { variablesMs: 0, solveMs: clock.monotonic() - started };
  if (outcome.kind === "failed") {
    const { explanation, upstream, isError } = outcome;
    return { outcome: isError ? "error" : "unsatisfiable", ...nothing, explanation, upstream, ...timings };
  }
  const { bundle, catalog, version, release } = outcome;
  const { installed } = input;
  const upToDate = installed?.name === bundle.name;
  const content = input.catalogs.find((candidate) => candidate.catalog.metadata.name === catalog)?.content;
  const index = content?.kind === "present" ? content.index : undefined;
  return {
    outcome: "resolved",
    ...nothing,
    chosen: [
      {
        name: bundle.name,
        package: bundle.package,
        version,
        ...(release === undefined ? {} : { release }),
        channel: bundle.channel,
        image: bundle.image,
        catalog: { name: catalog },
        ...(installed === undefined || upToDate ? {} : { replaces: installed.name }),
        subscriptions: [],
        upToDate,
      },
    ],
    warnings: [
      ...(upToDate ? [] : versionWarning(index, bundle, kubeVersion)),
      ...(outcome.missing ?? []).map(({ name, cause }) => ({
        code: "CatalogUnavailable" as const,
        summary: `decided without ClusterCatalog ${name}, which cannot be read${cause === "" ? "" : `: ${cause}`}`,
      })),
    ],
    ...timings,
  };
}

/** Why a bundle is or is not chosen for a namespace. */
export function whyInNamespace(world: DecisionWorld, namespace: string, bundle: string): WhyBundle {
  return resolveNow(whyBundle(namespaceInputOf(world, namespace), bundle));
}

/** Why a bundle is or is not chosen for a ClusterExtension. */
export function whyInExtension(world: DecisionWorld, extension: ClusterExtension, bundle: string): WhyBundle {
  return resolveNow(whyExtensionBundle(extensionInputOf(world, extension), bundle));
}
