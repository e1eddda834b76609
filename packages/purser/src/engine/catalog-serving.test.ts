import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { clusterCatalogs } from "../apis/olm-resources.ts";
import { startEmbedded, type Embedded } from "./embedded.ts";
import { embeddedOptions } from "./testing/embedded-options.ts";
import { packageDirectory } from "./package-directory.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";

const never = new AbortController().signal;
let directory: string;
let embedded: Embedded;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "purser-serving-"));
  await cp(join(packageDirectory(), "demo", "default", "catalog"), join(directory, "catalog"), { recursive: true });
  const started = await startEmbedded(
    embeddedOptions(join(directory, "cache"), {
      catalogs: [{ namespace: "olm", name: "demo", path: join(directory, "catalog") }],
      catalogServing: { host: "127.0.0.1", port: 0 },
    }),
    never,
  );
  assert.ok(started.ok, JSON.stringify(started));
  embedded = started.value;
});

after(async () => {
  await embedded.stop();
  await rm(directory, { recursive: true, force: true });
});

async function reaches<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (let left = 3000; left > 0; left--) {
    const found = await ask();
    if (found !== undefined) return found;
    await systemClock.sleep(100, never);
  }
  throw new Error(`never: ${what}`);
}

const base = (): Promise<string> =>
  reaches("a URL in the status", async () => {
    const catalog = await embedded.client.get(clusterCatalogs, { name: "demo" });
    return catalog?.status?.urls?.base;
  });

test("a ClusterCatalog shows a URL that answers with its content, before and after the catalog changes", async () => {
  const url = `${await base()}/api/v1/all`;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/catalogs\/demo\/api\/v1\/all$/);
  const first = await fetch(url);
  assert.equal(first.status, 200);
  const lines = (await first.text()).trimEnd().split("\n");
  assert.ok(lines.some((line) => line.includes('"schema":"olm.package"')));
  const note = "---\nschema: acme.note\nname: added-later\n";
  const file = join(directory, "catalog", "catalog.yaml");
  const existing = await readFile(file, "utf8").catch(() => "");
  await writeFile(existing === "" ? join(directory, "catalog", "note.yaml") : file, existing + note);
  const text = await reaches("the change is served", async () => {
    const answer = await (await fetch(url)).text();
    return answer.includes("added-later") ? answer : undefined;
  });
  assert.equal(text.trimEnd().split("\n").length, lines.length + 1);
  const one = await fetch(`${await base()}/api/v1/metas?name=added-later`);
  assert.equal(await one.text(), '{"name":"added-later","schema":"acme.note"}\n');
});

test("a ClusterCatalog that is being deleted is not served, and its content is not read again by a request", async () => {
  const key = { name: "leaving" };
  const demo = await embedded.client.get(clusterCatalogs, { name: "demo" });
  assert.ok(demo !== undefined);
  const object = { ...demo, metadata: { ...key, finalizers: ["example.com/hold"] }, status: {} };
  const created = await embedded.client.write({ verb: "create", type: clusterCatalogs, object }, never);
  assert.ok(created.ok);
  const url = `${(await base()).replace(/demo$/, "leaving")}/api/v1/all`;
  await reaches("served", async () => ((await fetch(url)).status === 200 ? true : undefined));
  assert.ok((await embedded.client.write({ verb: "delete", type: clusterCatalogs, key }, never)).ok);
  const answer = await fetch(url);
  assert.deepEqual([answer.status, await answer.text()], [404, "404 Not Found\n"]);
  const patch = { metadata: { finalizers: [] } };
  await embedded.client.write({ verb: "patch", type: clusterCatalogs, key, patchType: "merge", patch }, never);
});

test("a ClusterCatalog that becomes unavailable is no longer served, and its URL is removed from the status", async () => {
  const url = `${await base()}/api/v1/all`;
  const patch = { spec: { availabilityMode: "Unavailable" } };
  await embedded.client.write(
    { verb: "patch", type: clusterCatalogs, key: { name: "demo" }, patchType: "merge", patch },
    never,
  );
  await reaches("no URL", async () => {
    const catalog = await embedded.client.get(clusterCatalogs, { name: "demo" });
    return catalog?.status?.urls === undefined ? true : undefined;
  });
  assert.equal((await fetch(url)).status, 404);
});
