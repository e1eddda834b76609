import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { isJsonObject, plainJson } from "@purser/kubernetes/json";
import { smallBundle, smallCsv } from "../../bundle/testing/small-bundle.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { FaultRegistry } from "../../image/testing/fault-registry.ts";
import type { Fault } from "../../image/testing/fault.ts";
import { type LayerFiles, testImage } from "../../image/testing/test-image.ts";
import { exitCodeOfOutcome, type Outcome, UsageError } from "../command.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";

const configs = { "operators.operatorframework.io.index.configs.v1": "/configs" };
const packageLabel = { "operators.operatorframework.io.bundle.package.v1": "kiln" };

let directory = "";
let registry: FaultRegistry;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "purser-on-images-"));
  registry = await FaultRegistry.start();
  writeFileSync(join(directory, "registries.conf"), `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
});
after(async () => {
  await registry[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

interface Ran {
  readonly outcome: Outcome;
  readonly progress: readonly string[];
  readonly said: readonly string[];
}

/** Runs a command with an image store of its own, or that of `cache`. */
async function purser(args: readonly string[], cache = mkdtempSync(join(directory, "cache-"))): Promise<Ran> {
  const parsed = await parseArguments("purser", commands, args);
  assert.ok(parsed.kind === "run");
  const progress: string[] = [];
  const said: string[] = [];
  const outcome = await runCommand(parsed, {
    signal: new AbortController().signal,
    terminal: {
      isInteractive: false,
      env: { PURSER_CACHE_DIR: cache, CONTAINERS_REGISTRIES_CONF: join(directory, "registries.conf"), HOME: directory },
      show: () => assert.fail("printed by the caller"),
      out: () => assert.fail("commands return what they print"),
      write: () => assert.fail("commands return what they print"),
      progress: (text) => void progress.push(text),
      err: (...lines) => void said.push(...lines),
      paint: (_, text) => text,
      symbol: (name) => name,
      ask: () => Promise.resolve(undefined),
    },
  });
  const shown = JSON.stringify([outcome, progress, said]);
  assert.ok(!shown.includes(`${basename(cache)}/images`), `names the image store: ${shown}`);
  return { outcome, progress, said };
}

function written(name: string, files: LayerFiles): string {
  for (const [path, content] of Object.entries(files as Readonly<Record<string, string>>)) {
    mkdirSync(dirname(join(directory, name, path)), { recursive: true });
    writeFileSync(join(directory, name, path), content);
  }
  return join(directory, name);
}

const below = (prefix: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${prefix}${path}`, content]));

async function catalog(name: string, files: Readonly<Record<string, string>>): Promise<readonly [string, string]> {
  const image = await testImage([below("configs/", files)], { labels: configs });
  return [written(name, files), registry.push(`acme/${name}:v1`, image)];
}

async function bundle(name: string, given = smallBundle()): Promise<readonly [string, string]> {
  const files = Object.fromEntries(given.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
  const image = await testImage([files], { labels: packageLabel });
  return [written(name, files), registry.push(`acme/${name}:v1`, image)];
}

const two = { "foo/catalog.yaml": smallCatalog("foo", ["1.0.0", "1.1.0"]) };
const three = { "foo/catalog.yaml": smallCatalog("foo", ["1.0.0", "1.1.0", "1.2.0"]) };
const broken = { "foo/catalog.yaml": two["foo/catalog.yaml"].replace("replaces: foo.v1.0.0", "replaces: foo.v1.1.0") };

const onCatalogs: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["validate", ["catalog", "validate", "OLD"]],
  ["validate of a broken catalog", ["catalog", "validate", "BROKEN"]],
  ["validate as SARIF", ["catalog", "validate", "OLD", "-o", "sarif"]],
  ["lint", ["catalog", "lint", "NEW"]],
  ["lint against an image", ["catalog", "lint", "OLD", "--against", "NEW"]],
  ["diff", ["catalog", "diff", "OLD", "NEW"]],
  ["diff with a broken catalog", ["catalog", "diff", "OLD", "BROKEN"]],
  ["render", ["catalog", "render", "OLD", "-o", "json"]],
  ["graph", ["catalog", "graph", "NEW"]],
  ["path", ["catalog", "path", "NEW", "--from", "1.0.0"]],
  ["path without a way", ["catalog", "path", "NEW", "--from", "1.2.0", "--to", "1.0.0"]],
  ["template convert", ["catalog", "template", "convert", "OLD"]],
];
test("commands on a catalog image give what they give for its directory, with paths of the image", async () => {
  const pairs = {
    OLD: await catalog("old", two),
    NEW: await catalog("new", three),
    BROKEN: await catalog("broken", broken),
  };
  for (const [name, args] of onCatalogs) {
    const given = (index: 0 | 1): readonly string[] =>
      args.map((arg) => (arg in pairs ? pairs[arg as keyof typeof pairs][index] : arg));
    const onDirectory = await purser(given(0));
    const onImage = await purser(given(1));
    let expected = JSON.stringify(onDirectory.outcome);
    for (const [path, image] of Object.values(pairs))
      expected = expected.replaceAll(`${path}/`, "configs/").replaceAll(path, image);
    const timeless = (text: string): string => text.replaceAll(/\d+\.\d s/g, "TIME");
    assert.equal(timeless(JSON.stringify(onImage.outcome)), timeless(expected), name);
  }
});

