/** One metric as Prometheus knows it: its name, and what its series tell apart. */
export interface MetricFamily {
  readonly name: string;
  readonly kind: "gauge" | "counter" | "summary" | "histogram";
  /** One sentence without a full stop. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Name in our `Counters`, where it differs; the value there, times `scale`, is what is shown. */
  readonly counter?: { readonly name: string; readonly scale?: number };
  /** Quantiles of a summary. */
  readonly quantiles?: readonly number[];
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const gauge = (name: string, help: string, ...labels: readonly string[]): MetricFamily => ({
  name,
  kind: "gauge",
  help,
  labels,
});
const counter = (name: string, help: string, ...labels: readonly string[]): MetricFamily => ({
  name,
  kind: "counter",
  help,
  labels,
});

/** The metrics of OLM v0's two operators, by OLM's names, types and labels. */
const olmFamilies: readonly MetricFamily[] = [
  gauge("csv_count", "Number of ClusterServiceVersions, without copies"),
  counter("csv_upgrade_count", "Number of ClusterServiceVersions whose replacement began"),
  gauge("csv_succeeded", "1 for a ClusterServiceVersion in phase Succeeded, else 0", "namespace", "name", "version"),
  gauge(
    "csv_abnormal",
    "1 for a ClusterServiceVersion in a phase other than Succeeded",
    "namespace",
    "name",
    "version",
    "phase",
    "reason",
  ),
  gauge("install_plan_count", "Number of InstallPlans"),
  gauge("subscription_count", "Number of Subscriptions"),
  gauge("catalog_source_count", "Number of CatalogSources"),
  gauge("catalogsource_ready", "1 for a CatalogSource whose connection is READY, else 0", "namespace", "name"),
  counter("catalog_source_snapshots_total", "Number of reads of a CatalogSource for resolution", "namespace", "name"),
  counter(
    "subscription_sync_total",
    "Number of passes over a Subscription",
    "name",
    "installed",
    "channel",
    "package",
    "approval",
  ),
  {
    name: "olm_resolution_duration_seconds",
    kind: "summary",
    help: "Duration of the resolution of a namespace",
    labels: ["outcome"],
    quantiles: [0.9, 0.95, 0.99],
  },
  counter("installplan_warnings_total", "Warnings of the API server about objects of InstallPlans"),
];

/** The one metric of OLM v1's catalogd that is not of its framework. */
const catalogdFamilies: readonly MetricFamily[] = [
  {
    name: "catalogd_http_request_duration_seconds",
    kind: "histogram",
    help: "Duration of requests to the catalog API",
    labels: ["code"],
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.6, 2, 2.4, 2.8, 3.2, 3.6, 4, 10],
  },
];

const installationLabels = ["api", "namespace", "name", "package"];

/** Metrics of installations that OLM does not have. */
const installationFamilies: readonly MetricFamily[] = [
  gauge(
    "purser_installation_state",
    "1 for the state that `purser list` shows of a Subscription, ClusterExtension or orphaned CSV",
    ...installationLabels,
    "state",
  ),
  gauge(
    "purser_installation_state_since_seconds",
    "Unix time at which that state began, if known",
    ...installationLabels,
  ),
  gauge(
    "purser_installation_stuck_since_seconds",
    "Unix time since which an installation is stuck; absent otherwise",
    ...installationLabels,
  ),
  gauge("purser_approvals_waiting", "Number of InstallPlans pending approval"),
  gauge("purser_catalog_serving", "1 for a ClusterCatalog that serves content, else 0", "name"),
  gauge("purser_catalog_unpacked_seconds", "Unix time of the content that a ClusterCatalog serves", "name"),
  gauge(
    "purser_certificate_rotation_seconds",
    "Unix time at which the serving certificate of a ClusterServiceVersion is replaced",
    "namespace",
    "name",
  ),
];

const counted = (family: MetricFamily, name: string, scale?: number): MetricFamily => ({
  ...family,
  counter: { name, ...(scale === undefined ? {} : { scale }) },
});

/** How the process itself works. */
const processFamilies: readonly MetricFamily[] = [
  gauge("purser_leading", "1 in the leading process, whose controllers run, else 0"),
  counted(
    counter("purser_api_requests_total", "Requests to the API server, by response code", "method", "code"),
    "api_requests_total",
  ),
  counted(
    counter("purser_cache_live_reads_total", "Reads that no cache could answer", "resource", "verb"),
    "cache_live_reads_total",
  ),
  counted(counter("purser_informer_lists_total", "Lists of informers", "resource", "group"), "informer_lists_total"),
  counted(
    counter("purser_informer_interruptions_total", "Watches that were interrupted", "resource", "group"),
    "informer_interruptions_total",
  ),
  counted(
    counter("purser_reconciles_total", "Passes of controllers, by result", "controller", "result"),
    "reconciles_total",
  ),
  counted(
    counter("purser_reconcile_seconds_total", "Duration of the passes of controllers", "controller"),
    "reconcile_ms_total",
    0.001,
  ),
  counted(gauge("purser_queue_depth", "Number of keys that wait for a pass", "controller"), "queue_depth"),
  {
    name: "purser_queue_wait_seconds",
    kind: "histogram",
    help: "Time that keys waited for their pass",
    labels: ["controller"],
    buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60],
  },
];

/** Every metric of the `/metrics` page but those of the Node process. */
export const families: readonly MetricFamily[] = [
  ...olmFamilies,
  ...catalogdFamilies,
  ...installationFamilies,
  ...processFamilies,
];
