import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Outcome } from "../../command.ts";
import { UsageError, exitCodeOfOutcome } from "../../command.ts";
import { commands } from "../../commands.ts";
import { parseArguments, runCommand } from "../../program.ts";
import type { Terminal } from "../../output/terminal.ts";
import { runPurser } from "../../testing/run-purser.ts";

let directory = "";
let catalog = "";

const yaml = `schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
  - name: foo.v1.2.0
    replaces: foo.v1.1.0
    skips:
      - foo.v1.1.1
  - name: foo.v1.1.1
    replaces: foo.v1.1.0
  - name: foo.v1.1.0
    skipRange: ">=0.9.0 <1.0.0"
---
schema: olm.channel
package: foo
name: fast
entries:
  - name: foo.v2.0.0
    skips: [foo.v1.0.0]
`;
const bundle = (packageName: string, version: string): string =>
  `---
schema: olm.bundle
package: ${packageName}
name: ${packageName}.v${version}
image: example.com/${packageName}:${version}
properties:
  - {type: olm.package, value: {packageName: ${packageName}, version: ${version}}}
`;

before(() => {
  directory = mkdtempSync(join(tmpdir(), "purser-graph-"));
  catalog = join(directory, "catalog.yaml");
  writeFileSync(catalog, yaml + ["2.0.0", "1.2.0", "1.1.1", "1.1.0"].map((version) => bundle("foo", version)).join(""));
  const two = `schema: olm.package\nname: bar\n---\nschema: olm.package\nname: barrel\n---\nname: nothing\n`;
  writeFileSync(join(directory, "two.yaml"), two);
  writeFileSync(join(directory, "broken.yaml"), "a: [");
});
after(() => rmSync(directory, { recursive: true, force: true }));

interface Ran {
  readonly outcome: Outcome;
  readonly exit: number;
  readonly stderr: string;
}

async function purser(...args: readonly string[]): Promise<Ran> {
  const parsed = await parseArguments("purser", commands, args);
  assert.ok(parsed.kind === "run");
  const lines: string[] = [];
  const terminal: Terminal = {
    isInteractive: false,
    show: () => assert.fail("printed by the caller"),
    env: {},
    out: () => assert.fail("results are returned"),
    write: () => assert.fail("results are returned"),
    err: (line) => void lines.push(line),
    progress: () => {},
    paint: (_, text) => text,
    symbol: (name) => name,
    ask: async () => undefined,
  };
  const outcome = await runCommand(parsed, { terminal, signal: new AbortController().signal });
  const exit = exitCodeOfOutcome(outcome);
  return { outcome, exit, stderr: lines.join("\n") };
}

test("purser catalog graph draws the only package of a catalog as text", async () => {
  const { outcome, exit } = await purser("catalog", "graph", catalog);
  assert.equal(exit, 0);
  assert.equal(
    outcome.verbatim,
    String.raw`stable (default)          fast
* 1.2.0 head              * 2.0.0 head
|\ skips 1.1.1             \ skips 1.0.0
| o 1.1.1 skipped         ? 1.0.0  not in catalog, skipped
* 1.1.0  to 1.1.1 (v1)
 \ from >=0.9.0 <1.0.0
`,
  );
});

test("a graph is drawn as wide as the terminal, and in a file as wide as it is", async () => {
  const narrow = await runPurser(["catalog", "graph", catalog], { env: {}, width: 30 });
  assert.equal(
    narrow.text,
    String.raw`stable (default)
* 1.2.0 head
|\ skips 1.1.1
| o 1.1.1 skipped
* 1.1.0  to 1.1.1 (v1)
 \ from >=0.9.0 <1.0.0

fast
* 2.0.0 head
 \ skips 1.0.0
? 1.0.0  not in catalog, skipped
`,
  );
  const file = join(directory, "graph.txt");
  await runPurser(["catalog", "graph", catalog, "--file", file], { env: {}, width: 30 });
  assert.equal(readFileSync(file, "utf8"), (await purser("catalog", "graph", catalog)).outcome.verbatim);
});

