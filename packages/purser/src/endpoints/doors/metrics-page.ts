import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, Summary } from "@prometheus-io/client";
import type { Counters } from "@purser/kubernetes/kube/counters";
import type { Sample } from "@purser/kubernetes/metric-sample";
import { families, type MetricFamily } from "../../metrics/families.ts";

/** One text of the page, in the format that `contentType` names. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** The metrics of this process in Prometheus' text format. */
export class MetricsPage {
  readonly #registry = new Registry();
  readonly #counters: Counters;
  /** Set when the page is asked for; by name of the family. */
  readonly #shown = new Map<
    string,
    { readonly family: MetricFamily; readonly metric: Gauge<string> | Counter<string> }
  >();

  constructor(counters: Counters) {
    this.#counters = counters;
    // A sample of the event loop's lag each second: the default of 10 ms would keep an idle process awake.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 1000 });
    const observed = new Map<string, (labels: Sample["labels"], value: number) => void>();
    for (const family of families) {
      const { name, help, kind, labels, buckets = [], quantiles = [] } = family;
      const described = { name, help, labelNames: [...labels], registers: [this.#registry] };
      switch (kind) {
        case "gauge":
          this.#shown.set(name, { family, metric: new Gauge<string>(described) });
          break;
        case "counter":
          this.#shown.set(name, { family, metric: new Counter<string>(described) });
          break;
        case "summary": {
          const summary = new Summary<string>({
            ...described,
            percentiles: [...quantiles],
            maxAgeSeconds: 600,
            ageBuckets: 5,
          });
          observed.set(name, (of, value) => summary.observe(of, value));
          break;
        }
        case "histogram": {
          const histogram = new Histogram<string>({ ...described, buckets: [...buckets] });
          observed.set(name, (of, value) => histogram.observe(of, value));
          break;
        }
      }
    }
    counters.observedBy((name, labels, value) => observed.get(name)?.(labels, value));
  }

  /** The page with the given gauges and what was counted until now. */
  async text(samples: readonly Sample[]): Promise<MetricsText> {
    const byName = Map.groupBy([...samples, ...this.#counters.snapshot()], ({ name }) => name);
    for (const [name, { family, metric }] of this.#shown) {
      metric.reset();
      const { scale = 1, name: source = name } = family.counter ?? {};
      const known = byName.get(source) ?? [];
      // Else the library shows 0, which would be a claim.
      if (known.length === 0 && metric instanceof Gauge) metric.remove({});
      for (const { labels, value } of known) {
        if (metric instanceof Counter) metric.inc(labels, value * scale);
        else metric.set(labels, value * scale);
      }
    }
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}
