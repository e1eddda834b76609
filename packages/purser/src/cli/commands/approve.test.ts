// approve against the embedded cluster with the demo, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import { installPlans } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { readInstallations } from "../cluster/installations.ts";
import { type Invocation, UsageError } from "../command.ts";
import { approveReviewed, reviewedPlan } from "../review/approve-reviewed.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
const namespace = "demo-logbook";

let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

const withoutDigests = (text: string): string => text.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:...");
const isApproved = async (): Promise<boolean> => (await waitingOrDone()).spec.approved;
const waitingOrDone = async (): Promise<InstallPlan> => {
  const plans = await cluster.client.list(installPlans, { namespace });
  return (
    plans.find(({ spec }) => spec.clusterServiceVersionNames.includes("logbook-db.v1.1.0")) ?? assert.fail("no plan")
  );
};

/** Changes a live object that the upgrade has as well. */
async function label(value: string): Promise<void> {
  const key = { namespace, name: "logbook-db-controller" };
  const patch = { metadata: { labels: { team: value } } };
  const written = await cluster.client.write(
    { verb: "patch", type: serviceAccounts, key, patchType: "merge", patch },
    never,
  );
  assert.ok(written.ok);
}
const changedAccount = "  why   live ServiceAccount demo-logbook/logbook-db-controller changed";

const approve = (...args: readonly string[]) => cluster.purser(["approve", `${namespace}/logbook-db`, ...args]);
const planNow = () => cluster.waiting("logbook-db.v1.1.0");

test("the changes of the waiting plan are shown from its steps, and a dry run writes nothing", async () => {
  const before = await planNow();
  const { exitCode, text, errors, data } = await approve("--dry-run");
  assert.deepEqual([exitCode, errors], [0, ""]);
  assert.deepEqual(withoutDigests(text).split("\n").slice(0, 8), [
    "Changes of sub/demo-logbook/logbook-db: 1.0.0 -> 1.1.0    sha256:...",
    "  objects     5 created, 1 changed, 5 deleted, 2 kept",
    "  permissions 1 rule gained, 0 lost",
    "    ServiceAccount demo-logbook/logbook-db-controller, namespace demo-logbook",
    "      + get, list, watch, create, update, delete  statefulsets (apps)",
    "  images      1 new, 1 no longer used, 1 new not pinned by digest",
    "      + local.purser.dev/demo/logbook-db-controller:1.1.0",
    "  restart     Deployment demo-logbook/logbook-db-controller: 1 replica, which restarts; the new pod starts before the old one stops",
  ]);
  const { digest, items } = data as {
    readonly digest: string;
    readonly items: readonly { readonly kind: string; readonly digest: string }[];
  };
  assert.deepEqual(
    items.map((item) => [item.kind, item.digest]),
    [["ChangePlan", digest]],
  );
  const after = await planNow();
  assert.deepEqual([after.spec, after.metadata.annotations], [before.spec, before.metadata.annotations]);
});

test("purser plan shows the changes of the InstallPlan that waits, with the digest that approve shows", async () => {
  const approved = await approve("--dry-run");
  const planned = await cluster.purser(["plan", `sub/${namespace}/logbook-db`]);
  const lines = planned.text.split("\n");
  const start = lines.indexOf(`An InstallPlan is pending approval: purser approve sub/${namespace}/logbook-db`);
  assert.notEqual(start, -1, planned.text);
  const later = lines.indexOf("Then 1 more upgrade: 1.2.0");
  assert.deepEqual(lines.slice(start + 1, later), approved.text.split("\n"));
  const { policy, ...waiting } = approved.data as { readonly policy: unknown };
  assert.deepEqual(policy, { policies: [] });
  assert.deepEqual((planned.data as Record<string, unknown>)["waiting"], waiting);
  const whole = await cluster.purser(["plan", "-n", namespace]);
  assert.equal("waiting" in (whole.data as object), false);
});

test("an InstallPlan is named by its namespace and name, by its kind before them, or by a name that only one namespace has", async () => {
  const byInstallation = await approve("--dry-run");
  const { name = "" } = (await planNow()).metadata;
  for (const [at, ...more] of [
    [`${namespace}/${name}`],
    [`installplan/${namespace}/${name}`],
    [name],
    [name, "-n", namespace],
  ]) {
    const byName = await cluster.purser(["approve", at ?? "", "--dry-run", ...more]);
    assert.deepEqual([byName.exitCode, byName.text], [0, byInstallation.text], at);
  }
  const elsewhere = await cluster.purser(["approve", `default/${name}`, "--dry-run"]);
  assert.equal(elsewhere.exitCode, 6);
  assert.match(elsewhere.errors, /There is no installation or InstallPlan "default\/install-\w+"/);
  await cluster.purser(["reject", name, "--reason", "breaks backups", "--dry-run"]).then(({ exitCode, text }) => {
    assert.equal(exitCode, 0);
    assert.equal(text, "UpdatePolicy demo-logbook/hold-logbook-db: not 1.1.0");
  });
});