const forms: readonly (readonly [form: string, begins: RegExp])[] = [
  ["svg", /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/],
  ["html", /^<!doctype html>/],
  ["mermaid", /^flowchart BT\n/],
  ["dot", /^digraph "foo" \{\n/],
];
for (const [form, begins] of forms) {
  test(`purser catalog graph -o ${form} is the same on the terminal and in a file`, async () => {
    const file = join(directory, `graph.${form}`);
    const printed = await purser("catalog", "graph", catalog, "--from", "1.1", "-o", form);
    assert.match(printed.outcome.verbatim ?? "", begins);
    const written = await purser("catalog", "graph", catalog, "--from", "1.1", "-o", form, "--file", file);
    assert.deepEqual([written.exit, written.outcome.verbatim, written.stderr], [0, undefined, `ok wrote ${file}`]);
    assert.equal(readFileSync(file, "utf8"), printed.outcome.verbatim);
  });
}

test("purser catalog graph -o json contains the edges with the lines that declare them", async () => {
  const { outcome } = await purser("catalog", "graph", catalog, "--channel", "stable", "-o", "json");
  const { data } = outcome;
  assert.ok(isJsonObject(data ?? null));
  const text = JSON.stringify(data);
  assert.match(
    text,
    /\{"to":"foo.v1.2.0","channel":"stable","rules":"both","kind":"skips","from":\["foo.v1.1.1"\],"place":/,
  );
  assert.match(text, /"pointer":"\/entries\/0"/);
  assert.match(text, /"line":9/);
  assert.doesNotMatch(text, /"fast"/);
});

test("a graph can be written to a file as JSON and YAML", async () => {
  for (const [form, begins] of [
    ["json", /^\{\n {2}"apiVersion": "purser\.dev\/v1alpha1"/],
    ["yaml", /^apiVersion: purser\.dev\/v1alpha1\n/],
  ] as const) {
    const file = join(directory, `graph.${form}`);
    await purser("catalog", "graph", catalog, "-o", form, "--file", file);
    assert.match(readFileSync(file, "utf8"), begins);
  }
});

test("a failed write leaves no file", async () => {
  const file = join(catalog, "below-a-file.svg");
  const { exit, stderr } = await purser("catalog", "graph", catalog, "-o", "svg", "--file", file);
  assert.equal(exit, 1);
  assert.match(stderr, /Cannot write/);
  assert.equal(existsSync(file), false);
});

test("purser catalog path reports each hop with its kind, channel and line", async () => {
  const { outcome, exit } = await purser("catalog", "path", catalog, "--from", "0.9.5", "--rules", "v0");
  assert.equal(exit, 0);
  assert.equal(
    outcome.human,
    `foo 0.9.5 (not in the catalog)
v0  2 hops to 1.2.0
    0.9.5 -> 1.1.0  skipRange >=0.9.0 <1.0.0  in stable  ${catalog}:15
    1.1.0 -> 1.2.0  replaces                  in stable  ${catalog}:9`,
  );
});

test("when only OLM v0 or OLM v1 has a path, both answers are printed and the exit code is 1", async () => {
  const { outcome, exit } = await purser("catalog", "path", catalog, "--from", "foo.v1.1.0", "--to", "1.1.1");
  assert.equal(exit, 1);
  assert.equal(
    outcome.human,
    `foo 1.1.0
v0  no way to 1.1.1
    why  1.2.0 skips 1.1.1, so OLM v0 never chooses it
    do   OLM v1 reaches 1.1.1 in 1 hop
    or   in the catalog: remove foo.v1.1.1 from the skips of foo.v1.2.0
v1  1 hop to 1.1.1; left alone, upgrades end at 1.2.0 after 1 hop
    1.1.0 -> 1.1.1  replaces  in stable  ${catalog}:13`,
  );
  const paths = isJsonObject(outcome.data ?? null) ? JSON.stringify(outcome.data) : "";
  assert.match(
    paths,
    /"found":false,"cause":\{"kind":"targetPassedOver","target":"foo.v1.1.1","skippedBy":\["foo.v1.2.0"\]/,
  );
});

test("the beginning of a version gives one line for each version that begins so", async () => {
  const { outcome, exit } = await purser("catalog", "path", catalog, "--from", "1.1");
  assert.equal(exit, 0);
  assert.equal(outcome.human, "FROM   RULES   HOPS  WAY\n1.1.1  v0, v1  1     1.2.0\n1.1.0  v0, v1  1     1.2.0");
});

test("without any path the explanation has the commands of the remedies", async () => {
  const { outcome, exit } = await purser("catalog", "path", catalog, "--from", "1.0.0", "--rules", "v0");
  assert.equal(exit, 1);
  assert.equal(outcome.human, undefined);
  assert.equal(outcome.explanation?.code, "NoUpgradePath");
  assert.equal(outcome.explanation.summary, "No upgrade leads from foo 1.0.0 to 1.2.0");
  assert.deepEqual(
    outcome.explanation.remedies.map(({ command, summary }) => command ?? summary),
    [
      `purser catalog path ${catalog} --from 1.0.0 --rules v0 --channel fast`,
      "in the catalog: let 1.2.0 in channel stable skip foo.v1.0.0, or cover its version by skipRange (v0)",
    ],
  );
});

const refusals: readonly (readonly [
  what: string,
  args: readonly string[],
  code: string,
  exit: number,
  remedy: RegExp,
])[] = [
  ["a package", ["graph", "TWO", "--package", "barel"], "PackageNotFound", 6, /barrel/],
  ["a channel", ["graph", "CATALOG", "--channel", "stabel"], "ChannelNotFound", 6, /--channel stable/],
  ["a version", ["path", "CATALOG", "--from", "1.1.2"], "VersionNotFound", 6, /1\.1\.\d/],
  ["a target", ["path", "CATALOG", "--from", "1.1.0", "--to", "1.2.1"], "VersionNotFound", 6, /1\.2\.0/],
  ["a catalog", ["path", "./catalogue", "--from", "1"], "CatalogNotFound", 6, /^$/],
  ["an image", ["graph", "oci:./absent"], "CatalogUnavailable", 6, /./],
  ["a broken file", ["graph", "BROKEN"], "CatalogInvalid", 1, /purser catalog validate/],
];
for (const [what, args, code, exit, remedy] of refusals) {
  test(`${what} that does not exist or cannot be read ends with ${code} and exit code ${exit}`, async () => {
    const paths: ReadonlyMap<string, string> = new Map([
      ["CATALOG", catalog],
      ["TWO", join(directory, "two.yaml")],
      ["BROKEN", join(directory, "broken.yaml")],
    ]);
    const ran = await purser("catalog", ...args.map((arg) => paths.get(arg) ?? arg));
    assert.equal(ran.outcome.explanation?.code, code);
    assert.equal(ran.exit, exit);
    const ways = ran.outcome.explanation.remedies.map(({ summary, command }) => `${summary} ${command ?? ""}`);
    assert.match(ways.join("\n"), remedy);
    assert.deepEqual([ran.outcome.human, ran.outcome.verbatim, ran.outcome.data], [undefined, undefined, undefined]);
  });
}

test("unreadable documents outside of the package are reported and ignored", async () => {
  const { exit, stderr } = await purser("catalog", "graph", join(directory, "two.yaml"), "--package", "bar");
  assert.equal(exit, 0);
  assert.match(stderr, /^attention left out: .*two\.yaml:7: .* is missing root schema field$/);
});

test("missing arguments are wrong usage", async () => {
  await assert.rejects(purser("catalog", "path", catalog), UsageError);
  await assert.rejects(purser("catalog", "graph", catalog, "--to", "1.2.0"), UsageError);
  await assert.rejects(
    purser("catalog", "graph", join(directory, "two.yaml")),
    /holds 2 packages: name one with --package/,
  );
  await assert.rejects(purser("catalog", "graph", catalog, "-o", "png"), UsageError);
});
