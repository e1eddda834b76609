// What commands print about one settled cluster, whole: testing/whole-screens.txt. PURSER_SCREENS=write writes that file anew.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { deployments } from "@purser/kubernetes/apis/resources";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterExtensions, clusterUpdatePolicies, updatePolicies } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { isPaused } from "../apis/v1/paused.ts";
import { ownLabels } from "../deploy/labels.ts";
import { type LiveKind, liveNames } from "./find/live-names.ts";
import { systemTerminal, terminalModes } from "./output/terminal.ts";
import { ownVersion } from "./own-version.ts";
import { type DemoCluster, startDemoCluster } from "./testing/demo-cluster.ts";
import { assertScreens, screensOf } from "./testing/screens.ts";

const file = join(import.meta.dirname, "testing/whole-screens.txt");
const never = new AbortController().signal;
const logbook = "sub/demo-logbook/logbook-db";
const ballast = "ext/ballast-cache";
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
  const apiVersion = "purser.dev/v1alpha1";
  const create = { verb: "create" } as const;
  const weekend = {
    apiVersion,
    kind: "ClusterUpdatePolicy",
    metadata: { name: "weekend" },
    spec: {
      selector: { packages: ["ballast-cache"], namespaces: ["demo-cache"] },
      versions: { range: "<1", denied: ["0.3.0"] },
      level: "minor",
      approval: { install: "Manual", major: "Manual" },
      windows: [{ schedule: "0 22 * * 6", duration: "4h", timeZone: "Europe/Berlin" }],
      soak: "3d",
      crdChange: "RequireApproval",
      crdRules: { enum: "Warn" },
      rollback: "BeforeReady",
      reason: "nobody is here on other days",
    },
  } as const;
  const idle = {
    apiVersion,
    kind: "UpdatePolicy",
    metadata: { namespace: "demo-logbook", name: "others" },
    spec: { selector: { names: ["kiln"] }, permissionIncrease: "Deny", until: "2090-01-01T00:00:00Z" },
  } as const;
  written(await cluster.client.write({ ...create, type: clusterUpdatePolicies, object: weekend }, never));
  written(await cluster.client.write({ ...create, type: updatePolicies, object: idle }, never));
  await cluster.settled();
});
after(() => cluster.stop());

