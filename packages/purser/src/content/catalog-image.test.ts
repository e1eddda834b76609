import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Clock } from "@purser/kubernetes/clock";
import { isDigest } from "@purser/kubernetes/digest";
import { done } from "@purser/kubernetes/result";
import type { StoredIndex } from "../catalog-store/open.ts";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import type { ImagesOptions } from "../image/create-images.ts";
import { FaultRegistry } from "../image/testing/fault-registry.ts";
import { configsLabel } from "../image/testing/layout-images.ts";
import { testImage } from "../image/testing/test-image.ts";
import { catalogImage, type CatalogImageOptions } from "./catalog-image.ts";
import type { FoundCatalog } from "./found-catalog.ts";
import type { Look, SourceReader } from "./source-reader.ts";
import { ImageIndexes } from "./image-indexes.ts";
import { testImageAccess } from "./testing/image-access.ts";
import { sourceContract } from "./testing/source-contract.ts";

/** A clock that only tests move; every look is due. */
const still: Clock = { now: () => 1_000_000, monotonic: () => 0, sleep: () => Promise.resolve() };
const never = new AbortController().signal;

interface World {
  readonly registry: FaultRegistry;
  readonly reference: string;
  /** Of the indexes. */
  readonly directory: string;
  readonly push: (text: string, labels?: Readonly<Record<string, string>>) => Promise<string>;
  readonly reader: (options?: Partial<CatalogImageOptions>) => SourceReader<FoundCatalog>;
}

async function world(context: TestContext, verify?: ImagesOptions["verify"]): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), "purser-image-"));
  const registry = await FaultRegistry.start();
  const access = testImageAccess(root, verify);
  context.after(async () => {
    await access.close();
    await registry[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const reference = `${registry.host}/cat:v1`;
  const directory = join(root, "indexes");
  const indexes = new ImageIndexes(directory);
  return {
    registry,
    reference,
    directory,
    async push(text, labels = { [configsLabel]: "/configs" }) {
      const image = await testImage([{ "configs/a/catalog.yaml": text }], { labels });
      registry.push("cat:v1", image);
      return image.manifest.digest;
    },
    reader: (options = {}) =>
      catalogImage({
        ...access,
        reference,
        request: { credentials: [], policy: [] },
        poll: () => undefined,
        indexes,
        clock: still,
        ...options,
      }),
  };
}

/** The contract speaks of indexes only. */
const indexOnly = (reader: SourceReader<FoundCatalog>): SourceReader<StoredIndex> => ({
  async look({ mark: seen, hasContent }, signal) {
    const look = await reader.look({ mark: seen, hasContent }, signal);
    if (look?.found === undefined) return look === undefined ? undefined : { mark: look.mark };
    const { mark, found } = look;
    return { mark, found: found.ok ? done(found.value.index) : found };
  },
  pauseMs: () => 0,
});

sourceContract("image", async (context) => {
  const { registry, push, reader } = await world(context);
  return {
    reader: indexOnly(reader()),
    clock: still,
    async hold(versions) {
      registry.heal();
      await push(smallCatalog("a", versions));
    },
    spoil: async () => void (await push("---\nschema: olm.channel\n  oops: [")),
    remove: () => {
      registry.heal();
      registry.fail("manifest", { fault: { kind: "status", status: 404 } });
      return Promise.resolve();
    },
  };
});

test("an unchanged tag costs one request and names the digest of the image, not that of the index", async (context) => {
  const { registry, push, reader } = await world(context);
  const digest = await push(smallCatalog("a", ["1.0.0"]));
  const image = reader();
  const look = await image.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === true);
  assert.deepEqual([look.mark, look.found.value.digest], [digest, digest]);
  look.found.value.index.close();
  const before = registry.requests.length;
  assert.equal(await image.look({ mark: look.mark, hasContent: true }, never), undefined);
  const after = registry.requests.slice(before).map(({ method, position }) => `${method} ${position}`);
  assert.deepEqual(after, ["HEAD manifest"]);
});

test("a new process opens the kept index of a digest without reading a layer", async (context) => {
  const { registry, push, reader } = await world(context);
  await push(smallCatalog("a", ["1.0.0"]));
  const first = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  first.found.value.index.close();
  registry.fail("blob", { fault: { kind: "status", status: 500 } });
  const again = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(again?.found?.ok === true);
  again.found.value.index.close();
});

test("while a tag cannot be resolved a fresh process serves what the status names, then shows the failure", async (context) => {
  const { registry, push, reader } = await world(context);
  const digest = await push(smallCatalog("a", ["1.0.0"]));
  assert.ok(isDigest(digest));
  registry.fail("manifest", { fault: { kind: "status", status: 404 }, times: 1 });
  const image = reader({ request: { credentials: [], policy: [], lastGood: digest } });
  const first = await image.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  assert.deepEqual([first.mark, first.found.value.digest], ["", digest]);
  first.found.value.index.close();
  assert.ok((image.pauseMs(1) ?? 0) > 0);
  registry.fail("manifest", { fault: { kind: "status", status: 404 } });
  const second = await image.look({ mark: "", hasContent: true }, never);
  assert.equal(second?.found?.ok, false);
});

for (const [given, spoilt] of [
  ["a broken catalog", "---\nschema: olm.channel\n  oops: ["],
  ["an image that is no catalog", undefined],
] as const)
  test(`while a tag names ${given} a fresh process serves what the status names, then shows the failure`, async (context) => {
    const { push, reader } = await world(context);
    const digest = await push(smallCatalog("a", ["1.0.0"]));
    assert.ok(isDigest(digest));
    await (spoilt === undefined ? push(smallCatalog("a", ["1.1.0"]), {}) : push(spoilt));
    const image = reader({ request: { credentials: [], policy: [], lastGood: digest } });
    const first = await image.look({ mark: undefined, hasContent: false }, never);
    assert.ok(first?.found?.ok === true);
    assert.deepEqual([first.mark, first.found.value.digest], ["", digest]);
    first.found.value.index.close();
    const second = await image.look({ mark: "", hasContent: true }, never);
    assert.equal(second?.found?.ok, false);
  });

test("a poll that a former process made not long ago is not repeated: the digest of the status is read", async (context) => {
  const { registry, push, reader } = await world(context);
  const old = await push(smallCatalog("a", ["1.0.0"]));
  await push(smallCatalog("a", ["1.0.0", "1.1.0"]));
  assert.ok(isDigest(old));
  const poll = { everyMs: 600_000, jitter: [1, 1], lastMs: 1_000_000 - 60_000 } as const;
  const image = reader({ poll: () => poll, request: { credentials: [], policy: [], lastGood: old } });
  const look = await image.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === true);
  assert.deepEqual([look.found.value.digest, image.pauseMs(0)], [old, 540_000]);
  look.found.value.index.close();
  assert.ok(registry.requests.every(({ path }) => !path.endsWith("/manifests/v1")));
});

