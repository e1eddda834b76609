import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import { families } from "./families.ts";
import { type MeasuredObjects, stateSamples, syncLabels } from "./state-samples.ts";

const at = "2026-01-01T00:00:00Z";
const atSeconds = 1_767_225_600;
const nothing: MeasuredObjects = {
  subscriptions: [],
  csvs: [],
  installPlans: [],
  extensions: [],
  catalogSources: [],
  clusterCatalogs: [],
};
const csv = (status: ClusterServiceVersion["status"], labels: Readonly<Record<string, string>> = {}) =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "etcd.v1.0.0", namespace: "data", uid: "u", labels },
    spec: { version: "1.0.0", displayName: "etcd", install: { strategy: "deployment" } },
    ...(status === undefined ? {} : { status }),
  }) as unknown as ClusterServiceVersion;
const subscription: Subscription = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "sub", namespace: "data" },
  spec: { name: "etcd", source: "s", sourceNamespace: "olm", channel: "stable", installPlanApproval: "Manual" },
  status: { installedCSV: "etcd.v1.0.0", currentCSV: "etcd.v1.0.0", lastUpdated: at },
};
/** As Prometheus writes them, without zero counts. */
const shown = (objects: Partial<MeasuredObjects>): readonly string[] =>
  stateSamples({ ...nothing, ...objects })
    .filter(({ name, value }) => value !== 0 || !name.endsWith("count"))
    .filter(({ name, value }) => value !== 0 || name !== "purser_approvals_waiting")
    .map(({ name, labels, value }) => {
      const parts = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      return `${name}{${parts.join(",")}} ${value}`;
    });

test("a cluster without objects has the counts of OLM, and nothing else", () => {
  assert.deepEqual(
    stateSamples(nothing).map(({ name, value }) => `${name} ${value}`),
    [
      "csv_count 0",
      "install_plan_count 0",
      "subscription_count 0",
      "catalog_source_count 0",
      "purser_approvals_waiting 0",
    ],
  );
});

test("a CSV in phase Succeeded has no abnormal series", () => {
  assert.deepEqual(
    shown({ csvs: [csv({ phase: "Succeeded", reason: "InstallSucceeded" })], subscriptions: [subscription] }),
    [
      "csv_count{} 1",
      "subscription_count{} 1",
      "csv_succeeded{namespace=data,name=etcd.v1.0.0,version=1.0.0} 1",
      "purser_installation_state{api=v0,namespace=data,name=sub,package=etcd,state=Ready} 1",
    ],
  );
});

test("a CSV in another phase shows that phase and its reason, and when its certificate is replaced", () => {
  assert.deepEqual(
    shown({
      csvs: [csv({ phase: "Failed", reason: "ComponentUnhealthy", certsRotateAt: at, lastTransitionTime: at })],
    }),
    [
      "csv_count{} 1",
      "csv_succeeded{namespace=data,name=etcd.v1.0.0,version=1.0.0} 0",
      "csv_abnormal{namespace=data,name=etcd.v1.0.0,version=1.0.0,phase=Failed,reason=ComponentUnhealthy} 1",
      `purser_certificate_rotation_seconds{namespace=data,name=etcd.v1.0.0} ${atSeconds}`,
      "purser_installation_state{api=v0,namespace=data,name=etcd.v1.0.0,package=,state=Orphan} 1",
      `purser_installation_state_since_seconds{api=v0,namespace=data,name=etcd.v1.0.0,package=} ${atSeconds}`,
    ],
  );
});

test("an installation that cannot go on shows since when, until it can", () => {
  const message = `stuckSince ${at}; blockedBy b; nextRetry n`;
  const status = { ...subscription.status, lastUpdated: at };
  const stuck = (held: "True" | "False"): Subscription => ({
    ...subscription,
    status: { ...status, conditions: [{ type: "Stalled", status: held, reason: "r", message }] },
  });
  const series = (held: "True" | "False") =>
    shown({ subscriptions: [stuck(held)] }).filter((line) => line.startsWith("purser_installation_stuck"));
  assert.deepEqual(series("True"), [
    `purser_installation_stuck_since_seconds{api=v0,namespace=data,name=sub,package=etcd} ${atSeconds}`,
  ]);
  assert.deepEqual(series("False"), []);
});

