// Every place of the product that makes a remedy is met by a world whose remedies are carried out, or is listed with a reason.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { printedRemedies, recordedRemedies, remedyOf } from "./testing/printed-remedies.ts";
import { remedySites } from "./testing/remedy-sites.ts";
import { unmetSites } from "./testing/unmet-sites.ts";

const source = fileURLToPath(new URL("../..", import.meta.url));
const failing = readFileSync(new URL("../../resolver/testing/failing-worlds.yaml", import.meta.url), "utf8");
const met = [
  ...[...recordedRemedies().values()].flat().map(remedyOf),
  // Texts are indented by four spaces there.
  ...printedRemedies(failing.replaceAll(/^ {4}/gm, "")),
];

test("a remedy whose command deletes is marked as one that does, and no other is", () => {
  const deletes = /^kubectl (?:-n \S+ )?delete |^purser (?:uninstall|source remove) (?!.*--dry-run)/;
  const sites = remedySites(source).filter(({ command }) => command !== undefined);
  const [marked, plain] = [sites.filter(({ isMarked }) => isMarked), sites.filter(({ isMarked }) => !isMarked)];
  assert.ok(marked.length >= 15, `${marked.length} places`);
  assert.deepEqual(
    [
      ...marked.filter(({ command = "" }) => !deletes.test(command)),
      ...plain.filter(({ command = "" }) => deletes.test(command)),
    ].map(({ file, text }) => `${file}: ${text}`),
    [],
  );
});

test("a place that makes a remedy is met by a world, or listed with a reason, not both", () => {
  const sites = remedySites(source);
  assert.ok(sites.length > 150, `${sites.length} places`);
  const unmet = sites.filter((site) => !met.some((remedy) => site.meets(remedy)));
  const listed = Object.values(unmetSites).flat();
  assert.deepEqual([...new Set(unmet.map(({ file, text }) => `${file}: ${text}`))].toSorted(), listed.toSorted());
});
