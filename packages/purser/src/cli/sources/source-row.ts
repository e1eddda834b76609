import { findCondition } from "@purser/kubernetes/apis/condition";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";

/** `ok`: content is served and was read; `stale`: the last good content is served; `failing`: none; `off`: switched off. */
type SourceState = "ok" | "stale" | "failing" | "reading" | "off";

/** A CatalogSource or ClusterCatalog as one row. */
export interface SourceRow {
  /** `NAMESPACE/NAME` or `cc/NAME`. */
  readonly reference: string;
  readonly api: "v0" | "v1";
  readonly name: string;
  readonly namespace?: string;
  /** Where the content comes from. */
  readonly from: string;
  readonly priority: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly state: SourceState;
  /** RFC 3339: when it was read last. */
  readonly checked?: string;
  readonly packages?: number;
  readonly bundles?: number;
  readonly digest?: string;
  /** Why it is not `ok`; "" when it is. */
  readonly note: string;
}

/** Every catalog object of the world, v0 first, by name. */
export function sourceRows({ snapshot, contentOfSource, contentOfCatalog }: DecisionWorld): readonly SourceRow[] {
  const indexOf = (content: ReturnType<typeof contentOfSource>): CatalogIndex | undefined =>
    content.kind === "present" ? content.index : undefined;
  return [
    ...snapshot.catalogSources.map((one) => fromSource(one, indexOf(contentOfSource(one)))),
    ...snapshot.clusterCatalogs.map((one) => catalogRow(one, indexOf(contentOfCatalog(one)))),
  ].toSorted((left, right) => (`${left.api} ${left.reference}` < `${right.api} ${right.reference}` ? -1 : 1));
}

function fromSource({ metadata, spec, status }: CatalogSource, index: CatalogIndex | undefined): SourceRow {
  const { namespace = "", name = "" } = metadata;
  const message = status?.message ?? "";
  const isReady = status?.connectionState?.lastObservedState === "READY";
  const checked = status?.latestImageRegistryPoll ?? status?.connectionState?.lastConnect;
  const isBroken = (status?.reason ?? "") !== "" || message !== "";
  return {
    reference: `${namespace}/${name}`,
    api: "v0",
    name,
    namespace,
    from: spec.image ?? spec.address ?? (spec.configMap === undefined ? "" : `ConfigMap ${spec.configMap}`),
    priority: spec.priority ?? 0,
    ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
    state: isReady ? (isBroken ? "stale" : "ok") : isBroken ? "failing" : "reading",
    ...(checked === undefined ? {} : { checked }),
    ...counts(index),
    note: firstLine(message),
  };
}

/** A ClusterCatalog as a row. */
export function catalogRow({ metadata, spec, status }: ClusterCatalog, index: CatalogIndex | undefined): SourceRow {
  const { name = "" } = metadata;
  const progressing = findCondition(status?.conditions, "Progressing");
  const serving = findCondition(status?.conditions, "Serving");
  const isServing = serving?.status === "True";
  const isFailing = progressing?.reason === "Retrying" || progressing?.reason === "Blocked";
  const isOff = spec.availabilityMode === "Unavailable";
  return {
    reference: `cc/${name}`,
    api: "v1",
    name,
    from: spec.source.image?.ref ?? "",
    priority: spec.priority ?? 0,
    ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
    state: isOff ? "off" : isServing ? (isFailing ? "stale" : "ok") : isFailing ? "failing" : "reading",
    ...(status?.lastUnpacked === undefined ? {} : { checked: status.lastUnpacked }),
    ...counts(index),
    note: isOff ? "availabilityMode is Unavailable" : isFailing ? firstLine(progressing.message) : "",
  };
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

function counts(index: CatalogIndex | undefined): Pick<SourceRow, "packages" | "bundles" | "digest"> {
  if (index === undefined) return {};
  const names = index.packages();
  const bundles = names.reduce((sum, name) => {
    const all = (index.package(name)?.channels ?? []).flatMap((channel) => channel.bundles.map((one) => one.name));
    return sum + new Set(all).size;
  }, 0);
  return { packages: names.length, bundles, digest: index.digest };
}