test("a CSV that no pass has seen is abnormal without phase", () => {
  assert.ok(
    shown({ csvs: [csv(undefined)] }).includes(
      "csv_abnormal{namespace=data,name=etcd.v1.0.0,version=1.0.0,phase=,reason=} 1",
    ),
  );
});

test("copies are not counted and have no series, by label and by reason", () => {
  assert.deepEqual(shown({ csvs: [csv({ phase: "Succeeded" }, { "olm.copiedFrom": "elsewhere" })] }), []);
  const byReason = shown({ csvs: [csv({ phase: "Succeeded", reason: "Copied" })] });
  assert.deepEqual(
    byReason.filter((line) => line.startsWith("csv_")),
    [],
  );
});

test("only InstallPlans that nobody approved wait for approval", () => {
  const plan = (phase: "RequiresApproval" | "Complete", approved: boolean) => ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { name: "install-x", namespace: "data" },
    spec: { approval: "Manual", approved, clusterServiceVersionNames: [] },
    status: { phase, catalogSources: [], plan: [] },
  });
  const installPlans = [plan("RequiresApproval", false), plan("RequiresApproval", true), plan("Complete", false)];
  assert.deepEqual(shown({ installPlans }), ["install_plan_count{} 3", "purser_approvals_waiting{} 1"]);
});

test("a CatalogSource is ready when its connection is READY, a ClusterCatalog when it serves", () => {
  const source = (name: string, lastObservedState: string) => ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { name, namespace: "olm" },
    spec: { sourceType: "grpc" as const },
    status: { connectionState: { lastObservedState, lastConnect: at } },
  });
  const condition = (status: "True" | "False") => ({
    type: "Serving",
    status,
    reason: "Available",
    message: "",
    lastTransitionTime: at,
  });
  const catalog = (name: string, status: "True" | "False") =>
    ({
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name },
      spec: { source: { type: "Image", image: { ref: "r" } } },
      status: { conditions: [condition(status)], ...(status === "True" ? { lastUnpacked: at } : {}) },
    }) as unknown as MeasuredObjects["clusterCatalogs"][number];
  assert.deepEqual(
    shown({
      catalogSources: [source("a", "READY"), source("b", "CONNECTING")] as unknown as MeasuredObjects["catalogSources"],
      clusterCatalogs: [catalog("c", "True"), catalog("d", "False")],
    }),
    [
      "catalog_source_count{} 2",
      "catalogsource_ready{namespace=olm,name=a} 1",
      "catalogsource_ready{namespace=olm,name=b} 0",
      "purser_catalog_serving{name=c} 1",
      `purser_catalog_unpacked_seconds{name=c} ${atSeconds}`,
      "purser_catalog_serving{name=d} 0",
    ],
  );
});

test("every series belongs to a family and has exactly its labels", () => {
  const samples = stateSamples({ ...nothing, csvs: [csv({ phase: "Failed" })], subscriptions: [subscription] });
  for (const { name, labels } of [...samples, { name: "subscription_sync_total", labels: syncLabels(subscription) }]) {
    const family = families.find((candidate) => candidate.name === name);
    assert.deepEqual(Object.keys(labels), family?.labels, name);
  }
});

test("the series of a Subscription's looks has the labels of OLM's", () => {
  assert.deepEqual(syncLabels(subscription), {
    name: "sub",
    installed: "etcd.v1.0.0",
    channel: "stable",
    package: "etcd",
    approval: "Manual",
  });
});

test("metric names are used once", () => {
  const names = families.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
});
