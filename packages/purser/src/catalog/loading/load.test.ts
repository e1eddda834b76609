import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blobsOf, blobsOfChunks, entriesOfChunks, loadCatalog, type LoadOptions } from "./load.ts";
import type { CatalogBlob, CatalogEntry } from "../model.ts";
import type { CatalogProblem } from "../problem.ts";
import { smallCatalog } from "../testing/small-catalog.ts";

const upstream: LoadOptions = { refuseEmptyDocuments: true };

function load(text: string, options: LoadOptions = upstream): ReturnType<typeof loadCatalog> {
  return loadCatalog([{ file: "catalog.yaml", text }], options);
}

function problemOf(text: string, options: LoadOptions = upstream): CatalogProblem {
  const [problem] = load(text, options).problems;
  assert.ok(problem !== undefined, `no problem in ${text}`);
  return problem;
}

test("what is no blob is refused in upstream's words, at its line", () => {
  const cases: readonly (readonly [string, CatalogProblem["rule"], RegExp | string, number])[] = [
    ["foobar\n", "not-an-object", /cannot unmarshal string/, 1],
    ["[]", "not-an-object", /cannot unmarshal array/, 1],
    ['{"invalid":"object"}', "schema-missing", 'object \'{"invalid":"object"}\n\' is missing root schema field', 1],
    ['{"schema":"","x":1}', "schema-missing", /is missing root schema field$/, 1],
    ["schema: olm.package\nname: [a]\n", "meta-type", /expected value for key "name" to be a string/, 2],
    [
      "schema: olm.package\nname: a\ndefaultChannel: 4.5\n",
      "field-type",
      /^parse package: .*cannot unmarshal number/,
      3,
    ],
    ["schema: olm.package\nname: a\ndefaultChannel: yes\n", "field-type", /^parse package: .*cannot unmarshal bool/, 3],
    ["schema: olm.channel\npackage: a\nname: b\nentries: 1\n", "field-type", /^parse channel: /, 4],
    ["schema: olm.bundle\npackage: a\nname: b\nimage: 1\n", "field-type", /^parse bundle: /, 4],
    ["schema: olm.deprecations\npackage: a\nentries: {}\n", "field-type", /^parse deprecation: /, 3],
    [
      '{"schema":"a"}\n{"schema":"x","Schema":"y"}',
      "duplicate-keys",
      'duplicate keys for key "schema": [Schema schema]',
      2,
    ],
    [
      '{"schema":"a","A":1,"a":2,"B":1,"b":1}',
      "duplicate-keys",
      /^\[duplicate keys for key "a": \[A a\], duplicate keys/,
      1,
    ],
    ["schema: a\npackage: 5\n", "meta-type", /expected value for key "package" to be a string, got /, 2],
    ["# licence\n---\nschema: a\n", "schema-missing", "object '' is missing root schema field", 1],
    ["schema: a\n---\n\n", "schema-missing", "object '' is missing root schema field", 3],
    ["# nothing\n", "schema-missing", "object '' is missing root schema field", 1],
    ["null", "schema-missing", "object '' is missing root schema field", 1],
  ];
  for (const [text, rule, message, line] of cases) {
    const problem = problemOf(text);
    assert.equal(problem.rule, rule, text);
    if (typeof message === "string") assert.equal(problem.message, message, text);
    else assert.match(problem.message, message, text);
    assert.equal(problem.place?.line, line, text);
    assert.equal(problem.place?.file, "catalog.yaml");
  }
});

test("a value of the wrong type is reported with its own line and pointer at any depth", () => {
  const text = smallCatalog("foo", ["1.0.0"]).replace(
    "- name: foo.v1.0.0\n",
    "- name: foo.v1.0.0\n  skips:\n  - a\n  - 7\n",
  );
  const { problems } = load(text);
  assert.deepEqual(problems, [
    {
      rule: "field-type",
      message:
        "parse channel: json: cannot unmarshal number into Go struct field ChannelEntry.entries.skips of type string",
      place: { file: "catalog.yaml", document: 1, line: 13, column: 5, pointer: "/entries/0/skips/1" },
      packageName: "foo",
    },
  ]);
});

test("documents without content are skipped unless upstream's refusal is asked for", () => {
  for (const text of ["# licence\n---\nschema: a\n", "schema: a\n---\n\n", "---\n# c\n---\nschema: a\n---\n"]) {
    const { blobs, problems } = load(text, {});
    assert.deepEqual([blobs.map(({ schema }) => schema), problems], [["a"], []], text);
  }
});

test("a lone separator at the end is fine for upstream too", () => {
  assert.deepEqual(load("schema: a\n---\n").problems, []);
  assert.deepEqual(load("# licence\nschema: a\n").problems, []);
});

test("names of the envelope are found in any case, and packages belong to themselves", () => {
  const [blob] = load('{"Schema":"olm.package","NAME":"foo"}').blobs;
  assert.deepEqual([blob?.schema, blob?.name, blob?.packageName], ["olm.package", "foo", "foo"]);
});

test("blobs of any schema and package load from one stream, each with its document and line", () => {
  const text = `${smallCatalog("foo", ["1.0.0", "1.1.0"])}---
schema: other
package: bar
name: x
---
schema: olm.deprecations
package: foo
entries:
- reference: {schema: olm.bundle, name: foo.v1.0.0}
  message: old
- reference: {schema: olm.package}
  message: |
    two
    lines
`;
  const { blobs, problems } = load(text);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    blobs.map(({ content }) => content.kind),
    ["package", "channel", "bundle", "bundle", "custom", "deprecations"],
  );
  const lines = text.split("\n");
  for (const [index, { place, schema }] of blobs.entries()) {
    assert.equal(place.document, index);
    // The leading separator belongs to the first document.
    assert.match(lines.slice((place.line ?? 0) - 1, (place.line ?? 0) + 1).join("\n"), new RegExp(`schema: ${schema}`));
  }
  const last = blobs.at(-1);
  assert.deepEqual(last?.content, {
    kind: "deprecations",
    entries: [
      { schema: "olm.bundle", name: "foo.v1.0.0", message: "old" },
      { schema: "olm.package", name: "", message: "two\nlines\n" },
    ],
  });
});

