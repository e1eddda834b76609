import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalQuantity } from "./canonical-quantity.ts";
import { readTyped } from "./read-typed.ts";
import { tolerantVersion } from "./tolerant-version.ts";
import { writeTyped } from "./write-typed.ts";

test("an amount is written as Kubernetes writes it", () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["1024Mi", "1Gi"],
    ["100Mi", "100Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5", "500m"],
    ["0100m", "0100m"],
    ["1e3", "1e3"],
    ["1000", "1k"],
    ["0", "0"],
    ["1500m", "1500m"],
    ["lots", undefined],
  ];
  for (const [text, canonical] of table) assert.equal(canonicalQuantity(text), canonical, text);
});

test("a CSV's version may lack parts, and leading zeros do not count", () => {
  assert.deepEqual(tolerantVersion("v1.2"), { ok: true, value: "1.2.0" });
  assert.deepEqual(tolerantVersion("01.002.3"), { ok: true, value: "1.2.3" });
  assert.equal(tolerantVersion("1.2-rc").ok, false);
  assert.equal(tolerantVersion("").ok, false);
});

test("reading through a type drops unknown members and adds those that Go always writes", () => {
  const read = readTyped("Deployment", {
    kind: "Deployment",
    bogus: 1,
    spec: { template: { spec: { containers: [{ name: "c", env: [] }] } } },
  });
  assert.ok(read.ok);
  assert.deepEqual(read.value, {
    kind: "Deployment",
    metadata: {},
    spec: {
      selector: null,
      template: { metadata: {}, spec: { containers: [{ name: "c", resources: {} }] } },
      strategy: {},
    },
    status: {},
  });
});

test("an amount that is null is zero", () => {
  const resources = { limits: { cpu: null, memory: "1024Mi" } };
  const read = readTyped("Deployment", { spec: { template: { spec: { containers: [{ name: "c", resources }] } } } });
  assert.ok(read.ok);
  assert.match(JSON.stringify(read.value), /"resources":\{"limits":\{"cpu":"0","memory":"1Gi"\}\}/);
});

test("a value of the wrong shape is refused with its place", () => {
  const read = readTyped("Deployment", { spec: { template: { spec: { containers: {} } } } });
  assert.deepEqual(read, {
    ok: false,
    problem: { pointer: "/spec/template/spec/containers", message: "cannot restore slice from map" },
  });
});

test("only Go's own decoder folds the case of keys", () => {
  const csv = { spec: { MinKubeVersion: "1.30.0" } };
  const exact = readTyped("csv.ClusterServiceVersion", csv);
  const folded = readTyped("csv.ClusterServiceVersion", csv, "folded");
  assert.ok(exact.ok && folded.ok);
  assert.equal(JSON.stringify(exact.value).includes("minKubeVersion"), false);
  assert.equal(JSON.stringify(folded.value).includes('"minKubeVersion":"1.30.0"'), true);
});

test("text is written with members in declared order, map keys sorted and HTML escaped", () => {
  const rule = { apiGroups: ["<&>"], verbs: ["get"] };
  assert.equal(writeTyped("PolicyRule", rule), '{"verbs":["get"],"apiGroups":["\\u003c\\u0026\\u003e"]}');
  assert.equal(writeTyped("{}string", { "10": "b", "2": "a" }), '{"10":"b","2":"a"}');
});

test("maps may have the keys __proto__ and constructor", () => {
  const read = readTyped("ObjectMeta", JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as never);
  assert.ok(read.ok);
  assert.equal(JSON.stringify(read.value), '{"labels":{"__proto__":"x","constructor":"y"}}');
});
