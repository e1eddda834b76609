import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { smallBundle } from "../../bundle/testing/small-bundle.ts";
import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import { catalogDockerfile } from "../../catalog/opm/dockerfile.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { runOpm } from "./run-opm.ts";

const root = mkdtempSync(join(tmpdir(), "purser-opm-cases-"));
after(() => rmSync(root, { recursive: true, force: true }));
const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));

function written(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

const catalog = written("catalog", {
  "kiln/catalog.yaml": smallCatalog("kiln", ["1.0.0", "1.1.0"]),
  "loom/catalog.yaml": smallCatalog("loom", ["2.0.0"]),
});
const bundle = written("bundle", Object.fromEntries(smallBundle().files.map(({ path, bytes }) => [path, bytes])));
const invalid = written("invalid", { "a.yaml": "schema: olm.package\nname: kiln\ndefaultChannel: stable\n" });
written("file", { f: "schema: x\n" });
written("icons", { empty: "", text: "text", svg: '<svg viewBox="0 0 1 1"></svg>' });
const full = written("full", { f: "" });
symlinkSync("loop", join(root, "loop"));

function opm(...args: readonly string[]): OpmAnswer {
  return runOpm(
    args.map((arg) =>
      arg.replace(/^(CATALOG|BUNDLE|INVALID|ROOT)/, (name) =>
        name === "CATALOG" ? catalog : name === "BUNDLE" ? bundle : name === "INVALID" ? invalid : root,
      ),
    ),
    clock,
  );
}

const cases: readonly (readonly [what: string, args: readonly string[], exit: 0 | 1, output: RegExp])[] = [
  ["render takes a bundle directory", ["render", "BUNDLE"], 0, /"schema": "olm\.bundle"/],
  ["render takes a catalog and a bundle at once", ["render", "CATALOG", "BUNDLE"], 0, /"schema": "olm\.channel"/],
  ["lists refuse a bundle directory", ["alpha", "list", "packages", "BUNDLE"], 1, /cannot list non-index/],
  ["graphs take no bundle", ["alpha", "render-graph", "BUNDLE"], 1, /cannot render bundle directory .*: not allowed/],
  [
    "migrate refuses a bundle directory",
    ["migrate", "BUNDLE", "ROOT/none"],
    1,
    /msg="render catalog image: render reference .*: cannot render bundle directory .*: not allowed"/,
  ],
  [
    "commands refuse a file in place of a directory",
    ["render", "ROOT/file/f"],
    1,
    /render reference ".*": ref ".*" is not a directory: not allowed/,
  ],
  ["a link that leads back to itself is no reference", ["render", "ROOT/loop"], 1, /^2026.* render reference /],
  ["render does not validate", ["render", "INVALID"], 0, /"defaultChannel": "stable"/],
  [
    "a directory that is not empty stays unchanged",
    ["migrate", "CATALOG", "ROOT/full"],
    1,
    /msg="output dir \\".*full\\" must be empty"/,
  ],
  ["a file is no output directory", ["migrate", "CATALOG", "ROOT/file/f"], 1, /level=fatal msg=".*not a directory"/],
  [
    "packages",
    ["alpha", "list", "packages", "CATALOG"],
    0,
    /^NAME +DISPLAY NAME +DEFAULT CHANNEL\nkiln +stable\nloom +stable\n$/,
  ],
  [
    "channels",
    ["alpha", "list", "channels", "CATALOG", "kiln"],
    0,
    /^PACKAGE +CHANNEL +HEAD\nkiln +stable +kiln\.v1\.1\.0\n$/,
  ],
  [
    "bundles",
    ["alpha", "list", "bundles", "CATALOG", "kiln"],
    0,
    /^PACKAGE +CHANNEL +BUNDLE +REPLACES +SKIPS +SKIP RANGE +IMAGE\nkiln +stable +kiln\.v1\.0\.0 .*\nkiln +stable +kiln\.v1\.1\.0 +kiln\.v1\.0\.0 .*\n$/,
  ],
  ["an unknown catalog", ["alpha", "list", "packages", "ROOT/absent"], 1, /level=fatal/],
  [
    "channels of an unknown package",
    ["alpha", "list", "channels", "CATALOG", "unknown"],
    1,
    /msg="package \\"unknown\\" not found"/,
  ],
  [
    "bundles of an unknown package",
    ["alpha", "list", "bundles", "CATALOG", "unknown"],
    1,
    /msg="package \\"unknown\\" not found"/,
  ],
  ["an invalid catalog has no lists", ["alpha", "list", "packages", "INVALID"], 1, /invalid index:/],
  ["a package without a name is not written", ["init", ""], 0, /^$/],
  ["an SVG", ["init", "kiln", "-i", "ROOT/icons/svg"], 0, /"mediatype": "image\/svg\+xml"/],
  [
    "a text as icon",
    ["init", "kiln", "-i", "ROOT/icons/text"],
    1,
    / msg="detected invalid type \\"\\": not an image"\n$/,
  ],
  ["an empty icon", ["init", "kiln", "-i", "ROOT/icons/empty"], 1, / msg="detect icon mediatype: /],
  [
    "an icon that does not exist",
    ["init", "kiln", "-i", "ROOT/absent"],
    1,
    / msg="open icon file: open .*absent: no such file or directory"\n$/,
  ],
  [
    "a directory as description",
    ["init", "kiln", "-d", "CATALOG"],
    1,
    / msg="read description: read .*: is a directory"\n$/,
  ],
  [
    "a file as catalog",
    ["generate", "dockerfile", "ROOT/file/f"],
    1,
    /^Error: provided root path ".*" is not a directory\n/,
  ],
  ["no catalog", ["generate", "dockerfile", "ROOT/absent"], 1, /^Error: stat .*absent: no such file or directory\n/],
  [
    "a file as manifests",
    ["alpha", "bundle", "generate", "-d", "ROOT/file/f"],
    1,
    /^Error: The directory .* contains no yaml files\n/,
  ],
];
for (const [what, args, exit, output] of cases)
  test(what, () => {
    const answer = opm(...args);
    assert.equal(answer.exit, exit, answer.stderr);
    assert.match(exit === 0 ? answer.stdout : answer.stderr, output);
    if (exit === 1) assert.equal(answer.stdout, "");
  });

test("migrate writes a file for each package, and a refusal leaves no file", () => {
  const out = join(root, "out");
  assert.equal(opm("migrate", "CATALOG", out).exit, 0);
  assert.deepEqual(readdirSync(out).sort(), ["kiln", "loom"]);
  assert.deepEqual(readdirSync(join(out, "kiln")), ["catalog.json"]);
  assert.deepEqual(readdirSync(full), ["f"]);
  assert.equal(readdirSync(root).includes("none"), false);
});

test("bases and directories must be set; a scratch base has no entry point; labels are sorted and quoted", () => {
  const labels = new Map([
    ["key2", "b"],
    ["key1", "a"],
  ]);
  const of = (baseImage: string, indexDirectory: string): string => {
    const text = catalogDockerfile({ baseImage, builderImage: "builder", indexDirectory, labels });
    return text.ok ? text.value : text.problem;
  };
  assert.equal(of("", "c"), "base image is unset");
  assert.equal(of("base", ""), "index directory is unset");
  assert.match(
    of("base", "c"),
    /^ENTRYPOINT \["\/bin\/opm"\]\nCMD \["serve", "\/configs", "--cache-dir=\/tmp\/cache"\]$/m,
  );
  assert.match(of("base", "c"), /index\.configs\.v1=\/configs\nLABEL "key1"="a"\nLABEL "key2"="b"\n$/);
  assert.doesNotMatch(of("scratch", "c"), /^(ENTRYPOINT|CMD)/m);
  assert.equal(opm("generate", "dockerfile", "CATALOG").exit, 0);
  assert.match(readFileSync(join(root, "catalog.Dockerfile"), "utf8"), /^ADD catalog \/configs$/m);
});