/** Command lines that write nothing. */
const lines: readonly (readonly string[])[] = [
  ["search"],
  ["search", "--installed", "-o", "yaml"],
  ["search", "--deprecated"],
  ["search", "--source", "olm/dmo"],
  ["search", "cache", "--list-versions"],
  ["show", "logbook-db"],
  ["show", "ballast-cache@0.2.0", "-o", "yaml"],
  ["show", "logbook-db", "--versions"],
  ["show", "ballast-cache", "--graph"],
  ["show", "semaphore-gateway", "--dependencies"],
  ["show", "logbook-db", "--permissions"],
  ["show", "logbuk"],
  ["compare", "logbook-db", "1.0.0", "1.1.0"],
  ["list", "-A"],
  ["list", "-A", "--state", "Failed"],
  ["list", "-n", "default", "-o", "yaml"],
  ["list", "-n", "nowhere"],
  ["list", "-A", "--fields", "help"],
  ["list", "-A", "--sort-by", "sinc"],
  ["list", "-A", "--limit", "0"],
  ["status"],
  ["status", "-o", "name"],
  ["status", logbook],
  ["status", ballast, "-o", "yaml"],
  ["status", "logbok-db"],
  ["history", logbook],
  ["history", ballast, "-o", "yaml"],
  ["permissions", ballast],
  ["permissions", "ask", "get", "secrets", "-n", "default"],
  ["tenancy", "demo-logbook"],
  ["instances"],
  ["instances", "logbook-db", "-o", "yaml"],
  ["source", "list"],
  ["source", "show", "cc/demo"],
  ["source", "show", "demo"],
  ["source", "set", "olm/demo", "--priority", "7", "--dry-run"],
  ["source", "set", "cc/demo", "--label", "tier=own", "--poll", "none", "--dry-run"],
  ["source", "remove", "olm/demo", "--dry-run"],
  ["policy", "list", "-A"],
  ["policy", "list", "-n", "default"],
  ["policy", "show", "weekend"],
  ["policy", "show", "demo-logbook/others"],
  ["policy", "effective", ballast],
  ["policy", "effective", logbook],
  ["plan", logbook],
  ["plan", ballast],
  ["plan", "semaphore-gateway", "-n", "default"],
  ["plan", "semaphore-gateway@9.9.9", "-n", "default"],
  ["plan", logbook, "--uninstall", "everything"],
  ["explain", logbook],
  ["explain", ballast, "-o", "yaml"],
  ["explain", ballast, "--candidates", "-o", "markdown"],
  ["explain", logbook, "--why", "logbook-db.v1.2.0"],
  ["install", "semaphore-gateway", "-n", "default", "--dry-run"],
  ["install", "semaphore-gateway", "-n", "default", "--dry-run", "--as-extension", "-o", "yaml"],
  ["install", "semaphore-gateway", "-n", "nowhere", "--dry-run"],
  ["install", "semaphore-gateway", "-n", "default", "--channel", "fast", "--dry-run"],
  ["install", "ballast-cache", "-n", "default", "--dry-run"],
  ["upgrade", logbook, "--to", "1.1.0", "--dry-run"],
  ["upgrade", logbook, "--to", "9.0.0", "--dry-run"],
  ["upgrade", ballast, "--dry-run"],
  ["approve"],
  ["approve", logbook, "--dry-run"],
  ["approve", ballast, "--dry-run"],
  ["reject", ballast, "--reason", "x", "--dry-run"],
  ["reject", logbook, "--reason", "x", "--until", "2090-01-01", "--dry-run"],
  ["set", logbook, "--channel", "candidate", "--approval", "Manual", "--label", "a=b", "--dry-run"],
  ["set", ballast, "--version", "any", "--channel", "legacy", "--set", "a.b=1", "--dry-run", "-o", "yaml"],
  ["set", ballast, "--approval", "Manual", "--dry-run"],
  ["set", logbook, "--version", "1.0.0", "--dry-run"],
  ["hold", logbook, "--version", "1.2.0", "--until", "2090-01-01", "--reason", "later", "--dry-run"],
  ["hold", ballast, "--dry-run", "-o", "yaml"],
  ["uninstall", logbook, "--dry-run", "-o", "yaml"],
  ["uninstall", ballast, "--mode", "everything", "--dry-run"],
  ["rollback", logbook, "--dry-run"],
  ["rollback", ballast, "--to", "7", "--dry-run"],
  ["adopt", logbook],
  ["pause", logbook],
  ["resume", ballast],
  ["diff", ballast, "--live"],
  ["doctor"],
  ["doctor", "--fix-only", "Secret data/tls"],
];