test("hostile YAML is quickly refused as a syntax problem with its line", () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level++) {
    const [before, own] = ["abcdefghijkl"[level - 1], "abcdefghijkl"[level]];
    bomb.push(`${own}: &${own} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`);
  }
  const cases: readonly (readonly [string, RegExp, number])[] = [
    [`schema: x\n${bomb.join("\n")}\n`, /excessive aliasing/, 5],
    ["schema: x\na:\n\tb: 1\n", /found character that cannot start any token/, 3],
    ["schema: x\nb: *nope\n", /unknown anchor/, 2],
    [`schema: x\nb: ${"[".repeat(4000)}\n`, /exceeded max depth/, 2],
    ["schema: x\nb: \u0007\n", /control characters are not allowed/, 2],
    ["schema: x\n--- y\n", /invalid Yaml document separator: y/, 2],
    ['schema: x\nb: "\n', /found unexpected end of stream/, 2],
    ["schema: x\nb: .inf\n", /no JSON form/, 2],
    ['{"schema": "x",\n "a": 1e999}', /cannot unmarshal number/, 2],
  ];
  for (const [text, message, line] of cases) {
    const problem = problemOf(text);
    assert.equal(problem.rule, "syntax", text.slice(0, 40));
    assert.match(problem.message, message);
    assert.equal(problem.place?.line, line, text.slice(0, 40));
  }
});

test("the last of equal keys counts, as upstream", () => {
  assert.equal(load("schema: x\nname: a\nname: b\n").blobs[0]?.name, "b");
  assert.equal(load('{"schema":"x","name":"a","name":"b"}').blobs[0]?.name, "b");
});

test("a key called __proto__ or constructor is a key", () => {
  const [blob] = load('{"schema":"x","__proto__":{"name":"evil"},"constructor":1}').blobs;
  assert.equal(blob?.name, "");
  assert.deepEqual(Object.keys(blob?.json ?? {}), ["schema", "__proto__", "constructor"]);
});

