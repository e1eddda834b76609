import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BundleFiles } from "../../bundle/bundle-files.ts";
import { readBundle } from "../../bundle/read-bundle.ts";
import { smallBundle } from "../../bundle/testing/small-bundle.ts";
import { unpackBundle } from "../../bundle/unpack-bundle.ts";
import type { Digest } from "@purser/kubernetes/digest";
import { plainJson } from "@purser/kubernetes/json";
import { exactJson } from "@purser/kubernetes/text/documents";
import { isWithin, readBundleFiles } from "./bundle-directory.ts";
import { fingerprint } from "../fingerprint.ts";
import { ParsedBundles } from "./parsed-bundles.ts";

/** The directory of a bundle, deleted after the test. */
async function written(context: TestContext, { files }: BundleFiles): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "purser-bundle-"));
  context.after(() => rm(directory, { recursive: true, force: true }));
  for (const { path, bytes } of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), bytes);
  }
  return directory;
}

async function parsed(
  context: TestContext,
  files: BundleFiles,
): Promise<{ readonly bundles: ParsedBundles; readonly directory: string; readonly digest: Digest }> {
  const bundles = new ParsedBundles({ smallBytes: 0 });
  context.after(() => bundles.stop());
  const directory = await written(context, files);
  const { digest } = await bundles.find(directory);
  assert.ok(digest.ok);
  return { bundles, directory, digest: digest.value };
}

/** A directory for results, and bundles that keep them there; `reader` replaces the thread. */
async function keeping(
  context: TestContext,
): Promise<{ readonly cacheDir: string; readonly open: (code: string, reader?: URL) => ParsedBundles }> {
  const cacheDir = await mkdtemp(join(tmpdir(), "purser-kept-"));
  context.after(() => rm(cacheDir, { recursive: true, force: true, maxRetries: 5 }));
  const open = (code: string, reader?: URL): ParsedBundles => {
    const bundles = new ParsedBundles({
      cacheDir,
      code,
      smallBytes: 0,
      ...(reader === undefined ? {} : { reader }),
    });
    context.after(() => bundles.stop());
    return bundles;
  };
  return { cacheDir, open };
}

/** Resolves when the directory holds so many files: the thread writes them after its answers. */
async function filesIn(directory: string, count: number): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  if (names.filter((name) => !name.startsWith(".")).length >= count) return;
  await new Promise((done) => setTimeout(done, 5));
  return filesIn(directory, count);
}

const noThread = new URL("data:text/javascript,throw new Error('a thread was started')");

const textOf = (result: object): string => exactJson(plainJson(result));
const odd = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: odd}\nlong: 9223372036854775807\nzero: -0.0\n";

test("a bundle read by the thread is the bundle read here, to the digits of its integers and the sign of zero", async (context) => {
  const files = smallBundle({ "manifests/odd.yaml": odd });
  const { bundles, directory, digest } = await parsed(context, files);
  const unpacked = textOf(await bundles.read("unpacked", digest, directory));
  assert.equal(unpacked, textOf(unpackBundle({ ...files, digest })));
  assert.match(unpacked, /"long": 9223372036854775807,.*"zero": -0/);
  assert.equal(textOf(await bundles.read("registry", digest, directory)), textOf(readBundle({ ...files, digest })));
});

test("the thread finds the same digest and fingerprint as the main thread", async (context) => {
  const { bundles, directory, digest } = await parsed(context, smallBundle());
  const here = await readBundleFiles(directory);
  assert.ok(here.ok);
  assert.equal(digest, here.value.digest);
  assert.equal((await bundles.find(directory)).fingerprint, await fingerprint(directory));
  await rm(join(directory, "metadata"), { recursive: true });
  assert.deepStrictEqual((await bundles.find(directory)).digest, await readBundleFiles(directory));
});

test("a bundle that cannot be read is refused with the same place as in the main thread", async (context) => {
  const files = smallBundle({ "manifests/odd.yaml": "a: [" });
  const { bundles, directory, digest } = await parsed(context, files);
  const read = await bundles.read("registry", digest, directory);
  assert.ok(!read.ok && read.problem[0]?.place?.line === 1);
  assert.deepStrictEqual(read, readBundle({ ...files, digest }));
});

test("a parsed bundle stays cached until six calls of rest without a request", async (context) => {
  const { bundles, directory, digest } = await parsed(context, smallBundle());
  const [first, second] = await Promise.all([
    bundles.read("unpacked", digest, directory),
    bundles.read("unpacked", digest, directory),
  ]);
  assert.equal(first, second);
  const rest = (times: number): void => {
    for (let left = times; left > 0; left--) bundles.rest();
  };
  rest(5);
  assert.equal(await bundles.read("unpacked", digest, directory), first);
  rest(6);
  const again = await bundles.read("unpacked", digest, directory);
  assert.notEqual(again, first);
  assert.deepStrictEqual(again, first);
});

