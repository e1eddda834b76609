import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWindow } from "./byte-window.ts";
import { cutYaml, type Letters } from "./document-stream.ts";
import { documentsOf, documentsOfBytes, type PlacedDocument, writeYaml } from "./documents.ts";
import { documentTexts, pieces } from "./testing/document-texts.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

interface ReadStream {
  readonly values: readonly unknown[];
  readonly problem?: unknown;
}

function readAll(
  documents: Iterable<ReturnType<typeof documentsOf> extends Generator<infer Item> ? Item : never>,
): ReadStream {
  const values: unknown[] = [];
  for (const document of documents) {
    if (!document.ok) return { values, problem: document.problem };
    const { value, place, format, lostText } = document.value;
    values.push({ value, place, format, lostText });
  }
  return { values };
}

test("a YAML stream is split at separators; leading ones belong to the following document", () => {
  const cut = (text: string): readonly (readonly [number, string])[] =>
    [...documentTexts(encode(text))].map(({ line, text: document }) => [line, document]);
  const cases: readonly (readonly [string, readonly (readonly [number, string])[]])[] = [
    ["", []],
    ["a: 1", [[1, "a: 1"]]],
    ["---\na: 1\n", [[1, "---\na: 1\n"]]],
    ["a: 1\n---\n", [[1, "a: 1\n"]]],
    [
      "a: 1\n---\n\n",
      [
        [1, "a: 1\n"],
        [3, "\n"],
      ],
    ],
    [
      "a: 1\n--- # x\nb: 2\n---   \nc",
      [
        [1, "a: 1\n"],
        [3, "b: 2\n"],
        [5, "c"],
      ],
    ],
    [
      "# c\n---\na: 1\n",
      [
        [1, "# c\n"],
        [3, "a: 1\n"],
      ],
    ],
    [
      "---\n---\na: 1\n",
      [
        [1, "---\n"],
        [3, "a: 1\n"],
      ],
    ],
    ["---", [[1, "---"]]],
    ["a\n---", [[1, "a\n"]]],
    [" ---\n", [[1, " ---\n"]]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(cut(text), expected, JSON.stringify(text));
});

const lettersOf = (text: string): Letters =>
  /^[\n -~]*$/.test(text) ? "ascii" : /^[\n -~\u0080-\uffff]*$/.test(text) ? "unicode" : "control";

test("a document is ASCII, has other characters or control characters, regardless of chunking", () => {
  const parts = [
    "a: 1\n",
    "---\n",
    "\u007f",
    "\t",
    "\u001f",
    "\u00e9",
    "\ud83d\ude00",
    "\r\n",
    " ~\n",
    "~~~~ ~~~~~ ~~",
  ];
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (parts, pieceSize) => {
      const window = new ByteWindow(pieces(encode(parts.join("")), pieceSize), Infinity);
      for (const { bytes, letters } of cutYaml(window))
        assert.equal(letters, lettersOf(new TextDecoder().decode(bytes)));
    }),
  );
});

test("a single byte decides what a document is, at whatever offset", () => {
  const kinds = [
    [10, "ascii"],
    [31, "control"],
    [127, "control"],
    [128, "unicode"],
    [255, "unicode"],
  ] as const;
  for (const [byte, letters] of kinds)
    for (let offset = 0; offset < 12; offset++) {
      const bytes = new Uint8Array(16).fill(0x7e).fill(byte, offset, offset + 1);
      assert.equal([...cutYaml(new ByteWindow([bytes], Infinity))][0]?.letters, letters, `${byte} at ${offset}`);
    }
});

test("what follows in a larger chunk is looked at itself", () => {
  const chunks = ["aaaaaaaa\n---\n", `bbb\u0001${"b".repeat(40)}\n`].map(encode);
  assert.deepEqual(
    [...cutYaml(new ByteWindow(chunks, Infinity))].map(({ letters }) => letters),
    ["ascii", "control"],
  );
});

test("text after the dashes of a separator is refused with its line and column", () => {
  for (const [text, line] of [
    ["a: 1\n--- b\n", 2],
    ["---- \n", 1],
    ["---x: 1\n", 1],
  ] as const) {
    const { problem } = readAll(documentsOf(text, { file: "f" })) as { problem?: { place: unknown; message: string } };
    assert.deepEqual(problem?.place, { file: "f", document: 0, line, column: 4 }, text);
    assert.match(problem?.message ?? "", /^invalid Yaml document separator: /);
  }
});

const streamParts = fc.oneof(
  fc.constantFrom(
    "---\n",
    "--- # c\n",
    "a: b\n",
    "# c\n",
    "\n",
    "\u00e9: \ud83d\ude00\n",
    "x: |\n  y\n",
    "- ",
    '"',
    "\\",
    "...\n",
  ),
  fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '{"a":1}',
    '{"a":"}\\""}\n',
    '{"n":12345678901234567890}',
    " ",
    "\u00a0",
    "5",
    "null",
  ),
  fc.json().map((json) => `${json}\n`),
  fc.jsonValue().map((value) => `---\n${writeYaml(value as never)}`),
);

