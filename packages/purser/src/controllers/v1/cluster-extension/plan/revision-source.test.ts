import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import { madeFrom } from "./revision-source.ts";
import { bundleOf, extensionOf } from "./testing/extension-world.ts";

const content = digestOf("files");
const extension: ClusterExtension = extensionOf({ config: { configType: "Inline", inline: { a: 1 } } });
const { spec } = extension;
assert.ok(spec !== undefined);
const bundle = bundleOf("1.0.0");
const made = madeFrom(extension, bundle, content);

test("every part of an extension and its bundle that a revision is made from makes another source", () => {
  const { metadata } = extension;
  const others: readonly (readonly [string, Parameters<typeof madeFrom>])[] = [
    ["uid", [{ ...extension, metadata: { ...metadata, uid: "other" } }, bundle, content]],
    ["namespace", [{ ...extension, spec: { ...spec, namespace: "other" } }, bundle, content]],
    ["configuration", [extensionOf({ config: { configType: "Inline", inline: { a: 2 } } }), bundle, content]],
    ["deadline", [{ ...extension, spec: { ...spec, progressDeadlineMinutes: 11 } }, bundle, content]],
    ["name", [extension, { ...bundle, name: "other" }, content]],
    ["version", [extension, { ...bundle, version: "1.0.1" }, content]],
    ["empty release", [extension, { ...bundle, release: "" }, content]],
    ["package", [extension, { ...bundle, packageName: "other" }, content]],
    ["image", [extension, { ...bundle, image: "example.com/other" }, content]],
    ["content", [extension, bundle, digestOf("other files")]],
  ];
  const sources = new Map([...others.map(([what, from]) => [madeFrom(...from), what] as const), [made, "none"]]);
  assert.deepEqual([...sources.values()], [...others.map(([what]) => what), "none"]);
  const labelled = { ...extension, metadata: { ...metadata, labels: { a: "b" }, generation: 17 } };
  assert.equal(madeFrom(labelled, bundle, content), made, "nothing else of it does");
});