test("a bundle larger than the cache is read once until another one is read", async (context) => {
  const bundles = new ParsedBundles({ keptCharacters: 1 });
  context.after(() => bundles.stop());
  const [large, other] = [
    await written(context, smallBundle()),
    await written(context, smallBundle({ "manifests/odd.yaml": odd })),
  ];
  const find = async (directory: string): Promise<Digest> => {
    const { digest } = await bundles.find(directory);
    assert.ok(digest.ok);
    return digest.value;
  };
  const digest = await find(large);
  const first = await bundles.read("unpacked", digest, large);
  assert.equal(await bundles.read("unpacked", digest, large), first);
  await bundles.read("unpacked", await find(other), other);
  assert.notEqual(await bundles.read("unpacked", digest, large), first);
});

test("a bundle directory that changed since it was found is not read as the former bundle", async (context) => {
  const { bundles, directory, digest } = await parsed(context, smallBundle());
  await writeFile(join(directory, "manifests/more.yaml"), odd);
  await assert.rejects(bundles.read("unpacked", digest, directory), /changed since it was found/);
});

test("a bundle that needs more memory than the thread has is refused, and the next one is read", async (context) => {
  const large = smallBundle({
    "manifests/large.yaml": `kind: A\nitems:\n${"- {a: 1, b: [], c: {}}\n".repeat(400_000)}`,
  });
  const bundles = new ParsedBundles({ memoryLimitMiB: 32 });
  context.after(() => bundles.stop());
  const tooLarge = await written(context, large);
  const found = await bundles.find(tooLarge);
  assert.ok(found.digest.ok);
  await assert.rejects(bundles.read("unpacked", found.digest.value, tooLarge), /needs more than 32 MiB to be read/);
  const small = await written(context, smallBundle());
  const next = await bundles.find(small);
  assert.ok(next.digest.ok && (await bundles.read("unpacked", next.digest.value, small)).ok);
});

test("a later process reads a known bundle without a thread, to the digits of its integers", async (context) => {
  const { cacheDir, open } = await keeping(context);
  const directory = await written(context, smallBundle({ "manifests/odd.yaml": odd }));
  const first = open("one");
  const found = await first.find(directory);
  assert.ok(found.digest.ok);
  const digest = found.digest.value;
  const [unpacked, registry] = [
    await first.read("unpacked", digest, directory),
    await first.read("registry", digest, directory),
  ];
  await filesIn(join(cacheDir, "bundles"), 3);
  const later = open("one", noThread);
  assert.deepEqual(await later.find(directory), found);
  assert.equal(textOf(await later.read("unpacked", digest, directory)), textOf(unpacked));
  assert.equal(textOf(await later.read("registry", digest, directory)), textOf(registry));
  // Which of the two comes first is up to the thread.
  const started = /a thread was started|the thread that reads bundles stopped/;
  await assert.rejects(open("two", noThread).find(directory), started);
  await assert.rejects(open("two", noThread).read("unpacked", digest, directory), started);
});

test("a small bundle is read without the thread as by it, and a later process knows it", async (context) => {
  const { cacheDir, open } = await keeping(context);
  const files = smallBundle({ "manifests/odd.yaml": odd });
  const directory = await written(context, files);
  const bundles = new ParsedBundles({ cacheDir, code: "one", reader: noThread });
  const { digest, fingerprint: seen } = await bundles.find(directory);
  assert.ok(digest.ok);
  assert.equal(seen, await fingerprint(directory));
  const unpacked = textOf(await bundles.read("unpacked", digest.value, directory));
  assert.equal(unpacked, textOf(unpackBundle({ ...files, digest: digest.value })));
  await filesIn(join(cacheDir, "bundles"), 2);
  assert.equal(textOf(await open("one", noThread).read("unpacked", digest.value, directory)), unpacked);
});

test("a bundle with one byte or one file more than is small is left to the thread, and so is one that is not there", async (context) => {
  const files = smallBundle();
  const bytes = files.files.reduce((sum, file) => sum + file.bytes.length, 0);
  const few = await written(context, files);
  assert.equal(await isWithin(few, bytes), true);
  assert.equal(await isWithin(few, bytes - 1), false);
  assert.equal(await isWithin(join(few, "gone"), bytes), false);
  const more = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`manifests/more-${index}.yaml`, ""]));
  assert.equal(await isWithin(await written(context, smallBundle(more)), bytes), false);
});

test("a later process reads a bundle again whose files changed or whose kept result is damaged", async (context) => {
  const { cacheDir, open } = await keeping(context);
  const kept = join(cacheDir, "bundles");
  const directory = await written(context, smallBundle());
  const first = open("one");
  const found = await first.find(directory);
  assert.ok(found.digest.ok);
  const digest = found.digest.value;
  const unpacked = await first.read("unpacked", digest, directory);
  await filesIn(kept, 2);
  for (const name of await readdir(kept)) if (name.endsWith(".unpacked")) await writeFile(join(kept, name), "{}");
  assert.deepEqual(await open("one").read("unpacked", digest, directory), unpacked);
  await writeFile(join(directory, "manifests/more.yaml"), odd);
  const changed = await open("one").find(directory);
  assert.ok(changed.digest.ok && changed.digest.value !== digest);
});