test("an InstallPlan that no Subscription waits for any more is not approved, and the pending one is named", async () => {
  const { spec, status } = await planNow();
  const key = { namespace, name: "install-older" };
  const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan", metadata: key, spec };
  const made = await cluster.client.write({ verb: "create", type: installPlans, object }, never);
  assert.ok(made.ok, JSON.stringify(made));
  const patch = plainJson({ status });
  const write = { verb: "patch", type: installPlans, key, patchType: "merge", subresource: "status", patch } as const;
  assert.ok((await cluster.client.write(write, never)).ok);
  const older = await cluster.purser(["approve", "install-older", "--yes"]);
  assert.deepEqual(
    [older.exitCode, older.errors.replaceAll(/install-[a-z0-9]{5}\b(?<!older)/g, "install-*").split("\n")],
    [
      7,
      [
        "failed No Subscription waits for InstallPlan demo-logbook/install-older any more",
        "  do    purser approve sub/demo-logbook/logbook-db      InstallPlan install-* is pending approval",
        "  or    kubectl delete installplan -n demo-logbook install-older      delete it: nothing refers to it, and what it would install is not installed without it",
      ],
    ],
  );
  // The engine sets no phase of a plan that has failed.
  assert.ok((await cluster.client.write({ ...write, patch: { status: { phase: "Failed" } } }, never)).ok);
  const failed = await cluster.purser(["approve", "install-older", "--yes"]);
  assert.deepEqual(
    [failed.exitCode, failed.text],
    [0, `InstallPlan ${namespace}/install-older is not pending approval (Failed)`],
  );
  await cluster.client.write({ verb: "delete", type: installPlans, key }, never);
});

test("a digest that names other changes is refused with the inputs that changed, and nothing is approved", async () => {
  await label("planned");
  const planned = await cluster.purser(["plan", `sub/${namespace}/logbook-db`]);
  const { digest } = (planned.data as { readonly waiting: { readonly digest: string } }).waiting;
  await label("a");
  const late = await approve("--digest", digest, "--yes");
  assert.equal(late.exitCode, 7);
  assert.deepEqual(withoutDigests(late.errors).split("\n").slice(-3), [
    "failed Nothing was approved: the plan changed from sha256:... to sha256:...",
    changedAccount,
    "  do    purser approve sub/demo-logbook/logbook-db --digest sha256:...",
  ]);
  const unknown = await approve("--digest", "12345678", "--yes");
  assert.match(unknown.errors, /\n {2}why {3}the inputs of the reviewed plan are not kept on this machine\n/);
  assert.equal(unknown.exitCode, 7);
  assert.equal(await isApproved(), false);
  await assert.rejects(approve("--digest", "1234", "--yes"), { message: '--digest "1234" is not a digest' });
  const gone = await cluster.purser(["approve", digest.slice(7, 20), "--yes"]);
  assert.deepEqual(
    [gone.exitCode, gone.errors.split("\n")],
    [
      7,
      [
        `failed Nothing was approved: no pending plan has the digest ${digest.slice(7, 20)} any more`,
        "  do    purser approve      list what is pending",
      ],
    ],
  );
  const never = await cluster.purser(["approve", "1234567812345678", "--yes"]);
  assert.deepEqual([never.exitCode, /No pending plan has the digest 1234567812345678/.test(never.errors)], [6, true]);
  await assert.rejects(
    cluster.purser(["approve", digest, "--digest", digest]),
    (error) => error instanceof UsageError && error.hints.includes("leave --digest out"),
  );
});

test("a plan is named by the start of its digest alone, and shown before it is approved", async () => {
  const { digest } = (await approve("--dry-run")).data as { readonly digest: string };
  const dry = await cluster.purser(["approve", digest.slice(7, 15), "--dry-run"]);
  assert.deepEqual([dry.exitCode, dry.text], [0, (await approve("--dry-run")).text]);
  const seen = await cluster.purser(["approve", digest.slice(7, 15)], "n");
  assert.deepEqual([seen.text, await isApproved()], ["Nothing was approved.", false]);
  assert.match(seen.errors, /^InstallPlan demo-logbook\/install-\w+\nChanges of [^]*Approve it\?/);
  const elsewhere = await cluster.purser(["approve", digest, "-n", "default", "--dry-run"]);
  assert.equal(elsewhere.exitCode, 7);
});

