// What commands print about one settled cluster, whole: testing/whole-screens.txt. PURSER_SCREENS=write writes that file anew.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoleBindings, clusterRoles, deployments } from "@purser/kubernetes/apis/resources";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterExtensions, clusterUpdatePolicies, subscriptions, updatePolicies } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { isPaused } from "../apis/v1/paused.ts";
import { ownLabels } from "../deploy/labels.ts";
import { type LiveKind, liveNames } from "./find/live-names.ts";
import { systemTerminal, terminalModes } from "./output/terminal.ts";
import { ownVersion } from "./own-version.ts";
import { type DemoCluster, startDemoCluster } from "./testing/demo-cluster.ts";
import { assertScreens, screensOf, settledText } from "./testing/screens.ts";

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
  assert.match(
    alone.text,
    /^purser \S+ \(Node \S+\)\nKubernetes v1\.\d+\.\S+\nleader none; `purser up` works without one\ndefinitions 13 of 13 CustomResourceDefinitions as in this purser$/,
  );
  await deploy("purser", `example.com/purser:${ownVersion()}`);
  await deploy("purser-digest", `example.com/purser@sha256:${"0".repeat(64)}`);
  await deploy("purser-old", "example.com/purser:9.0.0");
  const ran = await cluster.purser(["version"]);
  assert.equal(ran.exitCode, 0);
  assert.deepEqual(ran.text.trim().split("\n").slice(2), [
    `controllers ${ownVersion()} (Deployment default/purser)`,
    `controllers example.com/purser@sha256:${"0".repeat(64)} (Deployment default/purser-digest)`,
    "controllers 9.0.0 (Deployment default/purser-old): more than one minor version apart from this purser",
    "leader none; `purser up` works without one",
    "definitions 13 of 13 CustomResourceDefinitions as in this purser",
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

const writtenFile = join(import.meta.dirname, "testing/written-screens.txt");
const noWait = "--yes --no-wait";
const gateway = "ext/semaphore-gateway";
const csv = "csv/demo-logbook/logbook-db.v1.0.0";

async function allowViewer(): Promise<void> {
  const create = { verb: "create" } as const;
  const [apiVersion, apiGroup] = ["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"];
  const metadata = { name: "viewer" };
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  const role = { apiVersion, kind: "ClusterRole", metadata, rules } as const;
  const roleRef = { apiGroup, kind: "ClusterRole", name: "viewer" };
  const subjects = [{ apiGroup, kind: "User", name: "viewer" }];
  const binding = { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects } as const;
  written(await cluster.client.write({ ...create, type: clusterRoles, object: role }, never));
  written(await cluster.client.write({ ...create, type: clusterRoleBindings, object: binding }, never));
}

const remove = async (type: ResourceType, key: ObjectKey): Promise<unknown> =>
  written(await cluster.client.write({ verb: "delete", type, key }, never));

/** Removes the policies and the extension of the tests before. */
async function clearAway(): Promise<void> {
  await remove(clusterUpdatePolicies, { name: "weekend" });
  await remove(updatePolicies, { namespace: "demo-logbook", name: "others" });
  await remove(clusterExtensions, { name: "held" });
}

async function askForApproval(): Promise<void> {
  const object = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "ClusterUpdatePolicy",
    metadata: { name: "asked" },
    spec: {
      // A hold is as specific, and both decide.
      selector: { names: ["semaphore-gateway"], kinds: ["ClusterExtension"] },
      approval: { install: "Manual", minor: "Manual" },
    },
  } as const;
  written(await cluster.client.write({ verb: "create", type: clusterUpdatePolicies, object }, never));
}

/** A Subscription for the operator that has none: it asks for the package, and finds it occupied. */
async function subscribe(): Promise<void> {
  const object = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace: "demo-logbook", name: "own" },
    spec: { name: "logbook-db", channel: "stable", source: "demo", sourceNamespace: "olm" },
  } as const;
  written(await cluster.client.write({ verb: "create", type: subscriptions, object }, never));
}

