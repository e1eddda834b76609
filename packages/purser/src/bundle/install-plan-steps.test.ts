import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { stepsOnce } from "./install-plan-steps.ts";
import { smallCsv } from "./testing/small-bundle.ts";

const options = { namespace: "ns", replaces: "", catalog: { name: "cat", namespace: "olm" }, properties: "" };

/** Counts how often a part of it is read that only the manifest shows. */
function countingConfigMap(name: string): { readonly object: JsonObject; readonly reads: () => number } {
  let reads = 0;
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    get data() {
      reads++;
      return { key: name };
    },
  };
  return { object, reads: () => reads };
}

test("reading one manifest of a bundle serializes no other one", () => {
  const [a, b] = [countingConfigMap("a"), countingConfigMap("b")];
  const made = stepsOnce({ objects: [a.object, b.object], csv: smallCsv() }, options);
  assert.ok(made.ok);
  assert.equal(a.reads() + b.reads(), 0);
  const found = made.value.find(({ resource }) => resource.name === "a");
  assert.match(found?.resource.manifest ?? "", /"data":\{"key":"a"\}/);
  assert.ok(a.reads() > 0);
  assert.equal(b.reads(), 0);
});

test("the steps of a bundle are derived once for equal options, and again for others", () => {
  const bundle = { objects: [], csv: smallCsv() };
  const first = stepsOnce(bundle, options);
  assert.equal(stepsOnce(bundle, { ...options, catalog: { ...options.catalog } }), first);
  for (const changed of [
    { ...options, namespace: "other" },
    { ...options, replaces: "kiln.v0.9.0" },
    { ...options, catalog: { ...options.catalog, name: "other" } },
    { ...options, catalog: { ...options.catalog, namespace: "other" } },
    { ...options, properties: '{"properties":[{"type":"a","value":"b"}]}' },
  ])
    assert.notDeepEqual(stepsOnce(bundle, changed), first);
});
