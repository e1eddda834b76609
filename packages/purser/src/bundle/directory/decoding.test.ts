import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { smallBundle, smallCrd, smallCsv } from "../testing/small-bundle.ts";
import { RawCsv } from "./csv-raw.ts";
import { decodeCrd } from "./decode-crd.ts";
import { parseBundleDirectory } from "./parse-directory.ts";

test("a CRD is decoded by its version alone, so that another group is not registered for it", () => {
  const unregistered = (version: string, apiVersion: string): string =>
    `error decoding ${version} CRD: no kind "CustomResourceDefinition" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  const cases: readonly (readonly [JsonObject, string | undefined])[] = [
    [{}, undefined],
    [{ apiVersion: "apiextensions.k8s.io/v1beta1" }, undefined],
    [{ apiVersion: "v1" }, unregistered("v1", "v1")],
    [{ apiVersion: "v1beta1" }, unregistered("v1beta1", "v1beta1")],
    [{ apiVersion: "example.com/v1" }, unregistered("v1", "example.com/v1")],
    // Other versions, other kinds and objects without a version are ignored.
    [{ apiVersion: "v2" }, undefined],
    [{ apiVersion: "example.com/v1alpha1" }, undefined],
    [{ apiVersion: "a/b/v1" }, undefined],
    [{ apiVersion: "v1", kind: "Service" }, undefined],
  ];
  for (const [change, expected] of cases) {
    const crd = { ...smallCrd, ...change };
    const decoded = decodeCrd(crd);
    assert.equal(decoded.ok ? undefined : decoded.problem, expected, JSON.stringify(change));
    // Such a CRD next to the one that the CSV owns.
    const parsed = parseBundleDirectory(smallBundle({ "manifests/other.json": crd }));
    assert.equal(parsed.ok ? undefined : parsed.problem.message, expected, JSON.stringify(change));
  }
});

test("annotations that are numbers or truth values stand for texts, in JSON as in YAML", () => {
  const name = "operators.operatorframework.io.bundle";
  for (const [given, text] of [
    ["1", "1"],
    ["false", "false"],
    ['"a"', "a"],
    ["[]", undefined],
    ["{}", undefined],
  ] as const) {
    for (const annotations of [
      `{"annotations": {"${name}.package.v1": ${given}}}`,
      `annotations: {${name}.package.v1: ${given}}`,
    ]) {
      const parsed = parseBundleDirectory(smallBundle({ "metadata/annotations.yaml": annotations }));
      assert.equal(parsed.ok ? parsed.value.annotations.packageName : undefined, text, annotations);
    }
  }
});

test("related images that Go cannot read are a problem", () => {
  const cases: readonly (readonly [JsonValue, string])[] = [
    ["a", "json: cannot unmarshal string into Go value of type []declcfg.RelatedImage"],
    [{}, "json: cannot unmarshal object into Go value of type []declcfg.RelatedImage"],
    [["a"], "json: cannot unmarshal string into Go value of type declcfg.RelatedImage"],
    [[{ image: 1 }], "json: cannot unmarshal object into Go value of type declcfg.RelatedImage"],
  ];
  for (const [relatedImages, problem] of cases) {
    const images = new RawCsv({ spec: { relatedImages } }).relatedImages();
    assert.equal(images.ok ? "read" : images.problem, problem, JSON.stringify(relatedImages));
  }
});

test("an install strategy that Go cannot read is a problem, also where its images would not be looked at", () => {
  const into = "json: cannot unmarshal";
  const cases: readonly (readonly [JsonValue, RegExp | readonly string[]])[] = [
    [null, []],
    [{}, []],
    [{ strategy: "other", spec: { deployments: null } }, []],
    [{ strategy: "deployment", spec: { deployments: [null, {}] } }, []],
    [{ Strategy: "deployment", SPEC: { Deployments: [{ spec: containers("a", "b", "a") }] } }, ["a", "b"]],
    [{ strategy: "other", spec: { deployments: [{ spec: containers("a") }] } }, []],
    ["x", new RegExp(`^${into} string into Go struct field csvSpec.Install of type registry.strategy$`)],
    [[], /cannot unmarshal array into/],
    [1, /cannot unmarshal number into/],
    [{ strategy: 1 }, new RegExp(`^${into} number into Go struct field strategy.Install.strategy of type string$`)],
    [{ strategy: "deployment", spec: "x" }, /string into Go struct field strategy.Install.spec of type/],
    [{ strategy: "other", spec: { deployments: {} } }, /object into .* of type \[\]registry.dep$/],
    [{ strategy: "other", spec: { deployments: ["x"] } }, /string into .* of type registry.dep$/],
    [{ strategy: "other", spec: { deployments: [{ name: 1 }] } }, /number into .* of type string$/],
    [{ strategy: "other", spec: { deployments: [{ spec: "x" }] } }, /string into .* of type v1.DeploymentSpec$/],
    [{ strategy: "other", spec: { deployments: [{ spec: { template: { spec: { containers: {} } } } }] } }, /^json: /],
  ];
  for (const [install, expected] of cases) {
    const images = new RawCsv(smallCsv({ install })).operatorImages();
    if (expected instanceof RegExp) assert.match(images.ok ? "" : images.problem, expected, JSON.stringify(install));
    else assert.deepEqual(images.ok ? images.value : images.problem, expected, JSON.stringify(install));
  }
});

function containers(...images: readonly string[]): JsonObject {
  return { template: { spec: { containers: images.map((image) => ({ name: "c", image })) } } };
}
