import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { digestOfSources } from "./read-sources.ts";

let folder = "";
before(() => (folder = mkdtempSync(join(tmpdir(), "purser-sources-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
/** As the bundler lists what it has read. */
function list(names: readonly string[]): string {
  const entries = names.map((name) => {
    const { size, ctimeMs } = statSync(join(folder, name));
    return [name, `${size} ${ctimeMs}`];
  });
  write("sources.json", JSON.stringify(Object.fromEntries(entries)));
  return join(folder, "sources.json");
}
const tail =
  "while the image was built: it would hold parts of both states; build again when nothing changes the sources";

test("the digest of the sources follows from their names and content, not from times or the order of the list", () => {
  write("a.ts", "one");
  write("b.ts", "two");
  const first = digestOfSources(list(["a.ts", "b.ts"]), folder);
  assert.ok(first.ok);
  utimesSync(join(folder, "a.ts"), 1, 1);
  assert.deepEqual(digestOfSources(list(["b.ts", "a.ts"]), folder), first);
  renameSync(join(folder, "b.ts"), join(folder, "c.ts"));
  const renamed = digestOfSources(list(["a.ts", "c.ts"]), folder);
  write("c.ts", "three");
  const changed = digestOfSources(list(["a.ts", "c.ts"]), folder);
  assert.equal(new Set([first, renamed, changed].map((result) => (result.ok ? result.value : ""))).size, 3);
});

test("a source that changed, was deleted or changed while the bundler read refuses the build and is named", () => {
  write("a.ts", "one");
  const taken = list(["a.ts"]);
  write("a.ts", "two");
  assert.deepEqual(digestOfSources(taken, folder), { ok: false, problem: `a.ts changed ${tail}` });
  rmSync(join(folder, "a.ts"));
  assert.deepEqual(digestOfSources(taken, folder), { ok: false, problem: `a.ts changed ${tail}` });
  assert.deepEqual(digestOfSources(join(folder, "none.json"), folder), {
    ok: false,
    problem: `a source changed ${tail}`,
  });
});