/** Command lines; what is typed at the question stands behind `<`. Between them: what others do meanwhile. */
const writing: readonly (string | (() => Promise<unknown>))[] = [
  ...[
    "install semaphore-gateway -n default --as-extension",
    `upgrade ${logbook}`,
    `upgrade ${ballast} --to 0.4.0`,
    `approve ${logbook}`,
    `reject ${logbook} --reason x`,
    `hold ${ballast}`,
    `set ${logbook} --channel candidate`,
    `set ${ballast} --label a=b`,
    `pause ${ballast}`,
    "archive ballast-cache-1",
    `uninstall ${logbook}`,
    `uninstall ${ballast}`,
    "uninstall --all-extensions",
    "source add own registry.example/own:1",
    "source set olm/demo --priority 7",
    "source refresh olm/demo",
    "source remove cc/demo",
    "crds apply",
  ].map((line) => `${line} --as viewer --yes`),
  ...[
    "list",
    "status",
    "events -A",
    "search",
    "instances",
    "source list",
    "policy list -A",
    "tenancy demo-logbook",
  ].map((line) => `${line} --as nobody`),
  `set ${logbook} --channel candidate`,
  `set ${logbook} --channel candidate < n`,
  `set ${ballast} --label a=b < n`,
  "upgrade -A < n",
  "upgrade -A --dry-run",
  "upgrade -A --to 1.0.0",
  `upgrade ${logbook} ${ballast} --dry-run`,
  `upgrade ${logbook} nope --dry-run`,
  `upgrade ${ballast} ${ballast} < y`,
  "upgrade",
  `upgrade ${logbook} --to latest --hops 1`,
  `upgrade ${logbook} --hops 0`,
  `upgrade ${logbook} --hops 1 --dry-run`,
  `upgrade ${logbook} --level patch --dry-run`,
  `upgrade ${ballast} --to latest --dry-run`,
  `upgrade ${ballast} ${logbook} --level patch`,
  `approve ${logbook} < n`,
  `approve ${logbook} --digest sha256:0000`,
  `reject ${logbook} --reason x < n`,
  `uninstall ${logbook} < n`,
  "archive ballast-cache-1 < n",
  "archive ballast-cahe-1",
  "source remove olm/demo < n",
  "source set olm/demo --priority 7 < n",
  "source add own registry.example/own:1 -n olm < n",
  `pause ${ballast} < n`,
  `set ${logbook} --channel candidate --approval Manual --label a=b --yes`,
  `set ${logbook} --channel candidate --approval Manual --label a=b --yes`,
  `set ${logbook} --channel stable --label a- --yes`,
  `set ${ballast} --crd-upgrade-safety None --upgrade-constraint-policy SelfCertified --yes`,
  `set ${ballast} --crd-upgrade-safety Strict --upgrade-constraint-policy CatalogProvided --version 0.4.1 --yes`,
  `set ${ballast} --catalog demo --yes`,
  `set ${ballast} --catalog any --yes`,
  `hold ${ballast} --yes`,
  `hold ${ballast} --version 0.5.0 --reason soon --yes`,
  `hold ${ballast} --version 0.6.0 --until 2090-01-01 --yes`,
  "policy list -A",
  `unhold ${ballast} < n`,
  `unhold ${ballast} --yes`,
  `unhold ${ballast} --yes`,
  `reject ${logbook} --yes`,
  "list -A",
  `unhold ${logbook} --yes`,
  () => cluster.waiting("logbook-db.v1.1.0"),
  `upgrade ${logbook} --to 1.1.0 ${noWait}`,
  () => cluster.waiting("logbook-db.v1.2.0"),
  `status ${logbook}`,
  `history ${logbook}`,
  `diff ${logbook} 1 2`,
  `diff ${logbook} 1 --exit-code`,
  `diff ${logbook} 1 9`,
  `rollback ${logbook} --dry-run`,
  `rollback ${logbook} --to 2`,
  `rollback ${logbook} < n`,
  `rollback ${logbook} --accept-loss < n`,
  `rollback ${logbook} --accept-loss --as viewer --yes`,
  `rollback ${logbook} --accept-loss --yes`,
  `history ${logbook}`,
  "list -A",
  () => remove(subscriptions, { namespace: "demo-logbook", name: "logbook-db" }),
  "list -A --orphans",
  `status ${csv}`,
  `upgrade ${csv}`,
  "upgrade -A --dry-run",
  `adopt ${csv} --package nope`,
  `adopt ${csv} --channel candidate --dry-run`,
  `adopt ${csv} --approval Manual --dry-run -o yaml`,
  `adopt ${csv} < n`,
  `adopt ${csv} --as viewer --yes`,
  `adopt ${csv} --approval Manual --yes`,
  () => cluster.waiting("logbook-db.v1.1.0"),
  () => remove(subscriptions, { namespace: "demo-logbook", name: "logbook-db" }),
  subscribe,
  `adopt ${csv} --dry-run`,
  `adopt ${csv} < n`,
  `adopt ${csv} --as viewer --yes`,
  `adopt ${csv} ${noWait}`,
  "uninstall sub/demo-logbook/own --with-dependencies --yes",
  "install logbook-db@1.0.0 -n demo-logbook --hold --yes",
  "install logbook-db@1.0.0 -n demo-logbook --yes",
  `status ${logbook}`,
  `uninstall ${logbook} --mode everything --yes`,
  `install logbook-db -n fresh --create-namespace --approval Manual ${noWait}`,
  "uninstall sub/fresh/logbook-db --yes",
  `install ballast-cache --name second -n default --as-extension ${noWait}`,
  askForApproval,
  `install semaphore-gateway@1.0.x -n default --as-extension --label a=b ${noWait}`,
  `status ${gateway}`,
  "approve",
  `approve ${gateway} --dry-run`,
  `approve ${gateway} --digest sha256:0000`,
  `approve ${gateway} < n`,
  `approve ${gateway} --as viewer --yes`,
  `reject ${gateway} --reason early --as viewer --yes`,
  `reject ${gateway} --reason early --yes`,
  `policy effective ${gateway}`,
  `unhold ${gateway} --yes`,
  `approve ${gateway} --reason fine --yes`,
  `upgrade ${gateway} --to 1.1.0 --yes`,
  `set ${gateway} --version 1.1.x --yes`,
  `approve ${gateway} --yes`,
  `history ${gateway}`,
  `diff ${gateway} 1 2`,
  `rollback ${gateway} < n`,
  `rollback ${gateway} --accept-loss --as viewer --yes`,
  `rollback ${gateway} --accept-loss ${noWait}`,
  `history ${gateway}`,
  "archive semaphore-gateway-1 --yes",
  "archive semaphore-gateway-3 --yes",
  "uninstall --all-extensions -l a=c --dry-run",
  "uninstall --all-extensions -l a=b --dry-run",
  "uninstall --all-extensions -l a=b --yes",
  "list -A",
];

test("commands that write print what testing/written-screens.txt holds", async () => {
  await clearAway();
  await allowViewer();
  const screens: string[] = [];
  const text = (printed: string): string => settledText(printed).replaceAll(/^  \d\d:\d\d:\d\d  .*\n?/gm, "");
  for (const line of writing) {
    await cluster.settled();
    if (typeof line === "function") await line();
    else {
      const [typed = "", answer] = line.split(" < ");
      screens.push(...(await screensOf([typed.split(" ")], (args) => cluster.purser(args, answer), text)));
    }
  }
  assertScreens(writtenFile, screens);
});