test("embedded manifests must be base64 of YAML or JSON", () => {
  const bundle = (data: string): string =>
    JSON.stringify({
      schema: "olm.bundle",
      package: "p",
      name: "b",
      properties: [{ type: "olm.bundle.object", value: { data } }],
    });
  assert.deepEqual(load(bundle(btoa('{"kind":"Service"}'))).problems, []);
  const faults = {
    "not: [yaml": "line 1: did not find expected ',' or ']'",
    "\x9d\xa9\x9e": "invalid leading UTF-8 octet",
  };
  for (const [manifest, fault] of Object.entries(faults))
    assert.equal(
      problemOf(bundle(btoa(manifest))).message,
      `read bundle objects: package "p", bundle "b": convert bundle object property at index 0 to JSON: yaml: ${fault}`,
    );
  assert.equal(problemOf(bundle(btoa("a: [\n"))).rule, "bundle-object");
  assert.match(
    problemOf(bundle("not base64")).message,
    /parse property at index 0 as bundle object: illegal base64 data at input byte 3$/,
  );
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const document = fc.oneof(
  fc.constantFrom("schema: x\nname: n\n", "# c\n", "a: 1\n", "schema: [\n", smallCatalog("foo", ["1.0.0", "2.0.0"])),
  fc.jsonValue().map((value) => `schema: custom\nvalue: ${JSON.stringify(value)}\n`),
);

test("entries for validation say what the blobs say, in whatever pieces a file comes", () => {
  fc.assert(
    fc.property(fc.array(document, { maxLength: 4 }), fc.integer({ min: 1, max: 50 }), (documents, size) => {
      const bytes = encode(documents.join("---\n"));
      function* pieces(): Generator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
      }
      const whole = [...blobsOf({ file: "f", text: documents.join("---\n") })];
      assert.deepEqual([...blobsOfChunks({ file: "f", chunks: pieces() })], whole);
      const bare = ({ content, ...entry }: CatalogBlob | CatalogEntry): unknown => ({
        ...entry,
        json: undefined,
        content: content.kind === "bundle" ? { ...content, properties: [], relatedImages: [] } : content,
      });
      assert.deepEqual(
        [...entriesOfChunks({ file: "f", chunks: pieces() })].map((entry) => (entry.ok ? bare(entry.value) : entry)),
        whole.map((blob) => (blob.ok ? bare(blob.value) : blob)),
      );
    }),
    { numRuns: 300 },
  );
});

test("an entry for validation holds the related images of a bundle when one of them is no reference", () => {
  const bundle = (image: string): string =>
    `schema: olm.bundle\npackage: p\nname: b\nimage: registry.example.com/p:1\nrelatedImages:\n- image: example.com/a:1\n  name: a\n- image: ${image}\n  name: b\n`;
  const held = (image: string): unknown =>
    [...entriesOfChunks({ file: "f", chunks: [encode(bundle(image))] })].map(
      (entry) => entry.ok && entry.value.content.kind === "bundle" && entry.value.content.relatedImages,
    );
  assert.deepEqual(held("example.com/b:1"), [[]]);
  assert.deepEqual(held("example.com/B:1"), [
    [
      { image: "example.com/a:1", name: "a" },
      { image: "example.com/B:1", name: "b" },
    ],
  ]);
});

test("a name that is no text is shown as upstream shows it, a scalar in place of an object as its conversion to JSON", () => {
  const shown = {
    "9007199254740993": "%!t(float64=9.007199254740992e+15): 9.007199254740992e+15",
    "123456": "%!t(float64=123456): 123456",
    "-0.0": "%!t(float64=-0): -0",
    "[null, x]": "[<nil> %!t(string=x)]: [<nil> x]",
    null: "%!t(<nil>): <nil>",
    "{a: null}": "map[%!t(string=a):<nil>]: map[a:<nil>]",
  };
  for (const [name, expected] of Object.entries(shown))
    assert.equal(
      problemOf(`schema: x\nname: ${name}\n`).message,
      `error unmarshaling JSON: while decoding JSON: expected value for key "name" to be a string, got ${expected}`,
    );
  const { upstreamText } = problemOf("'>=1'\n");
  assert.match(upstreamText ?? "", /at offset 10 \(indicated by <==\)\n"\\u003e=1" <==$/);
});
