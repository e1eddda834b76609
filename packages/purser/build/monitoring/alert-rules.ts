import type { JsonObject } from "@purser/kubernetes/json";

/** A rule of Prometheus; `for` is how long its condition must hold. */
interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly severity: "critical" | "warning" | "info";
  readonly summary: string;
  /** What to do, in one sentence. */
  readonly description: string;
}

/** OLM v0's own alerts, which dashboards and routes know by name. */
const olmAlerts: readonly AlertRule[] = [
  {
    alert: "CsvAbnormalFailedOver2Min",
    expr: 'last_over_time(csv_abnormal{phase="Failed"}[5m])',
    for: "2m",
    severity: "warning",
    summary: "{{ $labels.namespace }}/{{ $labels.name }} failed",
    description: "The reason is {{ $labels.reason }}; purser explain -n {{ $labels.namespace }} shows the remedy.",
  },
  {
    alert: "CsvAbnormalOver30Min",
    expr: 'last_over_time(csv_abnormal{phase=~"(Replacing|Pending|Deleting|Unknown)"}[5m])',
    for: "30m",
    severity: "warning",
    summary: "{{ $labels.namespace }}/{{ $labels.name }} is {{ $labels.phase }} for 30 minutes",
    description:
      "The reason is {{ $labels.reason }}; purser explain -n {{ $labels.namespace }} shows what it waits for.",
  },
];

const installPlanAlerts: readonly AlertRule[] = [
  {
    alert: "InstallPlanStepAppliedWithWarnings",
    expr: "sum by(namespace) (increase(installplan_warnings_total[5m])) > 0",
    severity: "warning",
    summary: "The API server warned about objects of an InstallPlan",
    description: "Events with the reason AppliedWithWarnings name the object and the warning.",
  },
];

const purserAlerts: readonly AlertRule[] = [
  {
    alert: "PurserInstallationStuck",
    expr: 'max by(api, namespace, name, package, state) (purser_installation_state{state=~"Blocked|Failed|Degraded"}) > 0',
    for: "15m",
    severity: "warning",
    summary: "{{ $labels.package }} ({{ $labels.namespace }}/{{ $labels.name }}) is {{ $labels.state }}",
    description: "purser explain {{ $labels.name }} shows the cause and the remedy.",
  },
  {
    alert: "PurserApprovalWaiting",
    expr: "sum(purser_approvals_waiting) > 0",
    for: "24h",
    severity: "info",
    summary: "{{ $value }} InstallPlans are pending approval",
    description: "purser list shows them, purser approve shows the changes of each.",
  },
  {
    alert: "PurserCatalogSourceNotReady",
    expr: "min by(namespace, name) (catalogsource_ready) == 0",
    for: "15m",
    severity: "warning",
    summary: "CatalogSource {{ $labels.namespace }}/{{ $labels.name }} is not ready",
    description: "Its status.message states the cause; installed operators keep running, but get no new versions.",
  },
  {
    alert: "PurserClusterCatalogNotServing",
    expr: "min by(name) (purser_catalog_serving) == 0",
    for: "15m",
    severity: "warning",
    summary: "ClusterCatalog {{ $labels.name }} serves no content",
    description: "Its conditions Serving and Progressing state the cause.",
  },
  {
    alert: "PurserNoLeader",
    expr: "sum(purser_leading) == 0 or absent(purser_leading)",
    for: "2m",
    severity: "critical",
    summary: "No instance of Purser is the leader",
    description: "Nothing is installed, upgraded or repaired; check the pods and the Lease purser.",
  },
  {
    alert: "PurserPassesFail",
    expr: 'sum by(controller) (rate(purser_reconciles_total{result="error"}[15m])) / sum by(controller) (rate(purser_reconciles_total[15m])) > 0.5',
    for: "30m",
    severity: "warning",
    summary: "Most passes of {{ $labels.controller }} fail",
    description: "The log names the object and the error; /debug/queues shows the keys that fail.",
  },
  {
    alert: "PurserCertificateNotRotated",
    expr: "time() - max by(namespace, name) (purser_certificate_rotation_seconds) > 86400",
    severity: "warning",
    summary: "The serving certificate of {{ $labels.namespace }}/{{ $labels.name }} is a day overdue for replacement",
    description:
      "Its webhooks and API services fail when it expires; purser explain shows what prevents the replacement.",
  },
];

const recordings: readonly { readonly record: string; readonly expr: string }[] = [
  {
    record: "purser:queue_wait_seconds:p99_5m",
    expr: "histogram_quantile(0.99, sum by(controller, le) (rate(purser_queue_wait_seconds_bucket[5m])))",
  },
  { record: "purser:installations:by_state", expr: "count by(api, state) (purser_installation_state == 1)" },
  { record: "purser:api_requests:rate5m", expr: "sum by(method, code) (rate(purser_api_requests_total[5m]))" },
  {
    record: "purser:reconcile_seconds:mean5m",
    expr: "sum by(controller) (rate(purser_reconcile_seconds_total[5m])) / sum by(controller) (rate(purser_reconciles_total[5m]))",
  },
];

function ruleOf({ alert, expr, for: holds, severity, summary, description }: AlertRule): JsonObject {
  return {
    alert,
    expr,
    ...(holds === undefined ? {} : { for: holds }),
    labels: { severity },
    annotations: { summary, description },
  };
}

/** The groups of rules, in the form of a rules file of Prometheus and of `spec` of a PrometheusRule. */
export const ruleGroups: readonly JsonObject[] = [
  { name: "olm.csv_abnormal.rules", rules: olmAlerts.map(ruleOf) },
  { name: "olm.installplan.rules", rules: installPlanAlerts.map(ruleOf) },
  { name: "purser.rules", rules: purserAlerts.map(ruleOf) },
  { name: "purser.recordings", rules: recordings.map((rule) => ({ ...rule })) },
];