test("only a look that the interval asks for is a poll: not the first one, not one after a failure", async (context) => {
  const { registry, push, reader } = await world(context);
  const digest = await push(smallCatalog("a", ["1.0.0"]));
  assert.ok(isDigest(digest));
  const poll = { everyMs: 600_000, jitter: [1, 1] } as const;
  const image = reader({ poll: () => poll });
  const look = async (mark: string | undefined): Promise<void> => {
    const found = await image.look({ mark, hasContent: mark !== undefined }, never);
    if (found?.found?.ok === true) found.found.value.index.close();
  };
  await look(undefined);
  registry.fail("manifest", { fault: { kind: "status", status: 404 }, times: 1 });
  assert.equal(image.polledAt?.(), undefined);
  const failing = reader({ poll: () => poll });
  await failing.look({ mark: undefined, hasContent: false }, never);
  const healed = await failing.look({ mark: "", hasContent: false }, never);
  if (healed?.found?.ok === true) healed.found.value.index.close();
  assert.equal(failing.polledAt?.(), undefined);
  await look(digest);
  assert.equal(image.polledAt?.(), still.now());
  const unpolled = reader();
  await unpolled.look({ mark: digest, hasContent: true }, never);
  assert.equal(unpolled.polledAt?.(), undefined);
});

