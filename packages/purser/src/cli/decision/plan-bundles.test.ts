// plan with --bundles and --compat, on files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";

const folder = mkdtempSync(join(tmpdir(), "purser-plan-bundles-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const catalog = join(folder, "catalog.json");
writeFileSync(
  catalog,
  [
    { schema: "olm.package", name: "kiln", defaultChannel: "stable" },
    { schema: "olm.channel", name: "stable", package: "kiln", entries: [{ name: "kiln.v1.0.0" }] },
    {
      schema: "olm.bundle",
      name: "kiln.v1.0.0",
      package: "kiln",
      image: "registry.example/kiln:1",
      properties: [{ type: "olm.package", value: { packageName: "kiln", version: "1.0.0" } }],
    },
  ]
    .map((blob) => JSON.stringify(blob))
    .join("\n"),
);

/** A folder of bundle directories that holds kiln 1.0.0. */
function bundles(name: string, files: Parameters<typeof smallBundle>[0] = {}): string {
  for (const { path, bytes } of smallBundle(files).files) {
    const file = join(folder, name, "kiln/1.0.0", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return join(folder, name);
}

interface Document {
  readonly outcome: string;
  readonly steps: readonly { readonly resource: { readonly kind: string; readonly name: string } }[];
  readonly lookups: readonly { readonly conditions?: readonly unknown[] }[];
  readonly explanation: { readonly summary: string } | null;
}

async function plan(...args: readonly string[]): Promise<{ readonly document: Document; readonly text: string }> {
  const parsed = parseArguments("purser", commands, ["plan", "kiln", "--catalog", `cat=${catalog}`, ...args]);
  assert.ok(parsed.kind === "run");
  const { data, human } = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      show: () => assert.fail("printed by the caller"),
      env: { PURSER_CACHE_DIR: join(folder, "cache") },
      out: () => assert.fail("commands return what they print"),
      progress: () => undefined,
      write: () => assert.fail("commands return what they print"),
      err: () => undefined,
      paint: (_, text) => text,
      symbol: () => "-",
      ask: async () => undefined,
    },
  });
  return { document: data as unknown as Document, text: human ?? "" };
}

const stepsOf = ({ steps }: Document): readonly string[] =>
  steps.map(({ resource }) => `${resource.kind} ${resource.name}`);

test("without --bundles a plan names the bundle to unpack, with it every object that the bundle brings", async () => {
  const unread = await plan();
  assert.deepEqual(stepsOf(unread.document), []);
  assert.match(unread.text, /unpack {2}kiln\.v1\.0\.0/);
  const { document, text } = await plan("--bundles", bundles("whole"));
  assert.equal(document.outcome, "resolved");
  assert.deepEqual(stepsOf(document).slice(0, 2), [
    "ClusterServiceVersion kiln.v1.0.0",
    "CustomResourceDefinition pots.kiln.example.com",
  ]);
  assert.deepEqual(
    document.lookups.map(({ conditions }) => conditions),
    [undefined],
  );
  assert.match(text, /create {2}CustomResourceDefinition pots\.kiln\.example\.com, for kiln\.v1\.0\.0/);
  assert.doesNotMatch(text, /unpack/);
});

test("a bundle that no folder holds refuses the plan, with the path where it belongs", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const { document } = await plan("--bundles", empty);
  assert.equal(document.outcome, "error");
  assert.match(JSON.stringify(document.explanation), /empty\/kiln\/1\.0\.0/);
});

const claiming = {
  "manifests/csv.json": smallCsv({
    customresourcedefinitions: {
      owned: [{ name: "subscriptions.operators.coreos.com", version: "v1", kind: "Subscription" }],
    },
  }),
};

test("without --compat=reserved-groups a plan refuses a bundle that owns APIs of the lifecycle manager", async () => {
  const { document } = await plan("--bundles", bundles("claiming", claiming));
  assert.equal(document.outcome, "error");
  assert.match(JSON.stringify(document.explanation), /subscriptions\.operators\.coreos\.com/);
});

test("with --compat=reserved-groups a plan takes a bundle that owns APIs of the lifecycle manager", async () => {
  const { document } = await plan("--bundles", bundles("claiming", claiming), "--compat", "reserved-groups");
  assert.equal(document.outcome, "resolved");
  assert.ok(stepsOf(document).includes("ClusterServiceVersion kiln.v1.0.0"));
});

test("a folder that does not exist and an unknown switch are usage errors", async () => {
  await assert.rejects(plan("--bundles", join(folder, "nowhere")), UsageError);
  await assert.rejects(plan("--compat", "nothing"), UsageError);
});
