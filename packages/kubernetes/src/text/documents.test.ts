import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, goJson, readDocuments, readYaml, writeYaml } from "./documents.ts";
import type { JsonValue } from "../json.ts";

function read(text: string): JsonValue {
  const result = readYaml(text);
  assert.ok(result.ok, result.ok ? "" : result.problem.message);
  return result.value;
}

test("plain scalars get the types that Go's YAML 1.1 decoder gives them", () => {
  const cases: readonly (readonly [string, JsonValue])[] = [
    ["yes", true],
    ["Off", false],
    ["y", true],
    ["yEs", "yEs"],
    ["~", null],
    ["", null],
    ["010", 8],
    ["0o10", 8],
    ["08", 8],
    ["0x1F", 31],
    ["-0b11", -3],
    ["1_000", 1000],
    ["1e3", 1000],
    ["+.5", 0.5],
    [".5", 0.5],
    ["1e999", "1e999"],
    ["190:20:30", "190:20:30"],
    ["2024-01-02", "2024-01-02"],
    ["1.2.3", "1.2.3"],
    ["v1", "v1"],
    ["!!str 1", "1"],
    ["!!int '7'", 7],
    ["'1'", "1"],
  ];
  for (const [text, expected] of cases) assert.deepEqual(read(`k: ${text}`), { k: expected }, text);
});

test("binary text is decoded as by Go: padded, and broken only between lines", () => {
  assert.deepEqual(read("a: !!binary aGk=\nb: !!binary |\n  aGk\n  =\nc: !!binary ''"), { a: "hi", b: "hi", c: "" });
  for (const text of ["zzz", "aGk", "'aG k='", "aGk==", "aG=k", "-_8=", "YWJj\tZA=="]) {
    const result = readYaml(`a: !!binary ${text}\n`);
    assert.equal(result.ok ? text : result.problem.message, "!!binary value contains invalid base64 data");
  }
});

test("map keys become the text of their resolved value", () => {
  assert.deepEqual(read("1: a\nyes: b\n1.50: c\n0x10: d\n2024-01-02: e"), {
    "1": "a",
    true: "b",
    "1.5": "c",
    "16": "d",
    "2024-01-02": "e",
  });
  for (const text of ["~: a", "[a]: b", "{a: b}: c"]) assert.equal(readYaml(text).ok, false, text);
});

test("a key named __proto__ is an ordinary member", () => {
  const value = read("__proto__:\n  polluted: true");
  assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  assert.equal(canonicalJson(value), '{"__proto__":{"polluted":true}}');
});

test("merge keys override earlier keys and are overridden by later ones, as in Go", () => {
  assert.deepEqual(read("a: &a {x: 1, z: 1}\nb: {<<: *a, z: 2}\nc: {z: 3, <<: *a}"), {
    a: { x: 1, z: 1 },
    b: { x: 1, z: 2 },
    c: { x: 1, z: 1 },
  });
});

test("`<<` merges unquoted without a tag, and in any style with the tag `!!merge` or `!`", () => {
  const merged = { x: 1, z: 2 };
  const member = { "<<": { x: 1, z: 1 }, z: 2 };
  const cases = [
    ["<<", merged],
    ["!!merge <<", merged],
    ['!!merge "<<"', merged],
    ["!<tag:yaml.org,2002:merge> <<", merged],
    ["! <<", merged],
    ["! '<<'", merged],
    ["&k !!merge <<", merged],
    ["'<<'", member],
    ["!!str <<", member],
    ["!x <<", member],
    ["!!merge x", { x: { x: 1, z: 1 }, z: 2 }],
  ] as const;
  for (const [key, expected] of cases) {
    const a = { x: 1, z: 1 };
    assert.deepEqual(read(`a: &a {x: 1, z: 1}\nb:\n  ${key}: *a\n  z: 2\n`), { a, b: expected }, key);
    assert.deepEqual(read(`a: &a {x: 1, z: 1}\nb: {${key}: *a, z: 2}\n`), { a, b: expected }, key);
  }
  for (const value of ["1", "null", "[1]", "[[]]"]) assert.ok(!readDocuments(`b:\n  !!merge <<: ${value}\n`).ok, value);
});

