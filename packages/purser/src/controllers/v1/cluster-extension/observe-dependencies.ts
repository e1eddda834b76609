import { clusterExtensions, clusterObjectSets, clusterServiceVersions } from "../../../apis/olm-resources.ts";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../../../apis/v0/labels.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import { ownerNameLabel, propertiesAnnotation } from "../../../apis/v1/labels.ts";
import type { CatalogIndex } from "../../../catalog/catalog-index.ts";
import { installedPackagesOf, revisionProperties } from "../../../installation/installed-packages.ts";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { installedOperator, requiredApis, type ProvidedThings } from "../../../resolver/v1/dependencies.ts";
import { dependencyModes } from "../../../resolver/v1/dependency-modes.ts";
import type { ExtensionCatalog } from "../../../resolver/v1/input.ts";
import { judgeDependencies, type JudgedExtension } from "../../../resolver/v1/judge-dependencies.ts";
import type { ResolvedExtension } from "../../../resolver/v1/outcome.ts";
import { dependencyChoice } from "../../../policy/dependency-choice.ts";
import type { Policies } from "../../../policy/effective-policy.ts";
import { extensionSubject } from "../../../policy/installation-holds.ts";
import type { Surroundings } from "../../surroundings.ts";
import { bundleOf, revisionStates } from "./plan/revision-state.ts";

/** Whether the cluster has what a bundle requires: operators of both families, and APIs, whoever brought them. */
export async function judgedDependencies(
  extension: ClusterExtension,
  resolved: ResolvedExtension,
  { selected, all }: { readonly selected: readonly ExtensionCatalog[]; readonly all: readonly ExtensionCatalog[] },
  policies: Policies,
  { reader, signal, now }: ObserveContext,
  surroundings: Surroundings,
): Promise<JudgedExtension> {
  const { requires = [] } = resolved;
  if (requires.length === 0) return { kind: "met" };
  const served = new Set<string>();
  for (const api of requiredApis(requires))
    if ((await surroundings.discovery.lookUp(api, signal)).kind === "served") served.add(keyOfApi(api));
  const provided: ProvidedThings = {
    packages: requires.every(({ type }) => type === "olm.gvk.required")
      ? []
      : [...(await extensionPackages(reader, indexesOf(all))), ...(await subscribedPackages(surroundings))],
    serves: (api) => served.has(keyOfApi(api)),
  };
  const extensions = await reader.list(clusterExtensions);
  const mode = surroundings.dependencies ?? "verify";
  const choice = dependencyChoice(policies, extensionSubject(extension), now);
  const mine = dependencyModes.find((known) => known === choice?.mode.toLowerCase());
  const policy =
    choice === undefined || mine === undefined ? {} : { policy: { mode: mine, reference: choice.reference } };
  return judgeDependencies(resolved, {
    ...policy,
    extension,
    provided,
    catalogs: indexesOf(selected),
    extensions,
    mode,
    now,
  });
}

const indexesOf = (catalogs: readonly ExtensionCatalog[]): readonly CatalogIndex[] =>
  catalogs.flatMap(({ content }) => (content.kind === "present" ? [content.index] : []));

const keyOfApi = ({ group, version, kind }: ReturnType<typeof requiredApis>[number]): string =>
  `${group}/${version}/${kind}`;

async function extensionPackages(
  reader: ObserveContext["reader"],
  catalogs: readonly CatalogIndex[],
): Promise<ProvidedThings["packages"]> {
  const revisions = await reader.list(clusterObjectSets);
  const families = Map.groupBy(revisions, ({ metadata }) => metadata.labels?.[ownerNameLabel] ?? "");
  return [...families.values()].flatMap((family) => {
    const { installed } = revisionStates(family);
    if (installed === undefined) return [];
    const { packageName, version, name } = bundleOf(installed);
    const recorded = revisionProperties(installed.metadata.annotations?.[propertiesAnnotation]);
    return [installedOperator({ packageName, version, bundle: name }, recorded, catalogs)];
  });
}

/** Read live: the controllers of OLM v0 may be off, and few bundles require packages. */
async function subscribedPackages({ client, discovery }: Surroundings): Promise<ProvidedThings["packages"]> {
  if (!(await discovery.serves(apiVersionOf(clusterServiceVersions)))) return [];
  const csvs: readonly ClusterServiceVersion[] = await client.list(clusterServiceVersions, {
    labelSelector: `!${copiedFromLabel}`,
  });
  return installedPackagesOf(csvs);
}
