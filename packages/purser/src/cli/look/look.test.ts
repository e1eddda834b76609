// The commands that look at installations, sources and tenants, on one cluster with the demo.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions, subscriptions, updatePolicies } from "../../apis/olm-resources.ts";
import { readSnapshot } from "../../engine/snapshot/snapshot-file.ts";
import type { Changes } from "../../review/change-plan/change-plan.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";
import { type Ran, runPurser } from "../testing/run-purser.ts";

interface Deployed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

const never = new AbortController().signal;
const logbook = "sub/demo-logbook/logbook-db";
let cluster: DemoCluster;
before(async () => (cluster = await startDemoCluster()));
after(() => cluster.stop());

const linesOf = (text: string): readonly string[] => text.split("\n");

test("instances lists custom resources of an installation or a kind, and new prints the operator's example", async () => {
  const none = await cluster.purser(["instances", "logbook-db"]);
  assert.deepEqual([none.exitCode, none.text], [0, "No instances of Ledger; purser instances new Ledger"]);
  const example = await cluster.purser(["instances", "new", "Ledger"]);
  assert.match(example.text, /^apiVersion: logbook\.demo\.purser\.dev\/v1\nkind: Ledger\nmetadata:\n {2}name: /);
  const type = { group: "logbook.demo.purser.dev", version: "v1", kind: "Ledger", plural: "ledgers", namespaced: true };
  const { metadata, ...rest } = example.data as { readonly metadata: object };
  const object = { ...rest, metadata: { ...metadata, namespace: "demo-logbook" } } as never;
  written(await cluster.client.write({ verb: "create", type: type as never, object }, never));
  for (const what of [["logbook-db"], ["Ledger"], ["ledgers"], []]) {
    const { text } = await cluster.purser(["instances", ...what]);
    assert.match(linesOf(text)[1] ?? "", /^demo-logbook {2}Ledger {2}example-ledger/);
    assert.match(text, /\n1 instance of \d kinds?$/);
  }
  const { data } = await cluster.purser(["instances", "Ledger", "-n", "default"]);
  assert.deepEqual(data, { apiVersion: "purser.dev/v1alpha1", kind: "InstanceList", items: [] });
  const missing = await cluster.purser(["instances", "Leger"]);
  assert.equal(missing.exitCode, 6);
  assert.match(missing.errors, /neither an installation nor a kind of the cluster\n {2}do {4}purser instances Ledger/);
});

test("instances new says when the operator gives no example, and refuses a number of none", async () => {
  const { text } = await cluster.purser(["instances", "new", "OperatorGroup"]);
  assert.equal(
    text,
    [
      "# The operator gives no example; kubectl explain lists the fields.",
      "apiVersion: operators.coreos.com/v1",
      "kind: OperatorGroup",
      "metadata:",
      "  name: example",
      "spec: {}",
    ].join("\n"),
  );
  await assert.rejects(
    cluster.purser(["instances", "new", "Ledger", "--example", "7"]),
    /--example 7: the operator gives 1 example/,
  );
});

test("instances new --edit starts vi when no editor is set, and one that cannot be started is an error", async () => {
  const { PATH = "" } = process.env;
  process.env["PATH"] = "/nonexistent";
  try {
    const env = { KUBECONFIG: join(dirname(cluster.cacheDirectory), "kubeconfig") };
    const edit = runPurser(["instances", "new", "Ledger", "--edit"], { env, answer: "" });
    await assert.rejects(edit, { message: 'the editor "vi" failed', hints: ["set EDITOR"] });
  } finally {
    process.env["PATH"] = PATH;
  }
});

