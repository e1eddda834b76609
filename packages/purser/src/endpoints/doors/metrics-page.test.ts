import assert from "node:assert/strict";
import { test } from "node:test";
import { Counters } from "@purser/kubernetes/kube/counters";
import { MetricsPage } from "./metrics-page.ts";

/** Lines of one metric, without comments. */
const lines = (text: string, name: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(name) && !line.startsWith("#"));

test("gauges of the state replace those of the page before", async () => {
  const page = new MetricsPage(new Counters());
  const ready = (name: string) => ({ name: "catalogsource_ready", labels: { namespace: "olm", name }, value: 1 });
  const first = await page.text([ready("a"), ready("b")]);
  assert.deepEqual(lines(first.text, "catalogsource_ready"), [
    'catalogsource_ready{namespace="olm",name="a"} 1',
    'catalogsource_ready{namespace="olm",name="b"} 1',
  ]);
  const second = await page.text([ready("b")]);
  assert.deepEqual(lines(second.text, "catalogsource_ready"), ['catalogsource_ready{namespace="olm",name="b"} 1']);
});

test("counters are shown as they stand, under the name of their family and in its unit", async () => {
  const counters = new Counters();
  const page = new MetricsPage(counters);
  counters.add("csv_upgrade_count");
  counters.add("reconcile_ms_total", { controller: "install-plan" }, 2500);
  const { text } = await page.text([]);
  await page.text([]);
  assert.deepEqual(lines(text, "csv_upgrade_count"), ["csv_upgrade_count 1"]);
  assert.deepEqual(lines((await page.text([])).text, "purser_reconcile_seconds_total"), [
    'purser_reconcile_seconds_total{controller="install-plan"} 2.5',
  ]);
});

test("label values with quotes, backslashes and line ends stay one line", async () => {
  const counters = new Counters();
  counters.add("reconciles_total", { controller: 'a"b\\c\nd', result: "done" });
  const { text } = await new MetricsPage(counters).text([]);
  assert.deepEqual(lines(text, "purser_reconciles_total"), [
    'purser_reconciles_total{controller="a\\"b\\\\c\\nd",result="done"} 1',
  ]);
});

test("resolutions are a summary with OLM's quantiles, answers of catalogs a histogram with its buckets", async () => {
  const counters = new Counters();
  const page = new MetricsPage(counters);
  counters.observe("olm_resolution_duration_seconds", { outcome: "failed" }, 2);
  counters.observe("catalogd_http_request_duration_seconds", { code: "200" }, 1.1);
  const { text, contentType } = await page.text([]);
  assert.match(contentType, /^text\/plain; version=0\.0\.4/);
  assert.deepEqual(lines(text, "olm_resolution_duration_seconds"), [
    'olm_resolution_duration_seconds{quantile="0.9",outcome="failed"} 2',
    'olm_resolution_duration_seconds{quantile="0.95",outcome="failed"} 2',
    'olm_resolution_duration_seconds{quantile="0.99",outcome="failed"} 2',
    'olm_resolution_duration_seconds_sum{outcome="failed"} 2',
    'olm_resolution_duration_seconds_count{outcome="failed"} 1',
  ]);
  const buckets = lines(text, "catalogd_http_request_duration_seconds_bucket");
  assert.equal(buckets.length, 20);
  assert.equal(buckets[9], 'catalogd_http_request_duration_seconds_bucket{le="1",code="200"} 0');
  assert.equal(buckets[10], 'catalogd_http_request_duration_seconds_bucket{le="1.2",code="200"} 1');
});
