import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { runOpm } from "./run-opm.ts";

const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
const opm = (...args: readonly string[]): OpmAnswer => runOpm(args, clock);
let folder = "";
let catalog = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "purser-opm-"));
  catalog = join(folder, "catalog");
  mkdirSync(catalog);
  const blobs = [
    { schema: "olm.package", name: "kiln", defaultChannel: "stable" },
    { schema: "olm.channel", package: "kiln", name: "stable", entries: [{ name: "kiln.v1.0.0" }] },
    {
      schema: "olm.bundle",
      package: "kiln",
      name: "kiln.v1.0.0",
      image: "example.com/kiln:1",
      properties: [{ type: "olm.package", value: { packageName: "kiln", version: "1.0.0" } }],
    },
  ];
  writeFileSync(join(catalog, "catalog.json"), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
  mkdirSync(join(folder, "broken"));
  writeFileSync(join(folder, "broken", "a.yaml"), "schema: olm.package\nname: kiln\ndefaultChannel: stable\n");
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("validate is silent for a valid catalog and one stamped fatal record for an invalid one", () => {
  assert.deepEqual(opm("validate", catalog), { exit: 0, stdout: "", stderr: "" });
  const { exit, stdout, stderr } = opm("validate", join(folder, "broken"));
  assert.equal(exit, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /^time="2026-01-02T03:04:05Z" level=fatal msg="invalid index:\\n└── invalid package \\"kiln\\":/,
  );
});

test("validate -o json answers on stdout and keeps the exit code", () => {
  assert.deepEqual(opm("validate", catalog, "-ojson"), { exit: 0, stdout: '{\n  "passed": true\n}\n', stderr: "" });
  const { exit, stderr } = opm("validate", "--output=json", join(folder, "broken"));
  assert.deepEqual({ exit, stderr }, { exit: 1, stderr: "" });
});

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    "a format that is none",
    ["validate", "CATALOG", "-o", "xml"],
    /^Error: invalid --output value "xml", expected \(json\|yaml\)\nUsage:/,
  ],
  [
    "a file in place of a folder",
    ["validate", "CATALOG/catalog.json"],
    /^Error: ".*catalog\.json" is not a directory\n/,
  ],
  ["a missing folder", ["validate", "CATALOG/absent"], /^Error: stat .*absent: no such file or directory\n/],
  ["too few words", ["validate"], /^Error: accepts 1 arg\(s\), received 0\n/],
  ["no reference at all", ["render"], /^Error: requires at least 1 arg\(s\), only received 0\n/],
  ["an unknown flag", ["render", "CATALOG", "--colour"], /^Error: unknown flag: --colour\n/],
  ["an unknown letter", ["render", "CATALOG", "-x"], /^Error: unknown shorthand flag: 'x' in -x\n/],
  ["a flag without its value", ["render", "CATALOG", "-o"], /^Error: flag needs an argument: 'o' in -o\n/],
  ["an unknown command", ["alpha", "diff"], /^Error: unknown command "diff" for "opm alpha"\n/],
  [
    "a bad level",
    ["render", "CATALOG", "--migrate-level", "v9"],
    /^2026\/01\/02 03:04:05 unknown migration level "v9"\n$/,
  ],
  [
    "an image",
    ["render", "example.com/kiln:1"],
    /^2026\/01\/02 03:04:05 render reference "example.com\/kiln:1": .* not built yet/,
  ],
  [
    "both ways without TLS",
    ["--use-http", "render", "CATALOG", "--skip-tls-verify"],
    /^Error: invalid flag combination: --use-http and --skip-tls-verify cannot both be true\n/,
  ],
  [
    "a package that is not there",
    ["alpha", "list", "channels", "CATALOG", "loom"],
    /level=fatal msg="package \\"loom\\" not found"\n$/,
  ],
];
for (const [what, args, stderr] of mistakes)
  test(`${what} ends with exit code 1 and says so on stderr alone`, () => {
    const answer = opm(...args.map((arg) => arg.replace("CATALOG", catalog)));
    assert.equal(answer.exit, 1);
    assert.equal(answer.stdout, "");
    assert.match(answer.stderr, stderr);
  });

for (const args of [[], ["alpha"], ["alpha", "list"], ["generate"]])
  test(`opm ${args.join(" ")} alone prints nothing and succeeds`, () => {
    assert.deepEqual(opm(...args), { exit: 0, stdout: "", stderr: "" });
  });

test("what render writes renders to itself", () => {
  const once = opm("render", catalog, "-o", "yaml");
  assert.equal(once.exit, 0);
  const again = join(folder, "again");
  mkdirSync(again);
  writeFileSync(join(again, "catalog.yaml"), once.stdout);
  assert.deepEqual(opm("render", again, "-o", "yaml"), once);
});

test("migrate writes one file per package into an empty folder and refuses a second time", () => {
  const out = join(folder, "out");
  const { exit, stderr } = opm("migrate", catalog, out, "-o", "yaml");
  assert.equal(exit, 0, stderr);
  assert.deepEqual(readdirSync(join(out, "kiln")), ["catalog.yaml"]);
  assert.match(opm("migrate", catalog, out).stderr, /level=fatal msg="output dir \\".*out\\" must be empty"\n$/);
});

test("init writes a package blob; an icon must be an image", () => {
  const blob = '{\n    "schema": "olm.package",\n    "name": "kiln",\n    "defaultChannel": ""\n}\n';
  assert.deepEqual(opm("init", "kiln"), { exit: 0, stdout: blob, stderr: "" });
  const icon = join(folder, "icon");
  writeFileSync(icon, '<?xml version="1.0"?><!-- drawn --><svg viewBox="0 0 1 1"></svg>');
  assert.match(opm("init", "kiln", "-i", icon).stdout, /"mediatype": "image\/svg\+xml"/);
  writeFileSync(icon, "text");
  assert.match(opm("init", "kiln", "-i", icon).stderr, / detected invalid type "": not an image\n$/);
  writeFileSync(icon, "");
  assert.match(opm("init", "kiln", "-i", icon).stderr, / detect icon mediatype: /);
});

test("generate dockerfile writes beside the catalog, sorts labels and never overwrites", () => {
  const args = ["generate", "dockerfile", catalog, "-i", "scratch", "-l", "b=2,a=1", "--extra-labels", "b=3"];
  assert.deepEqual(opm(...args), { exit: 0, stdout: "", stderr: "" });
  const text = readFileSync(join(folder, "catalog.Dockerfile"), "utf8");
  assert.match(text, /\nADD catalog \/configs\n/);
  assert.match(text, /configs\.v1=\/configs\nLABEL "a"="1"\nLABEL "b"="3"\n$/);
  assert.doesNotMatch(text, /^(ENTRYPOINT|CMD)/m);
  assert.match(opm(...args).stderr, /level=fatal msg="path \\".*\.Dockerfile\\": file already exists"\n$/);
  assert.match(opm(...args.slice(0, 3), "-b", "scratch").stderr, /^Error: invalid builder image: "scratch"\n/);
  assert.match(opm(...args.slice(0, 3), "-l", "x").stderr, /^Error: invalid label "x"\n/);
});