test("what changes while the question waits for its answer is not approved", async () => {
  const args = ["approve", `${namespace}/logbook-db`];
  const { exitCode, errors } = await cluster.purser(args, async () => {
    await label("b");
    return "y";
  });
  assert.equal(exitCode, 7);
  assert.ok(errors.includes(`Approve it? [y/N] \n`));
  assert.ok(errors.includes(changedAccount), errors);
  assert.match(errors, /^InstallPlan \S+\nChanges of \S+ 1\.0\.0 -> 1\.1\.0 {4}\S+\n {2}objects {5}5 created/);
  assert.equal(await isApproved(), false);
  const refused = await cluster.purser(args, "n");
  assert.deepEqual([refused.exitCode, refused.text], [1, "Nothing was approved."]);
  assert.equal(await isApproved(), false);
});

test("an InstallPlan that changes between the last look and the approval is not approved", async () => {
  const errors: string[] = [];
  const terminal = {
    env: { PURSER_CACHE_DIR: cluster.cacheDirectory },
    err: (line: string) => void errors.push(line),
    paint: (_: string, text: string) => text,
    symbol: (name: string) => name,
    progress: () => undefined,
  };
  const invocation = { arguments: [], options: {}, terminal, signal: never } as unknown as Invocation;
  const late: Pick<KubeClient, "write"> = {
    async write(write, signal) {
      const key = { namespace, name: plan.metadata.name ?? "" };
      const patch = { metadata: { labels: { touched: "late" } } };
      await cluster.client.write({ verb: "patch", type: installPlans, key, patchType: "merge", patch }, never);
      return cluster.client.write(write, signal);
    },
  };
  const client = new Proxy(cluster.client, {
    get: (target, name) => {
      if (name === "write") return late.write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const plan = await planNow();
  const installation = (await readInstallations(client, namespace)).find(({ name }) => name === "logbook-db");
  const set = await reviewedPlan(invocation, client, plan);
  assert.ok(set.ok);
  const outcome = await approveReviewed(invocation, client, installation as Installation, plan, set.value);
  assert.ok("explanation" in outcome, JSON.stringify(outcome));
  assert.equal(outcome.explanation.code, "Conflict");
  assert.match(outcome.explanation.summary, /^Cannot approve InstallPlan install-\w+: /);
  assert.equal(await isApproved(), false);
});

test("without an argument a terminal offers a numbered choice, and shows the changes before it approves one", async () => {
  const answers = (...given: readonly string[]) => {
    const left = [...given];
    return async (): Promise<string> => left.shift() ?? "";
  };
  const none = await cluster.purser(["approve"], "");
  assert.deepEqual([none.exitCode, none.text], [0, "Nothing was approved."]);
  assert.deepEqual(none.errors.replaceAll(/install-\w+/g, "install-*").split("\n"), [
    "   INSTALLATION                 CHANGE                      WHY",
    "1  sub/demo-logbook/logbook-db  1.0.0 -> logbook-db.v1.1.0  InstallPlan install-* is pending approval",
    "Which one? [1-1, Enter for none] ",
  ]);
  await assert.rejects(cluster.purser(["approve"], "2"), /"2" is not a number from 1 to 1/);
  const seen = await cluster.purser(["approve", "--reason", "CHG-1"], answers("1", "n"));
  assert.deepEqual([seen.text, await isApproved()], ["Nothing was approved.", false]);
  assert.match(seen.errors, /InstallPlan demo-logbook\/install-\w+\nChanges of .*[^]*Approve it\?/);
  const listed = await cluster.purser(["approve", "-o", "name"], "1");
  assert.equal(listed.text, "sub/demo-logbook/logbook-db");
});

test("the command that a stale plan prints approves the changes, which the InstallPlan records by digest", async () => {
  const stale = await approve("--digest", "12345678", "--yes");
  const [, reference = "", digest = ""] = /purser approve (\S+) --digest (\S+)$/.exec(stale.errors) ?? [];
  const { exitCode, text } = await cluster.purser(["approve", reference, "--digest", digest, "--yes"]);
  assert.equal(exitCode, 0);
  assert.match(text, /^ok approved install-\w+; purser status sub\/demo-logbook\/logbook-db$/);
  const { spec, metadata } = await waitingOrDone();
  assert.deepEqual([spec.approved, metadata.annotations?.["purser.dev/plan"]], [true, digest]);
  const next = await cluster.waiting("logbook-db.v1.2.0");
  assert.equal(next.metadata.annotations?.["purser.dev/plan"], undefined);
  const again = await cluster.purser(["approve", metadata.name ?? "", "--yes"]);
  assert.equal(again.exitCode, 0);
  assert.equal(again.text, `InstallPlan ${namespace}/${metadata.name} is not pending approval (Complete, approved)`);
});
