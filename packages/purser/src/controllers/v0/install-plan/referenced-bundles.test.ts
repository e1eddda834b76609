import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Step } from "../../../apis/v0/install-plan.ts";
import type { BundleRequest } from "../../../catalog/content.ts";
import { stepsOf } from "../../../bundle/install-plan-steps.ts";
import { readBundle } from "../../../bundle/read-bundle.ts";
import { smallBundle } from "../../../bundle/testing/small-bundle.ts";
import { unpackBundle } from "../../../bundle/unpack-bundle.ts";
import type { BundleContent } from "../../../content/content.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import { bundleReference } from "../../../resolver/v0/install-plan/bundle-reference.ts";
import { ReferencedBundles } from "./referenced-bundles.ts";
import { olmConfigMap } from "./testing/olm-config-map.ts";

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

const unpackedByOlm = olmConfigMap(
  Object.fromEntries(files.files.map(({ path, bytes }) => [path.replace(/.*\//, ""), bytes])),
);

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
  readonly configMapReads: readonly string[];
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
  const configMapReads: string[] = [];
  const live = {
    get: (_type: unknown, key: ObjectKey) => {
      configMapReads.push(`${key.namespace}/${key.name}`);
      return Promise.resolve(unpackedByOlm as never);
    },
  };
  const ask = (request: BundleRequest) => content.bundle(request);
  const bundles = new ReferencedBundles({ namespace: "ns", reader, live, globalNamespace: "olm", ask });
  return { content, bundles, unpacked: () => unpacked, ready, configMapReads };
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
  assert.deepEqual(await bundles.manifest(step), failed("it is not there. Put it there."));
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

const stepWith = (manifest: object): Step => {
  const [step] = inline;
  assert.ok(step !== undefined);
  return { ...step, resource: { ...step.resource, manifest: JSON.stringify(manifest) } };
};
const olmReference = {
  kind: "ConfigMap",
  name: "abc123",
  namespace: "olm",
  catalogSourceName: "cat",
  catalogSourceNamespace: "olm",
  replaces: "",
  properties: "",
};

test("steps that refer to a ConfigMap of OLM have its manifests, byte for byte as inline, and it is read once", async () => {
  const { bundles, configMapReads, content } = pass();
  const steps = referring(JSON.stringify(olmReference));
  assert.deepEqual(await bundles.pending(steps), []);
  const manifests = await Promise.all(steps.map((step) => bundles.manifest(step)));
  assert.deepEqual(
    manifests.map((manifest) => (manifest.ok ? manifest.value : manifest.problem)),
    inline.map(({ resource }) => resource.manifest),
  );
  assert.deepEqual(configMapReads, ["olm/abc123"]);
  assert.deepEqual(content.asked, []);
});

test("replaces and properties of a reference to a ConfigMap are those of its steps", async () => {
  const { bundles } = pass();
  const properties = '{"properties":[{"type":"a","value":1}]}';
  const manifest = await bundles.manifest(stepWith({ ...olmReference, replaces: "kiln.v0.9.0", properties }));
  assert.ok(manifest.ok);
  const csv = JSON.parse(manifest.value) as ClusterServiceVersion;
  assert.equal(csv.spec.replaces, "kiln.v0.9.0");
  assert.equal(csv.metadata.annotations?.["operatorframework.io/properties"], properties);
});

test("a step that its ConfigMap does not hold is refused with the ConfigMap's name", async () => {
  const { bundles } = pass();
  const step = stepWith(olmReference);
  assert.deepEqual(
    await bundles.manifest({ ...step, resource: { ...step.resource, name: "other" } }),
    failed("error calculating steps for ref olm/abc123: couldn't find unpacked step for ClusterServiceVersion other"),
  );
});

test("a ConfigMap in a namespace without catalogs for the plan is not read", async () => {
  const { bundles, configMapReads } = pass();
  const elsewhere = { ...olmReference, namespace: "theirs", catalogSourceNamespace: "theirs" };
  assert.deepEqual(
    await bundles.manifest(stepWith(elsewhere)),
    failed(
      "error finding unpacked bundle configmap for ref theirs/abc123: catalogs for this InstallPlan are in namespaces ns and olm only; delete the InstallPlan to plan again",
    ),
  );
  assert.deepEqual(configMapReads, []);
});

test("a manifest that is no reference of OLM is itself", async () => {
  const { bundles } = pass();
  for (const own of [
    { ...olmReference, name: "" },
    { ...olmReference, namespace: "" },
    { ...olmReference, catalogSourceName: "" },
    { ...olmReference, catalogSourceNamespace: "" },
    { kind: "ConfigMap", metadata: { name: "settings" }, data: { catalogSourceNamespace: "olm" } },
    { ...olmReference, kind: "Other" },
  ]) {
    const step = stepWith(own);
    assert.deepEqual(await bundles.manifest(step), done(step.resource.manifest));
  }
});
