import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { ContentKey, ContentState } from "../catalog/content-state.ts";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readBundleFolder } from "./bundle-folder.ts";
import {
  createContentStore,
  type FolderContent,
  type FolderContentOptions,
  localCatalogReference,
} from "./folder-content.ts";

function world(
  context: TestContext,
  options: Partial<FolderContentOptions> = {},
): { root: string; store: FolderContent } {
  const root = mkdtempSync(join(tmpdir(), "purser-content-"));
  mkdirSync(join(root, "catalog"));
  writeFileSync(join(root, "catalog", "a.yaml"), smallCatalog("a", ["1.0.0", "1.1.0"]));
  mkdirSync(join(root, "bundles/a/1.0.0/manifests"), { recursive: true });
  mkdirSync(join(root, "bundles/a/1.0.0/metadata"));
  writeFileSync(join(root, "bundles/a/1.0.0/manifests/csv.yaml"), "kind: ClusterServiceVersion\n");
  writeFileSync(join(root, "bundles/a/1.0.0/metadata/annotations.yaml"), "annotations: {}\n");
  const store = createContentStore({
    catalogs: [{ namespace: "olm", name: "mine", path: join(root, "catalog") }],
    bundleFolders: [join(root, "bundles")],
    cacheDir: join(root, "cache"),
    clock: systemClock,
    ...options,
  });
  context.after(async () => {
    await store.stop();
    rmSync(root, { recursive: true });
  });
  return { root, store };
}

async function until(
  store: FolderContent,
  key: ContentKey,
  accept: (state: ContentState) => boolean,
): Promise<ContentState> {
  const signal = AbortSignal.timeout(10_000);
  const changes = store.changes(signal)[Symbol.asyncIterator]();
  for (;;) {
    const next = changes.next();
    const state = store.need(key);
    if (accept(state)) return state;
    if ((await next).done === true) throw new Error(`stayed ${JSON.stringify(state)}`);
  }
}

const mine: ContentKey = { kind: "catalog", reference: localCatalogReference("mine") };
const bundle = (version: string): ContentKey => ({
  kind: "bundle",
  reference: `example.com/a:v${version}`,
  packageName: "a",
  version,
});

test("a catalog is served by digest, a broken change keeps the last good content, a repaired one is served", async (context) => {
  const { root, store } = world(context);
  const first = await until(store, mine, (state) => state.kind === "present");
  assert.ok(first.kind === "present");
  assert.equal(store.index(first.digest)?.package("a")?.channels[0]?.head, "a.v1.1.0");

  writeFileSync(
    join(root, "catalog", "a.yaml"),
    smallCatalog("a", ["1.0.0", "1.1.0"]) + "---\nschema: olm.channel\n  oops: [",
  );
  const broken = await until(store, mine, (state) => state.kind === "failed");
  assert.ok(broken.kind === "failed");
  assert.match(broken.cause, /a\.yaml:\d+/);
  assert.equal(broken.lastGood, first.digest);
  assert.ok(store.index(first.digest));

  writeFileSync(join(root, "catalog", "a.yaml"), smallCatalog("a", ["1.0.0", "1.1.0", "1.2.0"]));
  const second = await until(store, mine, (state) => state.kind === "present");
  assert.ok(second.kind === "present" && second.digest !== first.digest);
  assert.equal(store.index(second.digest)?.package("a")?.channels[0]?.head, "a.v1.2.0");
  assert.deepEqual(store.need({ kind: "catalog", reference: `local.purser.dev/catalogs/mine@${first.digest}` }), first);
});

test("the digest depends on the content only, not on files and their order", async (context) => {
  const { root, store } = world(context);
  const first = await until(store, mine, (state) => state.kind === "present");
  const documents = smallCatalog("a", ["1.0.0", "1.1.0"]).split("---\n").slice(1);
  rmSync(join(root, "catalog", "a.yaml"));
  for (const [index, document] of documents.toReversed().entries())
    writeFileSync(join(root, "catalog", `${index}.yaml`), document);
  writeFileSync(join(root, "catalog", "z.yaml"), "---\nschema: custom\nname: x\n");
  const changed = await until(
    store,
    mine,
    (state) => state.kind === "present" && JSON.stringify(state) !== JSON.stringify(first),
  );
  assert.notDeepEqual(changed, first);
  rmSync(join(root, "catalog", "z.yaml"));
  await until(store, mine, (state) => JSON.stringify(state) === JSON.stringify(first));
});

test("bundles are found by package and version; a missing one says what to do and is found when it appears", async (context) => {
  const { root, store } = world(context);
  const found = await until(store, bundle("1.0.0"), (state) => state.kind !== "pulling");
  assert.ok(found.kind === "present");
  const files = await readBundleFolder(join(root, "bundles/a/1.0.0"));
  assert.ok(files.ok);
  assert.equal(found.digest, files.value.digest);
  const missing = await until(store, bundle("1.1.0"), (state) => state.kind !== "pulling");
  assert.ok(missing.kind === "failed");
  assert.match(missing.cause, /bundle a 1\.1\.0/);
  assert.match(missing.remedy ?? "", /bundles\/a\/1\.1\.0/);
  mkdirSync(join(root, "bundles/a/1.1.0/metadata"), { recursive: true });
  mkdirSync(join(root, "bundles/a/1.1.0/manifests"));
  writeFileSync(join(root, "bundles/a/1.1.0/manifests/csv.yaml"), "kind: ClusterServiceVersion\n");
  await until(store, bundle("1.1.0"), (state) => state.kind === "present");
});

test("links and names never lead out of the bundle folder", async (context) => {
  const { root, store } = world(context);
  writeFileSync(join(root, "secret"), "s");
  symlinkSync(join(root, "secret"), join(root, "bundles/a/1.0.0/manifests/link.yaml"));
  const linked = await until(store, bundle("1.0.0"), (state) => state.kind !== "pulling");
  assert.ok(linked.kind === "failed");
  assert.match(linked.cause, /leads out of the bundle/);
  for (const version of ["../../catalog", "..", "/etc"]) {
    const state = await until(store, bundle(version), (now) => now.kind !== "pulling");
    assert.equal(state.kind, "failed", version);
  }
});

test("unknown references fail at once and say what can be done", (context) => {
  const { store } = world(context);
  for (const reference of ["quay.io/operators/catalog:latest", localCatalogReference("other")]) {
    const state = store.need({ kind: "catalog", reference });
    assert.ok(state.kind === "failed");
    assert.match(state.remedy ?? "", /--catalog/);
  }
});

test("a second start finds the index of an unchanged catalog without building it", async (context) => {
  const { root, store } = world(context);
  const first = await until(store, mine, (state) => state.kind === "present");
  await store.stop();
  assert.equal(readdirSync(join(root, "cache/indexes")).filter((name) => name.endsWith(".index")).length, 1);
  const again = createContentStore({
    catalogs: [{ namespace: "olm", name: "mine", path: join(root, "catalog") }],
    bundleFolders: [],
    cacheDir: join(root, "cache"),
    clock: systemClock,
    builder: join(root, "no-such-builder.js"),
  });
  try {
    assert.deepEqual(await until(again, mine, (state) => state.kind !== "pulling"), first);
  } finally {
    await again.stop();
  }
});
