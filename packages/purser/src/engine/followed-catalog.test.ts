import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { type CatalogNews, followCatalog } from "./followed-catalog.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-followed-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, "catalog");
mkdirSync(path);

/** Replaces the catalog at once, so that no half of it is read. */
function write(packageName: string | undefined): void {
  const name = packageName ?? "broken";
  const blobs = [
    { schema: "olm.package", name, defaultChannel: "stable" },
    { schema: "olm.channel", package: name, name: "stable", entries: [{ name: `${name}.v1.0.0` }] },
    ...(packageName === undefined
      ? []
      : [
          {
            schema: "olm.bundle",
            package: name,
            name: `${name}.v1.0.0`,
            image: "example.com/a:1",
            properties: [{ type: "olm.package", value: { packageName: name, version: "1.0.0" } }],
          },
        ]),
  ];
  const next = join(directory, "next.json");
  writeFileSync(next, blobs.map((blob) => JSON.stringify(blob)).join("\n"));
  renameSync(next, join(path, "catalog.json"));
}

test("content that is invalid or refused replaces nothing, and the former content stays readable until the next change", async () => {
  write(undefined);
  let refused: string | undefined;
  const catalog = followCatalog({
    name: "acme",
    from: { path },
    cacheDirectory: join(directory, "cache"),
    clock: systemClock,
    refusal: (index) => (index.packages().join() === refused ? `no ${refused} here` : undefined),
  });
  const stopping = new AbortController();
  const changes = catalog.news(stopping.signal);
  const shown = (news: CatalogNews): string =>
    news.kind === "current"
      ? `current ${news.index.packages().join()}`
      : `refused, ${news.hasFormer ? "with" : "without"} former content: ${news.cause}`;
  /** The next change that differs: one write may be noticed more than once. */
  let last = "";
  const next = async (): Promise<string> => {
    for (;;) {
      const { value } = await changes.next();
      const text = value === undefined ? "ended" : shown(value);
      if (text === last) continue;
      last = text;
      return text;
    }
  };
  try {
    assert.equal(catalog.current(), undefined);
    assert.match(await next(), /^refused, without former content: .*broken/);
    assert.equal(catalog.current(), undefined);
    write("kiln");
    assert.equal(await next(), "current kiln");
    const first = catalog.current();
    assert.ok(first !== undefined && Math.abs(first.sinceMs - Date.now()) < 60_000);
    refused = "clay";
    write("clay");
    assert.equal(await next(), "refused, with former content: no clay here");
    assert.equal(catalog.current(), first);
    write(undefined);
    assert.match(await next(), /^refused, with former content: .*broken/);
    write("pots");
    assert.equal(await next(), "current pots");
    assert.deepEqual([catalog.current()?.index.packages(), first.index.packages()], [["pots"], ["kiln"]]);
    stopping.abort();
    assert.equal(await next(), "ended");
  } finally {
    await catalog.stop();
  }
});
