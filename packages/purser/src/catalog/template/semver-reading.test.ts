import assert from "node:assert/strict";
import { test } from "node:test";
import { done } from "@purser/kubernetes/result";
import { madeBundle } from "./testing/made-bundle.ts";
import { expand } from "./expand.ts";
import type { RenderReference } from "./template.ts";

function refusal(text: string, render: RenderReference = () => done([])): string {
  const expansion = expand({ text }, render, "semver");
  return expansion.ok ? "" : expansion.problem.message;
}

const unread = "rendering template: render: unable to read file: ";
const repeated = `${unread}error converting YAML to JSON: yaml: unmarshal errors:\n`;

const texts: readonly (readonly [what: string, text: string, expected: string])[] = [
  [
    "a number as an image",
    "schema: olm.semver\nstable: {bundles: [{image: 1}]}",
    'rendering template: bundle reference "1" resulted in 0 bundles, expected 1',
  ],
  [
    "a truth value as the schema",
    "schema: true",
    `${unread}readFile: input file has unknown schema, should be "olm.semver"`,
  ],
  ["a key twice", "schema: olm.semver\nschema: olm.semver", `${repeated}  line 2: key "schema" already set in map`],
  [
    "keys twice, one in the value of the other",
    "---\nschema: olm.semver\nstable:\nstable:\n\n  # images\n  bundles: []\n  bundles:\n  - image: a\nfast:",
    `${repeated}  line 9: key "bundles" already set in map\n  line 7: key "stable" already set in map`,
  ],
  [
    "a key of nothing twice",
    "fast: {}\nfast:\nschema: olm.semver",
    `${repeated}  line 2: key "fast" already set in map`,
  ],
  [
    "a template in braces with a key twice",
    '{"schema": "a",\n"schema": "b"}',
    `${repeated}  line 2: key "schema" already set in map`,
  ],
  [
    "an unknown key before a wrong type",
    "schema: olm.semver\nsche: 1\nstable: []",
    `${unread}error unmarshaling JSON: while decoding JSON: json: unknown field "sche"`,
  ],
  [
    "a wrong type before an unknown key",
    "schema: olm.semver\nstable: []\nstable2: 1",
    `${unread}error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field SemverTemplateData.stable of type semver.channelBundles`,
  ],
];

for (const [what, text, expected] of texts)
  test(`a semver template with ${what} is answered as opm answers it`, () => {
    assert.equal(refusal(text), expected);
  });

test("two references whose bundles have one image stand for the first of them", () => {
  const render: RenderReference = (reference) => done([madeBundle(reference, "1.0.0", "image/same")]);
  assert.equal(
    refusal("schema: olm.semver\nstable: {bundles: [{image: a}, {image: b}]}", render),
    'rendering template: render: unable to post-process bundle info: duplicate bundle name "a.v1.0.0"',
  );
});
