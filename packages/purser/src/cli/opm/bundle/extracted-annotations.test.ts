import assert from "node:assert/strict";
import { test } from "node:test";
import { extractedAnnotations } from "./extracted-annotations.ts";

const label = (part: string): string => `operators.operatorframework.io.bundle.${part}.v1`;
const none = Object.fromEntries(
  ["manifests", "mediatype", "metadata", "package", "channels", "channel.default"].map((part) => [label(part), ""]),
);
const decoding = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
const struct =
  'Go struct field AnnotationsFile.annotations of type struct { Resources string "json:\\"operators.operatorframework.io.bundle.manifests.v1\\""; MediaType string "json:\\"operators.operatorframework.io.bundle.mediatype.v1\\""; Metadata string "json:\\"operators.operatorframework.io.bundle.metadata.v1\\""; Package string "json:\\"operators.operatorframework.io.bundle.package.v1\\""; Channels string "json:\\"operators.operatorframework.io.bundle.channels.v1\\""; ChannelDefault string "json:\\"operators.operatorframework.io.bundle.channel.default.v1\\"" }';

/** annotations.yaml and its labels, or the error of Go's decoder. */
const files: readonly (readonly [text: string, labels: object | string])[] = [
  ["", none],
  ["null", none],
  ["[]", `${decoding} array into Go value of type configmap.AnnotationsFile`],
  ["5", `${decoding} number into Go value of type configmap.AnnotationsFile`],
  ["true", `${decoding} bool into Go value of type configmap.AnnotationsFile`],
  ["a", `${decoding} string into Go value of type configmap.AnnotationsFile`],
  ["annotations:", none],
  ["annotations: {}", none],
  ["annotations: {other: 1}", none],
  ["annotations: []", `${decoding} array into ${struct}`],
  ["annotations: 5", `${decoding} number into ${struct}`],
  ["annotations: x", `${decoding} string into ${struct}`],
  ["annotations: false", `${decoding} bool into ${struct}`],
  [
    `annotations: {${label("package")}: p, ${label("channels")}: 5, ${label("mediatype")}: true, ${label("manifests")}: null}`,
    { ...none, [label("package")]: "p", [label("channels")]: "5", [label("mediatype")]: "true" },
  ],
  [
    `annotations: {${label("package")}: [a]}`,
    `${decoding} array into Go struct field .annotations.${label("package")} of type string`,
  ],
  [
    `annotations: {${label("channels")}: {a: b}}`,
    `${decoding} object into Go struct field .annotations.${label("channels")} of type string`,
  ],
];

for (const [text, expected] of files)
  test(`annotations of ${JSON.stringify(text)} are ${typeof expected === "string" ? "refused as by Go" : "read"}`, () => {
    const read = extractedAnnotations(new TextEncoder().encode(text));
    assert.deepEqual(read.ok ? read.value : read.problem, expected);
  });

test("annotations that are no YAML are refused with the error of the parser", () => {
  assert.deepEqual(extractedAnnotations(new TextEncoder().encode("{")), { ok: false, problem: "unexpected EOF" });
});
