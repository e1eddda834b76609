import { findCondition } from "@purser/kubernetes/apis/condition";
import type { Sample } from "@purser/kubernetes/metric-sample";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { copiedFromLabel } from "../apis/v0/labels.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import { type InstallationObjects, installationsOf } from "../installation/installation.ts";

/** The objects of a cluster that metrics are about. */
export interface MeasuredObjects extends InstallationObjects {
  readonly catalogSources: readonly CatalogSource[];
  readonly clusterCatalogs: readonly ClusterCatalog[];
}

/**
 * The gauges that follow from the objects of the cluster: complete right after a restart, and without series of objects
 * that are gone.
 */
export function stateSamples(objects: MeasuredObjects): readonly Sample[] {
  const { subscriptions, installPlans, catalogSources, clusterCatalogs } = objects;
  const csvs = objects.csvs.filter(isOriginal);
  const waiting = installPlans.filter(({ spec, status }) => status?.phase === "RequiresApproval" && !spec.approved);
  return [
    count("csv_count", csvs),
    count("install_plan_count", installPlans),
    count("subscription_count", subscriptions),
    count("catalog_source_count", catalogSources),
    count("purser_approvals_waiting", waiting),
    ...csvs.flatMap(ofCsv),
    ...catalogSources.map(ofCatalogSource),
    ...clusterCatalogs.flatMap(ofClusterCatalog),
    ...ofInstallations(objects),
  ];
}

/** Labels of the series of `subscription_sync_total` that belong to a Subscription which exists. */
export function syncLabels({ metadata, spec, status }: InstallationObjects["subscriptions"][number]): Sample["labels"] {
  return {
    name: metadata.name ?? "",
    installed: status?.installedCSV ?? "",
    channel: spec.channel ?? "",
    package: spec.name,
    approval: spec.installPlanApproval ?? "",
  };
}

/** Copies emit nothing. */
function isOriginal({ metadata, status }: ClusterServiceVersion): boolean {
  return metadata.labels?.[copiedFromLabel] === undefined && status?.reason !== "Copied";
}

function count(name: string, objects: readonly unknown[]): Sample {
  return { name, labels: {}, value: objects.length };
}

function ofCsv({ metadata, spec, status }: ClusterServiceVersion): readonly Sample[] {
  const { namespace = "", name = "" } = metadata;
  const labels = { namespace, name, version: spec.version ?? "" };
  const { phase = "", reason = "" } = status ?? {};
  const succeeded = phase === "Succeeded";
  const rotation = seconds(status?.certsRotateAt);
  return [
    { name: "csv_succeeded", labels, value: succeeded ? 1 : 0 },
    ...(succeeded ? [] : [{ name: "csv_abnormal", labels: { ...labels, phase, reason }, value: 1 }]),
    ...(rotation === undefined
      ? []
      : [{ name: "purser_certificate_rotation_seconds", labels: { namespace, name }, value: rotation }]),
  ];
}

function ofCatalogSource({ metadata, status }: CatalogSource): Sample {
  const { namespace = "", name = "" } = metadata;
  const isReady = status?.connectionState?.lastObservedState === "READY";
  return { name: "catalogsource_ready", labels: { namespace, name }, value: isReady ? 1 : 0 };
}

function ofClusterCatalog({ metadata, status }: ClusterCatalog): readonly Sample[] {
  const labels = { name: metadata.name ?? "" };
  const isServing = findCondition(status?.conditions, "Serving")?.status === "True";
  const unpacked = seconds(status?.lastUnpacked);
  return [
    { name: "purser_catalog_serving", labels, value: isServing ? 1 : 0 },
    ...(unpacked === undefined ? [] : [{ name: "purser_catalog_unpacked_seconds", labels, value: unpacked }]),
  ];
}

function ofInstallations(objects: InstallationObjects): readonly Sample[] {
  return installationsOf(objects).flatMap(({ api, namespace = "", name, packageName, state, since, stuck }) => {
    const labels = { api, namespace, name, package: packageName };
    const began = seconds(since);
    const stuckSince = seconds(stuck?.stuckSince);
    return [
      { name: "purser_installation_state", labels: { ...labels, state }, value: 1 },
      ...(began === undefined ? [] : [{ name: "purser_installation_state_since_seconds", labels, value: began }]),
      ...(stuckSince === undefined
        ? []
        : [{ name: "purser_installation_stuck_since_seconds", labels, value: stuckSince }]),
    ];
  });
}

/** Unix time of an RFC 3339 text; undefined when it is none. */
function seconds(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms / 1000;
}
