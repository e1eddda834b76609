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

const parse = (csv: JsonObject): string | readonly string[] => {
  const parsed = parseBundleDirectory(smallBundle({ "manifests/csv.json": csv }));
  if (!parsed.ok) return parsed.problem.message;
  const apis = [...parsed.value.provided, ...parsed.value.required].map((api) => Object.values(api).join(" "));
  return [parsed.value.version, parsed.value.release, ...apis];
};
const owned = { name: "pots.kiln.example.com", version: "v1", kind: "Pot" };
const service = { name: "s", group: "g", version: "v1", kind: "K" };
const specs: readonly (readonly [title: string, csv: JsonObject, expected: string | readonly string[]])[] = [
  ["a release that is a text", smallCsv({ release: "2" }), ["1.0.0", "2", "kiln.example.com Pot pots v1"]],
  ["a release that is a number", smallCsv({ release: 2 }), ["1.0.0", "2", "kiln.example.com Pot pots v1"]],
  [
    "a release that is a truth value",
    smallCsv({ release: true }),
    "failed to derive properties: release field must be a string or number",
  ],
  [
    "a version that is a number",
    smallCsv({ version: 1 }),
    "failed to derive properties: json: cannot unmarshal number into Go value of type string",
  ],
  [
    "no spec",
    { ...smallCsv(), spec: undefined },
    "error checking provided apis in bundle kiln.v1.0.0: error getting apiservice definitions: error unmarshaling into object map: unexpected end of JSON input",
  ],
  [
    "a spec that is a list",
    { ...smallCsv(), spec: [] },
    "error checking provided apis in bundle kiln.v1.0.0: error getting apiservice definitions: error unmarshaling into object map: json: cannot unmarshal array into Go value of type map[string]*json.RawMessage",
  ],
  ["a spec that is null", { ...smallCsv(), spec: null }, ["", "", "kiln.example.com Pot pots v1"]],
  [
    "definitions that are a list",
    smallCsv({ customresourcedefinitions: [] }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal array into Go value of type struct",
  ],
  [
    "definitions that are null",
    smallCsv({ customresourcedefinitions: null }),
    ["1.0.0", "", "kiln.example.com Pot pots v1"],
  ],
  [
    "an owned list that is an object",
    smallCsv({ customresourcedefinitions: { owned: {} } }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal object into Go struct field .owned of type []*registry.DefinitionKey",
  ],
  [
    "a required list that is a text",
    smallCsv({ customresourcedefinitions: { owned: [owned], required: "x" } }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal string into Go struct field .required of type []*registry.DefinitionKey",
  ],
  [
    "a required item that is a text",
    smallCsv({ customresourcedefinitions: { required: ["x"] } }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal string into Go struct field .required of type []*registry.DefinitionKey",
  ],
  [
    "a required item that is null",
    smallCsv({ customresourcedefinitions: { required: [null] } }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal null into Go struct field .required of type []*registry.DefinitionKey",
  ],
  [
    "a required item whose name is a number",
    smallCsv({ customresourcedefinitions: { required: [{ name: 1 }] } }),
    "error checking provided apis in bundle kiln.v1.0.0: json: cannot unmarshal object into Go struct field .required of type []*registry.DefinitionKey",
  ],
  [
    "a required CRD",
    smallCsv({ customresourcedefinitions: { required: [owned] } }),
    ["1.0.0", "", "kiln.example.com Pot pots v1", "kiln.example.com v1 Pot pots"],
  ],
  [
    "a required CRD whose name has no group",
    smallCsv({ customresourcedefinitions: { required: [{ ...owned, name: "pots" }] } }),
    'get properties for bundle "kiln.v1.0.0": get required apis: couldn\'t parse plural.group from crd name: pots',
  ],
  [
    "an owned CRD whose name has no group",
    smallCsv({ customresourcedefinitions: { owned: [{ ...owned, name: "pots" }] } }),
    "error checking provided apis in bundle kiln.v1.0.0: couldn't parse plural.group from crd name: pots",
  ],
  [
    "an owned CRD that is missing",
    smallCsv({ customresourcedefinitions: { owned: [{ ...owned, version: "v2" }] } }),
    "error checking provided apis in bundle kiln.v1.0.0: couldn't find kiln.example.com/v2/Pot (pots) in bundle. found: map[kiln.example.com/v1/Pot (pots):{}]",
  ],
  [
    "owned and required API services",
    smallCsv({ apiservicedefinitions: { owned: [service], required: [{ ...service, kind: "R" }] } }),
    ["1.0.0", "", "g v1 K s", "kiln.example.com Pot pots v1", "g v1 R s"],
  ],
  [
    "API services that are a text",
    smallCsv({ apiservicedefinitions: "x" }),
    "error checking provided apis in bundle kiln.v1.0.0: error getting apiservice definitions: json: cannot unmarshal string into Go value of type struct",
  ],
  [
    "required API services that are a text",
    smallCsv({ apiservicedefinitions: { required: "x" } }),
    "error checking provided apis in bundle kiln.v1.0.0: error getting apiservice definitions: json: cannot unmarshal string into Go struct field .required of type []*registry.DefinitionKey",
  ],
];
for (const [title, csv, expected] of specs)
  test(`a CSV with ${title} is read as Go reads it`, () => assert.deepEqual(parse(csv), expected));
