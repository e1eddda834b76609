// Plans that are saved, carried out and found stale, against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deployments } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, subscriptions } from "../../apis/olm-resources.ts";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const reference = "sub/demo-logbook/logbook-db";
const key = { namespace: "demo-logbook", name: "logbook-db" };
const directory = mkdtempSync(join(tmpdir(), "purser-saved-plans-"));
const file = (name: string): string => join(directory, `${name}.json`);
const saved = (name: string) => JSON.parse(readFileSync(file(name), "utf8")) as Record<string, unknown>;

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

const installedVersion = async () => (await cluster.client.get(subscriptions, key))?.status?.installedCSV;

test("a saved plan names command, installation and digest, and --exit-code ends with 3 while there are changes", async () => {
  const plan = await cluster.purser(["plan", "logbook-db", "--save", file("first"), "--exit-code"]);
  assert.equal(plan.exitCode, 3);
  assert.match(plan.errors, /^ok wrote \S+first\.json; purser upgrade --plan \S+first\.json carries it out$/m);
  const { kind, command, argument, options, digest } = saved("first");
  assert.deepEqual([kind, command, argument, options], ["SavedPlan", "upgrade", reference, {}]);
  assert.ok(plan.text.includes(`1.0.0 -> 1.1.0    ${digest as string}`), plan.text);
  const cache = await cluster.purser(["plan", "ballast-cache", "--exit-code"]);
  assert.equal(cache.exitCode, 0, "a ClusterExtension at its head has no changes");
});

test("a plan whose input changed is carried out in no part, and names the input", async () => {
  const deployment = { namespace: "demo-logbook", name: "logbook-db-controller" };
  const patch = { spec: { template: { metadata: { annotations: { edited: "by hand" } } } } };
  const write = { verb: "patch", type: deployments, key: deployment, patchType: "merge", patch } as const;
  assert.ok((await cluster.client.write(write, new AbortController().signal)).ok);
  const { exitCode, errors } = await cluster.purser(["upgrade", "--plan", file("first"), "--yes"]);
  assert.equal(exitCode, 7);
  assert.match(
    errors,
    /Nothing was changed: the plan of sub\/demo-logbook\/logbook-db changed from sha256:\w+ to sha256/,
  );
  assert.match(errors, /; changed: live Deployment demo-logbook\/logbook-db-controller apps$/m);
  assert.equal(await installedVersion(), "logbook-db.v1.0.0");
});

test("a saved plan is carried out, and an upgrade behind it that nobody reviewed is not", async () => {
  const again = await cluster.purser(["upgrade", "logbook-db", "--dry-run", "-o", "json"]);
  const { digest } = (again.data as { readonly changes: { readonly digest: string } }).changes;
  const { exitCode, text } = await cluster.purser(["upgrade", "logbook-db", "--plan", digest, "--yes"]);
  assert.equal(exitCode, 0);
  assert.match(
    text,
    /^ok sub\/demo-logbook\/logbook-db is at 1\.1\.0, as planned; InstallPlan \S+ is pending approval/,
  );
  assert.equal(await installedVersion(), "logbook-db.v1.1.0");
  await cluster.waiting("logbook-db.v1.2.0");
});

test("a file that is no plan, a plan of another command and flags of the plan are refused", async () => {
  const refused = async (args: readonly string[], message: RegExp) =>
    assert.rejects(cluster.purser(args), (error) => error instanceof UsageError && message.test(error.message));
  writeFileSync(file("list"), "[]");
  writeFileSync(file("other"), '{"kind":"ChangePlan"}');
  await refused(["upgrade", "--plan", file("list")], /it is no JSON object/);
  await refused(["upgrade", "--plan", file("other")], /it is no SavedPlan/);
  await refused(["upgrade", "--plan", file("none")], /ENOENT/);
  await refused(["uninstall", "--plan", file("first")], /is a plan of purser upgrade/);
  await refused(
    ["upgrade", "ext/ballast-cache", "--plan", file("first")],
    /is a plan of sub\/demo-logbook\/logbook-db, not of/,
  );
  await refused(["upgrade", "-A", "--plan", "sha256:00000000"], /--plan is for one installation/);
  await refused(["plan", "logbook-db", "--uninstall", "unused", "--rollback", "1"], /exclude each other/);
  await refused(["plan", "--uninstall", "unused"], /--uninstall needs an installation/);
  await refused(["plan", "nothing", "--to", "1.0.0"], /"nothing" is not installed/);
  await refused(["plan", "ballast-cache", "--save", file("nothing")], /there is nothing to do/);
  await refused(["uninstall"], /uninstall needs an installation/);
  await refused(["install"], /missing required argument "package"/);
  await refused(["rollback"], /missing required argument "installation"/);
});

test("plan shows an upgrade to a version, an uninstallation and a rollback as their commands do", async () => {
  const same = async (plan: readonly string[], command: readonly string[]) => {
    const [left, right] = [await cluster.purser(["plan", ...plan]), await cluster.purser([...command, "--dry-run"])];
    assert.deepEqual([left.exitCode, left.text], [0, right.text]);
  };
  await same(["logbook-db", "--to", "1.2.0"], ["upgrade", "logbook-db", "--to", "1.2.0"]);
  await same(["logbook-db", "--uninstall", "everything"], ["uninstall", "logbook-db", "--mode", "everything"]);
  await same(["logbook-db", "--rollback", "1"], ["rollback", "logbook-db", "--to", "1"]);
});

test("a saved uninstallation and a saved installation are carried out", async () => {
  const gone = await cluster.purser(["plan", "ballast-cache", "--uninstall", "unused", "--save", file("gone")]);
  assert.equal(gone.exitCode, 0);
  assert.deepEqual(saved("gone")["options"], { mode: "unused" });
  assert.equal((await cluster.purser(["uninstall", "--plan", file("gone"), "--yes"])).exitCode, 0);
  assert.equal(await cluster.client.get(clusterExtensions, { name: "ballast-cache" }), undefined);
  await cluster.settled();
  const wanted = ["ballast-cache", "--as-extension", "-n", "demo-cache", "--channel", "stable"];
  await cluster.purser(["plan", ...wanted, "--save", file("back")]);
  assert.deepEqual(saved("back")["options"], { namespace: "demo-cache", channel: "stable", "as-extension": true });
  const back = await cluster.purser(["install", "--plan", file("back"), "--yes"]);
  assert.deepEqual([back.exitCode, back.text], [0, "ok ballast-cache 0.4.1 is ready as ext/ballast-cache"]);
});

test("upgrade -A asks once and does every upgrade", async () => {
  const questions: string[] = [];
  const { exitCode, text, data } = await cluster.purser(["upgrade", "-A"], async () => {
    questions.push("asked");
    return "y";
  });
  assert.deepEqual([exitCode, text], [0, `ok logbook-db 1.2.0 is ready as ${reference}`]);
  assert.equal(questions.length, 1);
  const { results } = data as { readonly results: unknown };
  assert.deepEqual(results, [
    { installation: reference, exitCode: 0, message: `ok logbook-db 1.2.0 is ready as ${reference}` },
  ]);
});
