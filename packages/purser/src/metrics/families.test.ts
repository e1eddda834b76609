import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "./families.ts";

/** `NAME KIND(labels)` and its quantiles, of the metrics that OLM v0's catalog-operator and olm-operator have. */
const ofOlm = [
  "csv_count gauge()",
  "csv_upgrade_count counter()",
  "csv_succeeded gauge(namespace, name, version)",
  "csv_abnormal gauge(namespace, name, version, phase, reason)",
  "install_plan_count gauge()",
  "subscription_count gauge()",
  "catalog_source_count gauge()",
  "catalogsource_ready gauge(namespace, name)",
  "catalog_source_snapshots_total counter(namespace, name)",
  "subscription_sync_total counter(name, installed, channel, package, approval)",
  "olm_resolution_duration_seconds summary(outcome) 0.9, 0.95, 0.99",
  "installplan_warnings_total counter()",
];

test("the metrics of OLM v0's operators have OLM's names, kinds, labels and quantiles, and come first", () => {
  const lines = families
    .filter(({ name }) => !/^(?:purser|catalogd)_/.test(name))
    .map(({ name, kind, labels, quantiles = [] }) =>
      `${name} ${kind}(${labels.join(", ")}) ${quantiles.join(", ")}`.trim(),
    );
  assert.deepEqual(lines, ofOlm);
});

test("every metric of ours begins with purser_, and explains itself in one sentence without a full stop", () => {
  for (const { name, help } of families.slice(ofOlm.length)) {
    assert.match(name, /^(?:purser|catalogd)_[a-z_]+$/);
    assert.match(help, /^[A-Z1][^\n]+[^.]$/, name);
  }
});
