import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { smallBundle } from "../../bundle/testing/small-bundle.ts";
import { bundleKey, type BundleRequest, type ContentState, localCatalogReference } from "../../catalog/content.ts";
import { FaultRegistry } from "../../image/testing/fault-registry.ts";
import { testImage } from "../../image/testing/test-image.ts";
import type { OpenContent } from "../content.ts";
import { createContent } from "../create-content.ts";
import { testImageAccess } from "../testing/image-access.ts";

const files = Object.fromEntries(smallBundle().files.map(({ path, bytes }) => [path, Buffer.from(bytes)]));

interface World {
  readonly registry: FaultRegistry;
  readonly content: OpenContent;
  readonly bundles: string;
  readonly request: BundleRequest;
  readonly push: () => Promise<void>;
}

async function world(context: TestContext, options: { readonly withDirectory?: true } = {}): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), "purser-bundle-"));
  const bundles = join(root, "bundles");
  mkdirSync(bundles);
  const registry = await FaultRegistry.start();
  const access = testImageAccess(join(root, "cache"));
  const content = createContent({
    catalogs: [],
    bundleDirectories: options.withDirectory === true ? [bundles] : [],
    cacheDir: join(root, "cache"),
    clock: systemClock,
    imageAccess: access,
  });
  context.after(async () => {
    await content.stop();
    await access.close();
    await registry[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });
  const reference = `${registry.host}/a:1.0.0`;
  const request = { reference, packageName: "a", version: "1.0.0", credentials: [], policy: [] };
  const push = async (): Promise<void> => void registry.push("a:1.0.0", await testImage([files]));
  return { registry, content, bundles, request, push };
}

async function reaches(
  content: OpenContent,
  request: BundleRequest,
  kind: ContentState["kind"],
): Promise<ContentState> {
  for await (const _ of ticks()) {
    const { state } = content.bundle(request);
    if (state.kind === kind) return state;
  }
  throw new Error("unreachable");
}

async function* ticks(): AsyncGenerator<undefined, void, void> {
  for (;;) {
    yield undefined;
    await systemClock.sleep(20, new AbortController().signal);
  }
}

test("a bundle image is pulled once and read as both families read it", async (context) => {
  const { registry, content, request, push } = await world(context);
  await push();
  await reaches(content, request, "ready");
  const { objects } = content.bundle(request);
  assert.deepEqual([(await objects?.unpacked())?.ok, (await objects?.registry())?.ok], [true, true]);
  assert.equal(registry.requests.filter(({ position, method }) => position === "blob" && method === "GET").length, 2);
});

test("a bundle that is not in the registry yet fails with the answer, and is there when it was pushed", async (context) => {
  const { content, request, push } = await world(context);
  const notices = content.notices(AbortSignal.timeout(300_000))[Symbol.asyncIterator]();
  const failing = await reaches(content, request, "failing");
  const notice = { kind: "bundle", key: bundleKey(request) };
  assert.deepEqual((await notices.next()).value, notice);
  assert.deepEqual((await notices.next()).value, { ...notice, onlyTimes: true });
  assert.ok(failing.kind === "failing" && failing.retryAt !== undefined);
  assert.match(failing.cause, /answered 404/);
  await push();
  await reaches(content, request, "ready");
});

test("a directory stands in for the registry, and a failed pull names the directory that would do", async (context) => {
  const { content, request, bundles } = await world(context, { withDirectory: true });
  const failing = await reaches(content, request, "failing");
  assert.ok(failing.kind === "failing");
  assert.ok(failing.cause.endsWith(`, and a/1.0.0 is not in ${bundles}`), failing.cause);
  assert.ok(failing.retryAt !== undefined, "the next pull has a time, although directories are looked at all the time");
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(bundles, "a/1.0.0", path)), { recursive: true });
    writeFileSync(join(bundles, "a/1.0.0", path), bytes);
  }
  await reaches(content, request, "ready");
});

test("a reference that stands for a directory of this process is never pulled", async (context) => {
  const { content, request, registry } = await world(context);
  const local = { ...request, reference: localCatalogReference("a") };
  const refused = await reaches(content, local, "refused");
  assert.ok(refused.kind === "refused");
  assert.match(refused.cause, /its reference names a directory/);
  assert.deepEqual(registry.requests, []);
});

test("an image without manifests is a broken bundle", async (context) => {
  const { content, request, registry } = await world(context);
  registry.push("a:1.0.0", await testImage([{ "readme.md": "nothing" }]));
  const failing = await reaches(content, request, "failing");
  assert.ok(failing.kind === "failing");
  assert.match(failing.cause, /manifests/);
});
