// history and diff against the embedded cluster with the demo, over HTTP as a user runs them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

const never = new AbortController().signal;
let cluster: DemoCluster;
before(async () => {
  cluster = await startDemoCluster();
});
after(() => cluster.stop());

interface Revision {
  readonly revision: number;
  readonly version: string;
  readonly outcome: string;
  readonly approvedBy?: string;
  readonly plan?: string;
}
const revisionsOf = async (reference: string): Promise<readonly Revision[]> =>
  ((await cluster.purser(["history", reference])).data as unknown as { readonly items: readonly Revision[] }).items;

test("history of a Subscription lists what is installed and what waits, and after the approval who approved it and why", async () => {
  const [waiting, current] = await revisionsOf("demo-logbook/logbook-db");
  assert.deepEqual([waiting?.outcome, waiting?.version, waiting?.approvedBy], ["waiting", "1.1.0", undefined]);
  assert.deepEqual([current?.outcome, current?.version], ["current", "1.0.0"]);
  const { text } = await cluster.purser(["history", "demo-logbook/logbook-db"]);
  assert.doesNotMatch(
    text.split("\n").find((line) => line.includes("waiting")) ?? "nobody was asked",
    /nobody was asked/,
  );
  const done = await cluster.purser(["approve", "demo-logbook/logbook-db", "--yes", "--reason", "CHG-1182"]);
  assert.equal(done.exitCode, 0, done.errors);
  const { digest } = done.data as { readonly digest: string };
  await cluster.eventually(["list", "-A"], /logbook-db +v0 +1\.1\.0 .*Approve/);
  const [next, now, former] = await revisionsOf("sub/demo-logbook/logbook-db");
  assert.deepEqual([next?.outcome, now?.outcome, former?.outcome], ["waiting", "current", "replaced"]);
  assert.match(now?.approvedBy ?? "", /^purser-admin \(CHG-1182\), by purser-cli at \d{4}-\d\d-\d\dT/);
  assert.equal(now?.plan, digest);
});

test("diff of two revisions shows what the newer one has otherwise, and --exit-code says whether anything differs", async () => {
  const [, now, former] = await revisionsOf("sub/demo-logbook/logbook-db");
  const names = [String(former?.revision), String(now?.revision)];
  const diff = await cluster.purser(["diff", "demo-logbook/logbook-db", ...names, "--exit-code"]);
  assert.equal(diff.exitCode, 3);
  assert.match(diff.text, /^Changes of sub\/demo-logbook\/logbook-db: 1\.0\.0 -> 1\.1\.0/);
  assert.match(diff.text, /\+ get, list, watch, create, update, delete {2}statefulsets \(apps\)/);
  const same = await cluster.purser(["diff", "demo-logbook/logbook-db", names[1] ?? "", "--exit-code"]);
  assert.equal(same.exitCode, 0, same.text);
});

test("diff --live shows what was changed on the cluster since the installation", async () => {
  const key = { name: "ledgers.logbook.demo.purser.dev" };
  const [version, ...others] = (await cluster.client.get(customResourceDefinitions, key))?.spec.versions ?? [];
  assert.ok(version !== undefined && others.length === 0);
  const schema = { openAPIV3Schema: { ...version.schema?.openAPIV3Schema, description: "Changed by hand" } };
  const patch = plainJson({ spec: { versions: [{ ...version, schema }] } });
  await cluster.client.write({ verb: "patch", type: customResourceDefinitions, key, patchType: "merge", patch }, never);
  const live = await cluster.purser(["diff", "demo-logbook/logbook-db", "--live", "--exit-code"]);
  assert.equal(live.exitCode, 3);
  assert.match(
    live.text,
    /drift +CustomResourceDefinition ledgers\.logbook\.demo\.purser\.dev: 1 field changed on the cluster/,
  );
});

/** Whether an error is wrong usage with these words, and this way out as its only hint. */
const wrongUsage =
  (message: RegExp, hint: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, message);
    assert.match(error.hints.join("\n"), hint);
    return true;
  };

for (const [args, message, hint] of [
  [["9", "10"], /has no revision "9"/, /^revisions: \d+, \d+, \d+; purser history sub\/demo-logbook\/logbook-db$/],
  [
    [],
    /the revision to compare is missing/,
    /^purser history sub\/demo-logbook\/logbook-db lists them; or add --live$/,
  ],
  [["1", "2", "--live"], /--live compares one revision with the cluster/, /--live$/],
] satisfies [readonly string[], RegExp, RegExp][])
  test(`diff ${args.join(" ")} is wrong usage and names the way out`, async () => {
    await assert.rejects(cluster.purser(["diff", "demo-logbook/logbook-db", ...args]), wrongUsage(message, hint));
  });

test("a rollback of a ready Subscription asks for --accept-loss, then brings the former version back and keeps its data", async () => {
  const [, now, former] = await revisionsOf("sub/demo-logbook/logbook-db");
  const dry = await cluster.purser(["rollback", "demo-logbook/logbook-db", "--dry-run"]);
  assert.equal(dry.exitCode, 0, dry.errors);
  assert.deepEqual(dry.text.split("\n").slice(0, 2), [
    "Cannot be undone",
    "  ! 1.1.0 ran: changes that it made outside of its objects are kept",
  ]);
  assert.match(dry.text, /\nChanges of sub\/demo-logbook\/logbook-db: 1\.1\.0 -> 1\.0\.0 {4}sha256:/);
  await assert.rejects(
    cluster.purser(["rollback", "demo-logbook/logbook-db", "--yes"]),
    wrongUsage(
      /the rollback of sub\/demo-logbook\/logbook-db cannot be undone in one point/,
      new RegExp(`^purser rollback sub/demo-logbook/logbook-db --to ${former?.revision} --accept-loss$`),
    ),
  );
  const crd = { name: "ledgers.logbook.demo.purser.dev" };
  const before = await cluster.client.get(customResourceDefinitions, crd);
  const done = await cluster.purser(["rollback", "demo-logbook/logbook-db", "--accept-loss", "--yes"]);
  assert.equal(done.exitCode, 0, done.errors);
  assert.match(
    done.text,
    /sub\/demo-logbook\/logbook-db is at 1\.0\.0 again and stays there; to follow its catalog: purser set sub\/demo-logbook\/logbook-db --approval Automatic/,
  );
  const after = await cluster.client.get(customResourceDefinitions, crd);
  assert.equal(after?.metadata.uid, before?.metadata.uid);
  const [newest] = (await revisionsOf("sub/demo-logbook/logbook-db")).filter(({ outcome }) => outcome === "current");
  assert.equal(newest?.version, "1.0.0");
  assert.ok((newest?.revision ?? 0) > (now?.revision ?? 0));
});