/** The events of a command that wrote only those to stderr. */
const eventsOf = ({ said }: Ran): readonly string[] =>
  said.map((line) => (JSON.parse(line) as { event: string }).event);

test("with -o json every command that pulls writes events to stderr, and no progress", async () => {
  const [, old] = await catalog("old", two);
  const [, kiln] = await bundle("eventful");
  for (const args of [
    ["catalog", "validate", old],
    ["catalog", "lint", old],
    ["catalog", "diff", old, old],
    ["catalog", "render", old],
    ["catalog", "graph", old],
    ["catalog", "path", old, "--from", "1.0.0"],
    ["bundle", "validate", kiln],
    ["bundle", "diff", kiln, kiln],
  ]) {
    const ran = await purser([...args, "-o", "json"]);
    const pulled = eventsOf(ran).filter((event) => event !== "noSignaturePolicy");
    assert.deepEqual(pulled.slice(0, 4), ["resolved", "downloading", "unpacking", "complete"], args.join(" "));
    assert.deepEqual(
      ran.progress.filter((line) => line.includes("pulling")),
      [],
      args.join(" "),
    );
  }
});

test("a push with -o json writes events to stderr", async () => {
  const pushed = await purser([
    "catalog",
    "push",
    written("pushed", two),
    `oci:${join(directory, "out")}:v1`,
    "-o",
    "json",
  ]);
  assert.deepEqual([...new Set(eventsOf(pushed))], ["packing", "writing"]);
});

test("index and prune of an image write what they write of its directory", async () => {
  const [path, image] = await catalog("indexed", three);
  const results = [];
  for (const [name, reference] of [
    ["folder", path],
    ["image", image],
  ] as const) {
    const [indexes, pruned] = [join(directory, `${name}-indexes`), join(directory, `${name}-pruned`)];
    const built = await purser(["catalog", "index", reference, "--to", indexes]);
    assert.equal(exitCodeOfOutcome(built.outcome), 0);
    await purser(["catalog", "prune", reference, "--keep", "foo@>=1.1", "--to", pruned]);
    results.push([readdirSync(indexes), readFileSync(join(pruned, "foo/catalog.yaml"), "utf8")]);
  }
  assert.deepEqual(results[1], results[0]);
});

const onBundles: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["validate", ["bundle", "validate", "GOOD"]],
  ["validate of a faulty bundle", ["bundle", "validate", "FAULTY"]],
  ["render", ["bundle", "render", "GOOD", "-n", "tools"]],
  ["render of a faulty bundle", ["bundle", "render", "FAULTY", "-n", "tools"]],
  ["diff", ["bundle", "diff", "GOOD", "FAULTY", "-o", "json"]],
];
test("commands on a bundle image give what they give for its directory, with paths of the image", async () => {
  const pairs = {
    GOOD: await bundle("good"),
    FAULTY: await bundle("faulty", smallBundle({ "manifests/csv.json": smallCsv({ installModes: [] }) })),
  };
  for (const [name, args] of onBundles) {
    const given = (index: 0 | 1): readonly string[] =>
      args.map((arg) => (arg in pairs ? pairs[arg as keyof typeof pairs][index] : arg));
    const onDirectory = await purser(given(0));
    const onImage = await purser(given(1));
    let expected = JSON.stringify(onDirectory.outcome);
    for (const [path, image] of Object.values(pairs))
      expected = expected.replaceAll(`${path}/`, "").replaceAll(path, image);
    assert.equal(JSON.stringify(onImage.outcome), expected, name);
  }
});

test("a rendered bundle image names its image, one on this machine needs a template", async () => {
  const [path, image] = await bundle("rendered");
  const rendered = await purser(["catalog", "render", `docker://${image}`]);
  const expected = await purser(["catalog", "render", path, "--image-template", image]);
  assert.equal(rendered.outcome.verbatim, expected.outcome.verbatim);
  const layout = `oci:${join(directory, "layout")}`;
  await purser(["bundle", "push", path, layout]);
  const local = await purser(["catalog", "render", layout]);
  assert.match(local.said.join("\n"), /rendered without an image, so it cannot be installed: oci:/);
  const templated = await purser(["catalog", "render", layout, "--image-template", image]);
  assert.equal(templated.outcome.verbatim, expected.outcome.verbatim);
});