test("the first look of a process is a poll when that of the former one is longer ago than the interval", async (context) => {
  const { push, reader } = await world(context);
  const digest = await push(smallCatalog("a", ["1.0.0"]));
  assert.ok(isDigest(digest));
  for (const [ago, polledAt] of [
    [600_000, still.now()],
    [599_000, undefined],
  ] as const) {
    const poll = { everyMs: 600_000, jitter: [1, 1], lastMs: still.now() - ago } as const;
    const image = reader({ poll: () => poll, request: { credentials: [], policy: [], lastGood: digest } });
    const look = await image.look({ mark: undefined, hasContent: false }, never);
    if (look?.found?.ok === true) look.found.value.index.close();
    assert.equal(image.polledAt?.(), polledAt);
  }
});

test("one image gives the catalog of each directory that is named, and that of its label without one", async (context) => {
  const { registry, reference, reader } = await world(context);
  const files = { "configs/a.yaml": smallCatalog("a", ["1.0.0"]), "other/b.yaml": smallCatalog("b", ["1.0.0"]) };
  registry.push("cat:v1", await testImage([files], { labels: { [configsLabel]: "/configs" } }));
  // The second round comes after the indexes were kept.
  for (const _ of [1, 2])
    for (const [directory, expected] of [
      [undefined, "a"],
      ["/other", "b"],
      ["configs/", "a"],
    ] as const) {
      const look = await reader({ directory }).look({ mark: undefined, hasContent: false }, never);
      assert.ok(look?.found?.ok === true, JSON.stringify(look));
      assert.notEqual(look.found.value.index.package(expected), undefined, directory);
      look.found.value.index.close();
    }
  const missing = await reader({ directory: "/none" }).look({ mark: undefined, hasContent: false }, never);
  assert.ok(missing?.found?.ok === false);
  assert.match(missing.found.problem.cause, new RegExp(`^image ${reference}: .*none`));
});

test("a place in a broken catalog is a path of the image, not of this machine", async (context) => {
  const { push, reader, reference } = await world(context);
  const digest = await push("schema: olm.channel\nname: [");
  const look = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  const { cause } = look.found.problem;
  assert.ok(cause.startsWith(`catalog image ${reference}@${digest} cannot be used: configs/a/catalog.yaml:`), cause);
});

test("an image without the label of catalogs is a problem that names the label", async (context) => {
  const { push, reader } = await world(context);
  await push(smallCatalog("a", ["1.0.0"]), {});
  const look = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  assert.match(
    look.found.problem.cause,
    /catalog image is missing the required label "operators\.operatorframework\.io/,
  );
});

test("a catalog that opm refuses is read where only its documents have to be readable, and nowhere else", async (context) => {
  const { push, reader } = await world(context);
  await push(smallCatalog("a", ["1.0.0"]).replace(/^defaultChannel: .*$/m, ""));
  const first = { mark: undefined, hasContent: false };
  const unchecked = { credentials: [], policy: [], isUnchecked: true } as const;
  // The second look of each kind comes after an index of the image was kept.
  for (const round of [1, 2]) {
    const read = await reader({ request: unchecked }).look(first, never);
    assert.ok(read?.found?.ok === true, `round ${round}`);
    assert.equal(read.found.value.index.package("a")?.channels[0]?.bundles.length, 1);
    read.found.value.index.close();
    const refused = await reader().look(first, never);
    assert.ok(refused?.found?.ok === false, `round ${round}`);
    assert.match(refused.found.problem.cause, /default channel must be set/);
  }
  await push("---\nschema: olm.channel\n  oops: [");
  const broken = await reader({ request: unchecked }).look(first, never);
  assert.ok(broken?.found?.ok === false);
});

test("an image that was validated is not read again where only its documents have to be readable", async (context) => {
  const { directory, push, reader } = await world(context);
  await push(smallCatalog("a", ["1.0.0"]));
  const first = { mark: undefined, hasContent: false };
  const validated = await reader().look(first, never);
  assert.ok(validated?.found?.ok === true);
  const request = { credentials: [], policy: [], isUnchecked: true } as const;
  const indexes = new ImageIndexes(directory, "/missing/builder.js");
  const again = await reader({ request, indexes }).look(first, never);
  assert.ok(again?.found?.ok === true);
  for (const { found } of [validated, again]) if (found?.ok === true) found.value.index.close();
});

test("an image that the signature policy rejects is a problem with the code of that cause", async (context) => {
  const problem = { kind: "signature", cause: "no signer is trusted", remedy: "sign it", reference: "" } as const;
  const { push, reader } = await world(context, () => Promise.resolve({ ok: false, problem }));
  await push(smallCatalog("a", ["1.0.0"]));
  const look = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  const { code, cause } = look.found.problem;
  assert.deepEqual([code, cause], ["SignatureRejected", "no signer is trusted"]);
});

