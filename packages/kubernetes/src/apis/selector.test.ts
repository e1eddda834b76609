import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesFields } from "./field-selector.ts";
import { formatSelector } from "./requirement.ts";
import type { LabelSelector, SelectorProblem } from "./selector.ts";
import { matchesSelector, parseFieldSelector, parseLabelSelector, selectorOf } from "./selector.ts";
import type { Result } from "../result.ts";

function messageOf(result: Result<unknown, SelectorProblem>): string | undefined {
  return result.ok ? undefined : result.problem.message;
}

const labelled = { none: {}, empty: { k: "" }, v: { k: "v" }, five: { k: "5", n: "10" } };

const selecting: readonly (readonly [string, readonly (keyof typeof labelled)[]])[] = [
  ["", ["none", "empty", "v", "five"]],
  ["  ", ["none", "empty", "v", "five"]],
  ["k", ["empty", "v", "five"]],
  ["!k", ["none"]],
  ["! k", ["none"]],
  ["k=v", ["v"]],
  ["k == v", ["v"]],
  ["k\n=v", ["v"]],
  ["k!=v", ["none", "empty", "five"]],
  ["k=", ["empty"]],
  ["k!=", ["none", "v", "five"]],
  ["k in ()", ["empty"]],
  ["k in (,v)", ["empty", "v"]],
  ["k in (v,,w)", ["empty", "v"]],
  ["k notin (v, 5)", ["none", "empty"]],
  ["k>4", ["five"]],
  ["k>5", []],
  ["k<10,n>05", ["five"]],
  ["in in (in)", []],
  ["!in", ["none", "empty", "v", "five"]],
  ["k=,k", ["empty"]],
];

for (const [text, expected] of selecting)
  test(`the label selector ${JSON.stringify(text)} selects ${expected.join(", ") || "nothing"}`, () => {
    const selector = parseLabelSelector(text);
    assert.ok(selector.ok);
    const names = Object.entries(labelled).flatMap(([name, labels]) =>
      matchesSelector(selector.value, labels) ? [name] : [],
    );
    assert.deepEqual(names, expected);
  });

const refused: readonly (readonly [string, RegExp])[] = [
  ["k in (a", /^unable to parse requirement: found '', expected: ',' or '\)'$/],
  ["k in (a b)", /^unable to parse requirement: found 'b', expected: ',' or '\)'$/],
  ["k in", /^unable to parse requirement: found '' expected: '\('$/],
  ["k in v)", /^unable to parse requirement: found 'v' expected: '\('$/],
  ["k in (", /^unable to parse requirement: found '', expected: ',', '\)' or identifier$/],
  ["k in (a,", /^unable to parse requirement: found '', expected: ',', or identifier$/],
  ["k in (a,=)", /^unable to parse requirement: found '=', expected: ',', or identifier$/],
  ["k in (v))", /^found '\)', expected: ',' or 'end of string'$/],
  ["k=v w", /^found 'w', expected: ',' or 'end of string'$/],
  ["!k=v", /^found '=', expected: ',' or 'end of string'$/],
  ["!", /^unable to parse requirement: found '', expected: identifier$/],
  ["!k,", /^found '', expected: identifier after ','$/],
  [",", /^found ',', expected: !, identifier, or 'end of string'$/],
  [
    "k>a",
    /^unable to parse requirement: values\[0\]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an/,
  ],
  ["k===v", /^unable to parse requirement: found '=', expected: identifier$/],
  ["k v", /^unable to parse requirement: found 'v', expected: in, notin, =, ==, !=, gt, lt$/],
  [
    "a/b/c",
    /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a valid label key must consist of alphanumeric/,
  ],
  ["/b", /^unable to parse requirement: <nil>: Invalid value: "\/b": prefix part must be non-empty$/],
  ["a/", /Invalid value: "a\/": name part must be non-empty; name part must consist of alphanumeric/],
  ["A/b", /Invalid value: "A\/b": prefix part a lowercase RFC 1123 subdomain must consist of/],
  [
    "k in (-,x)",
    /^unable to parse requirement: values\[0\]\[k\]: Invalid value: "-": a valid label must be an empty string or/,
  ],
  ["k".repeat(64), /: name part must be no more than 63 bytes$/],
  [`k=${"k".repeat(64)}`, /values\[0\]\[k\]: Invalid value: "k+": must be no more than 63 bytes$/],
];

