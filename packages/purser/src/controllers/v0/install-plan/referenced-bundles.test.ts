import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { stepsOf } from "../../../bundle/install-plan-steps.ts";
import { readBundle } from "../../../bundle/read-bundle.ts";
import { smallBundle } from "../../../bundle/testing/small-bundle.ts";
import { unpackBundle } from "../../../bundle/unpack-bundle.ts";
import type { BundleContent } from "../../../content/content.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import { bundleReference } from "../../../resolver/v0/install-plan/bundle-reference.ts";
import { ReferencedBundles } from "./referenced-bundles.ts";

const files = smallBundle();
const image = "example.com/kiln:v1.0.0";
const key = `kiln 1.0.0 ${image}`;
const catalog = { name: "cat", namespace: "olm" };

const inline = (() => {
  const bundle = unpackBundle(files);
  assert.ok(bundle.ok);
  const steps = stepsOf(bundle.value, { namespace: "ns", replaces: "", catalog, properties: "" });
  assert.ok(steps.ok);
  return steps.value;
})();

const reference = bundleReference({
  image,
  package: "kiln",
  version: "1.0.0",
  digest: files.digest,
  replaces: "",
  properties: "",
});
const referring = (manifest = reference): readonly Step[] =>
  inline.map((step) => ({ ...step, resource: { ...step.resource, manifest } }));

/** A pass over content that counts how often the bundle is unpacked, and keeps nothing between two calls. */
function pass(digest = files.digest): {
  readonly content: SetContent;
  readonly bundles: ReferencedBundles;
  readonly unpacked: () => number;
  readonly ready: BundleContent;
} {
  const content = new SetContent();
  let unpacked = 0;
  const ready: BundleContent = {
    state: { kind: "ready", digest },
    objects: {
      unpacked: () => {
        unpacked++;
        return Promise.resolve(unpackBundle(files));
      },
      registry: () => Promise.resolve(readBundle(files)),
    },
  };
  const reader = { get: () => Promise.resolve(undefined) };
  const bundles = new ReferencedBundles("ns", reader, (request) => content.bundle(request));
  return { content, bundles, unpacked: () => unpacked, ready };
}

test("the manifests of all steps come from one unpacking of the bundle, byte for byte as inline", async () => {
  const { content, bundles, unpacked, ready } = pass();
  content.setBundle(key, ready);
  const steps = referring();
  assert.ok(steps.length > 1);
  const manifests = await Promise.all(steps.map((step) => bundles.manifest(step)));
  assert.deepEqual(
    manifests.map((manifest) => (manifest.ok ? manifest.value : manifest.problem)),
    inline.map(({ resource }) => resource.manifest),
  );
  assert.equal(unpacked(), 1);
});

test("a plan waits for the bundles that are being read, each requested once", async () => {
  const { content, bundles, ready } = pass();
  assert.deepEqual(await bundles.pending(referring()), [image]);
  assert.deepEqual(content.asked, [key]);
  content.setBundle(key, ready);
  assert.deepEqual(await bundles.pending(referring()), []);
});

test("a bundle that failed is not waited for: its steps report the cause and the remedy", async () => {
  const { content, bundles } = pass();
  const state = { kind: "failing", cause: "it is not there", remedy: "Put it there.", since: 0 } as const;
  content.setBundle(key, { state, objects: undefined });
  assert.deepEqual(await bundles.pending(referring()), []);
  const [step] = referring();
  assert.ok(step);
  assert.deepEqual(await bundles.manifest(step), failed("it is not there; Put it there."));
});

test("a bundle that differs from the reviewed one is refused", async () => {
  const { content, bundles, ready } = pass(digestOf("another bundle"));
  content.setBundle(key, ready);
  const [step] = referring();
  assert.ok(step);
  const manifest = await bundles.manifest(step);
  assert.ok(!manifest.ok);
  assert.match(manifest.problem, /changed since the plan was made.*delete the InstallPlan/);
});

test("steps with their manifests inline need no bundle", async () => {
  const { content, bundles } = pass();
  assert.deepEqual(await bundles.pending(inline), []);
  for (const step of inline)
    assert.deepEqual(await bundles.manifest(step), { ok: true, value: step.resource.manifest });
  assert.deepEqual(content.asked, []);
});

test("a malformed reference is refused and requests no bundle", async () => {
  const { content, bundles } = pass();
  const steps = referring(reference.slice(0, -5));
  assert.deepEqual(await bundles.pending(steps), []);
  const [step] = steps;
  assert.ok(step);
  const manifest = await bundles.manifest(step);
  assert.ok(!manifest.ok);
  assert.match(manifest.problem, /bundle reference cannot be read/);
  assert.deepEqual(content.asked, []);
});

test("a step that refers to a ConfigMap of OLM is not known, and a ConfigMap as a manifest is itself", async () => {
  const { bundles } = pass();
  const fields = { name: "abc123", namespace: "olm", catalogSourceName: "cat", catalogSourceNamespace: "olm" };
  const stepWith = (manifest: object): Step => {
    const [step] = inline;
    assert.ok(step !== undefined);
    return { ...step, resource: { ...step.resource, manifest: JSON.stringify(manifest) } };
  };
  const olm = stepWith({ kind: "ConfigMap", ...fields, replaces: "", properties: "" });
  assert.deepEqual(await bundles.pending([olm]), []);
  assert.deepEqual(
    await bundles.manifest(olm),
    failed(
      "the step's content is in ConfigMap olm/abc123, where OLM unpacked its bundle, and is not known; delete the InstallPlan to plan again",
    ),
  );
  for (const own of [
    { kind: "ConfigMap", ...fields, name: "" },
    { kind: "ConfigMap", metadata: { name: "settings" }, data: { catalogSourceNamespace: "olm" } },
    { kind: "Other", ...fields },
  ]) {
    const step = stepWith(own);
    assert.deepEqual(await bundles.manifest(step), done(step.resource.manifest));
  }
});
