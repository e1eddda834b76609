import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import { stepsOnce } from "../../../bundle/install-plan-steps.ts";
import { readTyped } from "../../../bundle/api-types/read-typed.ts";
import { reservedClaims, reservedClaimsProblem, reservedCrds } from "../../../bundle/reserved-claims.ts";
import type { UnpackedBundle } from "../../../bundle/unpack-bundle.ts";
import { formatPlace } from "@purser/kubernetes/place";
import type { ContentKey, ContentState } from "../../../catalog/content-state.ts";
import type { Readings } from "../../../content/parsed-bundles.ts";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { resolveInSlices } from "../../resolve-in-slices.ts";
import type { NamespaceCatalog } from "../../../resolver/v0/input.ts";
import type { NamespaceOutcome, ResolvedOperator } from "../../../resolver/v0/outcome.ts";
import { resolveNamespace } from "../../../resolver/v0/resolve-namespace.ts";
import { failed } from "@purser/kubernetes/result";
import type { Surroundings } from "../../surroundings.ts";
import { specProblem } from "../catalog-source/plan/plan-catalog-source.ts";
import { projectStatuses, statesMoved } from "./plan/plan-namespace.ts";
import { wantsResolution } from "./plan/subscription-state.ts";
import type { ChosenContent, NamespaceWorld } from "./plan/world.ts";

/** Reads a namespace and, when a Subscription asks for it, resolves it; undefined when it has no Subscription. */
export async function observeNamespace(
  namespace: string,
  { reader, now, signal }: ObserveContext,
  surroundings: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<NamespaceWorld | undefined> {
  const subs = (await reader.list(subscriptions, { namespace })).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  if (subs.length === 0) return undefined;
  const scopes = [...new Set([namespace, surroundings.globalNamespace])].sort();
  const [csvs, plans, groups, ...sources] = await Promise.all([
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    reader.list(installPlans, { namespace }),
    reader.list(operatorGroups, { namespace }),
    ...scopes.map((scope) => reader.list(catalogSources, { namespace: scope })),
  ]);
  const catalogs = sources.flat().map((source) => ({ source, ...contentOf(source, now, needing, surroundings) }));
  const world: NamespaceWorld = {
    namespace,
    subscriptions: subs,
    csvs,
    installPlans: plans,
    groups,
    catalogs: catalogs.map(({ source, index }) => ({ source, index, healthy: index !== undefined })),
    reading: catalogs.some((catalog) => catalog.readingSince !== undefined && now - catalog.readingSince < patienceMs),
    resolution: undefined,
    contents: new Map(),
  };
  const shown = projectStatuses(world, now);
  if (world.reading || statesMoved(shown) || !shown.some(({ status }) => wantsResolution(status))) return world;
  const resolution = await resolveInSlices(
    resolveNamespace({
      namespace,
      globalNamespace: surroundings.globalNamespace,
      catalogs: catalogs.map((catalog): NamespaceCatalog => {
        const { namespace: where = "", name = "" } = catalog.source.metadata;
        const { index, cause } = catalog;
        return {
          key: { namespace: where, name },
          priority: catalog.source.spec.priority ?? 0,
          content: index === undefined ? { kind: "unavailable", cause } : { kind: "present", index },
        };
      }),
      subscriptions: shown.map(({ subscription, status }) => ({ ...subscription, status })),
      clusterServiceVersions: csvs,
      operatorGroups: groups,
    }),
    signal,
  );
  return { ...world, resolution, contents: await contentsOf(resolution, namespace, surroundings, needing) };
}

/** How long a catalog may be read before that counts as a fault. */
const patienceMs = 15_000;

function contentOf(
  source: CatalogSource,
  now: number,
  needing: (key: ContentKey) => ContentState,
  { content }: Surroundings,
): {
  readonly index: NamespaceWorld["catalogs"][number]["index"];
  readonly cause: string;
  /** Epoch milliseconds; only of content that has never been there. */
  readonly readingSince?: number;
} {
  const problem = specProblem(source);
  if (problem !== undefined) return { index: undefined, cause: problem };
  const state = needing({ kind: "catalog", reference: source.spec.image ?? "" });
  switch (state.kind) {
    case "absent":
      return { index: undefined, cause: "its content is still being read", readingSince: now };
    case "pulling":
      return { index: undefined, cause: "its content is still being read", readingSince: state.since };
    case "present":
      return { index: content.index(state.digest), cause: "its index is being opened" };
    case "failed":
      return { index: state.lastGood === undefined ? undefined : content.index(state.lastGood), cause: state.cause };
  }
}

async function contentsOf(
  resolution: NamespaceOutcome,
  namespace: string,
  surroundings: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<ReadonlyMap<string, ChosenContent>> {
  if (resolution.kind !== "resolved" || resolution.updated.length === 0) return new Map();
  const fresh = resolution.operators.filter((operator) => !operator.upToDate);
  const entries = await Promise.all(
    fresh.map(
      async (operator) =>
        [operator.bundle.name, await chosenContent(operator, namespace, surroundings, needing)] as const,
    ),
  );
  return new Map(entries);
}

async function chosenContent(
  { bundle, catalog, replaces, propertiesText }: ResolvedOperator,
  namespace: string,
  { content, compat }: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<ChosenContent> {
  const state = needing({
    kind: "bundle",
    reference: bundle.image,
    packageName: bundle.package,
    version: bundle.version,
  });
  if (state.kind !== "present") return { state };
  const unpacked = await content.read("unpacked", state.digest);
  if (!unpacked.ok)
    return {
      state,
      digest: state.digest,
      steps: failed({ stage: "steps", fatal: false, message: unpacked.problem.message }),
    };
  const claimed = compat.keepsUpstream("reserved-groups") ? undefined : reservedProblem(unpacked.value);
  if (claimed !== undefined)
    return { state, digest: state.digest, steps: failed({ stage: "steps", fatal: true, message: claimed }) };
  const steps = stepsOnce(unpacked.value, { namespace, replaces: replaces ?? "", catalog, properties: propertiesText });
  if (steps.ok) return { state, digest: state.digest, steps };
  return {
    state,
    digest: state.digest,
    steps: failed({
      ...steps.problem,
      message: diagnosed(await content.read("registry", state.digest), steps.problem.message),
    }),
  };
}

/** What the API server would refuse or we would regret: the plan is not even made. */
function reservedProblem({ csv, objects }: UnpackedBundle): string | undefined {
  const typed = csv === undefined ? undefined : readTyped("csv.ClusterServiceVersion", csv, "folded");
  const claims = typed?.ok === true ? reservedClaims(typed.value as unknown as ClusterServiceVersion) : [];
  return reservedClaimsProblem([...claims, ...reservedCrds(objects)]);
}

/** Upstream's loader skips files that it cannot read and then misses what they held; the strict reader says which and where. */
function diagnosed(read: Readings["registry"], message: string): string {
  const [first] = read.ok ? [] : read.problem;
  if (first === undefined) return message;
  return `${message} (${first.place === undefined ? "" : `${formatPlace(first.place)}: `}${first.message})`;
}
