import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../../json.ts";
import { documentTexts } from "../testing/document-texts.ts";
import type { Letters } from "../document-stream.ts";
import { documentsOf, writeYaml } from "../documents.ts";
import { readBlockYaml } from "./yaml-block.ts";
import { readYamlDocument } from "./yaml-document.ts";

const lettersOf = (text: string): Letters =>
  /^[\n -~]*$/.test(text) ? "ascii" : /^[\n -~\u0080-\uffff]*$/.test(text) ? "unicode" : "control";

/** True when the fast reader accepts the text; asserts that both readers return the same value. */
function agrees(text: string): boolean {
  const fast = readBlockYaml(text);
  if (text.isWellFormed())
    assert.deepEqual(
      readBlockYaml(text, { bytes: new TextEncoder().encode(text), letters: lettersOf(text) }),
      fast,
      text,
    );
  if (fast === undefined) return false;
  const { value, lostText } = readYamlDocument(text);
  assert.equal(lostText, false, text);
  assert.equal(JSON.stringify(fast.value), JSON.stringify(value), text);
  assert.deepEqual(fast.value, value, text);
  return true;
}

const inside: readonly string[] = [
  "a: 1\nb: yes\nc: ~\nd:\ne: ''\n",
  "---\na:\n- b\n- c:\n    d: 1\n  e: 2\n",
  "a:\n  - b\n  - - c\n    - d\n",
  "- \n- a\n-\n  b: c\n",
  "a: one\n  two\n\n  three\n",
  "a: |\n  x\n\n   y\n  z\nb: |-\n  x\nc: |+\n  x\n\n\nd: 1\n",
  "a: |\n\n\n  x\n  \n  y\n",
  "a: 'it''s'\nb: \"x\\ny\"\nc: \"one\n  two\n\n  three\"\n",
  "# first\na: 1\n\n  # inner\nb: 2\n",
  "a: []\nb: {}\n",
  "'a b': 1\n\"c\\n\": 2\n010: 3\n",
  "a: x\na: y\n__proto__: z\nconstructor: 1\n",
  "a: http://x:80/#y\nb: c:d\n",
  "a: -1\nb: -x\nc: 2024-01-02\nd: 18446744073709551615\n",
  "a: \u00e9\ud83d\ude00\n",
  "a: x\ufeffy\n",
  "a: \u00e9\u0fff\u2027\u202a\ufffd\ud83d\ude00b\n\u00a0: |\n  \u00e9c\n",
];

test("the fast reader accepts the output of renderers and returns the same values", () => {
  for (const text of inside) assert.equal(agrees(text), true, text);
});

const outside: readonly string[] = [
  "",
  "# nothing\n",
  "a: 1",
  "a: 1\r\nb: 2\r\n",
  "a:\t1\n",
  "a: {b: c}\n",
  "a: [1]\n",
  "a: &x 1\nb: *x\n",
  "a: !!str 1\n",
  "<<: {}\n",
  "a: >\n  x\n",
  "a: |2\n   x\n",
  "a: |\n   \n  x\n",
  "a: |\n    x\n  \n",
  "a: b # comment\n",
  "a: 'b' # comment\n",
  "a: b: c\n",
  "a: 'b\n",
  'a: "\\q"\n',
  "a: .inf\n",
  "a : b\n",
  "? a\n: b\n",
  "a: b\n c: d\n",
  "a:\n    b: 1\n  c: 2\n",
  "a: 1\n- b\n",
  "a: 1\n---\nb: 2\n",
  "a: 1\n...\nb: 2\n",
  "%YAML 1.1\n---\na: 1\n",
  "a: \u0001\n",
  "a: \u2028\n",
  "a: \u2029\n",
  "a: \ufffe\n",
  "a: \uffff\n",
  "a: \u009f\n",
  "scalar\n",
  "a:\n  scalar\n",
  "~: 1\n",
  "\ufeffa: 1\n",
  `${"k".repeat(1100)}: 1\n`,
  `${"- ".repeat(300)}a\n`,
];

test("the fast reader declines everything else", () => {
  for (const text of outside) assert.equal(agrees(text), false, text);
});

const jsonValues: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, 0, -7, 1.5, 1e21, "", "yes", "010", "~", "a: b", " x", "x ", "- a"),
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.array(fc.constantFrom("word", "a", "#b", "c:", "\n", " ", "'", '"', "\\"), { maxLength: 40 }).map((parts) => {
      return parts.join(" ");
    }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "name", "1", "yes", "<<", "__proto__"), fc.string()), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

