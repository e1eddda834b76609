import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { smallBundle } from "../bundle/testing/small-bundle.ts";
import {
  type BundleRequest,
  type CatalogRequest,
  type ContentSource,
  type ContentState,
  localCatalogReference,
  sourceOfImage,
} from "../catalog/content.ts";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { readBundleFiles } from "./bundle/bundle-directory.ts";
import { contentDigest } from "../image/content-digest.ts";
import type { Images } from "../image/images.ts";
import { FaultRegistry } from "../image/testing/fault-registry.ts";
import { configsLabel } from "../image/testing/layout-images.ts";
import { testImage, type TestImage } from "../image/testing/test-image.ts";
import type { ImageAccess } from "./catalog-image.ts";
import type { BundleContent, CatalogContent, OpenContent } from "./content.ts";
import { type ContentOptions, createContent } from "./create-content.ts";
import { testImageAccess } from "./testing/image-access.ts";

function writeBundle(directory: string): void {
  for (const { path, bytes } of smallBundle().files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
}

function world(
  context: TestContext,
  options: Partial<ContentOptions> = {},
): { root: string; content: OpenContent; again: (more?: Partial<ContentOptions>) => OpenContent } {
  const root = mkdtempSync(join(tmpdir(), "purser-content-"));
  mkdirSync(join(root, "catalog"));
  writeFileSync(join(root, "catalog", "a.yaml"), smallCatalog("a", ["1.0.0", "1.1.0"]));
  writeBundle(join(root, "bundles/a/1.0.0"));
  const opened: OpenContent[] = [];
  const again = (more: Partial<ContentOptions> = {}): OpenContent => {
    const content = createContent({
      catalogs: [{ namespace: "olm", name: "mine", path: join(root, "catalog") }],
      bundleDirectories: [join(root, "bundles")],
      cacheDir: join(root, "cache"),
      clock: systemClock,
      ...options,
      ...more,
    });
    opened.push(content);
    return content;
  };
  context.after(async () => {
    for (const content of opened) await content.stop();
    rmSync(root, { recursive: true });
  });
  return { root, content: again(), again };
}

/** Asks after every notice until the answer is accepted. */
async function until<Answer extends { readonly state: ContentState }>(
  content: OpenContent,
  ask: () => Answer,
  accept: (answer: Answer) => boolean,
): Promise<Answer> {
  const notices = content.notices(AbortSignal.timeout(300_000))[Symbol.asyncIterator]();
  for (;;) {
    const answer = ask();
    if (accept(answer)) return answer;
    if ((await notices.next()).done === true) throw new Error(`stayed ${JSON.stringify(answer.state)}`);
  }
}

const of = (source: ContentSource, more: Partial<CatalogRequest> = {}): CatalogRequest => ({
  source,
  credentials: [],
  policy: [],
  ...more,
});
const mine = of({ kind: "directory", name: "mine" });
const bundle = (version: string, reference = `example.com/a:v${version}`): BundleRequest => ({
  reference,
  packageName: "a",
  version,
  credentials: [],
  policy: [],
});
const headOf = ({ index }: CatalogContent): string | undefined => index?.package("a")?.channels[0]?.head;
const isReady = ({ state }: { readonly state: ContentState }): boolean => state.kind === "ready";
const isSettled = ({ state }: { readonly state: ContentState }): boolean => state.kind !== "pending";

test("a catalog is served by digest, a broken change keeps the last good content, a repaired one is served", async (context) => {
  const { root, content } = world(context);
  const ask = (): CatalogContent => content.catalog(mine);
  const first = await until(content, ask, isReady);
  assert.ok(first.state.kind === "ready");
  assert.equal(headOf(first), "a.v1.1.0");

  const file = join(root, "catalog", "a.yaml");
  writeFileSync(file, smallCatalog("a", ["1.0.0", "1.1.0"]) + "---\nschema: olm.channel\n  oops: [");
  const broken = await until(content, ask, ({ state }) => state.kind === "failing");
  assert.ok(broken.state.kind === "failing");
  assert.match(broken.state.cause, /a\.yaml:\d+/);
  assert.deepEqual([broken.state.lastGood, headOf(broken)], [first.state.digest, "a.v1.1.0"]);

  writeFileSync(file, smallCatalog("a", ["1.0.0", "1.1.0", "1.2.0"]));
  const second = await until(content, ask, isReady);
  assert.equal(headOf(second), "a.v1.2.0");
  const pinned = of({ kind: "directory", name: "mine", digest: first.state.digest });
  assert.deepEqual([content.catalog(pinned).state, headOf(content.catalog(pinned))], [first.state, "a.v1.1.0"]);
});

test("a directory that is named with a digest is refused while it holds other content", async (context) => {
  const { content } = world(context);
  const digest = digestOf("other content");
  const { state, index } = await until(
    content,
    () => content.catalog(of({ kind: "directory", name: "mine", digest })),
    isSettled,
  );
  assert.ok(state.kind === "refused" && index === undefined);
  assert.match(state.cause, new RegExp(`catalog mine holds sha256:[0-9a-f]+, not ${digest}`));
});

test("the digest depends on the content only, not on files and their order", async (context) => {
  const { root, content } = world(context);
  const ask = (): CatalogContent => content.catalog(mine);
  const first = await until(content, ask, isReady);
  const documents = smallCatalog("a", ["1.0.0", "1.1.0"]).split("---\n").slice(1);
  rmSync(join(root, "catalog", "a.yaml"));
  for (const [index, document] of documents.toReversed().entries())
    writeFileSync(join(root, "catalog", `${index}.yaml`), document);
  writeFileSync(join(root, "catalog", "z.yaml"), "---\nschema: custom\nname: x\n");
  const isFirst = ({ state }: CatalogContent): boolean => JSON.stringify(state) === JSON.stringify(first.state);
  await until(content, ask, (answer) => isReady(answer) && !isFirst(answer));
  rmSync(join(root, "catalog", "z.yaml"));
  await until(content, ask, isFirst);
});

test("bundles are found by package and version; a missing one says what to do and is found when it appears", async (context) => {
  const { root, content } = world(context);
  const found = await until(content, () => content.bundle(bundle("1.0.0")), isSettled);
  const files = await readBundleFiles(join(root, "bundles/a/1.0.0"));
  assert.ok(found.state.kind === "ready" && files.ok);
  assert.equal(found.state.digest, files.value.digest);
  const missing = await until(content, () => content.bundle(bundle("1.1.0")), isSettled);
  assert.ok(missing.state.kind === "failing" && missing.objects === undefined);
  assert.match(missing.state.cause, /bundle a 1\.1\.0/);
  assert.match(missing.state.remedy, /bundles\/a\/1\.1\.0/);
  writeBundle(join(root, "bundles/a/1.1.0"));
  await until(content, () => content.bundle(bundle("1.1.0")), isReady);
});

test("requests for the same bundle content get the same objects, read once", async (context) => {
  const { root, content } = world(context);
  writeBundle(join(root, "bundles/a/1.1.0"));
  const asked = await Promise.all(
    [bundle("1.0.0"), bundle("1.0.0", "mirror.example.com/a:v1.0.0"), bundle("1.1.0")].map((request) =>
      until(content, () => content.bundle(request), isReady),
    ),
  );
  const objects = asked.flatMap((answer) => answer.objects ?? []);
  assert.equal(objects.length, 3);
  for (const reading of ["unpacked", "registry"] as const) {
    const [first, ...others] = await Promise.all([...objects, ...objects].map((each) => each[reading]()));
    assert.ok(first?.ok);
    for (const other of others) assert.equal(other, first);
  }
});

test("a bundle whose directory changed since it was found is a problem, not another bundle", async (context) => {
  const { root, content } = world(context);
  const ask = (): BundleContent => content.bundle(bundle("1.0.0"));
  const { state, objects } = await until(content, ask, isReady);
  writeFileSync(join(root, "bundles/a/1.0.0/manifests/more.yaml"), "kind: ConfigMap\napiVersion: v1\n");
  const read = await objects?.unpacked();
  assert.ok(read?.ok === false);
  assert.match(read.problem.message, /changed since it was found/);
  await until(content, ask, (answer) => isReady(answer) && JSON.stringify(answer.state) !== JSON.stringify(state));
});

test("links and names that lead out of the bundle directory are refused", async (context) => {
  const { root, content } = world(context);
  writeFileSync(join(root, "secret"), "s");
  symlinkSync(join(root, "secret"), join(root, "bundles/a/1.0.0/manifests/link.yaml"));
  const linked = await until(content, () => content.bundle(bundle("1.0.0")), isSettled);
  assert.ok(linked.state.kind === "failing");
  assert.match(linked.state.cause, /is a link to a file outside of the bundle/);
  for (const version of ["../../catalog", "..", "/etc"]) {
    const { state } = await until(content, () => content.bundle(bundle(version)), isSettled);
    assert.equal(state.kind, "failing", version);
  }
});

test("a process without bundle directories refuses bundles and names the option to set", async (context) => {
  const { content } = world(context, { bundleDirectories: [] });
  const ask = (): BundleContent => content.bundle(bundle("1.0.0"));
  const { state } = await until(content, ask, isSettled);
  assert.ok(state.kind === "refused");
  assert.match(state.remedy, /start with --bundles/);
});

const refused: readonly (readonly [source: ContentSource, cause: RegExp, remedy: RegExp])[] = [
  [
    sourceOfImage("quay.io/operators/catalog:latest"),
    /quay\.io\/operators\/catalog:latest cannot be pulled/,
    /--catalog/,
  ],
  [sourceOfImage(localCatalogReference("other")), /no catalog named other/, /--catalog other=PATH/],
  [{ kind: "configMap", namespace: "olm", name: "catalog" }, /ConfigMaps are not read/, /--catalog/],
];

for (const [source, cause, remedy] of refused)
  test(`a ${source.kind} that this process does not read is refused at once, with what to do`, (context) => {
    const { content } = world(context);
    const { state, index } = content.catalog(of(source));
    assert.ok(state.kind === "refused" && index === undefined);
    assert.match(state.cause, cause);
    assert.match(state.remedy, remedy);
  });

test("a restart and another source keep the content that a status names, until the source has its own", async (context) => {
  const { root, content, again } = world(context);
  const first = await until(content, () => content.catalog(mine), isReady);
  assert.ok(first.state.kind === "ready");
  await content.stop();
  writeFileSync(join(root, "catalog", "a.yaml"), "---\nschema: olm.channel\n  oops: [");
  const lastGood = first.state.digest;

  const restarted = again();
  const kept = restarted.catalog({ ...mine, lastGood });
  assert.deepEqual([kept.state.kind, headOf(kept)], ["pending", "a.v1.1.0"]);
  const failing = await until(restarted, () => restarted.catalog({ ...mine, lastGood }), isSettled);
  assert.deepEqual([failing.state.kind, headOf(failing)], ["failing", "a.v1.1.0"]);
  const moved = restarted.catalog(of(sourceOfImage("quay.io/operators/catalog:v2"), { lastGood }));
  assert.deepEqual([moved.state.kind, headOf(moved)], ["refused", "a.v1.1.0"]);
  const elsewhere = restarted.catalog(
    of(sourceOfImage("quay.io/operators/catalog:v3"), { lastGood: digestOf("gone") }),
  );
  assert.equal(elsewhere.index, undefined);

  writeFileSync(join(root, "catalog", "a.yaml"), smallCatalog("a", ["1.0.0", "1.1.0", "1.2.0"]));
  const repaired = await until(restarted, () => restarted.catalog({ ...mine, lastGood }), isReady);
  assert.equal(headOf(repaired), "a.v1.2.0");
});

interface ImageWorld {
  readonly registry: FaultRegistry;
  /** Content with access to the registry; bundles are read from images only. */
  readonly open: (more?: Partial<ContentOptions>) => OpenContent;
  readonly access: ImageAccess;
}

async function imageWorld(context: TestContext): Promise<ImageWorld> {
  const root = mkdtempSync(join(tmpdir(), "purser-content-images-"));
  const registry = await FaultRegistry.start();
  const access = testImageAccess(join(root, "cache"));
  const opened: OpenContent[] = [];
  context.after(async () => {
    for (const content of opened) await content.stop();
    await access.close();
    await registry[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });
  const options = { catalogs: [], bundleDirectories: [], cacheDir: join(root, "cache"), clock: systemClock };
  return {
    registry,
    access,
    open(more = {}) {
      const content = createContent({ ...options, imageAccess: access, ...more });
      opened.push(content);
      return content;
    },
  };
}

/** An image with two catalogs, each in a directory of its own. */
const twoCatalogs = (highest = "1.1.0"): Promise<TestImage> =>
  testImage(
    [
      {
        "configs/a.yaml": smallCatalog("a", ["1.0.0"]),
        "other/a.yaml": smallCatalog("a", ["1.0.0", highest]),
      },
    ],
    { labels: { [configsLabel]: "/configs" } },
  );

test("after a restart the kept content of the directory that a CatalogSource names is served, not that of the label", async (context) => {
  const { registry, open } = await imageWorld(context);
  const reference = registry.push("cat:v1", await twoCatalogs());
  const ofLabel = of({ kind: "image", reference });
  const ofDirectory = of({ kind: "image", reference, directory: "/other" });
  const content = open();
  const first = await until(content, () => content.catalog(ofDirectory), isReady);
  await until(content, () => content.catalog(ofLabel), isReady);
  assert.ok(first.state.kind === "ready");
  const lastGood = first.state.digest;
  await content.stop();
  registry.fail("manifest", { fault: { kind: "status", status: 404 } });
  const restarted = open();
  const kept = [ofDirectory, ofLabel].map((request) => restarted.catalog({ ...request, lastGood }));
  assert.deepEqual(
    kept.map((answer) => [answer.state.kind, headOf(answer)]),
    [
      ["pending", "a.v1.1.0"],
      ["pending", "a.v1.0.0"],
    ],
  );
});

test("a refresh looks at a tag that is not polled once for each later time that is asked for", async (context) => {
  const { registry, open } = await imageWorld(context);
  const looks = (): number => registry.requests.filter(({ path }) => path.endsWith("/cat/manifests/v1")).length;
  const push = async (versions: readonly string[]) =>
    registry.push(
      "cat:v1",
      await testImage([{ "configs/a.yaml": smallCatalog("a", [...versions]) }], {
        labels: { [configsLabel]: "/configs" },
      }),
    );
  const request = of({ kind: "image", reference: await push(["1.0.0"]) });
  const content = open();
  await until(content, () => content.catalog(request), isReady);
  await push(["1.0.0", "1.1.0"]);
  const asked = { ...request, refresh: "2026-01-01T00:00:00Z" };
  await until(
    content,
    () => content.catalog(asked),
    (answer) => headOf(answer) === "a.v1.1.0",
  );
  const seen = looks();
  // Another object that names the same image, and an older time, ask for nothing.
  for (const one of [request, asked, { ...request, refresh: "2025-12-31T00:00:00Z" }, asked]) content.catalog(one);
  await push(["1.0.0", "1.1.0", "1.2.0"]);
  content.catalog(asked);
  const later = { ...request, refresh: "2026-01-01T00:00:01Z" };
  await until(
    content,
    () => content.catalog(later),
    (answer) => headOf(answer) === "a.v1.2.0",
  );
  assert.equal(looks(), seen + 1);
});

test("every hour images are collected but for the catalogs and bundles that requests still use", async (context) => {
  const { registry, access, open } = await imageWorld(context);
  const image = await twoCatalogs();
  const bundleFiles = Object.fromEntries(
    smallBundle().files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("utf8")]),
  );
  const bundleOf = await testImage([bundleFiles]);
  let kept = Promise.withResolvers<ReadonlySet<Digest>>();
  const images: Images = {
    resolve: (request, options) => access.images.resolve(request, options),
    pull: (request, options) => access.images.pull(request, options),
    size: (request, options) => access.images.size(request, options),
    held: (digest, wanted) => access.images.held(digest, wanted),
    close: () => access.images.close(),
    collect(inUse) {
      kept.resolve(inUse);
      return access.images.collect(inUse);
    },
  };
  let passedMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + passedMs,
    monotonic: () => systemClock.monotonic(),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal),
  };
  const content = open({ clock, imageAccess: { ...access, images } });
  const reference = registry.push("cat:v1", image);
  const catalog = of({ kind: "image", reference, directory: "/other" }, { poll: { everyMs: 1000, jitter: [1, 1] } });
  const asked = bundle("1.0.0", registry.push("acme/a:v1.0.0", bundleOf));
  const ask = (): BundleContent => content.bundle(asked, "Extension a");
  await until(content, () => content.catalog(catalog), isReady);
  await until(content, ask, isReady);
  const digestOfImage = (made: TestImage): Digest => made.manifest.digest as Digest;
  const catalogImage = contentDigest(digestOfImage(image), "/other");
  const inUseLater = async (hours: number): Promise<readonly Digest[]> => {
    kept = Promise.withResolvers();
    passedMs += hours * 3_600_000;
    return [...(await kept.promise)].toSorted();
  };
  assert.deepEqual(await inUseLater(1), [catalogImage, digestOfImage(bundleOf)].toSorted());
  assert.deepEqual(await inUseLater(9), [catalogImage, digestOfImage(bundleOf)].toSorted(), "the object is at rest");
  const changed = await twoCatalogs("1.2.0");
  registry.push("cat:v1", changed);
  const changedImage = contentDigest(digestOfImage(changed), "/other");
  await until(
    content,
    () => content.catalog(catalog),
    ({ state }) => state.kind === "ready" && state.digest === digestOfImage(changed),
  );
  content.release("Extension a");
  assert.deepEqual(await inUseLater(1), [changedImage]);
  await until(content, ask, isReady);
  assert.deepEqual(await inUseLater(1), [changedImage, digestOfImage(bundleOf)].toSorted());
});

test("a second start finds the index of an unchanged catalog without building it", async (context) => {
  const { root, content, again } = world(context);
  const first = await until(content, () => content.catalog(mine), isReady);
  await content.stop();
  assert.equal(readdirSync(join(root, "cache/indexes")).filter((name) => name.endsWith(".index")).length, 1);
  const second = again({ bundleDirectories: [], builder: join(root, "no-such-builder.js") });
  const found = await until(second, () => second.catalog(mine), isSettled);
  assert.deepEqual(found.state, first.state);
});

test("a catalog that takes long to read does not delay others", async (context) => {
  const script = join(mkdtempSync(join(tmpdir(), "purser-builder-")), "slow.mjs");
  writeFileSync(script, "setInterval(() => {}, 1000);");
  context.after(() => rmSync(dirname(script), { recursive: true }));
  const { root, content } = world(context, { builder: script });
  await until(content, () => content.bundle(bundle("1.0.0")), isReady);
  await until(content, () => content.bundle(bundle("1.1.0")), isSettled);
  writeBundle(join(root, "bundles/a/1.1.0"));
  await until(content, () => content.bundle(bundle("1.1.0")), isReady);
  assert.equal(content.catalog(mine).state.kind, "pending");
});