for (const [text, message] of refused)
  test(`the label selector ${JSON.stringify(text)} is refused with kube-apiserver's message`, () =>
    assert.match(messageOf(parseLabelSelector(text)) ?? "accepted", message));

test("a label selector object selects as its text form does", () => {
  const selector = selectorOf({
    matchLabels: { a: "1" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["x", "y"] },
      { key: "c", operator: "DoesNotExist" },
    ],
  });
  assert.ok(selector.ok);
  assert.equal(formatSelector(selector.value), "a in (1),b in (x,y),!c");
  assert.ok(matchesSelector(selector.value, { a: "1", b: "y" }));
  assert.ok(!matchesSelector(selector.value, { a: "1", b: "y", c: "" }));
  assert.ok(!matchesSelector(selector.value, undefined));
});

const badObjects: readonly (readonly [LabelSelector, string])[] = [
  [{ matchExpressions: [{ key: "k", operator: "Gt" }] }, `"Gt" is not a valid label selector operator`],
  [
    { matchExpressions: [{ key: "k", operator: "In" }] },
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    { matchExpressions: [{ key: "k", operator: "Exists", values: ["a"] }] },
    `values: Invalid value: ["a"]: values set must be empty for exists and does not exist`,
  ],
];

for (const [selector, message] of badObjects)
  test(`the label selector object ${JSON.stringify(selector)} is refused`, () =>
    assert.equal(messageOf(selectorOf(selector)), message));

test("bounds keep their direction when a selector is formatted", () => {
  const selector = parseLabelSelector("k>5,k<10");
  assert.ok(selector.ok);
  assert.equal(formatSelector(selector.value), "k>5,k<10");
});

test("labels named like members of Object.prototype are absent unless they are set", () => {
  for (const key of ["constructor", "toString"]) {
    const selector = parseLabelSelector(key);
    assert.ok(selector.ok);
    assert.ok(!matchesSelector(selector.value, {}));
    assert.ok(matchesSelector(selector.value, { [key]: "" }));
  }
});

test("parsers never throw, and a parsed selector survives formatting and parsing", () => {
  const alphabet = fc.constantFrom(
    "a",
    "b/c",
    "in",
    "notin",
    "!",
    "=",
    "==",
    "!=",
    "(",
    ")",
    ",",
    " ",
    ">",
    "5",
    "\\",
    "-",
  );
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      parseFieldSelector(text);
      const selector = parseLabelSelector(text);
      if (!selector.ok) return;
      const again = parseLabelSelector(formatSelector(selector.value));
      assert.ok(again.ok);
      assert.equal(formatSelector(again.value), formatSelector(selector.value));
    }),
    { numRuns: 2000 },
  );
});

const fields: readonly (readonly [string, string | readonly (readonly [string, boolean, string])[]])[] = [
  ["metadata.name=a", [["metadata.name", true, "a"]]],
  [
    "a==b,,c!=d,",
    [
      ["a", true, "b"],
      ["c", false, "d"],
    ],
  ],
  ["a=b\\,c\\=d\\\\", [["a", true, "b,c=d\\"]]],
  ["a!b=c", [["a!b", true, "c"]]],
  ["a\\,b=c", [["a\\,b", true, "c"]]],
  ["=,=", []],
  ["!=x", [["", false, "x"]]],
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
  ["metadata.name in (l1)", "invalid selector: 'metadata.name in (l1)'; can't understand 'metadata.name in (l1)'"],
  ["\\", "invalid selector: '\\'; can't understand '\\'"],
  ["a=b\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
];

for (const [text, expected] of fields)
  test(`the field selector ${JSON.stringify(text)} parses as in kube-apiserver`, () => {
    const selector = parseFieldSelector(text);
    if (typeof expected === "string") assert.equal(messageOf(selector), expected);
    else {
      assert.ok(selector.ok);
      assert.deepEqual(
        selector.value.map(({ field, equal, value }) => [field, equal, value]),
        expected,
      );
    }
  });

test("an absent field counts as the empty text", () => {
  const selector = parseFieldSelector("spec.nodeName=,metadata.name!=a");
  assert.ok(selector.ok);
  assert.ok(matchesFields(selector.value, (field) => (field === "metadata.name" ? "b" : "")));
  assert.ok(!matchesFields(selector.value, (field) => (field === "metadata.name" ? "a" : "")));
});