test("templates name bundles by image; the first that cannot be had refuses the command", async () => {
  const [, image] = await bundle("templated");
  const template = (reference: string): string =>
    join(
      written("template", {
        "t.yaml": `schema: olm.semver\ngenerateMinorChannels: true\ncandidate:\n  bundles:\n  - image: ${image}\nstable:\n  bundles:\n  - image: ${reference}\n`,
      }),
      "t.yaml",
    );
  const expanded = await purser(["catalog", "template", "expand", template(image)]);
  assert.match(expanded.outcome.verbatim ?? "", new RegExp(`\nimage: ${image}\nname: kiln.v1.0.0\n`));
  const absent = await purser(["catalog", "template", "expand", template(`${registry.host}/acme/absent:v1`)]);
  assert.equal(absent.outcome.explanation?.code, "BundleUnavailable");
  assert.equal(exitCodeOfOutcome(absent.outcome), 6);
});

test("plan decides on a catalog image as on its directory", async () => {
  const [path, image] = await catalog("planned", three);
  const plan = async (reference: string): Promise<unknown> => {
    const { data } = (await purser(["plan", "foo", "--catalog", `acme=${reference}`, "-o", "json"])).outcome;
    assert.ok(isJsonObject(data));
    return plainJson({ ...data, timings: null });
  };
  assert.deepEqual(await plan(image), await plan(path));
  const absent = await purser(["plan", "foo", "--catalog", `acme=${registry.host}/acme/absent:v1`]);
  assert.equal(absent.outcome.explanation?.code, "CatalogUnavailable");
  assert.equal(exitCodeOfOutcome(absent.outcome), 6);
});

test("the second command on an image asks for its digest alone, and shows how the first one pulls", async () => {
  const [, image] = await catalog("twice", two);
  const cache = mkdtempSync(join(directory, "cache-"));
  const first = await purser(["catalog", "validate", image], cache);
  assert.equal(first.progress[0], `pulling ${image}`);
  assert.ok(first.progress.some((line) => line.startsWith(`pulling ${image}  1 of 1 layers  0.0 of 0.0 MiB`)));
  assert.equal(first.progress.at(-1), "");
  const before = registry.requests.length;
  await purser(["catalog", "validate", image], cache);
  const asked = registry.requests.slice(before).map(({ position, method }) => `${method} ${position}`);
  assert.deepEqual(
    asked.filter((request) => request !== "GET ping"),
    ["HEAD manifest"],
  );
});

test("--fix refuses an image, and push a missing directory", async () => {
  const [, image] = await catalog("fixed", two);
  await assert.rejects(purser(["catalog", "validate", image, "--fix"]), UsageError);
  await assert.rejects(purser(["catalog", "lint", image, "--fix"]), UsageError);
  const pushed = await purser(["catalog", "push", image, `oci:${join(directory, "again")}`]);
  assert.equal(pushed.outcome.explanation?.code, "CatalogNotFound");
});

const refusals: readonly (readonly [
  what: string,
  args: readonly string[],
  fault: Fault | undefined,
  expected: readonly [code: string, exit: number, httpStatus?: number],
])[] = [
  ["an absent tag", ["catalog", "validate", "HOST/acme/absent:v1"], undefined, ["CatalogUnavailable", 6, 404]],
  ["an absent bundle", ["bundle", "validate", "HOST/acme/absent:v1"], undefined, ["BundleUnavailable", 6, 404]],
  [
    "a registry that forbids",
    ["catalog", "graph", "HOST/acme/known:v1"],
    { kind: "status", status: 403 },
    ["CatalogUnavailable", 5, 403],
  ],
  [
    "a registry that answers HTML",
    ["catalog", "diff", "HOST/acme/known:v1", "x"],
    { kind: "html" },
    ["CatalogUnavailable", 1, 200],
  ],
  ["a bundle for a catalog", ["catalog", "validate", "HOST/acme/bundle:v1"], undefined, ["CatalogInvalid", 1]],
  ["a catalog for a bundle", ["bundle", "validate", "HOST/acme/known:v1"], undefined, ["BundleUnavailable", 1]],
  ["no registry", ["bundle", "render", "acme/known:v1", "-n", "x"], undefined, ["BundleUnavailable", 2]],
  ["neither tag nor digest", ["catalog", "lint", "HOST/acme/known"], undefined, ["CatalogUnavailable", 2]],
  ["a missing layout", ["catalog", "render", "oci:./absent"], undefined, ["CatalogUnavailable", 6]],
  ["a missing path", ["bundle", "validate", "./absent"], undefined, ["BundleUnavailable", 6]],
];
for (const [what, args, fault, [code, exit, httpStatus]] of refusals)
  test(`${what} is refused with ${code} and exit code ${exit}`, async () => {
    await catalog("known", two);
    await bundle("bundle");
    if (fault !== undefined) registry.fail("manifest", { fault });
    try {
      const { outcome } = await purser(args.map((arg) => arg.replace("HOST", registry.host)));
      assert.deepEqual([outcome.explanation?.code, exitCodeOfOutcome(outcome)], [code, exit]);
      const { facts = {}, remedies = [] } = outcome.explanation ?? {};
      assert.equal(facts["httpStatus"], httpStatus);
      const reference = (args[2] ?? "").replace("HOST", registry.host);
      assert.equal(facts["reference"] ?? facts["wanted"], reference);
      assert.notEqual(remedies.length, 0);
    } finally {
      registry.heal();
    }
  });
