// purser support-bundle against the embedded cluster, over HTTP as a user runs it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { UsageError } from "../command.ts";
import { type DemoCluster, startDemoCluster } from "../testing/demo-cluster.ts";

let cluster: DemoCluster;
let directory = "";
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "purser-support-"));
  cluster = await startDemoCluster();
});
after(async () => {
  await cluster?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("an archive holds the report, the objects and the contents, for its owner alone", async () => {
  const path = join(directory, "fault.tar.gz");
  const ran = await cluster.purser(["support-bundle", path, "--yes"]);
  assert.equal(ran.exitCode, 0, ran.text);
  const entries = await unpackTar(gunzipSync(readFileSync(path)));
  const names = entries.map(({ header }) => header.name);
  for (const name of [
    "contents.json",
    "doctor.json",
    "objects/subscriptions.operators.coreos.com.json",
    "objects/events.json",
  ])
    assert.ok(names.includes(name), names.join());
  assert.ok(!names.some((name) => name.includes("secrets")));
  const plans = entries.find(({ header }) => header.name === "objects/installplans.operators.coreos.com.json")?.data;
  const manifests = [...new TextDecoder().decode(plans).matchAll(/"manifest": (.*?),?\n/g)].map(([, text]) => text);
  assert.ok(manifests.length > 0);
  assert.deepEqual([...new Set(manifests)], ['"<redacted>"']);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ["fault.tar.gz"]);
});

test("of one namespace only its objects are written, into a directory that is new", async () => {
  const path = join(directory, "namespace");
  const ran = await cluster.purser(["support-bundle", path, "-n", "nobody", "--yes"]);
  assert.equal(ran.exitCode, 0, ran.text);
  assert.equal(readFileSync(join(path, "objects/subscriptions.operators.coreos.com.json"), "utf8"), "[]\n");
  await assert.rejects(cluster.purser(["support-bundle", path, "--yes"]), UsageError);
});

test("with --since older events are left out, and a duration that is none is refused", async () => {
  const path = join(directory, "late");
  const all = join(directory, "all");
  assert.equal((await cluster.purser(["support-bundle", all, "--yes"])).exitCode, 0);
  // The demo has been at rest for longer than a millisecond.
  await cluster.purser(["support-bundle", path, "--since", "1ms", "--yes"]);
  const events = (place: string): readonly unknown[] =>
    JSON.parse(readFileSync(join(place, "objects/events.json"), "utf8")) as readonly unknown[];
  assert.ok(events(all).length > 0);
  assert.deepEqual(events(path), []);
  await assert.rejects(cluster.purser(["support-bundle", join(directory, "never"), "--since", "soon"]), UsageError);
});

test("without a yes nothing is written", async () => {
  const path = join(directory, "refused.tgz");
  const ran = await cluster.purser(["support-bundle", path], "n");
  assert.equal(ran.exitCode, 1);
  assert.equal(existsSync(path), false);
});
