import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { opmProblem } from "../../catalog/opm/validate.ts";
import { readCatalogEntries } from "./read-catalog.ts";
import { type AllCoresOptions, readEntriesOnAllCores } from "./read-on-all-cores.ts";

function withCatalog(files: Readonly<Record<string, string>>, run: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "purser-cores-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return run(root).finally(() => rmSync(root, { recursive: true }));
}

const packageText = (name: string): string => `---
schema: olm.package
name: ${name}
defaultChannel: stable
---
schema: olm.channel
package: ${name}
name: stable
entries:
- name: ${name}.v1.0.0
---
schema: olm.bundle
package: ${name}
name: ${name}.v1.0.0
image: registry.example/${name}@sha256:${"0".repeat(64)}
properties:
- type: olm.package
  value:
    packageName: ${name}
    version: 1.0.0
- type: example.number
  value: 12345678901234567890
`;
const packages = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`p${index}/catalog.yaml`, packageText(`p${index}`)]),
);

const everything = async (root: string, options: AllCoresOptions): Promise<readonly unknown[]> => [
  ...(await readEntriesOnAllCores(root, options)),
];

test("several threads read the same entries in the same order as one", async () => {
  await withCatalog({ ...packages, ".indexignore": "p3\n", "p5/x.json": '{"schema":"a"}\n[]' }, async (root) => {
    const expected = [...readCatalogEntries(root)];
    assert.equal(expected.length, 11 * 3 + 2);
    for (const threads of [1, 2, 3]) assert.deepEqual(await everything(root, { threads }), expected, String(threads));
  });
});

test("no more threads are started than there are files, this one counted", async () => {
  await withCatalog(Object.fromEntries(Object.entries(packages).slice(0, 3)), async (root) => {
    let started = 0;
    const count = (): void => void started++;
    process.on("worker", count);
    const reader = new URL("data:text/javascript,");
    const counts: number[] = [];
    for (const threads of [1, 2, 3, 9]) {
      started = 0;
      await everything(root, { threads, reader });
      counts.push(started);
    }
    process.off("worker", count);
    assert.deepEqual(counts, [0, 1, 2, 2]);
  });
});

test("the first bad file in the order of the walk is reported, whichever thread reads one first", async () => {
  const files = { ...packages, "p0/bad.yaml": "a: 1\n", "p9/bad.yaml": `# ${"x".repeat(5000)}\nb: [\n` };
  await withCatalog(files, async (root) => {
    const said = opmProblem(await readEntriesOnAllCores(root, { threads: 3 }));
    assert.equal(said, "object '{\"a\":1}\n' is missing root schema field");
  });
});

test("files of threads that cannot start are read by the calling thread", async () => {
  await withCatalog(packages, async (root) => {
    for (const source of ["throw new Error('broken')", "process.exit(3)", "not a program"]) {
      const reader = join(root, `../purser-reader-${process.pid}.mjs`);
      writeFileSync(reader, source);
      const found = await everything(root, { threads: 3, reader: pathToFileURL(reader) });
      rmSync(reader);
      assert.deepEqual(found, [...readCatalogEntries(root)], source);
    }
  });
});

test("a catalog that does not exist is one problem", async () => {
  const [only, ...rest] = await everything("/nowhere/at/all", {});
  assert.deepEqual(rest, []);
  assert.equal((only as { problem?: { rule?: string } }).problem?.rule, "unreadable");
});
