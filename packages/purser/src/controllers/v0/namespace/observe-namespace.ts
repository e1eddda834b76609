import type { CatalogSource } from "../../../apis/v0/catalog-source.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../../apis/olm-resources.ts";
import { formatPlace } from "@purser/kubernetes/place";
import type { ContentKey, ContentState } from "../../../catalog/content-state.ts";
import type { Readings } from "../../../content/parsed-bundles.ts";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { resolveInSlices } from "../../resolve-in-slices.ts";
import type { KnownContent, WantedContent } from "../../../resolver/v0/install-plan/known-content.ts";
import { contentKey } from "../../../resolver/v0/install-plan/known-content.ts";
import { resolveNamespace } from "../../../resolver/v0/resolve-namespace.ts";
import type { Surroundings } from "../../surroundings.ts";
import { specProblem } from "../catalog-source/plan/plan-catalog-source.ts";
import type { NamespaceNeed } from "./plan/plan-namespace.ts";
import type { CatalogInScope, NamespaceWorld } from "./plan/world.ts";

/** Reads a namespace; undefined when it has no Subscription. */
export async function observeNamespace(
  namespace: string,
  { reader, now }: ObserveContext,
  surroundings: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<NamespaceWorld | undefined> {
  const subs = (await reader.list(subscriptions, { namespace })).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  if (subs.length === 0) return undefined;
  const { globalNamespace, compat } = surroundings;
  const scopes = [...new Set([namespace, globalNamespace])].sort();
  const named = subs.map(({ spec }) => spec.sourceNamespace).filter((scope) => scope !== "" && !scopes.includes(scope));
  const [csvs, plans, groups, ...sources] = await Promise.all([
    reader.list(clusterServiceVersions, { namespace, labelSelector: `!${copiedFromLabel}` }),
    reader.list(installPlans, { namespace }),
    reader.list(operatorGroups, { namespace }),
    ...[...scopes, ...new Set(named)].map((scope) => reader.list(catalogSources, { namespace: scope })),
  ]);
  const catalogs = sources.flat().map((source) => catalogInScope(source, now, needing, surroundings));
  const isInScope = ({ source }: CatalogInScope): boolean => scopes.includes(source.metadata.namespace ?? "");
  return {
    namespace,
    globalNamespace,
    subscriptions: subs,
    csvs,
    installPlans: plans,
    groups,
    catalogs: catalogs.filter(isInScope),
    catalogsElsewhere: catalogs.filter((catalog) => !isInScope(catalog)),
    reservedGroups: compat.keepsUpstream("reserved-groups") ? "accepted" : "refused",
    resolution: undefined,
    contents: new Map(),
  };
}

/** The world with what the plan asked for: it resolves, or reads bundles. */
export async function supplyNamespace(
  world: NamespaceWorld,
  need: NamespaceNeed,
  signal: AbortSignal,
  surroundings: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<NamespaceWorld> {
  switch (need.kind) {
    case "resolution":
      return { ...world, resolution: await resolveInSlices(resolveNamespace(need.input), signal) };
    case "contents": {
      const read = await Promise.all(
        need.bundles.map(
          async (request) => [contentKey(request.bundle), await bundleContent(request, surroundings, needing)] as const,
        ),
      );
      return { ...world, contents: new Map([...world.contents, ...read]) };
    }
  }
}

function catalogInScope(
  source: CatalogSource,
  now: number,
  needing: (key: ContentKey) => ContentState,
  { content }: Surroundings,
): CatalogInScope {
  const unavailable = (cause: string, readingSince?: number): CatalogInScope => ({
    source,
    content: { kind: "unavailable", cause },
    healthy: false,
    ...(readingSince === undefined ? {} : { readingSince }),
  });
  const problem = specProblem(source);
  if (problem !== undefined) return unavailable(problem);
  const state = needing({ kind: "catalog", reference: source.spec.image ?? "" });
  const served = state.kind === "present" ? state.digest : state.kind === "failed" ? state.lastGood : undefined;
  const index = served === undefined ? undefined : content.index(served);
  if (index !== undefined) return { source, content: { kind: "present", index }, healthy: true };
  switch (state.kind) {
    case "absent":
      return unavailable("its content is still being read", now);
    case "pulling":
      return unavailable("its content is still being read", state.since);
    case "present":
      return unavailable("its index is being opened");
    case "failed":
      return unavailable(state.cause);
  }
}

async function bundleContent(
  { bundle, reading }: WantedContent,
  { content }: Surroundings,
  needing: (key: ContentKey) => ContentState,
): Promise<KnownContent> {
  const { image, package: packageName, version } = bundle;
  const state = needing({ kind: "bundle", reference: image, packageName, version });
  switch (state.kind) {
    case "absent":
    case "pulling":
      return { kind: "pending" };
    case "failed": {
      const { cause, remedy } = state;
      return { kind: "unavailable", message: remedy === undefined ? cause : `${cause}; ${remedy}` };
    }
    case "present": {
      const { digest } = state;
      const unpacked = await content.read("unpacked", digest);
      if (!unpacked.ok) return { kind: "unreadable", message: unpacked.problem.message };
      const present = { kind: "present", digest, bundle: unpacked.value } as const;
      return reading === "objects"
        ? present
        : { ...present, diagnosis: firstProblem(await content.read("registry", digest)) };
    }
  }
}

/** OLM's loader skips files that it cannot read and then misses what they held; the strict reader says which and where. */
function firstProblem(read: Readings["registry"]): string {
  const [first] = read.ok ? [] : read.problem;
  if (first === undefined) return "";
  return `${first.place === undefined ? "" : `${formatPlace(first.place)}: `}${first.message}`;
}