test("an alias bomb is refused with its line", () => {
  let text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (let level = 0; level < 9; level++) {
    const [from, to] = ["abcdefghij"[level], "abcdefghij"[level + 1]];
    text += `${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(",")}]\n`;
  }
  const result = readYaml(text);
  assert.equal(!result.ok && result.problem.kind, "aliasBomb");
  assert.ok(!result.ok && (result.problem.place.line ?? 0) > 1);
});

test("very deep nesting is a problem, not a stack overflow", () => {
  const result = readYaml("[".repeat(100_000));
  assert.equal(!result.ok && result.problem.kind, "tooDeep");
  const json = readDocuments(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  assert.equal(json.ok, false);
});

test("integers beyond 2^53 keep their digits", () => {
  assert.equal(canonicalJson(read("id: 9007199254740993")), '{"id":9007199254740993}');
  const json = readDocuments('{"n":18446744073709551615}');
  assert.ok(json.ok);
  assert.equal(JSON.stringify(json.value[0]?.value), '{"n":18446744073709551615}');
});

test("a stream is split as in Kubernetes, and every document has its place", () => {
  const result = readDocuments("# licence\n---\na: 1\n---\nb:\n  - c: 2\n---\n", { file: "f.yaml" });
  assert.ok(result.ok);
  assert.deepEqual(
    result.value.map(({ value, place }) => [value, place.document, place.line]),
    [
      [{ a: 1 }, 1, 3],
      [{ b: [{ c: 2 }] }, 2, 5],
    ],
  );
  assert.deepEqual(result.value[1]?.locate("/b/0/c"), {
    file: "f.yaml",
    document: 2,
    line: 6,
    column: 5,
    pointer: "/b/0/c",
  });
  assert.equal(result.value[1]?.locate("/b/0/absent/x").line, 6);
});

test("a JSON stream that turns into YAML after its first object continues as YAML", () => {
  const result = readDocuments('{"a":1}\n---\nb: 2\n');
  assert.ok(result.ok);
  assert.deepEqual(
    result.value.map(({ value }) => value),
    [{ a: 1 }, { b: 2 }],
  );
  assert.equal(readDocuments('{"a":1}{"b":2}\n---\nc: 3\n').ok, false);
});

test("broken JSON names line and column", () => {
  const result = readDocuments('{"a":1}\n{"b":\n  tru]\n{}', { file: "x.json" });
  assert.ok(!result.ok);
  assert.deepEqual([result.problem.place.line, result.problem.place.file], [3, "x.json"]);
});

test("duplicate keys are reported where they repeat, in YAML and JSON", () => {
  for (const [text, line] of [
    ["a: 1\nb: 2\na: 3\n", 3],
    ['{"a":1,\n"b":{"c":1,\n"c":2}}', 3],
  ] as const) {
    const result = readDocuments(text);
    assert.ok(result.ok);
    assert.deepEqual(
      result.value[0]?.duplicateKeys().map((place) => place.line),
      [line],
    );
  }
});

test("writers print like Go", () => {
  const value = {
    b: "<a&b>\u2028c",
    a: [1e21, 1e-7, -0, "yes", "x: y", "", " z", "2024-1-2", "a\nb"],
    "10": 1,
    "9": {},
  };
  assert.equal(
    goJson(value),
    '{"10":1,"9":{},"a":[1e+21,1e-7,-0,"yes","x: y",""," z","2024-1-2","a\\nb"],"b":"\\u003ca\\u0026b\\u003e\\u2028c"}',
  );
  assert.equal(
    writeYaml(value),
    `"9": {}\n"10": 1\na:\n- 1e+21\n- 1e-07\n- 0\n- "yes"\n- 'x: y'\n- ""\n- ' z'\n- "2024-1-2"\n- |-\n  a\n  b\nb: '<a&b>\u2028  c'\n`,
  );
});

test("a thousand levels are read and written in every form; more are refused, without a stack overflow", () => {
  const forms: readonly (readonly [string, (levels: number) => string])[] = [
    ["block mappings", (levels) => Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("")],
    ["block sequences", (levels) => `${"- ".repeat(levels)}x\n`],
    ["flow mappings", (levels) => `${"{a: ".repeat(levels)}${"}".repeat(levels)}\n`],
    ["pairs in flow sequences", (levels) => `${"[a: ".repeat(levels / 2)}x${"]".repeat(levels / 2)}\n`],
    ["JSON", (levels) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`],
  ];
  for (const [form, text] of forms) {
    const read = readDocuments(text(1000));
    assert.ok(read.ok, form);
    for (const write of [writeYaml, goJson, canonicalJson]) assert.ok(write(read.value[0]?.value ?? null) !== "", form);
    for (const levels of [1002, 100_000]) {
      if (form === "block mappings" && levels > 10_000) continue;
      const refused = readDocuments(text(levels));
      assert.match(refused.ok ? "read" : refused.problem.message, /exceeded max depth/, `${form} ${levels}`);
    }
  }
});

test("duplicate keys are found in the objects that contain them, and nowhere else", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2}', ["/a"]],
    ['{"a":{"b":[{"c":1,"c":2}]}}', ["/a/b/0/c"]],
    ['{"a":"\\"b\\": 1, \\"b\\":2"}', []],
    ['{"a\\\\":1,"a\\\\":2}', ["/a\\"]],
    ['{"a":1,"\\u0061":2}', ["/a"]],
    ['{"a":18446744073709551615,"b":1,"b":2}', ["/b"]],
    ['{"__proto__":1,"__proto__":2}', ["/__proto__"]],
    ["a: 1\nb:\n  a: 2\n", []],
    ["a: |\n  b: 1\n  b: 1\n", []],
    ["a: 1\nb: {a: 1, 'a': 2}\na: 3\n", ["/b/a", "/a"]],
  ];
  for (const [text, pointers] of cases) {
    const read = readDocuments(text);
    assert.ok(read.ok, text);
    assert.deepEqual(
      read.value[0]?.duplicateKeys().map(({ pointer }) => pointer),
      pointers,
      text,
    );
  }
});

for (const [text, expected] of [
  ["a : 1", { a: 1 }],
  ["a b  : c d  ", { "a b": "c d" }],
  ["[a , b  ]", ["a", "b"]],
  ["{a : b , c }", { a: "b", c: null }],
  ["a:\n  b\n  c\n", { a: "b c" }],
  ["a: b \n\n  c # d\n", { a: "b\nc" }],
] as const)
  test(`blanks around a plain scalar are no part of it: ${JSON.stringify(text)}`, () => {
    const read = readYaml(text);
    assert.deepEqual(read.ok ? read.value : read.problem, expected);
  });

test("a YAML document is read to its end before its keys, merges, anchors and numbers are judged, and numbers last", () => {
  const cases: readonly (readonly [text: string, message: string])[] = [
    ["? {}\nb: [\n", "did not find expected node content"],
    ["? {}\nb: c\n", "unsupported map key {}: keys are scalars other than null"],
    ["<<: 1\nb: [\n", "did not find expected node content"],
    ["<<: 1\n", "map merge requires map or sequence of maps as the value"],
    ["a: &x [*x]\nb: [\n", "did not find expected node content"],
    ["a: &x [*x]\n", "anchor 'x' value contains itself"],
    ["a: .inf\n{}: 1\n", "unsupported map key {}: keys are scalars other than null"],
    ["a: .inf\nb: 1\n", "the number .inf has no JSON form"],
  ];
  for (const [text, message] of cases) {
    const read = readYaml(text);
    assert.equal(read.ok ? "" : read.problem.message, message, text);
  }
});
