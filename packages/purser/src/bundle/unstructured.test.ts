import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { canonicalJson, readYaml } from "@purser/kubernetes/text/documents";
import { asUnstructured } from "./unstructured.ts";

function manifest(text: string): JsonObject {
  const read = readYaml(text, "manifest.yaml");
  assert.ok(read.ok && isJsonObject(read.value));
  return read.value;
}

test("an integer that is no int64 becomes a double, in members and in lists, and its neighbours stay", () => {
  const read = manifest(
    "name: a\nsmall: 9223372036854775807\nlarge: 9223372036854775808\nlist: [1, 9223372036854775809, b]\nlast: {c: d}\n",
  );
  assert.equal(
    canonicalJson(asUnstructured(read)),
    '{"large":9223372036854776000,"last":{"c":"d"},"list":[1,9223372036854776000,"b"],"name":"a","small":9223372036854775807}',
  );
  assert.deepEqual(Object.keys(asUnstructured(read)), ["name", "small", "large", "list", "last"]);
});

test("a manifest without such integers is not copied", () => {
  const read = manifest("kind: ConfigMap\ndata: {count: 9223372036854775807}\nlist: [{a: 1}, 2]\n");
  assert.equal(asUnstructured(read), read);
});
