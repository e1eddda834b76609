// All that is found in catalogs that differ from a sound one in one place, whole: testing/whole-findings.txt.
// PURSER_TEST_RECORD=findings writes that file anew: look at the difference before it is committed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fixFiles } from "./fix-catalog.ts";
import type { JudgedFinding } from "./finding.ts";
import { changed, findingsIn, readWorlds, skipping } from "./testing/worlds.ts";

const folder = join(import.meta.dirname, "testing");
const file = join(folder, "whole-findings.txt");
const rich = readFileSync(join(folder, "rich-catalog.yaml"), "utf8");

function findingText({
  rule,
  severity,
  message,
  why,
  remedy,
  place,
  packageName,
  channel,
  bundle,
  fix,
}: JudgedFinding): string {
  const at = `${place.line ?? "-"}:${place.column ?? "-"} ${place.pointer ?? "-"}`;
  const of = [packageName, channel, bundle].map((name) => name ?? "-").join(" ");
  return [
    `  ${rule} ${severity} at ${at} of ${of}: ${message}`,
    ...(why === undefined ? [] : [`    why: ${why}`]),
    ...(remedy === undefined ? [] : [`    remedy: ${remedy}`]),
    ...(fix === undefined ? [] : [`    fix: ${JSON.stringify(fix)}`]),
  ].join("\n");
}

