import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { BundleFiles } from "../bundle/bundle-files.ts";
import { readBundle } from "../bundle/read-bundle.ts";
import { smallBundle } from "../bundle/testing/small-bundle.ts";
import { unpackBundle } from "../bundle/unpack-bundle.ts";
import { digestOf } from "../digest.ts";
import { plainJson } from "../json.ts";
import { exactJson } from "../text/documents.ts";
import { ParsedBundles, type ParsedBundlesOptions } from "./parsed-bundles.ts";

function parsed(
  context: TestContext,
  files: BundleFiles,
  options: ParsedBundlesOptions = {},
): { readonly bundles: ParsedBundles; readonly opened: () => number } {
  let opened = 0;
  const open = (): Promise<BundleFiles> => {
    opened++;
    return Promise.resolve(files);
  };
  const bundles = new ParsedBundles(open, options);
  context.after(() => bundles.stop());
  return { bundles, opened: () => opened };
}

const textOf = (result: object): string => exactJson(plainJson(result));
const odd = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: odd}\nlong: 9223372036854775807\nzero: -0.0\n";

test("a bundle read by the thread is the bundle read here, to the digits of its integers and the sign of zero", async (context) => {
  const files = smallBundle({ "manifests/odd.yaml": odd });
  const { bundles } = parsed(context, files);
  const unpacked = textOf(await bundles.read("unpacked", files.digest));
  assert.equal(unpacked, textOf(unpackBundle(files)));
  assert.match(unpacked, /"long": 9223372036854775807,.*"zero": -0/);
  assert.equal(textOf(await bundles.read("registry", files.digest)), textOf(readBundle(files)));
});

test("a bundle that cannot be read is refused with the place that reading it here finds", async (context) => {
  const files = smallBundle({ "manifests/odd.yaml": "a: [" });
  const { bundles } = parsed(context, files);
  const read = await bundles.read("registry", files.digest);
  assert.ok(!read.ok && read.problem[0]?.place?.line === 1);
  assert.deepStrictEqual(read, readBundle(files));
});

test("a bundle is read once until nobody asked for it between two rests", async (context) => {
  const files = smallBundle();
  const { bundles, opened } = parsed(context, files);
  const [first, second] = await Promise.all([
    bundles.read("unpacked", files.digest),
    bundles.read("unpacked", files.digest),
  ]);
  assert.equal(first, second);
  bundles.rest();
  assert.equal(await bundles.read("unpacked", files.digest), first);
  bundles.rest();
  bundles.rest();
  assert.equal(opened(), 1);
  assert.deepStrictEqual(await bundles.read("unpacked", files.digest), first);
  assert.equal(opened(), 2);
});

test("a bundle that needs more memory than the thread has is refused, and the next one is read", async (context) => {
  const large = smallBundle({
    "manifests/large.yaml": `kind: A\nitems:\n${"- {a: 1, b: [], c: {}}\n".repeat(400_000)}`,
  });
  const small = smallBundle();
  const tooLarge = { ...large, digest: digestOf("large") };
  const bundles = new ParsedBundles((digest) => Promise.resolve(digest === tooLarge.digest ? tooLarge : small), {
    memoryLimitMiB: 32,
  });
  context.after(() => bundles.stop());
  await assert.rejects(bundles.read("unpacked", tooLarge.digest), /needs more than 32 MiB to be read/);
  assert.ok((await bundles.read("unpacked", small.digest)).ok);
});
