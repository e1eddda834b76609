import type { Decision } from "../../engine/snapshot/snapshot-decision.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import type { Installation } from "../../installation/installation.ts";
import type { Standing } from "../../resolver/standing.ts";
import { standingOf } from "../../resolver/standing.ts";

/** The position of an installation in its catalog; undefined when the decision changes it or no content is available. */
export function standingIn(world: DecisionWorld, installation: Installation, decision: Decision): Standing | undefined {
  const { api, bundle, version, reference, packageName } = installation;
  if (bundle === undefined || version === undefined) return undefined;
  const installed = { api, reference, bundle, version };
  if (api === "v1") return inExtension(world, installation, decision, installed);
  const { snapshot, contentOfSource } = world;
  const isOwn = ({
    metadata,
  }: {
    readonly metadata: { readonly name?: string; readonly namespace?: string };
  }): boolean => metadata.name === installation.name && metadata.namespace === installation.namespace;
  const spec = snapshot.subscriptions.find(isOwn)?.spec;
  const moves =
    decision.outcome !== "resolved" ||
    decision.updated.some(({ name }) => name === installation.name) ||
    decision.chosen.some(({ subscriptions, upToDate }) => !upToDate && subscriptions.includes(installation.name));
  const source = snapshot.catalogSources.find(
    ({ metadata }) => metadata.name === spec?.source && metadata.namespace === spec?.sourceNamespace,
  );
  if (moves || spec === undefined || source === undefined) return undefined;
  const found = contentOfSource(source);
  const content = found.kind === "present" ? found.index.package(packageName) : undefined;
  if (content === undefined) return undefined;
  const channel = spec.channel === undefined || spec.channel === "" ? content.defaultChannel : spec.channel;
  return standingOf({ ...installed, catalog: `${spec.sourceNamespace}/${spec.source}`, content, channels: [channel] });
}

function inExtension(
  { snapshot, contentOfCatalog }: DecisionWorld,
  { name, packageName }: Installation,
  { outcome, chosen }: Decision,
  installed: Pick<Parameters<typeof standingOf>[0], "api" | "reference" | "bundle" | "version">,
): Standing | undefined {
  const extension = snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
  const channels = extension?.spec?.source.catalog?.channels ?? [];
  const [choice] = chosen;
  if (outcome === "resolved" && choice?.upToDate !== true) return undefined;
  for (const catalog of snapshot.clusterCatalogs) {
    const { name: catalogName = "" } = catalog.metadata;
    if (choice !== undefined && choice.catalog.name !== catalogName) continue;
    const found = contentOfCatalog(catalog);
    const content = found.kind === "present" ? found.index.package(packageName) : undefined;
    if (content === undefined) continue;
    const standing = standingOf({ ...installed, catalog: catalogName, content, channels });
    // A refusal has its own reasons, but it does not say that the installed bundle was removed from the catalog.
    if (outcome === "resolved" || standing.kind === "missing") return standing;
  }
  return undefined;
}