/** The lines in which the repaired text differs, as few as have no equal at both ends. */
function repairText(text: string, findings: readonly JudgedFinding[]): readonly string[] {
  const fixed = fixFiles([{ file: "foo.yaml", text }], findings)[0]?.text ?? text;
  const [before, after] = [text.split("\n"), fixed.split("\n")];
  let from = 0;
  while (from < before.length && before[from] === after[from]) from++;
  let end = 0;
  while (end < before.length - from && end < after.length - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  const part = (lines: readonly string[], mark: string): readonly string[] =>
    lines.slice(from, lines.length - end).map((line) => `  ${mark} ${line}`);
  return [...part(before, "-"), ...part(after, "+")];
}

/** Each catalog with the change that makes it from a sound one. */
function* catalogs(): Generator<readonly [title: string, text: string, old?: string | undefined]> {
  const { base, worlds } = readWorlds();
  for (const { rule, change, spare, old, skips } of worlds) {
    const before = old === undefined ? undefined : changed(base, old);
    yield [
      `${rule} ${JSON.stringify(change ?? skips)}`,
      skips === undefined ? changed(base, change ?? []) : skipping(base, skips),
      before,
    ];
    if (spare !== undefined) yield [`spared ${JSON.stringify(spare)}`, changed(base, spare), before];
  }
  const lines = rich.trimEnd().split("\n");
  const rewritten = (at: number, by: readonly string[]): string =>
    [...lines.slice(0, at), ...by, ...lines.slice(at + 1)].join("\n");
  for (const [at, line] of lines.entries()) {
    if (line === "---") continue;
    yield [`without line ${at + 1}: ${line}`, rewritten(at, [])];
    if (/^(?:- |schema: |name: )/.test(line)) yield [`line ${at + 1} twice: ${line}`, rewritten(at, [line, line])];
    const word = /^(.*[: [])([^ :{}[\]]+)([\]}]*)$/.exec(line);
    if (word === null) continue;
    const [, head = "", value = "", tail = ""] = word;
    for (const other of [`${value}x`, "''", "[1]"])
      yield [`line ${at + 1}: ${head}${other}${tail}`, rewritten(at, [`${head}${other}${tail}`])];
  }
  const documents = rich.split("---\n").slice(1);
  for (const [at, document] of documents.entries())
    yield [
      `document ${at + 1} twice`,
      documents
        .toSpliced(at, 0, document)
        .map((each) => `---\n${each}`)
        .join(""),
    ];
  for (const entries of channels) {
    const channel = entries.split("; ").map((entry) => {
      const [name = "", ...edges] = entry.split(" ");
      const skips = edges.filter((edge) => edge.startsWith("s=")).map((edge) => `kiln.v${edge.slice(2)}`);
      const replaces = edges
        .filter((edge) => edge.startsWith("r="))
        .map((edge) => `, replaces: kiln.v${edge.slice(2)}`);
      return `- {name: kiln.v${name}${replaces.join("")}, skips: [${skips.join(", ")}]}`;
    });
    yield [`entries ${entries}`, changed(rich, [[firstEntries, `${channel.join("\n")}\n`]])];
  }
}
const firstEntries = rich.slice(
  rich.indexOf("- name: kiln.v1.0.0"),
  rich.indexOf("---\nschema: olm.channel\npackage: kiln\nname: stable-v2"),
);
/** Graphs of one channel: `r=` replaces, `s=` skips. */
const channels = [
  "1.0.0; 1.1.0",
  "1.1.0; 1.0.0; 1.2.0",
  "1.0.0; 1.1.0 r=1.0.0; 1.2.0 r=1.0.0",
  "1.0.0; 1.1.0; 1.2.0 r=1.1.0; 1.1.1",
  "1.0.0; 1.1.0 r=1.0.1; 1.2.0 r=1.1.0",
  "1.0.0; 1.2.0 r=0.9.0; 1.1.0 r=1.0.O",
  "1.0.0 r=1.1.0; 1.1.0 r=1.0.0",
  "1.0.0 s=1.1.0; 1.1.0 s=1.0.0",
  "1.0.0 r=1.0.0",
  "1.0.0 s=1.0.0",
  "1.0.0 r=1.2.0; 1.1.0 r=1.0.0; 1.2.0 r=1.1.0",
  "1.0.0 r=1.1.0; 1.1.0 r=1.0.0; 1.2.0 r=1.1.0",
  "1.0.0; 1.1.0 r=1.0.0; 1.1.1 r=1.0.0; 1.2.0 r=1.1.0 s=1.1.1",
  "1.0.0; 1.1.0 r=1.0.0; 1.2.0 s=1.1.0",
  "1.0.0; 1.1.0 r=1.0.0; 1.2.0 s=1.1.0; 1.1.1",
  "1.0.0; 1.1.0 r=1.0.0 s=1.0.0; 1.1.1; 1.2.0 r=1.1.0",
  "1.2.0; 1.1.0 r=1.2.0; 1.0.0 r=1.1.0",
  "1.0.0; 9.0.0; 8.0.0",
  "1.0.0; 1.1.0 s=1.0.0 s=1.0.0; 1.2.0 r=1.1.0 s=1.0.0 s=1.1.0",
];

/** Of the rich catalog as it is; what is found in it again is not repeated below. */
const known = findingsIn(rich);
const isSame = (one: JudgedFinding, other: JudgedFinding): boolean =>
  one.rule === other.rule && one.message === other.message && one.why === other.why;

test("what is found in each changed catalog, why, where and what repairs it is as recorded", () => {
  const parts: string[] = ["the rich catalog", ...known.map(findingText)];
  for (const [title, text, old] of catalogs()) {
    const findings = findingsIn(text, old === undefined ? {} : { old });
    const added = findings.filter((one) => !known.some((other) => isSame(one, other)));
    const gone = known.filter(
      (one) => text.includes("kiln") && findings.length > 0 && !findings.some((other) => isSame(one, other)),
    );
    const missing = gone.length === 0 ? [] : [`  not ${gone.map(({ rule }) => rule).join(" ")}`];
    parts.push(title, ...added.map(findingText), ...missing, ...repairText(text, findings));
  }
  const all = `${parts.join("\n")}\n`;
  if (process.env["PURSER_TEST_RECORD"] === "findings") writeFileSync(file, all);
  assert.equal(all, readFileSync(file, "utf8"));
});
