import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../command.ts";
import { changedOptions, configuredOptions } from "./configured-options.ts";

const specs = [
  { flags: "--catalog NAME=PATH", summary: "", repeatable: true },
  { flags: "-a, --metrics-address HOST:PORT", summary: "" },
  { flags: "--log-format FORMAT", summary: "", choices: ["json", "text"] },
  { flags: "--package-api", summary: "" },
  { flags: "--no-package-api", summary: "" },
];
const file = (text: string) => ({ path: "purser.yaml", text });
const from = (flags: Parameters<typeof configuredOptions>[1], env: Record<string, string>, text?: string): unknown =>
  configuredOptions(specs, flags, env, text === undefined ? undefined : file(text));

test("a flag goes before its variable, a variable before the file, and the file before nothing", () => {
  const text = "metrics-address: file:1\nlog-format: text\npackage-api: false\ncatalog: [a=/a, b=/b]\n";
  assert.deepEqual(
    from(
      { "metrics-address": "flag:1", catalog: [] },
      { PURSER_METRICS_ADDRESS: "env:1", PURSER_LOG_FORMAT: "json" },
      text,
    ),
    {
      "metrics-address": "flag:1",
      "log-format": "json",
      "package-api": false,
      catalog: ["a=/a", "b=/b"],
    },
  );
});

test("values of a list come from one place alone, and in a variable stand between commas or line breaks", () => {
  assert.deepEqual(from({ catalog: ["f=/f"] }, { PURSER_CATALOG: "e=/e" }, "catalog: [a=/a]"), { catalog: ["f=/f"] });
  assert.deepEqual(from({}, { PURSER_CATALOG: "a=/a, b=/b\nc=/c\n" }), { catalog: ["a=/a", "b=/b", "c=/c"] });
});

test("a number of the file is a text, and an empty variable is none", () => {
  assert.deepEqual(from({}, { PURSER_METRICS_ADDRESS: "" }, "metrics-address: 8080"), { "metrics-address": "8080" });
});

for (const [name, env, text, message, hint] of [
  [
    "a key that is no flag",
    {},
    "metric-address: x",
    '--config purser.yaml: "metric-address" is not a setting',
    'did you mean "metrics-address"?',
  ],
  [
    "a file without an object",
    {},
    "- a",
    "--config purser.yaml: the file does not hold a YAML object",
    "write lines NAME: VALUE",
  ],
  [
    "a switch that is a text",
    {},
    "package-api: maybe",
    "--config purser.yaml: package-api is not valid",
    "write true or false",
  ],
  ["a list that is a text", {}, "catalog: a", "--config purser.yaml: catalog is not valid", "write a list of texts"],
  [
    "a text that is a list",
    {},
    "metrics-address: [a]",
    "--config purser.yaml: metrics-address is not valid",
    "write a text",
  ],
  [
    "another choice in the file",
    {},
    "log-format: xml",
    "--config purser.yaml: log-format is not valid",
    "write json, text",
  ],
  [
    "another choice in a variable",
    { PURSER_LOG_FORMAT: "xml" },
    "",
    "PURSER_LOG_FORMAT is not valid",
    "write json, text",
  ],
  ["a switch in a variable", { PURSER_PACKAGE_API: "1" }, "", "PURSER_PACKAGE_API is not valid", "write true or false"],
] as const)
  test(`${name} is refused with the place and what to write`, () => {
    assert.throws(
      () => from({}, env, text),
      (error: unknown) => error instanceof UsageError && error.message === message && error.hints.join() === hint,
    );
  });

test("changed options are named whether they come, go or differ", () => {
  assert.deepEqual(changedOptions({ a: "1", b: ["x"], c: true }, { a: "1", b: ["x", "y"], d: "new" }), ["b", "c", "d"]);
});