test("a stream parses equally regardless of chunking", () => {
  fc.assert(
    fc.property(fc.array(streamParts, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
      const text = parts.join("");
      assert.deepEqual(readAll(documentsOfBytes(pieces(encode(text), size))), readAll(documentsOf(text)));
    }),
    { numRuns: 2000 },
  );
});

test("JSON objects parse equally whether their end was guessed or searched for", () => {
  const objects = fc.array(
    fc.tuple(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(0, 1, 4),
      fc.constantFrom("", " ", "\n", "\n\n"),
    ),
    { maxLength: 5 },
  );
  // The first brace in the first column does not end this object, so the end of the next one is not guessed.
  const head = '{\n"a": {\n}}\n';
  fc.assert(
    fc.property(objects, (list) => {
      const text = list.map(([value, indent, end]) => JSON.stringify(value, null, indent) + end).join("");
      const guessed = readAll(documentsOf(text || "{}"));
      const searched = readAll(documentsOf(head + (text || "{}")));
      const moved = guessed.values.map((value) => {
        const { place, ...rest } = value as { place: { document: number; line: number } };
        return { ...rest, place: { document: place.document + 1, line: place.line + 3 } };
      });
      assert.deepEqual(searched, { ...guessed, values: [searched.values[0], ...moved] });
    }),
    { numRuns: 1500 },
  );
  const numbers = '{\n  "a": 12345678901234567890,\n  "b": 1e20,\n  "c": -9007199254740993\n}\n';
  const [document] = readAll(documentsOf(numbers)).values as { value: unknown }[];
  assert.equal(
    JSON.stringify(document?.value),
    '{"a":12345678901234567890,"b":100000000000000000000,"c":-9007199254740993}',
  );
  const bad = '{\n  "a": 1,\n}\n{\n}\n';
  assert.deepEqual(readAll(documentsOf(bad)).problem, readAll(documentsOf(bad.replace("\n}\n{", "\n} {"))).problem);
});

test("a JSON number that no double holds is refused at its place instead of becoming null", () => {
  for (const text of ['{"a": 1,\n "b": 1e400}', '{\n "b": -1e400\n}\n', '{\n"b":1E+999}']) {
    const { problem } = readAll(documentsOf(text)) as { problem?: { kind: string; place: { line: number } } };
    assert.deepEqual([problem?.kind, problem?.place.line], ["unsupportedValue", 2], text);
  }
});

test("arbitrary bytes never throw and never hang", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom("", "{", '{"a":1}', "a: ", "---\n"),
      (bytes, head) => {
        const stream = new Uint8Array([...encode(head), ...bytes]);
        const { problem } = readAll(documentsOfBytes([stream], { keepEmpty: true }));
        if (problem !== undefined) assert.ok((problem as { place: { line: number } }).place.line >= 1);
      },
    ),
    { numRuns: 3000 },
  );
});

