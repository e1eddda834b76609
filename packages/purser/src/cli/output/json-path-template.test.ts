import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonPathTemplate } from "./json-path-template.ts";

const document = {
  kind: "InstallationList",
  items: [
    { name: "etcd", version: "0.9.4", labels: { "a.b/c": "x" } },
    { name: "vault", state: "Ready" },
  ],
};

for (const [template, expected] of [
  ["{.kind}", "InstallationList"],
  [".items[0].name", "etcd"],
  ["items[1].name", "vault"],
  ["{.items[*].name}", "etcd vault"],
  ['{range .items[*]}{.name}{"\\t"}{.version}{"\\n"}{end}', "etcd\t0.9.4\nvault\t\n"],
  ["{range .items[*]}{range .labels}{.}{end};{end}", '{"a.b/c":"x"};;'],
  ['found {.items[?(@.state=="Ready")].name}, {"{}"}', "found vault, {}"],
  [String.raw`{.items[0].labels.a\.b/c}`, "x"],
  ["{.nothing}", ""],
] as const)
  test(`the template ${template} prints ${JSON.stringify(expected)}`, () => {
    const read = jsonPathTemplate(template);
    assert.ok(read.ok);
    assert.equal(read.value(document), expected);
  });

for (const [template, problem] of [
  ["{.kind", 'the braces of "{.kind" do not match'],
  ["{.items[x]}", '".items[x]" is not a JSONPath'],
  ["{range .items[*]}{.name}", 'a {range ...} of "{range .items[*]}{.name}" has no {end}'],
  ["{.kind}{end}", '{end} of "{.kind}{end}" has no {range ...}'],
] as const)
  test(`the template ${template} is refused`, () => {
    assert.deepEqual(jsonPathTemplate(template), { ok: false, problem });
  });
