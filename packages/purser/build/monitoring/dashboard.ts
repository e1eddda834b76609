import type { JsonObject } from "@purser/kubernetes/json";
import { families, type MetricFamily } from "../../src/metrics/families.ts";

const source = { type: "prometheus", uid: "${datasource}" };
const panelHeight = 8;
const panelsPerRow = 2;
const columns = 24;

/** What a panel of a metric asks for: rates of counters, means of distributions, gauges as they are. */
function queryOf({ name, kind, labels }: MetricFamily): string {
  const by = labels.filter((label) => label !== "reason");
  const over = by.length === 0 ? "" : ` by(${by.join(", ")})`;
  switch (kind) {
    case "gauge":
      return `sum${over} (${name})`;
    case "counter":
      return `sum${over} (rate(${name}[5m]))`;
    case "summary":
    case "histogram":
      return `sum${over} (rate(${name}_sum[5m])) / sum${over} (rate(${name}_count[5m]))`;
  }
}

function unitOf({ name, kind }: MetricFamily): string {
  if (kind === "gauge") return name.endsWith("_seconds") ? "dateTimeAsIso" : "short";
  return kind === "counter" ? (name.includes("seconds") ? "percentunit" : "reqps") : "s";
}

function panelOf(family: MetricFamily, index: number): JsonObject {
  const width = columns / panelsPerRow;
  const isTime = unitOf(family) === "dateTimeAsIso";
  return {
    id: index + 1,
    type: isTime ? "table" : "timeseries",
    title: family.help,
    description: `${family.name} (${family.kind})`,
    datasource: source,
    gridPos: {
      x: (index % panelsPerRow) * width,
      y: Math.floor(index / panelsPerRow) * panelHeight,
      w: width,
      h: panelHeight,
    },
    // Grafana's time unit counts milliseconds.
    targets: [
      {
        refId: "A",
        expr: isTime ? `${queryOf(family)} * 1000` : queryOf(family),
        legendFormat: family.labels.map((label) => `{{${label}}}`).join(" "),
        ...(isTime ? { format: "table", instant: true } : {}),
      },
    ],
    fieldConfig: { defaults: { unit: unitOf(family) }, overrides: [] },
  };
}

/** A dashboard for Grafana 10 or newer with one panel for each metric. */
export const dashboard: JsonObject = {
  title: "Purser",
  uid: "purser",
  tags: ["kubernetes", "operators"],
  schemaVersion: 38,
  editable: true,
  time: { from: "now-6h", to: "now" },
  refresh: "1m",
  templating: {
    list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source", hide: 0 }],
  },
  panels: families.map(panelOf),
};
