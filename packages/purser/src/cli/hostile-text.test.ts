import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { escapeControls, escapeValues } from "@purser/kubernetes/text/control-characters";
import { builtProduct } from "../../e2e/built-product.ts";
import { coloured, shown, written, writtenData } from "./output/shown.ts";
import { formatTable } from "./output/table.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-hostile-"));
after(() => rmSync(directory, { recursive: true }));

/** Clears the screen, forges a line, contains a C1 control character and changes the writing direction. */
const hostile = "\u001b[2J\nReady\r\u0007\u007f\u009b31m\u2028\u202e\u200b\u2066";
// oxlint-disable-next-line no-control-regex
const raw = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200b]/;

// oxlint-disable-next-line no-control-regex
const colour = /\u001b\[\d+m/g;

test("every control character is escaped, and other characters stay", () => {
  assert.equal(escapeControls("\u001b[31m\n\u009b\u{e0041}"), "\\u001b[31m\\u000a\\u009b\\u{e0041}");
  assert.equal(escapeControls("pay\u200dpal a\u200c"), "pay\\u200dpal a\\u200c");
  for (const fine of ["naïve – 日本語 ✓", "👩\u200d🔧", "नी\u200dक", "\\u001b"])
    assert.equal(escapeControls(fine), fine);
  assert.equal(escapeControls("\ud800"), "\\ud800");
  assert.deepEqual(escapeValues({ a: ["\u001b", new Map([["\n", 1]])] }), {
    a: ["\\u001b", new Map([["\\u000a", 1]])],
  });
});

test("only line breaks between lines and purser's own colour codes are written unescaped", () => {
  const text = written(shown(`${coloured(hostile, 31, 39)} ${hostile}`, "\u001b[32mforged"));
  assert.equal(text.split("\n").length, 2);
  assert.deepEqual(text.match(colour), ["\u001b[31m", "\u001b[39m"]);
  assert.doesNotMatch(text.replaceAll("\u001b[31m", "").replaceAll("\u001b[39m", ""), raw);
});

test("a table cell is one line for any content, and colour codes have no width", () => {
  const table = formatTable(
    ["A", "B"],
    [
      [hostile, coloured("x", 31, 39)],
      ["short", "y"],
    ],
  );
  assert.equal(table.split("\n").length, 3);
  assert.doesNotMatch(written(table).replaceAll(colour, ""), raw);
});

test("JSON escaped for a terminal has the same value", () => {
  const text = writtenData(JSON.stringify({ a: hostile }, undefined, 2));
  assert.doesNotMatch(text, raw);
  assert.deepEqual(JSON.parse(text), { a: hostile });
});

test("data that is written in pieces is escaped on a terminal wherever it is cut, and keeps its bytes elsewhere", () => {
  const json = JSON.stringify({ a: hostile });
  const printed = (isTerminal: boolean): string => {
    const program = `
      import { runOwnAnswer } from ${JSON.stringify(new URL("run-own-answer.ts", import.meta.url).href)};
      process.stdout.isTTY = ${isTerminal};
      const bytes = Buffer.from(${JSON.stringify(json)});
      process.exitCode = await runOwnAnswer(async (_, { out }) => {
        for (const byte of bytes) out(Uint8Array.of(byte));
        return { exit: 0, stdout: "", stderr: "" };
      }, [], false);`;
    return spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout;
  };
  assert.doesNotMatch(printed(true), raw);
  assert.deepEqual(JSON.parse(printed(true)), { a: hostile });
  assert.equal(printed(false), json);
});

/** Hostile text in names, channels, versions, properties and a file name. */
function hostileCatalog(name: string): string {
  const root = join(directory, name);
  mkdirSync(root);
  const blobs = [
    { schema: "olm.package", name: `p${hostile}`, defaultChannel: `c${hostile}`, description: hostile },
    { schema: "olm.channel", package: `p${hostile}`, name: `c${hostile}`, entries: [{ name: `p.v1${hostile}` }] },
    {
      schema: "olm.bundle",
      package: `p${hostile}`,
      name: `p.v1${hostile}`,
      image: hostile,
      properties: [{ type: hostile, value: { packageName: hostile, version: `1.0.0${hostile}` } }],
    },
    { schema: "olm.package", name: "good", defaultChannel: "c" },
    { schema: "olm.channel", package: "good", name: "c", entries: [{ name: `good.v1${hostile}`, replaces: hostile }] },
    {
      schema: "olm.bundle",
      package: "good",
      name: `good.v1${hostile}`,
      image: hostile,
      properties: [{ type: "olm.package", value: { packageName: "good", version: "1.0.0" } }],
    },
  ];
  writeFileSync(join(root, `a${hostile}.json`), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
  return root;
}

const catalog = hostileCatalog("catalog");
const other = hostileCatalog("other\n\u001b[31m");
writeFileSync(join(other, "more.yaml"), `schema: olm.package\nname: "more\\e[2J"\n---\n: [`);

const commands: readonly (readonly string[])[] = [
  ["catalog", "validate", catalog],
  ["catalog", "lint", catalog],
  ["catalog", "validate", other],
  ["catalog", "diff", catalog, other],
  ["catalog", "graph", catalog, "--package", "good"],
  ["catalog", "graph", catalog, "--package", `p${hostile}`],
  ["catalog", "path", catalog, "--package", "good", "--from", hostile],
  ["catalog", "prune", catalog, "--keep", hostile, "--into", join(directory, `pruned${hostile}`)],
  ["catalog", "index", catalog],
  ["catalog", "render", join(directory, hostile)],
  ["catalog", hostile],
  ["bundle", "validate", other],
  ["bundle", "diff", other, catalog],
  ["plan", hostile, "--catalog", `olm/demo=${catalog}`],
  ["plan", "good", "--catalog", `olm/demo=${catalog}`],
  ["explain", "good", "--catalog", `olm/demo=${catalog}`],
  ["explain", "good", "--catalog", `olm/demo=${catalog}`, "--why", hostile],
  ["list", "--kubeconfig", join(directory, hostile)],
  ["status", hostile, "--kubeconfig", join(directory, hostile)],
  ["list", `--${hostile}`],
  [hostile],
  ["up", "--demo", hostile],
  ["up", "--ephemeral", "--write-kubeconfig", `/dev/null/${hostile}`, "--demo", "none", "--catalog-address", "none"],
  ["run", "--catalog", `${hostile}=${hostile}`, "--kubeconfig", join(directory, hostile)],
];

for (const args of commands)
  test(`no control character of a value is printed by purser ${escapeControls(args.slice(0, 2).join(" ")).slice(0, 40)} ${commands.indexOf(args)}`, () => {
    // An argument cannot contain a zero byte; all other control characters are tested.
    const { stdout, stderr, status } = spawnSync(process.execPath, [builtProduct(), ...args], {
      encoding: "utf8",
      env: {
        ...process.env,
        PURSER_CACHE_DIR: join(directory, "cache"),
        HOME: directory,
        KUBECONFIG: "",
        LC_ALL: "C.UTF-8",
      },
    });
    const text = stdout + stderr;
    assert.notEqual(status, null);
    assert.notEqual(text, "");
    const found = raw.exec(text);
    assert.equal(found === null ? "" : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20)), "");
    assert.doesNotMatch(text, /^Ready[\r\\]/m, "a line break of a value was written");
  });

test("lines of purser's own are line breaks: each problem of a catalog on a line", () => {
  const root = join(directory, "invalid");
  mkdirSync(root);
  writeFileSync(join(root, "c.yaml"), 'schema: olm.package\nname: a\n---\nschema: olm.bundle\nname: "b\\n"\n');
  const { stderr, status } = spawnSync(process.execPath, [builtProduct(), "search", "x", "--catalog", `c=${root}`], {
    encoding: "utf8",
    env: { ...process.env, PURSER_CACHE_DIR: join(directory, "cache"), HOME: directory, LC_ALL: "C.UTF-8" },
  });
  assert.equal(
    stderr,
    `✗ the catalog "${root}" is invalid\n  ${root}/c.yaml:4: package name must be set for bundle "b\\n"\n  ${root}/c.yaml:1: default channel must be set\n  ${root}/c.yaml:1: package must contain at least one channel\n`,
  );
  assert.equal(status, 2);
});
