// plan with --bundles, --pull and --compat, on files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { FaultRegistry } from "../../image/testing/fault-registry.ts";
import { writeLayout } from "../../image/testing/layout-images.ts";
import { testImage } from "../../image/testing/test-image.ts";
import type { Changes } from "../../review/change-plan/change-plan.ts";
import { UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-plan-bundles-"));
after(() => rmSync(directory, { recursive: true, force: true }));

let registry: FaultRegistry;
before(async () => {
  registry = await FaultRegistry.start();
  writeFileSync(join(directory, "registries.conf"), `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
});
after(() => registry[Symbol.asyncDispose]());

const catalog = join(directory, "catalog.json");
const catalogOf = (image: string): string =>
  [
    { schema: "olm.package", name: "kiln", defaultChannel: "stable" },
    { schema: "olm.channel", name: "stable", package: "kiln", entries: [{ name: "kiln.v1.0.0" }] },
    {
      schema: "olm.bundle",
      name: "kiln.v1.0.0",
      package: "kiln",
      image,
      properties: [{ type: "olm.package", value: { packageName: "kiln", version: "1.0.0" } }],
    },
  ]
    .map((blob) => JSON.stringify(blob))
    .join("\n");
writeFileSync(catalog, catalogOf("registry.example/kiln:1"));

/** A directory of bundle directories that holds kiln 1.0.0. */
function bundles(name: string, files: Parameters<typeof smallBundle>[0] = {}): string {
  for (const { path, bytes } of smallBundle(files).files) {
    const file = join(directory, name, "kiln/1.0.0", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return join(directory, name);
}

interface Document {
  readonly outcome: string;
  readonly steps: readonly { readonly resource: { readonly kind: string; readonly name: string } }[];
  readonly lookups: readonly { readonly conditions?: readonly unknown[] }[];
  readonly explanation: { readonly summary: string } | null;
  readonly changes?: readonly { readonly total: Changes }[];
}

async function plan(...args: readonly string[]): Promise<{ readonly document: Document; readonly text: string }> {
  const parsed = await parseArguments("purser", commands, ["plan", "kiln", "--catalog", `cat=${catalog}`, ...args]);
  assert.ok(parsed.kind === "run");
  const { data, human } = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      show: () => assert.fail("printed by the caller"),
      env: {
        PURSER_CACHE_DIR: join(directory, "cache"),
        CONTAINERS_REGISTRIES_CONF: join(directory, "registries.conf"),
        HOME: directory,
      },
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

test("a bundle that no directory holds refuses the plan, with the path where it belongs", async () => {
  const empty = join(directory, "empty");
  mkdirSync(empty);
  const { document } = await plan("--bundles", empty);
  assert.equal(document.outcome, "error");
  assert.match(JSON.stringify(document.explanation), /empty\/kiln\/1\.0\.0/);
});

/** Replaces the catalog by one whose bundle has this image. */
async function onImage(image: string, use: () => Promise<void>): Promise<void> {
  writeFileSync(catalog, catalogOf(image));
  try {
    await use();
  } finally {
    writeFileSync(catalog, catalogOf("registry.example/kiln:1"));
  }
}

test("with --pull a plan holds every object of a bundle image, and a directory of --bundles comes before the registry", async () => {
  const files = Object.fromEntries(
    smallBundle().files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("utf8")]),
  );
  const image = registry.push("acme/kiln:1", await testImage([files]));
  await onImage(image, async () => {
    assert.deepEqual(stepsOf((await plan()).document), []);
    const { document } = await plan("--pull");
    assert.equal(document.outcome, "resolved");
    const steps = stepsOf((await plan("--bundles", bundles("same"))).document);
    assert.ok(steps.includes("CustomResourceDefinition pots.kiln.example.com"));
    assert.deepEqual(stepsOf(document), steps);
    const asked = registry.requests.length;
    assert.deepEqual(stepsOf((await plan("--pull", "--bundles", bundles("first"))).document), steps);
    assert.equal(registry.requests.length, asked);
  });
});

test("with --pull new images have the size that their registry gives; what it lacks, and files of this machine, have none", async () => {
  const operator = await testImage([{ "bin/kiln": "x".repeat(5_000) }, { "etc/kiln": "y" }]);
  const pinned = registry.push("acme/operator:1", operator);
  const bytes = [operator.config, ...operator.layers].reduce((sum, { bytes: of }) => sum + of.length, 0);
  const missing = `${registry.host}/acme/none:1`;
  const lies = join(directory, "layout");
  mkdirSync(lies);
  writeLayout(lies, [{ layers: [[]] }]);
  const layout = `oci:${lies}`;
  const related = [pinned, missing, layout].map((image, index) => ({ name: `i${index}`, image }));
  const csv = smallCsv({ relatedImages: related });
  const sized = (name: string): string => bundles(name, { "manifests/csv.json": csv });
  const imagesOf = (document: Document): ReadonlyMap<string, number | null | undefined> =>
    new Map(
      (document.changes?.[0]?.total.images ?? []).flatMap(({ image, size }) =>
        [pinned, missing, layout].includes(image) ? [[image, size] as const] : [],
      ),
    );
  const { document, text } = await plan("--pull", "--bundles", sized("sized"));
  assert.deepEqual(
    imagesOf(document),
    new Map([
      [pinned, bytes],
      [missing, null],
      [layout, null],
    ]),
  );
  assert.ok(text.includes(`      + ${pinned}  (1 KiB)`), text);
  assert.ok(text.includes(`      + ${missing}  (size unknown)`), text);
  const asked = registry.requests.length;
  const offline = await plan("--bundles", sized("offline"));
  assert.deepEqual([...imagesOf(offline.document).values()], [undefined, undefined, undefined]);
  assert.doesNotMatch(offline.text, /size unknown|KiB/);
  assert.equal(registry.requests.length, asked);
});

test("a bundle image that cannot be pulled refuses the plan with place and status, and promises no next try", async () => {
  const image = `${registry.host}/acme/missing:1`;
  await onImage(image, async () => {
    const { document } = await plan("--pull");
    assert.equal(document.outcome, "error");
    const explanation = JSON.stringify(document.explanation);
    assert.match(explanation, /acme\/missing:1.*404/);
    assert.doesNotMatch(explanation, /next try/);
  });
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

test("a directory that does not exist and an unknown switch are usage errors", async () => {
  await assert.rejects(plan("--bundles", join(directory, "nowhere")), UsageError);
  await assert.rejects(plan("--compat", "nothing"), UsageError);
});
