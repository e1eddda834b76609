import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import { openCatalogs } from "./snapshot-catalogs.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-snapshot-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const cacheDirectory = join(directory, "cache");
/** Shows one millisecond more at each look. */
let looks = 0;
const clock = { monotonic: () => ++looks, now: () => 0 } as unknown as Clock;
const options = { cacheDirectory, clock, signal: new AbortController().signal };

function catalog(
  name: string,
  blobs: readonly object[],
): { readonly namespace: string; readonly name: string; readonly path: string; readonly reference: string } {
  const path = join(directory, name);
  mkdirSync(path);
  writeFileSync(join(path, "catalog.json"), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
  return { namespace: "olm", name, path, reference: `./${name}` };
}
const packageOf = (name: string): readonly object[] => [
  { schema: "olm.package", name, defaultChannel: "stable" },
  { schema: "olm.channel", package: name, name: "stable", entries: [{ name: `${name}.v1.0.0` }] },
  {
    schema: "olm.bundle",
    package: name,
    name: `${name}.v1.0.0`,
    image: "example.com/a:1",
    properties: [{ type: "olm.package", value: { packageName: name, version: "1.0.0" } }],
  },
];

test("catalogs of one snapshot are opened together, and read again only after they have changed", async () => {
  const [kiln, clay] = [catalog("kiln", packageOf("kiln")), catalog("clay", packageOf("clay"))];
  const opened = async () => {
    const found = await openCatalogs([kiln, clay], options);
    assert.ok(found.ok);
    const { catalogs, indexMs, openMs } = found.value;
    const shown = catalogs.map(({ namespace, name, index }) => [namespace, name, index.packages().join()]);
    found.value.close();
    assert.equal(openMs > 0, true);
    return [...shown, indexMs > 0];
  };
  const both = [
    ["olm", "kiln", "kiln"],
    ["olm", "clay", "clay"],
  ];
  assert.deepEqual(await opened(), [...both, true]);
  assert.deepEqual(await opened(), [...both, false]);
  assert.equal(readdirSync(join(cacheDirectory), { recursive: true }).length > 0, true);
  writeFileSync(
    join(clay.path, "more.json"),
    packageOf("pots")
      .map((blob) => JSON.stringify(blob))
      .join("\n"),
  );
  assert.deepEqual(await opened(), [both[0], ["olm", "clay", "clay,pots"], true]);
});

test("a catalog that does not exist or is invalid is named as it was written, with its first ten problems", async () => {
  const missing = { namespace: "", name: "gone", path: join(directory, "gone"), reference: "./gone" };
  const failed = async (one: typeof missing) => {
    const found = await openCatalogs([one], options);
    return found.ok
      ? "opened"
      : { ...found.problem, lines: found.problem.lines.map((line) => line.replaceAll(directory, "DIR")) };
  };
  assert.deepEqual(await failed(missing), { sentence: 'the catalog "./gone" does not exist', lines: [] });
  const broken = catalog("broken", []);
  for (let at = 10; at < 22; at++) writeFileSync(join(broken.path, `${at}.yaml`), "a: [");
  assert.deepEqual(await failed(broken), {
    sentence: 'the catalog "./broken" is invalid',
    lines: [
      "DIR/broken/10.yaml:1:5: did not find expected node content",
      "DIR/broken/11.yaml:1:5: did not find expected node content",
      "DIR/broken/12.yaml:1:5: did not find expected node content",
      "DIR/broken/13.yaml:1:5: did not find expected node content",
      "DIR/broken/14.yaml:1:5: did not find expected node content",
      "DIR/broken/15.yaml:1:5: did not find expected node content",
      "DIR/broken/16.yaml:1:5: did not find expected node content",
      "DIR/broken/17.yaml:1:5: did not find expected node content",
      "DIR/broken/18.yaml:1:5: did not find expected node content",
      "DIR/broken/19.yaml:1:5: did not find expected node content",
      "and 2 more",
    ],
  });
});