/** Columns differ by the widths of ages and random names, so spaces are one. */
const settledText = (text: string): string =>
  text
    .replaceAll(/\b20[0-8]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replaceAll(/\b(?!3d|4h|10m)\d+(ms|[smhd])(\d+[smh])?\b/g, "AGE")
    .replaceAll(/\bsha256:[0-9a-f]{8,64}/g, "sha256:DIGEST")
    .replaceAll(/\binstall-[a-z0-9]{5}\b/g, "install-RANDOM")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID")
    .replaceAll(/(tookSeconds|generation|observedGeneration|indexMs|openMs|solveMs|variablesMs): [\d.]+/g, "$1: N")
    .replaceAll(/(?<=\S) {2,}/g, "  ");

test("commands print what testing/whole-screens.txt holds", async () =>
  assertScreens(file, await screensOf(lines, (args) => cluster.purser(args), settledText)));

const completed: readonly (readonly [kinds: readonly LiveKind[], line: string, names: readonly string[]])[] = [
  [["installation"], "status ", ["ballast-cache", "ext/ballast-cache", "logbook-db", logbook]],
  [["installation"], "status lo", ["logbook-db"]],
  [["namespace"], "list -n demo-", ["demo-cache", "demo-logbook"]],
  [["package"], "install ", ["ballast-cache", "logbook-db", "semaphore-gateway"]],
  [["package"], "install semaphore-gateway@1.1", ["semaphore-gateway@1.1.0"]],
  [["installation", "package"], "show s", ["semaphore-gateway", logbook]],
  [["channel"], "install logbook-db@1.0.0 --channel ", ["candidate", "stable"]],
  [["channel"], "install --channel ", []],
  [["source"], "source show ", ["cc/demo", "olm/demo"]],
  [["namespace"], "list --context nosuch -n ", []],
  [["namespace"], "list --kubeconfig /nonexistent -n ", []],
];
for (const [kinds, line, names] of completed)
  test(`after "purser ${line}" the shell offers ${names.join(", ") || "nothing"}`, async () => {
    const [directory, words] = [dirname(cluster.cacheDirectory), line.split(" ")];
    const env = {
      KUBECONFIG: join(directory, "kubeconfig"),
      PURSER_CACHE_DIR: cluster.cacheDirectory,
      HOME: directory,
    };
    const terminal = { ...systemTerminal(terminalModes({}, {})), env };
    assert.deepEqual(await liveNames(kinds, words, words.at(-1) ?? "", terminal, 60_000), names);
  });

test("the shell offers pending InstallPlans", async () => {
  const directory = dirname(cluster.cacheDirectory);
  const terminal = { ...systemTerminal(terminalModes({}, {})), env: { KUBECONFIG: join(directory, "kubeconfig") } };
  const [name, ...others] = await liveNames(["installplan"], ["approve", "demo-"], "demo-", terminal, 60_000);
  assert.match(name ?? "", /^demo-logbook\/install-[a-z0-9]{5}$/);
  assert.deepEqual(others, []);
});

async function deploy(name: string, image: string): Promise<void> {
  const object: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name, labels: ownLabels },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } },
    },
  };
  const created = await cluster.client.write({ verb: "create", type: deployments, object }, never);
  assert.ok(created.ok);
}

test("the controllers of the cluster are shown with their versions, and one that is too far away with a warning", async () => {
  const alone = await cluster.purser(["version"]);
  assert.match(alone.text, /^purser \S+ \(Node \S+\)\ncluster v1\.\d+\.\S+$/);
  await deploy("purser", `example.com/purser:${ownVersion()}`);
  await deploy("purser-digest", `example.com/purser@sha256:${"0".repeat(64)}`);
  await deploy("purser-old", "example.com/purser:9.0.0");
  const ran = await cluster.purser(["version"]);
  assert.equal(ran.exitCode, 0);
  assert.deepEqual(ran.text.trim().split("\n").slice(2), [
    `controllers ${ownVersion()} (Deployment default/purser)`,
    `controllers example.com/purser@sha256:${"0".repeat(64)} (Deployment default/purser-digest)`,
    "controllers 9.0.0 (Deployment default/purser-old): more than one minor version apart from this purser",
  ]);
  const client = await cluster.purser(["version", "--client", "-o", "json"]);
  assert.deepEqual(client.data, { client: { version: ownVersion(), node: process.versions.node } });
});

const held: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "held" },
  spec: { namespace: "default", source: { sourceType: "Catalog", catalog: { packageName: "ballast-cache" } } },
};

test("pause sets the annotation, resume removes it, and each says when there is nothing to do", async () => {
  written(await cluster.client.write({ verb: "create", type: clusterExtensions, object: held }, never));
  const paused = async (): Promise<boolean> => {
    const extension = await cluster.client.get(clusterExtensions, { name: "held" });
    return extension !== undefined && isPaused(extension);
  };
  const rows: readonly (readonly [command: string, text: RegExp, isPaused: boolean])[] = [
    ["resume", /^ext\/held is not paused$/, false],
    ["pause", /paused ext\/held; purser resume ext\/held$/, true],
    ["pause", /^ext\/held is paused already$/, true],
    ["resume", /resumed ext\/held; purser status ext\/held$/, false],
  ];
  for (const [command, text, expected] of rows) {
    const ran = await cluster.purser([command, "ext/held", "--yes"]);
    assert.equal(ran.exitCode, 0);
    assert.match(ran.text.trim(), text);
    assert.equal(await paused(), expected, command);
  }
});