test("both readers agree on the output of our writer", () => {
  let taken = 0;
  fc.assert(
    fc.property(jsonValues, (value) => {
      let text: string;
      try {
        text = writeYaml({ value });
      } catch {
        return;
      }
      if (agrees(text)) taken++;
    }),
    { numRuns: 1500 },
  );
  assert.ok(taken > 500, `only ${taken} texts were taken by the fast reader`);
});

/** Separated by bars, because most of them are quotes. */
const fragments = [
  "a: b|a:|b: 1|- |-|- a: 1|- - x|-  y|- a:|'|\"|\\|x'|y\"|'q': 1|\"r\": 2|'s'|# c|a # c|a #c|---|--- x|...|%X 1|? a|: b",
  "&a x|*a|!!str 1|[]|{}|a: []|a: {}|a: {b: c}|<<: 1|0x1f|1e3|yes|~: 1|.inf|a:b|a: b: c|plain text|e\u0301\ud83d\ude00|\u2028",
  "\t|a\tb|a: \t|\u0085|  |a : b|'it''s': x|a: 'x' # c|http://x#y|a: -|a: - b|a: ?|x:|010: 8|a: b  |a:   |c: 'x|d: \"y",
]
  .flatMap((some) => some.split("|"))
  .concat("a: |", "- |-", "a: |+", "a: >", "a: |2");
const lineSoup = fc
  .array(fc.tuple(fc.nat(5), fc.constantFrom(...fragments), fc.constantFrom("\n", "\n", "\n", "\n", "\n\n", "\r\n")), {
    minLength: 1,
    maxLength: 9,
  })
  .map((lines) => lines.map(([indent, fragment, end]) => " ".repeat(indent) + fragment + end).join(""));

test("both readers agree on random combinations of lines", () => {
  fc.assert(
    fc.property(lineSoup, (text) => void agrees(text)),
    { numRuns: 6000 },
  );
});

test("both readers agree on a document with a few random edits", () => {
  const mutations = fc.array(
    fc.tuple(fc.nat(1000), fc.nat(2), fc.constantFrom("", " ", "\n", ":", "#", "'", '"', "-", "|")),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  fc.assert(
    fc.property(fc.constantFrom(...inside), mutations, (text, changes) => {
      let changed = text;
      for (const [where, removed, added] of changes) {
        const at = where % (changed.length + 1);
        changed = changed.slice(0, at) + added + changed.slice(at + removed);
      }
      agrees(changed);
    }),
    { numRuns: 6000 },
  );
});

test("a document has the same places with either reader", () => {
  const text = "---\na:\n- b: 1\n  b: 2\n---\n# c\nd:\n  e: |\n    x\n";
  const [first, second] = [...documentsOf(text, { file: "f" })].map((document) =>
    document.ok ? document.value : null,
  );
  assert.deepEqual(first?.locate("/a/0/b"), { file: "f", document: 0, line: 4, column: 3, pointer: "/a/0/b" });
  assert.equal(first?.duplicateKeys().length, 1);
  assert.deepEqual(second?.locate("/d/e"), { file: "f", document: 1, line: 8, column: 3, pointer: "/d/e" });
});

const shared = join(import.meta.dirname, "../../../../../../shared/data/catalogs/v4.20");
const catalogs = existsSync(shared)
  ? shared
  : join(import.meta.dirname, "../../../../purser/conformance/catalogs/community");

test("both readers agree on real catalogs, and the fast one accepts them", () => {
  for (const file of readdirSync(catalogs, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".yaml"),
  ))
    for (const { text, line } of documentTexts(readFileSync(join(catalogs, file))))
      assert.equal(agrees(text), true, `${file}:${line}`);
});

test("only items of the document's own members may be known without being read", () => {
  const asked: string[] = [];
  const read = (text: string): unknown =>
    readBlockYaml(text, undefined, (member, ascii, at, column) => {
      asked.push(`${member} ${column} ${ascii.slice(at, ascii.indexOf("\n", at))}`);
      return member === "a" ? { items: [1, 2], end: ascii.indexOf("\n", at) + 1 } : undefined;
    });
  assert.deepEqual(read("a:\n- \u00e9\n- c:\n  - d\nb:\n  - e\n"), {
    value: { a: [1, 2, { c: ["d"] }], b: ["e"] },
    skipped: true,
  });
  assert.deepEqual(asked, ["a 0 - \u007f", "a 0 - c:", "b 2 - e"]);
  asked.length = 0;
  assert.deepEqual(read("- a: x\n- - z\n"), { value: [{ a: "x" }, ["z"]], skipped: false });
  assert.deepEqual(asked, []);
});
