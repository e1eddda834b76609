import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { smallBundle, smallCrd, smallCsv } from "../testing/small-bundle.ts";
import { contentFaults } from "./content.ts";
import { validateCsv } from "./csv.ts";
import { formatFaults } from "./format.ts";
import { formatIssue } from "./issue.ts";
import { loadBundle } from "./loaded-bundle.ts";
import { runValidator } from "./suites.ts";

const required = (csv: JsonObject): readonly string[] =>
  validateCsv(csv, () => undefined)
    .issues.map(formatIssue)
    .filter((text) => text.includes("required field missing"));

test("a list that is there is no missing field, and an install strategy that holds permissions needs deployments", () => {
  const at = "Error: Field Spec.InstallStrategy";
  assert.deepEqual(required({ metadata: { name: "a" }, spec: { installModes: [] } }), [
    `${at}, Value struct: required field missing`,
    "Error: Field Spec.DisplayName, Value field: required field missing",
  ]);
  assert.deepEqual(required({ metadata: { name: "a" }, spec: {} }), [
    "Error: Field Spec, Value struct: required field missing",
  ]);
  const install = (spec: JsonObject): readonly string[] =>
    required({ metadata: { name: "a" }, spec: { displayName: "A", install: { strategy: "deployment", spec } } });
  assert.deepEqual(install({ permissions: [] }), [
    `${at}.StrategySpec.DeploymentSpecs, Value field: required field missing`,
  ]);
  assert.deepEqual(install({ deployments: [] }), []);
  assert.deepEqual(install({}), []);
});

test("a CustomResourceDefinition in a namespace is refused after its other names", () => {
  const metadata = { name: "pots", namespace: "ns" };
  const faults = contentFaults(smallBundle({ "manifests/crd.json": { ...smallCrd, metadata } }), "/b");
  assert.deepEqual(
    faults.map(({ message }) => message).filter((message) => message.includes("metadata.")),
    [
      'Error: Field metadata.name, Value pots: metadata.name: Invalid value: "pots": must be spec.names.plural+"."+spec.group',
      "Error: Field metadata.namespace, Value : metadata.namespace: Forbidden: not allowed on this type",
    ],
  );
});

test("a dependency of a type that is a number is named by it", () => {
  const files = smallBundle({ "metadata/dependencies.yaml": "dependencies:\n- type: 1.0\n  value: {label: x}\n" });
  assert.deepEqual(
    formatFaults(files, "/b").map(({ message }) => message),
    ["couldn't parse dependency of type 1"],
  );
});

function details(validator: "object" | "good-practices", files: Parameters<typeof smallBundle>[0]): readonly string[] {
  const loaded = loadBundle(smallBundle(files), "/b");
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.problem.message);
  const options = { sizes: { raw: 1, compressed: 1 }, indexFile: { kind: "notGiven" } } as const;
  return runValidator(validator, loaded.value, options).flatMap(({ issues }) =>
    issues.map(({ detail, value }) => `${detail}: ${value?.text ?? ""}`),
  );
}

const misfits: readonly (readonly [rules: readonly JsonValue[], text: string])[] = [
  [["x"], "string into Go struct field Role.rules of type v1.PolicyRule"],
  [[{ resources: true }], "bool into Go struct field PolicyRule.rules.resources of type []string"],
  [[{ verbs: ["get", 1] }], "number into Go struct field PolicyRule.rules.verbs of type string"],
];
for (const [rules, text] of misfits)
  test(`a Role whose rules hold a ${text.split(" ")[0]} in the wrong place cannot be read`, () => {
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules };
    assert.deepEqual(details("object", { "manifests/role.json": role }), [
      `error unmarshaling role: json: cannot unmarshal ${text}`,
    ]);
  });

test("rules of nothing and lists of nothing in a Role can be read", () => {
  const rules = [null, { verbs: null, resources: [null, "pods"] }];
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules };
  assert.deepEqual(details("object", { "manifests/role.json": role }), []);
});

const versioned = "versioning convention (MAJOR.MINOR.PATCH e.g 0.0.1): https://semver.org/";
const named = "recommended naming convention: <operator-name>.v<semver> e.g. memcached-operator.v0.0.1";
const names: readonly (readonly [name: string, advice: readonly string[]])[] = [
  ["a.v1.0.0", []],
  ["1.0.0", [named]],
  ["a-1.0.0-rc.1", [named]],
  ["a.v1.0.01", [versioned]],
  ["a.v1", [versioned]],
  ["a.v1.v1.0.0", [named]],
];
for (const [name, advice] of names)
  test(`the name ${name} of a CSV is advised against ${advice.length} times`, () => {
    const found = details("good-practices", { "manifests/csv.json": smallCsv({}, { name }) });
    assert.deepEqual(
      found.filter((text) => text.startsWith("csv.metadata")),
      advice.map((text) => `csv.metadata.Name ${name} is not following the ${text}: ${name}`),
    );
  });

test("annotations of a file that cannot be read whole count with the next file, which is then no list of dependencies", () => {
  const annotations = ["mediatype.v1: registry+v1", "manifests.v1: manifests/", "metadata.v1: metadata/"];
  const others = ["package.v1: a", "channels.v1: stable"];
  const lines = [...annotations, ...others].map((text) => `  operators.operatorframework.io.bundle.${text}`);
  const found = (dependencies?: string): readonly string[] =>
    formatFaults(
      smallBundle({
        "metadata/annotations.yaml": ["annotations:", ...lines, "  odd: {}"].join("\n"),
        ...(dependencies === undefined ? {} : { "metadata/dependencies.yaml": dependencies }),
      }),
      "/b",
    ).map(({ message }) => message);
  assert.deepEqual(found(), ["Could not find annotations file"]);
  assert.deepEqual(found("dependencies:\n- type: x\n  value: {}\n"), []);
});

test("versions of a v1beta1 CustomResourceDefinition may not all hold the same schema", () => {
  const schema = { openAPIV3Schema: { type: "object" } };
  const detail =
    "per-version schemas may not all be set to identical values (top-level validation should be used instead)";
  const faults = (versions: readonly JsonObject[]): readonly boolean[] => {
    const spec: JsonObject = { ...(smallCrd["spec"] as JsonObject), versions };
    const crd = { ...smallCrd, apiVersion: "apiextensions.k8s.io/v1beta1", spec };
    return contentFaults(smallBundle({ "manifests/crd.json": crd }), "/b").flatMap(({ message }) =>
      message.includes("per-version") ? [message.endsWith(detail)] : [],
    );
  };
  assert.deepEqual(faults([{ name: "v1", served: true, storage: true, schema }]), [true]);
  const other = { name: "v2", served: true, storage: false };
  assert.deepEqual(faults([{ name: "v1", served: true, storage: true, schema }, other]), []);
  assert.deepEqual(faults([{ name: "v1", served: true, storage: true }, other]), []);
});
