import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { namespaces } from "@purser/kubernetes/apis/resources";
import type { Controller, ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions, olmConfigs, operatorGroups } from "../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, operatorGroupAnnotation } from "../../../apis/v0/labels.ts";
import type { OLMConfig } from "../../../apis/v0/olm-config.ts";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import type { Surroundings } from "../../surroundings.ts";
import { watching } from "../../watching.ts";
import { namedTargets } from "../operator-group/named-targets.ts";
import { isEveryNamespace } from "../operator-group/plan/namespace-set.ts";
import { copyHashes, digestsOfCopies, heldCopy } from "./held-copy.ts";
import { type CopyContent, copyOf } from "./plan/copy-of.ts";
import { copiesEverywhere, copyTargets, type Source } from "./plan/copying.ts";
import type { CopiedCsvAction, CopiedCsvWorld, CopyHashes } from "./plan/plan-copied-csv.ts";
import { planCopiedCsv } from "./plan/plan-copied-csv.ts";

/** CSVs that are not copies. */
export const originalsWatch = {
  type: clusterServiceVersions,
  scope: { labelSelector: `!${copiedFromLabel}` },
  indexes: {
    name: ({ metadata }: ClusterServiceVersion) => [metadata.name ?? ""],
    namespace: ({ metadata }: ClusterServiceVersion) => [metadata.namespace ?? ""],
  },
} as const;

/** Copies of CSVs, beside the informer of CSVs that are none. */
export const copiesWatch = {
  type: clusterServiceVersions,
  scope: { labelSelector: copiedFromLabel },
  projection: digestsOfCopies,
  indexes: {
    original: ({ metadata }: KubeObject) => [`${metadata.labels?.[copiedFromLabel]}/${metadata.name}`],
    copiesOf: ({ metadata }: KubeObject) => [metadata.name ?? ""],
  },
} as const;

type CopyChoices = Pick<Surroundings, "compat" | "watchedNamespaces" | "protectedNamespaces">;

const isEverywhere = ({ status }: OperatorGroup): boolean => isEveryNamespace(status?.namespaces ?? []);

export const groupIndexes = {
  target: namedTargets,
  global: (group: OperatorGroup) => (isEverywhere(group) ? ["true"] : []),
} as const;

/** Keeps a copy of every CSV in the namespaces that its operator works in. A key is that of a copy. */
export function copiedCsvController(choices: CopyChoices): Controller {
  const contents = new WeakMap<ClusterServiceVersion, { readonly content: CopyContent; readonly hashes: CopyHashes }>();
  const contentOf: CopiedCsvWorld["contentOf"] = ({ csv }) => {
    const known = contents.get(csv);
    if (known !== undefined) return known;
    const content = copyOf(csv);
    const made = { content, hashes: copyHashes(content) };
    contents.set(csv, made);
    return made;
  };
  const placesIn = (group: OperatorGroup, cache: CacheView): readonly ObjectKey[] =>
    csvsIn(group, cache).flatMap((csv) => places(csv, cache, choices));
  return defineController<CopiedCsvWorld, CopiedCsvAction, KubeObject[]>({
    name: "copied-csv",
    concurrency: 8,
    watches: [
      watching<ClusterServiceVersion>({
        ...originalsWatch,
        concerned: ({ before, after }, cache) => [
          ...[before, after].flatMap((csv) => (csv === undefined ? [] : places(csv, cache, choices))),
          // A CSV that appears or leaves also decides about a copy in its own place.
          ...(before === undefined || after === undefined
            ? [before, after].flatMap((csv) => (csv === undefined ? [] : [keyOf(csv)]))
            : []),
        ],
      }),
      watching({ ...copiesWatch, map: (copy) => [keyOf(copy)] }),
      watching<OperatorGroup>({ type: operatorGroups, indexes: groupIndexes, map: placesIn }),
      watching<OLMConfig>({
        type: olmConfigs,
        map: (_, cache) => cache.byIndex(operatorGroups, "global", "true").flatMap((group) => placesIn(group, cache)),
      }),
      watching({
        type: namespaces,
        indexes: { any: () => ["true"] },
        map: ({ metadata: { name = "" } }, cache) => {
          const global = areIn(name, cache, choices) ? cache.byIndex(operatorGroups, "global", "true") : [];
          return [...global, ...cache.byIndex(operatorGroups, "target", name)].flatMap((group) =>
            csvsIn(group, cache).map((csv) => ({ namespace: name, name: csv.metadata.name ?? "" })),
          );
        },
      }),
    ],
    steps: {
      observe: async (key, context) => ({ ...observe(key, context, choices), contentOf }),
      plan: (world) => planCopiedCsv(world),
      apply: async (_key, action, { writer, signal }) => {
        writtenUnlessDeleted(await writer.write(action.write, signal));
      },
    },
  });
}

/** Whether CSVs of groups for all namespaces are copied into the namespace. */
const areIn = (namespace: string, cache: CacheView, { compat, protectedNamespaces }: CopyChoices): boolean =>
  protectedNamespaces?.has(namespace) === true ||
  copiesEverywhere(cache.cached(olmConfigs, { name: "cluster" }), compat);

const csvsIn = ({ metadata }: OperatorGroup, cache: CacheView): readonly ClusterServiceVersion[] =>
  cache.byIndex(clusterServiceVersions, "namespace", metadata.namespace ?? "");

function withGroup(csv: ClusterServiceVersion, cache: CacheView): Source {
  const { namespace = "", annotations = {} } = csv.metadata;
  const name = annotations[operatorGroupAnnotation];
  return { csv, group: name === undefined ? undefined : cache.cached(operatorGroups, { namespace, name }) };
}

/** Where copies of a CSV exist or are wanted. */
function places(csv: ClusterServiceVersion, cache: CacheView, choices: CopyChoices): readonly ObjectKey[] {
  const { namespace: own = "", name = "" } = csv.metadata;
  const existing = cache.byIndex(clusterServiceVersions, "original", `${own}/${name}`).map(keyOf);
  const targets = copyTargets(withGroup(csv, cache)) ?? [];
  const wanted = isEveryNamespace(targets)
    ? cache
        .byIndex(namespaces, "any", "true")
        .flatMap(({ metadata: { name: place = "" } }) => (areIn(place, cache, choices) ? [place] : []))
    : targets;
  return [...existing, ...wanted.filter((target) => target !== own).map((namespace) => ({ namespace, name }))];
}

/** Never a request: everything is in the caches. */
function observe(key: ObjectKey, { cache }: ObserveContext, choices: CopyChoices): Omit<CopiedCsvWorld, "contentOf"> {
  const { namespace = "", name } = key;
  const held = cache.cached(clusterServiceVersions, key);
  const copiedFrom = held?.metadata.labels?.[copiedFromLabel];
  const isCopy = copiedFrom !== undefined;
  const isWatched = (place = ""): boolean => choices.watchedNamespaces?.has(place) !== false;
  return {
    key,
    namespace: cache.cached(namespaces, { name: namespace }),
    isOccupied: held !== undefined && (!isCopy || !isWatched(copiedFrom)),
    copy: held !== undefined && isCopy ? heldCopy(held) : undefined,
    sources: cache
      .byIndex(clusterServiceVersions, "name", name)
      .filter(({ metadata }) => isWatched(metadata.namespace))
      .map((csv) => withGroup(csv, cache)),
    everywhere: areIn(namespace, cache, choices),
  };
}
