import assert from "node:assert/strict";
import { test } from "node:test";
import { blobsOf } from "../loading/load.ts";
import { opmList } from "./list.ts";
import type { RenderSource } from "./read-sources.ts";
import { opmRenderGraph } from "./render-graph.ts";
import { opmValidate } from "./validate.ts";

const sourceOf = (...blobs: readonly object[]): RenderSource => ({
  reference: "cat",
  read: () => blobsOf({ file: "cat.json", text: blobs.map((blob) => JSON.stringify(blob)).join("\n") }),
});

const named = { schema: "olm.package", name: "p", defaultChannel: "a" };
const channel = { schema: "olm.channel", package: "p", name: "a", entries: [{ name: "p.v1" }] };
const bundle = {
  schema: "olm.bundle",
  package: "p",
  name: "p.v1",
  image: "q.io/p:v1",
  properties: [{ type: "olm.package", value: { packageName: "p", version: "1.0.0" } }],
};

test("opm alpha list counts related images in the order of their images, opm validate as they stand", () => {
  const source = sourceOf(named, channel, { ...bundle, relatedImages: [{ image: "q.io/a:1" }, { image: "Q/A" }] });
  const refusal = (index: number): string =>
    `level=fatal msg="package \\"p\\" bundle \\"p.v1\\" relatedImages[${index}].image: invalid image pull spec \\"Q/A\\": invalid reference format: repository name must be lowercase"\n`;
  assert.deepEqual(opmList(source, "channels", undefined), { exit: 1, stdout: "", stderr: refusal(0) });
  assert.equal(opmValidate(source.read(), "text").stderr, refusal(1));
});

test("opm alpha render-graph names a deprecated entry once for each channel of its name", () => {
  const entries = [{ reference: { schema: "olm.bundle", name: "p.v1" }, message: "gone" }];
  const source = sourceOf(named, channel, channel, bundle, { schema: "olm.deprecations", package: "p", entries });
  const { stdout } = opmRenderGraph([source], {});
  assert.match(stdout, /^class p-a-p\.v1,p-a-p\.v1 deprecated$/m);
});

test("opm alpha list and render-graph count properties with whole documents last, opm validate as they stand", () => {
  const [own] = bundle.properties;
  const properties = [own, { type: "olm.bundle.object", value: { data: "e30=" } }, { type: "olm.gvk", value: "x" }];
  const source = sourceOf(named, channel, { ...bundle, properties });
  const refusal = (index: number): RegExp => new RegExp(`parse property\\[${index}\\] of type .*olm.gvk`);
  assert.match(opmList(source, "channels", undefined).stderr, refusal(1));
  assert.match(opmRenderGraph([source], {}).stderr, refusal(1));
  assert.match(opmValidate(source.read(), "text").stderr, refusal(2));
});