test("JSON that breaks in its first two values is read as YAML after skipping white space up to one line feed", () => {
  const values = (text: string): unknown => {
    const { values: read, problem } = readAll(documentsOf(text, { keepEmpty: true }));
    const shown = read.map((item) => (item as { value: unknown }).value);
    return problem === undefined ? shown : [...shown, "problem"];
  };
  const cases: readonly (readonly [string, unknown])[] = [
    // The first object is one YAML document; the rest is lost.
    ['\v{"a": 1}\n{"b": 2}\n', [{ a: 1 }]],
    ['\f{"a": 1}\n{"b": 2}\n', [{ a: 1 }]],
    ['\u0085{"a": 1}\n', [{ a: 1 }]],
    ['\u00a0{"a": 1}\n', [{ a: 1 }]],
    ['\u2003{"a": 1}\n', [{ a: 1 }]],
    ['\u3000\v \t{"a": 1}\n', [{ a: 1 }]],
    // A byte order mark is not white space; text on the next line is not skipped.
    ['\ufeff{"a": 1}\n{"b": 2}\n', [{ a: 1 }]],
    ['\v\n\v{"a": 1}\n', ["problem"]],
    ['\v\n\t{"a": 1}\n', ["problem"]],
    ['\v\n  {"a": 1}\n', [{ a: 1 }]],
    // JSON white space is skipped up to the first line feed, too.
    ['{"a": 1}\n---\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
    ['{"a": 1} \t\n\n---\n{"b": 2}\n', [{ a: 1 }, null, { b: 2 }]],
    ['{"a": 1}\v\n---\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
    ['{"a": 1}\n{"b": 2}\v\n---\n{"c": 3}\n', [{ a: 1 }, { b: 2 }, "problem"]],
    // With fewer than four bytes left the JSON error is reported.
    ['{"a": 1}\nx: 1', [{ a: 1 }, { x: 1 }]],
    ['{"a": 1}\nx: ', [{ a: 1 }, { x: null }]],
    ['{"a": 1}\nx:', [{ a: 1 }, "problem"]],
    ['{"a": 1}\n\v', [{ a: 1 }, "problem"]],
    // 4 KiB of white space hide the brace: YAML from the start.
    [`${" ".repeat(4095)}{"a": 1}\n{"b": 2}\n`, [{ a: 1 }, { b: 2 }]],
    [`${" ".repeat(4096)}{"a": 1}\n{"b": 2}\n`, [{ a: 1 }]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(values(text), expected, JSON.stringify(text).slice(-60));
});

test("invalid UTF-8 ends a YAML stream at its line, after the earlier documents; in JSON it is replaced", () => {
  const bad = new Uint8Array([...encode("a: 1\n---\nb: 2\nc: "), 0xc3, 0x28, 10]);
  const { values, problem } = readAll(documentsOfBytes([bad], { file: "f" }));
  assert.equal(values.length, 1);
  assert.deepEqual(problem, {
    kind: "notUtf8",
    place: { file: "f", document: 1, line: 4 },
    message: "invalid UTF-8",
    goText: "error converting YAML to JSON: yaml: invalid trailing UTF-8 octet",
  });
  const json = new Uint8Array([...encode('{"a":"'), 0xff, ...encode('"}')]);
  assert.deepEqual(readAll(documentsOfBytes([json])).values.length, 1);
});

test("a JSON object that never ends is refused for its first fault, and for its end only where it has no other", () => {
  const cases: readonly (readonly [text: string, message: string, line: number, offset?: number])[] = [
    ['{"a": 1,\n', "unexpected EOF", 2],
    ['{"a": "b', "unexpected EOF", 1],
    ['{"a": 1,\n{ "b": 2 }\n', "invalid character '{' looking for beginning of object key string", 2, 10],
    ['{"a"b": 1}', "invalid character 'b' after object key", 1, 5],
  ];
  for (const [text, message, line, offset] of cases) {
    const { problem } = readAll(documentsOf(text, { file: "f" }));
    const goText = offset === undefined ? {} : { goText: `json: offset ${offset}: ${message}` };
    const { place, ...rest } = problem as { place: { line: number } };
    assert.deepEqual([rest, place.line], [{ kind: "syntax", message, ...goText }, line], text);
  }
});

test("a document over the size limit is refused at its first line, before it is buffered completely", () => {
  let fetched = 0;
  function* endless(head: string, filling: string): Generator<Uint8Array> {
    yield encode(head);
    for (; ; fetched++) yield encode(filling.repeat(64));
  }
  const heads = [
    ["a: 1\n---\n", "b: 2\n"],
    ['{"a": 1}\n[', "1,\n "],
    ["{", "  "],
  ] as const;
  for (const [head, filling] of heads) {
    fetched = 0;
    const { problem } = readAll(documentsOfBytes(endless(head, filling), { largestDocument: 2 ** 20 }));
    const { kind, message } = problem as { kind: string; message: string };
    assert.deepEqual([kind, message], ["tooLarge", "the document is larger than 1 MiB"], head);
    assert.ok(fetched < 2 ** 20 / filling.length / 64 + 3, head);
  }
});

test("deep nesting is refused with a place, in every grammar", () => {
  const deep = 5000;
  const texts = [
    "[".repeat(deep),
    `{"a":${'{"a":'.repeat(deep)}`,
    "- ".repeat(deep),
    "[".repeat(deep).concat("]".repeat(deep)),
  ];
  for (const text of [...texts, `{"a":\n${"[".repeat(deep)}${"]".repeat(deep)}}`]) {
    const { problem } = readAll(documentsOf(text, { file: "f" }));
    assert.equal((problem as { kind?: string } | undefined)?.kind, "tooDeep", text.slice(0, 20));
  }
});

test("places in the second document of a stream count from the start of the stream", () => {
  for (const text of ['{"a": 1}\n\n{\n "b": {"c": 2}}\n', "a: 1\n---\n\nb:\n  c: 2\n"]) {
    const [, second] = [...documentsOf(text)].map((document) => (document.ok ? document.value : undefined));
    const { line, document } = (second as PlacedDocument).locate("/b/c");
    assert.deepEqual({ line, document }, { line: text.startsWith("{") ? 4 : 5, document: 1 });
  }
});

test("a YAML document in UTF-16 is read as Go reads it: cut at single bytes, whole or incomplete", () => {
  const wide = (text: string, big: boolean): Uint8Array => {
    const bytes = new Uint8Array(2 * text.length);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), !big);
    return bytes;
  };
  const readAll = (bytes: Uint8Array): unknown =>
    Array.from(documentsOfBytes([bytes]), (read) => (read.ok ? read.value.value : read.problem.goText));
  const incomplete = ["error converting YAML to JSON: yaml: incomplete UTF-16 character"];
  assert.deepEqual(readAll(wide("\ufeffa: \u00e9\n", true)), [{ a: "\u00e9" }]);
  assert.deepEqual(readAll(wide("\ufeffa: b", true)), incomplete);
  assert.deepEqual(readAll(wide("\ufeffa: b\n", false)), incomplete);
  assert.deepEqual(readAll(wide("\ufeffa: \ud800\n", true)), [
    "error converting YAML to JSON: yaml: invalid leading UTF-8 octet",
  ]);
});
