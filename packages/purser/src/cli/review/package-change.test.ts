import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runPurser } from "../testing/run-purser.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-change-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const demo = join(import.meta.dirname, "../../../demo/default");
const purser = (...args: readonly string[]) =>
  runPurser(["plan", ...args, "--catalog", `demo=${join(demo, "catalog")}`], {
    env: { PURSER_CACHE_DIR: join(directory, "cache") },
  });
const bundles = ["--bundles", join(demo, "bundles")];
const withoutDigest = (text: string): string => text.replace(/sha256:[0-9a-f]{64}/g, "sha256:...");

const properties = (version: string): string =>
  JSON.stringify({
    properties: [
      { type: "olm.package", value: { packageName: "logbook-db", version } },
      { type: "olm.gvk", value: { group: "logbook.demo.purser.dev", kind: "Ledger", version: "v1" } },
    ],
  });

test("an upgrade of a Subscription is shown from catalogs alone: counts, permissions, images, restarts, fields", async () => {
  const { exitCode, text, errors } = await purser(
    "logbook-db",
    "--from",
    "1.0.0",
    "--to",
    "1.1.0",
    "-n",
    "demo",
    ...bundles,
  );
  assert.deepEqual([exitCode, errors], [0, ""]);
  assert.deepEqual(withoutDigest(text).split("\n"), [
    "Changes of package logbook-db: 1.0.0 -> 1.1.0    sha256:...",
    "  objects     5 created, 1 changed, 5 deleted, 2 kept",
    "  permissions 1 rule gained, 0 lost",
    "    ServiceAccount demo/logbook-db-controller, whole cluster",
    "      + get, list, watch, create, update, delete  statefulsets (apps)  [cluster-wide]",
    "  images      1 new, 1 no longer used, 1 new not pinned by digest",
    "      + local.purser.dev/demo/logbook-db-controller:1.1.0",
    "  restart     Deployment demo/logbook-db-controller: 1 replica, which restarts; the new pod starts before the old one stops",
    "--- Deployment demo/logbook-db-controller",
    '    metadata.labels["olm.owner"]',
    "      - logbook-db.v1.0.0",
    "      + logbook-db.v1.1.0",
    '    spec.template.metadata.annotations["operatorframework.io/properties"]',
    `      - ${properties("1.0.0")}`,
    `      + ${properties("1.1.0")}`,
    "    spec.template.spec.containers[controller].env[OPERATOR_CONDITION_NAME].value",
    "      - logbook-db.v1.0.0",
    "      + logbook-db.v1.1.0",
    "    spec.template.spec.containers[controller].image",
    "      - local.purser.dev/demo/logbook-db-controller:1.0.0",
    "      + local.purser.dev/demo/logbook-db-controller:1.1.0",
    "... 10 more objects: --full",
  ]);
});

test("an upgrade of a ClusterExtension goes hop by hop under the rules of OLM v1", async () => {
  const { text, data } = await purser("logbook-db", "--from", "1.0.0", "--as-extension", ...bundles);
  assert.match(
    text,
    /^ {2}path {8}1\.0\.0 -> logbook-db\.v1\.1\.0 -> logbook-db\.v1\.2\.0 -> logbook-db\.v2\.0\.0-rc\.1, 3 hops$/m,
  );
  const { apiVersion, kind, digest, from, to, hops } = data as unknown as Record<string, unknown> & {
    readonly hops: readonly unknown[];
  };
  assert.deepEqual(
    [apiVersion, kind, from, to, hops.length],
    [
      "purser.dev/v1alpha1",
      "ChangePlan",
      { name: "logbook-db.v1.0.0", version: "1.0.0" },
      { name: "logbook-db.v2.0.0-rc.1", version: "2.0.0-rc.1" },
      3,
    ],
  );
  assert.match(String(digest), /^sha256:[0-9a-f]{64}$/);
});

test("-o markdown is a comment for a pull request", async () => {
  const { text } = await purser(
    "logbook-db",
    "--from",
    "1.0.0",
    "--to",
    "1.1.0",
    "-n",
    "demo",
    "-o",
    "markdown",
    ...bundles,
  );
  assert.deepEqual(withoutDigest(text).split("\n").slice(0, 19), [
    "### `package logbook-db`: 1.0.0 → 1.1.0",
    "",
    "- **objects** 5 created, 1 changed, 5 deleted, 2 kept",
    "- **permissions** 1 rule gained, 0 lost",
    "- **restart** `Deployment demo/logbook-db-controller: 1 replica, which restarts; the new pod starts before the old one stops`",
    "",
    "#### Permissions",
    "",
    "```diff",
    "# ServiceAccount demo/logbook-db-controller, whole cluster",
    "+ get, list, watch, create, update, delete  statefulsets (apps)  [cluster-wide]",
    "```",
    "",
    "#### Images",
    "",
    "```diff",
    "- local.purser.dev/demo/logbook-db-controller:1.0.0",
    "+ local.purser.dev/demo/logbook-db-controller:1.1.0",
    "```",
  ]);
});

test("bundles that are not read, versions without a path and unknown versions are refused with the cause", async () => {
  const unread = await purser("logbook-db", "--from", "1.0.0");
  assert.equal(unread.exitCode, 1);
  assert.match(unread.errors, /The objects of logbook-db\.v1\.0\.0 are unknown: no --bundles directory is given/);
  const back = await purser("logbook-db", "--from", "1.2.0", "--to", "1.0.0", ...bundles);
  assert.match(back.errors, /NoUpgradePath/);
  const beyond = await purser("logbook-db", "--from", "7.7.7", ...bundles);
  assert.equal(
    beyond.errors.trim(),
    [
      "failed logbook-db 7.7.7 has no upgrade to the head  NoUpgradePath",
      "  why   nothing in channel stable replaces, skips or ranges over 7.7.7; the target is older than what is installed",
      `  do    purser show logbook-db --versions --catalog demo=${join(demo, "catalog")}      see the versions of the catalog`,
    ].join("\n"),
  );
  const none = await purser("logbook-db", "--from", "1.2.0", "--to", "1.2.0", ...bundles);
  assert.match(none.errors, /1\.2\.0 is already the last version of its upgrades/);
  const unknown = await purser("logbook-db", "--from", "1.0.0", "--to", "7.7.7", ...bundles);
  assert.equal(unknown.exitCode, 6);
});

test("a plan shows the changes of each bundle that it installs, and which bundle asks for a dependency", async () => {
  const { exitCode, text, data } = await purser("semaphore-gateway", "-n", "demo", ...bundles);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    withoutDigest(text)
      .split("\n")
      .filter((line) => /^Changes|^ {2}(needs|objects)/.test(line)),
    [
      "Changes of dependency/demo/ballast-cache: install 0.4.1    sha256:...",
      "  objects     8 created",
      "Changes of sub/demo/semaphore-gateway: install 1.1.0    sha256:...",
      "  objects     8 created",
      "  needs       ballast-cache.v0.4.1, for semaphore-gateway.v1.1.0 (Cache.ballast.demo.purser.dev)",
    ],
  );
  assert.equal((data as unknown as { readonly changes: readonly unknown[] }).changes.length, 2);
  const unread = await purser("semaphore-gateway", "-n", "demo");
  assert.doesNotMatch(unread.text, /^Changes/m);
});