test("an image that cannot be pulled is a problem with the code CatalogUnavailable", async (context) => {
  const { reader } = await world(context);
  const look = await reader().look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  assert.equal(look.found.problem.code, "CatalogUnavailable");
});

test("a catalog carries how the signature policy accepted its image, also when its index is kept", async (context) => {
  const accepted = { policy: "/policy.json", scope: "docker: host", signer: "key sha256:1" };
  const { push, reader } = await world(context, () => Promise.resolve(done(accepted)));
  await push(smallCatalog("a", ["1.0.0"]));
  for (const _ of ["built", "kept"]) {
    const look = await reader().look({ mark: undefined, hasContent: false }, never);
    assert.ok(look?.found?.ok === true);
    assert.deepEqual(look.found.value.accepted, accepted);
    look.found.value.index.close();
  }
});

test("a pull without rights names the Secrets that gave no credentials", async (context) => {
  const { registry, push, reader } = await world(context);
  await push(smallCatalog("a", ["1.0.0"]));
  registry.fail("manifest", { fault: { kind: "status", status: 403 } });
  const complaint = "the pull secret olm/pull does not exist";
  const image = reader({ pullSecrets: () => Promise.resolve({ auths: [], complaints: [complaint] }) });
  const look = await image.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  assert.match(look.found.problem.cause, /403.*; the pull secret olm\/pull does not exist$/);
});

test("an image that both families ask for together is indexed once, and each gets an index of its own", async (context) => {
  const { directory, push, reader } = await world(context);
  const log = join(directory, "..", "builds");
  const builder = join(directory, "..", "builder.mjs");
  const real = fileURLToPath(new URL("../catalog-store/index-builder.ts", import.meta.url));
  await writeFile(
    builder,
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(log)}, "x"); await import(${JSON.stringify(real)});`,
  );
  const indexes = new ImageIndexes(directory, builder);
  const first = { mark: undefined, hasContent: false };
  const unchecked = { credentials: [], policy: [], isUnchecked: true } as const;
  const both = (): Promise<readonly (Look<FoundCatalog> | undefined)[]> =>
    Promise.all([reader({ indexes }).look(first, never), reader({ indexes, request: unchecked }).look(first, never)]);
  await push(smallCatalog("a", ["1.0.0"]));
  const [checked, served] = await both();
  assert.ok(checked?.found?.ok === true && served?.found?.ok === true);
  assert.notEqual(checked.found.value.index, served.found.value.index);
  checked.found.value.index.close();
  assert.equal(served.found.value.index.package("a")?.channels[0]?.bundles.length, 1);
  served.found.value.index.close();
  assert.equal(await readFile(log, "utf8"), "x");

  await push(smallCatalog("a", ["1.0.0"]).replace(/^defaultChannel: .*$/m, ""));
  const [refused, taken] = await both();
  assert.ok(refused?.found?.ok === false && taken?.found?.ok === true);
  assert.match(refused.found.problem.cause, /default channel must be set/);
  taken.found.value.index.close();
  assert.equal(await readFile(log, "utf8"), "xx");
});

test("an index that cannot be kept is a problem of this machine, and tried again although the image is named by digest", async (context) => {
  const { registry, directory, push, reader } = await world(context);
  const digest = await push(smallCatalog("a", ["1.0.0"]));
  await writeFile(directory, "");
  const reference = `${registry.host}/cat@${digest}`;
  const named = reader({ reference });
  const { signal } = new AbortController();
  const look = await named.look({ mark: undefined, hasContent: false }, signal);
  assert.ok(look?.found?.ok === false);
  const { cause, remedy, isFinal } = look.found.problem;
  assert.deepEqual(
    { cause, remedy, isFinal, mark: look.mark },
    {
      cause: `catalog image ${reference}@${digest} cannot be used now: the index cannot be written to ${directory}: mkdir ${directory}: file exists`,
      remedy: "Free space in the cache directory, or make it writable; the write is retried automatically.",
      isFinal: undefined,
      mark: "",
    },
  );
  await rm(directory);
  const again = await named.look({ mark: look.mark, hasContent: false }, signal);
  assert.ok(again?.found?.ok === true);
});
