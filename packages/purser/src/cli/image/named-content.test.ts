import assert from "node:assert/strict";
import { test } from "node:test";
import { namedContent } from "./named-content.ts";

const own = import.meta.filename;
const cases: readonly (readonly [text: string, kind: string])[] = [
  [own, "path"],
  ["quay.io/acme/catalog:v1", "image"],
  ["localhost/acme/catalog:v1", "image"],
  ["127.0.0.1:5000/catalog:v1", "image"],
  [`quay.io/acme/catalog@sha256:${"a".repeat(64)}`, "image"],
  ["docker://quay.io/acme/catalog:v1", "image"],
  ["oci:./layout", "image"],
  ["oci-archive:a.tar:v1", "image"],
  ["docker-archive:a.tar", "image"],
  ["quay.io/acme/catalog", "incomplete: has neither a tag nor a digest"],
  ["docker://quay.io/acme/catalog", "incomplete: has neither a tag nor a digest"],
  ["acme/catalog:v1", "incomplete: names no registry"],
  ["catalog:v1", "incomplete: names no registry"],
  ["docker://catalog", "incomplete: names no registry"],
  ["docker://A/b:v1", "incomplete: repository name must be lowercase"],
  ["catalog", "missing"],
  ["acme/catalog", "missing"],
  ["./quay.io/acme/catalog:v1", "missing"],
  ["/quay.io/acme/catalog:v1", "missing"],
  ["Catalog", "missing"],
];
for (const [text, expected] of cases)
  test(`${text === own ? "an existing file" : text} is read as ${expected}`, () => {
    const [kind, words = ""] = expected.split(": ");
    const named = namedContent(text);
    assert.equal(named.kind, kind);
    if (named.kind === "incomplete") assert.ok(named.problem.cause.endsWith(words), named.problem.cause);
  });
