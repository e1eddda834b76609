import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { digestOfSources } from "./read-sources.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-sources-"))));
after(() => rmSync(directory, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
/** As the bundler lists what it has read. */
function list(names: readonly string[]): string {
  const entries = names.map((name) => {
    const { size, ctimeMs } = statSync(join(directory, name));
    return [name, `${size} ${ctimeMs}`];
  });
  write("sources.json", JSON.stringify(Object.fromEntries(entries)));
  return join(directory, "sources.json");
}
const tail =
  "while the image was built: it would hold parts of both states; build again when nothing changes the sources";

test("the digest of the sources follows from their names and content, not from times or the order of the list", () => {
  write("a.ts", "one");
  write("b.ts", "two");
  const first = digestOfSources(list(["a.ts", "b.ts"]), directory);
  assert.ok(first.ok);
  utimesSync(join(directory, "a.ts"), 1, 1);
  assert.deepEqual(digestOfSources(list(["b.ts", "a.ts"]), directory), first);
  renameSync(join(directory, "b.ts"), join(directory, "c.ts"));
  const renamed = digestOfSources(list(["a.ts", "c.ts"]), directory);
  write("c.ts", "three");
  const changed = digestOfSources(list(["a.ts", "c.ts"]), directory);
  assert.equal(new Set([first, renamed, changed].map((result) => (result.ok ? result.value : ""))).size, 3);
});

test("a source that changed, was deleted or changed while the bundler read refuses the build and is named", () => {
  write("a.ts", "one");
  const taken = list(["a.ts"]);
  write("a.ts", "two");
  assert.deepEqual(digestOfSources(taken, directory), { ok: false, problem: `a.ts changed ${tail}` });
  rmSync(join(directory, "a.ts"));
  assert.deepEqual(digestOfSources(taken, directory), { ok: false, problem: `a.ts changed ${tail}` });
  assert.deepEqual(digestOfSources(join(directory, "none.json"), directory), {
    ok: false,
    problem: `a source changed ${tail}`,
  });
});