test("instances new --edit creates what is saved, in its own namespace or in that of -n", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-look-"));
  const edit = async (change: string, ...args: readonly string[]): Promise<Ran> => {
    const script = join(directory, "edit.mjs");
    const program = `import fs from "node:fs";const f=process.argv[2];fs.writeFileSync(f,fs.readFileSync(f,"utf8")${change});`;
    writeFileSync(script, program);
    const env = {
      KUBECONFIG: join(dirname(cluster.cacheDirectory), "kubeconfig"),
      HOME: directory,
      EDITOR: `${process.execPath} ${script}`,
    };
    return runPurser(["instances", "new", "Ledger", "--edit", ...args], { env, answer: "" });
  };
  const renamed = (name: string): string => `.replace(/^  name: .*$/m, "  name: ${name}")`;
  const placed = (ran: Ran): unknown => (ran.data as { readonly metadata?: object } | undefined)?.metadata;
  try {
    const created = await edit(renamed("mine"), "-n", "demo-logbook");
    assert.equal(created.text, "ok created Ledger mine", created.errors);
    assert.deepEqual(placed(created), { name: "mine", namespace: "demo-logbook" });
    const kept = await edit(renamed("own\\n  namespace: demo-logbook"), "-n", "default");
    assert.deepEqual(placed(kept), { name: "own", namespace: "demo-logbook" }, kept.errors);
    const unplaced = await edit(renamed("third"));
    assert.deepEqual(placed(unplaced), { name: "third", namespace: "default" }, unplaced.errors);
    for (const change of ["", ".slice(0, 0)"]) {
      const none = await edit(change);
      assert.deepEqual([none.exitCode, none.text], [1, "Nothing was changed, so nothing was created."]);
    }
    await assert.rejects(edit(`.slice(0, 0) + "a: ["`), /the saved text is not YAML/);
    await assert.rejects(edit(`.slice(0, 0) + "text"`), /the saved text is not an object/);
    await assert.rejects(edit(".concat(process.exit(3))"), /the editor ".*" failed/);
    await assert.rejects(cluster.purser(["instances", "new", "Ledger", "--edit"]), /--edit needs a terminal/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("permissions shows what the accounts of an installation may do, and what a version would add", async () => {
  const { text, data } = await cluster.purser(["permissions", "logbook-db"]);
  const granted = await cluster.client.list(roles, { namespace: "demo-logbook" });
  assert.ok(granted.length > 0);
  assert.match(
    text,
    /^sub\/demo-logbook\/logbook-db 1\.0\.0 may\n {2}ServiceAccount demo-logbook\/logbook-db-controller, whole cluster\n {4}get/,
  );
  assert.match(text, /configmaps/);
  assert.doesNotMatch(text, /statefulsets/);
  assert.equal((data as { readonly kind: string }).kind, "Permissions");
  const { text: diff } = await cluster.purser(["permissions", "logbook-db", "--diff-to", "1.1.0"]);
  assert.match(diff, /1 rule gained, 0 lost/);
  assert.match(diff, /\+ get, list, watch, create, update, delete {2}statefulsets/);
  assert.doesNotMatch(diff, /objects|restart/);
});

test("permissions --least prints the account that suffices to install an operator or a package", async () => {
  const installed = await cluster.purser(["permissions", "logbook-db", "--least", "--account", "deployer"]);
  assert.equal(installed.exitCode, 0, installed.errors);
  assert.match(
    installed.text,
    /^---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n {2}name: deployer\n {2}namespace: demo-logbook\n/,
  );
  assert.match(installed.text, /^kind: ClusterRoleBinding$/m);
  assert.doesNotMatch(installed.text, /'\*'/);
  const fresh = await cluster.purser(["permissions", "semaphore-gateway", "--least", "-n", "edge"]);
  assert.match(fresh.text, /^ {2}name: installer\n {2}namespace: edge$/m);
  await assert.rejects(cluster.purser(["permissions", "semaphore-gateway", "--least"]), /needs the namespace/);
});

test("permissions ask prints a role with its binding, of a namespace where one is named", async () => {
  const wide = await cluster.purser([
    "permissions",
    "ask",
    "list",
    "subscriptions.operators.coreos.com",
    "--as",
    "ana",
  ]);
  assert.match(
    wide.text,
    /kind: ClusterRole\nmetadata:\n {2}name: list-subscriptions\nrules:\n- apiGroups:\n {2}- operators\.coreos\.com\n/,
  );
  assert.match(wide.text, /kind: User\n {2}name: ana$/);
  const { data } = await cluster.purser(["permissions", "ask", "get", "secrets", "-n", "data"]);
  const [role] = (data as { readonly items: readonly object[] }).items;
  assert.deepEqual(role, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "get-secrets", namespace: "data" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  });
  await assert.rejects(cluster.purser(["permissions", "ask", "get"]), UsageError);
});

test("events lists what happened to an installation and its pods, oldest first, and nothing else", async () => {
  const { text, data } = await cluster.eventually(["events", "logbook-db"], /install strategy completed/);
  const kinds = (data as { readonly items: readonly { readonly object: { readonly kind: string } }[] }).items.map(
    ({ object }) => object.kind,
  );
  assert.ok(kinds.includes("ClusterServiceVersion") && kinds.includes("Pod"), kinds.join(", "));
  assert.match(linesOf(text)[0] ?? "", /^SEEN +TYPE +REASON +NAMESPACE +OBJECT +MESSAGE$/);
  assert.doesNotMatch(text, /ballast/);
  const times = (data as { readonly items: readonly { readonly time: string }[] }).items.map(({ time }) => time);
  assert.deepEqual(times, times.toSorted());
  const all = await cluster.purser(["events"]);
  assert.match(all.text, /csv\/logbook-db\.v1\.0\.0/);
  assert.doesNotMatch(all.text, /pod\//);
});

test("source lists the catalogs of both families, shows one, and adds and removes another", async () => {
  const { text } = await cluster.eventually(["source", "list"], /cc\/demo +v1 +3 +10 +ok/);
  assert.match(text, /^SOURCE +API +PACKAGES +BUNDLES +STATE +READ +NOTE\nolm\/demo +v0 +3 +10 +ok /);
  const one = await cluster.purser(["source", "show", "olm/demo"]);
  assert.match(one.text, /^olm\/demo\n {2}content {3}local\.purser\.dev\/catalogs\/demo:latest\n {2}state {5}ok\n/);
  assert.match(one.text, /feeds {5}sub\/demo-logbook\/logbook-db$/);
  await assert.rejects(cluster.purser(["source", "show", "demo"]), /names 2 sources/);
  const image = "registry.invalid/org/catalog:v1";
  const added = await cluster.purser(["source", "add", "extra", image, "--priority", "5", "--yes"]);
  assert.deepEqual([added.exitCode, added.text], [0, "ok added olm/extra; purser source show olm/extra"]);
  const again = await cluster.purser(["source", "add", "extra", image, "--yes"]);
  assert.deepEqual(
    [again.exitCode, again.errors.split("\n")[1]],
    [7, "failed CatalogSource olm/extra exists already; nothing was written"],
  );
  const removed = await cluster.purser(["source", "remove", "extra", "--yes"]);
  assert.deepEqual([removed.exitCode, removed.text], [0, "ok removed olm/extra"]);
  const missing = await cluster.purser(["source", "show", "olm/dmo"]);
  assert.equal(missing.exitCode, 6);
  assert.match(missing.errors, /purser source show olm\/demo {6}did you mean/);
});

test("tenancy shows a user of one namespace what is served from there, and names what they may not list", async () => {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { namespace: "demo-logbook", name: "tenant" };
  const subjects = [{ kind: "User", name: "tenant", apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { kind: "Role", name: "tenant", apiGroup: "rbac.authorization.k8s.io" };
  const resources = ["clusterserviceversions", "operatorgroups"];
  const rules = [{ apiGroups: ["operators.coreos.com"], resources, verbs: ["list"] }];
  const role = { apiVersion, kind: "Role", metadata, rules };
  const binding = { apiVersion, kind: "RoleBinding", metadata, subjects, roleRef };
  for (const [type, object] of [
    [roles, role],
    [roleBindings, binding],
  ] as const)
    written(await cluster.client.write({ verb: "create", type, object }, never));
  const { text, exitCode } = await cluster.purser(["tenancy", "demo-logbook", "--as", "tenant"]);
  assert.equal(exitCode, 0);
  assert.match(text, /logbook-db/);
  assert.match(
    text.replaceAll(/\s+/g, " "),
    /You may not list clusterextensions\.olm\.operatorframework\.io, clusterserviceversions\.operators\.coreos\.com in all namespaces(,| and) operatorgroups\.operators\.coreos\.com in all namespaces: operators from there are missing/,
  );
  await assert.rejects(
    cluster.purser(["tenancy", "demo-logbook", "--as", "stranger"]),
    /User "stranger" cannot list resource "clusterserviceversions" .* in the namespace "demo-logbook"/,
  );
});

test("tenancy lists the operators of a namespace", async () => {
  const { text } = await cluster.purser(["tenancy", "demo-logbook"]);
  assert.match(text, /csv\/demo-logbook\/logbook-db\.v1\.0\.0 +1\.0\.0 +demo-logbook\/demo-logbook/);
  assert.match(text, /ext\/ballast-cache +0\.4\.1 +all namespaces/);
  assert.equal((await cluster.purser(["tenancy", "nosuch"])).exitCode, 6);
});

test("compare shows what two versions differ in, whether there is an upgrade or not, and can end with 3", async () => {
  const both = await cluster.purser(["compare", "logbook-db", "1.0.0", "1.2.0", "--exit-code"]);
  assert.equal(both.exitCode, 3);
  assert.match(both.text, /^Changes of package logbook-db: 1\.0\.0 -> 1\.2\.0/);
  const back = await cluster.purser(["compare", "logbook-db", "1.1.0", "1.0.0", "--only", "permissions"]);
  assert.match(back.text, /permissions 0 rules gained, 1 lost/);
  assert.doesNotMatch(back.text, /objects|images/);
  const none = await cluster.purser(["compare", "logbook-db", "9.0.0", "1.0.0"]);
  assert.equal(none.exitCode, 6);
  assert.match(none.errors, /9\.0\.0/);
});

test("a snapshot holds what plan and explain need, and no credentials", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-snapshot-"));
  try {
    const file = join(directory, "cluster.yaml");
    const env = [{ name: "PASSWORD", value: "hunter2" }];
    const key = { namespace: "demo-logbook", name: "logbook-db" };
    const patch = { spec: { config: { env } } } as never;
    written(await cluster.client.write({ verb: "patch", type: subscriptions, key, patchType: "merge", patch }, never));
    const { exitCode, data } = await cluster.purser(["snapshot", file]);
    assert.equal(exitCode, 0);
    assert.equal((data as { readonly objects: { readonly Subscription: number } }).objects.Subscription, 1);
    const text = readFileSync(file, "utf8");
    assert.doesNotMatch(text, /hunter2|openAPIV3Schema|managedFields/);
    const read = readSnapshot(text, file);
    assert.ok(read.ok);
    assert.equal(read.value.ignored.size, 0);
    const listed = await cluster.purser(["explain", logbook, "--snapshot", file]);
    assert.match(
      listed.text,
      /^Nothing is decided in demo-logbook while catalog olm\/demo cannot be read: no --catalog/,
    );
    await assert.rejects(cluster.purser(["snapshot", file]), UsageError);
    written(
      await cluster.client.write(
        { verb: "patch", type: subscriptions, key, patchType: "merge", patch: { spec: { config: null } } },
        never,
      ),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("a plan on a snapshot with --objects shows what is otherwise than the installed version wants it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-snapshot-"));
  try {
    const demo = join(import.meta.dirname, "../../../demo/default");
    const file = join(directory, "cluster.json");
    assert.equal((await cluster.purser(["snapshot", file, "--objects"])).exitCode, 0);
    const text = readFileSync(file, "utf8");
    assert.doesNotMatch(text, /"kind": "Secret"|managedFields/);
    const driftOf = async (path: string): Promise<readonly unknown[]> => {
      const flags = ["--catalog", `demo=${join(demo, "catalog")}`, "--bundles", join(demo, "bundles")];
      const { data, errors } = await cluster.purser(["plan", logbook, "--snapshot", path, ...flags]);
      assert.doesNotMatch(errors, /ignored/);
      const { changes } = data as unknown as { readonly changes: readonly { readonly total: Changes }[] };
      return (changes[0]?.total.objects ?? []).flatMap(({ kind, name, drift }) =>
        drift.map((change) => [kind, name, change.kind === "changed" ? [change.before, change.after] : change.kind]),
      );
    };
    assert.deepEqual(await driftOf(file), []);
    const { items } = JSON.parse(text) as { readonly items: readonly Deployed[] };
    const name = "logbook-db-controller";
    const scaled = items.map((item) =>
      item.kind === "Deployment" && item.metadata.name === name
        ? { ...item, spec: { ...item.spec, replicas: 7 } }
        : item,
    );
    const other = join(directory, "scaled.json");
    writeFileSync(other, JSON.stringify({ apiVersion: "v1", kind: "List", items: scaled }));
    assert.deepEqual(await driftOf(other), [["Deployment", name, [1, 7]]]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("list selects by label and limit, and refuses a selector that cannot be read", async () => {
  const key = { namespace: "demo-logbook", name: "logbook-db" };
  const patch = { metadata: { labels: { team: "books" } } };
  written(await cluster.client.write({ verb: "patch", type: subscriptions, key, patchType: "merge", patch }, never));
  const names = async (...flags: readonly string[]) =>
    (
      (await cluster.purser(["list", "-A", ...flags])).data as { readonly items: readonly { readonly name: string }[] }
    ).items.map(({ name }) => name);
  assert.deepEqual(await names("-l", "team=books"), ["logbook-db"]);
  assert.deepEqual(await names("-l", "team!=books"), ["ballast-cache"]);
  assert.deepEqual(await names("--limit", "1"), ["ballast-cache"]);
  await assert.rejects(cluster.purser(["list", "-A", "-l", "a=b=c"]), UsageError);
});

test("reject denies the waiting version with its reason and keeps earlier rejections; nothing waits afterwards", async () => {
  await assert.rejects(cluster.purser(["reject", logbook, "--yes"]), /the reason for the rejection is missing/);
  const { exitCode } = await cluster.purser(["reject", logbook, "--reason", "breaks backups", "--yes"]);
  assert.equal(exitCode, 0);
  const key = { namespace: "demo-logbook", name: "hold-logbook-db" };
  const spec = (await cluster.client.get(updatePolicies, key))?.spec;
  assert.deepEqual([spec?.versions, spec?.reason], [{ denied: ["1.1.0"] }, "breaks backups"]);
  await cluster.eventually(["status", logbook], /Held|Ready/);
});

test("adopt makes a CSV without a Subscription an installation again, without a roll-out", async () => {
  const before = await cluster.client.get(clusterServiceVersions, {
    namespace: "demo-logbook",
    name: "logbook-db.v1.0.0",
  });
  const key = { namespace: "demo-logbook", name: "logbook-db" };
  written(await cluster.client.write({ verb: "delete", type: subscriptions, key }, never));
  await cluster.eventually(["list", "-A", "--orphans"], /logbook-db\.v1\.0\.0 .*Orphan/);
  const refused = await cluster.purser(["adopt", "csv/demo-logbook/logbook-db.v1.0.0", "--channel", "nosuch", "--yes"]);
  assert.deepEqual([refused.exitCode, await cluster.client.get(subscriptions, key)], [6, undefined]);
  const { exitCode, text, errors } = await cluster.purser(["adopt", "csv/demo-logbook/logbook-db.v1.0.0", "--yes"]);
  assert.deepEqual([exitCode, text], [0, "ok logbook-db.v1.0.0 is now owned by sub/demo-logbook/logbook-db"], errors);
  const after = await cluster.client.get(clusterServiceVersions, {
    namespace: "demo-logbook",
    name: "logbook-db.v1.0.0",
  });
  assert.equal(after?.metadata.uid, before?.metadata.uid);
});
