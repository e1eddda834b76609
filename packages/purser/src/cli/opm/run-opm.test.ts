import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { runOpm } from "./run-opm.ts";

const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
const opm = (...args: readonly string[]): OpmAnswer => runOpm(args, clock);
let directory = "";
let catalog = "";

before(() => {
  directory = mkdtempSync(join(tmpdir(), "purser-opm-"));
  catalog = join(directory, "catalog");
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
  mkdirSync(join(directory, "broken"));
  writeFileSync(join(directory, "broken", "a.yaml"), "schema: olm.package\nname: kiln\ndefaultChannel: stable\n");
});
after(() => rmSync(directory, { recursive: true, force: true }));

test("validate is silent for a valid catalog and one stamped fatal record for an invalid one", () => {
  assert.deepEqual(opm("validate", catalog), { exit: 0, stdout: "", stderr: "" });
  const { exit, stdout, stderr } = opm("validate", join(directory, "broken"));
  assert.equal(exit, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /^time="2026-01-02T03:04:05Z" level=fatal msg="invalid index:\\n└── invalid package \\"kiln\\":/,
  );
});

test("validate -o json answers on stdout and keeps the exit code", () => {
  assert.deepEqual(opm("validate", catalog, "-ojson"), { exit: 0, stdout: '{\n  "passed": true\n}\n', stderr: "" });
  const { exit, stderr } = opm("validate", "--output=json", join(directory, "broken"));
  assert.deepEqual({ exit, stderr }, { exit: 1, stderr: "" });
});

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    "an unknown format",
    ["validate", "CATALOG", "-o", "xml"],
    /^Error: invalid --output value "xml", expected \(json\|yaml\)\nUsage:/,
  ],
  [
    "a file in place of a directory",
    ["validate", "CATALOG/catalog.json"],
    /^Error: ".*catalog\.json" is not a directory\n/,
  ],
  ["a missing directory", ["validate", "CATALOG/absent"], /^Error: stat .*absent: no such file or directory\n/],
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
    "an image without a registry",
    ["render", "kiln:1"],
    /^2026\/01\/02 03:04:05 render reference "kiln:1": failed to pull image "kiln:1": repository name must be canonical\n$/,
  ],
  [
    "both ways without TLS",
    ["--use-http", "render", "CATALOG", "--skip-tls-verify"],
    /^2026\/01\/02 03:04:05 invalid flag combination: --use-http and --skip-tls-verify cannot both be true\n$/,
  ],
  [
    "a package that does not exist",
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

for (const args of [[], ["alpha"]])
  test(`opm ${args.join(" ")} alone prints nothing and succeeds`, () => {
    assert.deepEqual(opm(...args), { exit: 0, stdout: "", stderr: "" });
  });

test("what render writes renders to itself", () => {
  const once = opm("render", catalog, "-o", "yaml");
  assert.equal(once.exit, 0);
  const again = join(directory, "again");
  mkdirSync(again);
  writeFileSync(join(again, "catalog.yaml"), once.stdout);
  assert.deepEqual(opm("render", again, "-o", "yaml"), once);
});

test("migrate writes one file per package into an empty directory and refuses a second time", () => {
  const out = join(directory, "out");
  const { exit, stderr } = opm("migrate", catalog, out, "-o", "yaml");
  assert.equal(exit, 0, stderr);
  assert.deepEqual(readdirSync(join(out, "kiln")), ["catalog.yaml"]);
  assert.match(opm("migrate", catalog, out).stderr, /level=fatal msg="output dir \\".*out\\" must be empty"\n$/);
});

test("init writes a package blob; an icon must be an image", () => {
  const blob = '{\n    "schema": "olm.package",\n    "name": "kiln",\n    "defaultChannel": ""\n}\n';
  assert.deepEqual(opm("init", "kiln"), { exit: 0, stdout: blob, stderr: "" });
  const icon = join(directory, "icon");
  writeFileSync(icon, '<?xml version="1.0"?><!-- drawn --><svg viewBox="0 0 1 1"></svg>');
  assert.match(opm("init", "kiln", "-i", icon).stdout, /"mediatype": "image\/svg\+xml"/);
  writeFileSync(icon, "text");
  assert.match(
    opm("init", "kiln", "-i", icon).stderr,
    / level=fatal msg="detected invalid type \\"\\": not an image"\n$/,
  );
  writeFileSync(icon, "");
  assert.match(opm("init", "kiln", "-i", icon).stderr, / msg="detect icon mediatype: /);
});

test("generate dockerfile writes beside the catalog, sorts labels and never overwrites", () => {
  const args = ["generate", "dockerfile", catalog, "-i", "scratch", "-l", "b=2,a=1", "--extra-labels", "b=3"];
  assert.deepEqual(opm(...args), { exit: 0, stdout: "", stderr: "" });
  const text = readFileSync(join(directory, "catalog.Dockerfile"), "utf8");
  assert.match(text, /\nADD catalog \/configs\n/);
  assert.match(text, /configs\.v1=\/configs\nLABEL "a"="1"\nLABEL "b"="3"\n$/);
  assert.doesNotMatch(text, /^(ENTRYPOINT|CMD)/m);
  assert.match(opm(...args).stderr, /level=fatal msg="path \\".*\.Dockerfile\\": file already exists"\n$/);
  assert.match(opm(...args.slice(0, 3), "-b", "scratch").stderr, /^Error: invalid builder image: "scratch"\n/);
  assert.match(opm(...args.slice(0, 3), "-l", "x").stderr, /^Error: invalid label "x"\n/);
});

const deprecated = "Flag --skip-tls has been deprecated, use --use-http and --skip-tls-verify instead\n";
const lines: readonly (readonly [what: string, args: readonly string[], exit: 0 | 1, stderr: RegExp])[] = [
  [
    "flags before and between command names are accepted",
    ["--use-http", "alpha", "--skip-tls=false", "list", "packages"],
    1,
    /accepts 1 arg/,
  ],
  ["flags of all commands take a value behind =", ["--use-http=false", "validate", "CATALOG"], 0, /^$/],
  [
    "a deprecated flag warns each time it is given",
    ["--skip-tls", "validate", "CATALOG", "--skip-tls"],
    0,
    new RegExp(`^(${deprecated}){2}$`),
  ],
  ["... also in front of an error", ["--skip-tls", "validate"], 1, new RegExp(`^${deprecated}Error: accepts 1 arg`)],
  ["--debug is the root's alone", ["--debug"], 0, /^$/],
  [
    "... and no command's",
    ["--debug", "validate", "CATALOG"],
    1,
    /^Error: unknown flag: --debug\nUsage:\n {2}opm validate/,
  ],
  [
    "an unknown name of the root",
    ["bogus"],
    1,
    /^Error: unknown command "bogus" for "opm"\nUsage:\n {2}opm \[command\]\n/,
  ],
  ["an unknown flag of the root", ["--bogus"], 1, /^Error: unknown flag: --bogus\nUsage:\n {2}opm \[command\]\n/],
  ["an unknown flag of a group", ["alpha", "-x"], 1, /^Error: unknown shorthand flag: 'x' in -x\n/],
  [
    "--skip-tls with --use-http",
    ["render", "CATALOG", "--skip-tls=false", "--use-http"],
    1,
    /cannot use --use-http with --skip-tls\n$/,
  ],
  [
    "lists report the same conflict as a log record",
    ["alpha", "list", "packages", "CATALOG", "--skip-tls", "--skip-tls-verify"],
    1,
    /level=fatal msg="invalid flag combination: cannot use --skip-tls-verify with --skip-tls"\n$/,
  ],
  ["... and what asks no registry does not mind", ["validate", "CATALOG", "--use-http", "--skip-tls-verify"], 0, /^$/],
  [
    "two ways to migrate",
    ["render", "CATALOG", "--migrate", "--migrate-level", "all"],
    1,
    /^Error: if any flags in the group \[migrate migrate-level\] are set none of the others can be; \[migrate migrate-level\] were all set\n/,
  ],
  ["a required flag", ["alpha", "bundle", "generate"], 1, /^Error: required flag\(s\) "directory" not set\n/],
  [
    "a switch with a value that is not a boolean",
    ["render", "CATALOG", "--migrate=maybe"],
    1,
    /^Error: invalid argument "maybe" for "--migrate" flag: strconv.ParseBool: parsing "maybe": invalid syntax\n/,
  ],
];
const neededBySqlite: readonly (readonly [command: string, flags: readonly string[]])[] = [
  ["index add", ["bundles"]],
  ["index rm", ["from-index", "operators"]],
  ["index prune", ["from-index", "packages"]],
  ["index prune-stranded", ["from-index"]],
  ["index deprecatetruncate", ["bundles"]],
  ["index export", ["index"]],
  ["registry add", []],
  ["registry rm", ["packages"]],
  ["registry prune", ["packages"]],
  ["registry prune-stranded", []],
  ["registry deprecatetruncate", []],
  ["registry serve", []],
];
for (const [command, flags] of neededBySqlite)
  test(`${command} asks for ${flags.join(" and ") || "no flag"} before it refuses SQLite`, () => {
    const { exit, stderr } = opm(...command.split(" "));
    assert.equal(exit, 1);
    const names = flags.map((name) => `"${name}"`).join(", ");
    const found = /^Error: required flag\(s\) (.*) not set$/m.exec(stderr)?.[1] ?? "";
    assert.equal(found, names, stderr);
    assert.equal(/which are not supported/.test(stderr), flags.length === 0, stderr);
  });
for (const [what, args, exit, stderr] of lines)
  test(what, () => {
    const given = args.map((arg) => arg.replace("CATALOG", catalog));
    const answer = opm(...given);
    assert.equal(answer.exit, exit, answer.stderr);
    assert.match(answer.stderr, stderr);
  });

test("HELP_ALPHA shows the alpha group, alpha flags with a warning, and more about render", () => {
  const help = (alpha: boolean, ...args: readonly string[]): string => {
    const { exit, stdout, stderr } = runOpm(args, clock, { alpha });
    assert.deepEqual([exit, stderr], [0, ""]);
    return stdout;
  };
  for (const ask of [["--help"], ["-h"], ["help"]]) {
    assert.doesNotMatch(help(false, ...ask), /alpha/);
    assert.match(help(true, ...ask), /^ {2}alpha list packages /m);
  }
  assert.match(help(false, "alpha", "--help"), /^ {2}alpha list packages /m);
  assert.equal(help(false, "help", "render"), help(false, "render", "--help"));
  assert.doesNotMatch(help(false, "render", "--help"), /alpha-/);
  assert.match(help(true, "render", "--help"), /--alpha-image-ref-template TEMPLATE {2}\(ALPHA: .*\{\{\.Package\}\}/s);
});

test("on a terminal a record keeps its lines, control characters are escaped, and a hint follows unless it is turned off", () => {
  const broken = join(directory, "broken");
  const on = runOpm(["validate", broken], clock, { terminal: true, hints: true });
  assert.match(on.stderr, /^FATA\[0000\] invalid index:\n└── invalid package "kiln":\n/);
  assert.match(on.stderr, /\nhint: purser catalog validate shows all problems with positions\n$/);
  assert.equal(on.stdout, "");
  assert.doesNotMatch(runOpm(["validate", broken], clock, { terminal: true }).stderr, /hint/);
  assert.equal(runOpm(["validate", catalog], clock, { terminal: true, hints: true }).stderr, "");
  const evil = join(directory, "evil");
  mkdirSync(evil);
  writeFileSync(join(evil, "a.json"), '{"schema":"olm.package","name":"\\u001b[2J"}');
  assert.match(
    runOpm(["validate", evil], clock, { terminal: true }).stderr,
    /^FATA\[0000\] invalid package name "\\x1b\[2J"/,
  );
});

test("the help of a group lists each flag once", () => {
  for (const group of [[], ["alpha"], ["alpha", "list"]]) {
    const flags = [...opm(...group, "--help").stdout.matchAll(/ --([a-z-]+) /g)].map(([, name]) => name);
    assert.deepEqual(flags, ["skip-tls-verify", "use-http", "help"]);
  }
});
