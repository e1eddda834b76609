import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { documentsOf } from "@purser/kubernetes/text/documents";
import type { CatalogEntry } from "../model.ts";
import { blobsOf, entriesOfChunks } from "./load.ts";
import { knownProperties } from "./known-properties.ts";

const head = "schema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: example.com/p:1\nproperties:\n";
const packageProperty = "- type: olm.package\n  value:\n    packageName: p\n    version: 1.0.0\n";

/** A property with every form that renderers write and the pattern takes. */
const metadata = String.raw`- type: olm.csv.metadata
  value:
    annotations:
      alm-examples: |-

        [
          {"kind": "Thing"}

        ]
      categories: Big Data, Café
      containerImage: example.com/p:1
      createdAt: "2021-02-21T00:00:00Z"
      description: one line # of
        text which goes on

        after a blank line
      repository: https://example.com/#top
      single: 'it''s
        folded'
      when: 2021-02-21
    apiServiceDefinitions: {}
    crdDescriptions:
      owned:
      - description: "a \"quoted\" \\ \u00e9 \U0001F431 text \
          that goes on\nhere"
        displayName: Thing
        kind: Thing
        name: things.example.com
        resources:
        - kind: Pod
          name: ""
          version: v1
        specDescriptors:
        - description: (number) of replicas
          path: size
          x-descriptors:
          - urn:alm:descriptor:com.tectonic.ui:podCount
          - 'urn:other'
        version: v1
      - kind: Other
        name: others.example.com
        version: v1
      required: []
    description: |
      # Heading: yes

      - type: olm.package
        value: no
    displayName: Päckage
    installModes:
    - supported: false
      type: OwnNamespace
    - supported: true
      type: AllNamespaces
    keywords:
    - yes sir
    - /path
    labels: {}
    links:
    - name: Home
      url: https://example.com
    maintainers:
    - email: a@example.com
      name: A
    maturity: alpha
    minKubeVersion: 1.19.0
    provider:
      name: Example
`.replace("one line # of", "one line of");
const gvk = "- type: olm.gvk\n  value:\n    group: example.com\n    kind: Thing\n    version: v1\n";
const required =
  '- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: ">=1.0.0"\n- type: olm.gvk.required\n  value:\n    group: example.com\n    kind: Other\n    version: v1\n';
const tail = "relatedImages:\n- image: example.com/p:1\n  name: p\n";
const bundle = head + gvk + gvk + packageProperty + required + metadata + tail;

const bare = (entry: CatalogEntry): unknown => {
  const { schema, packageName, name, place, content } = entry;
  return {
    schema,
    packageName,
    name,
    place,
    content: content.kind === "bundle" ? { ...content, properties: [], relatedImages: [] } : content,
  };
};

/** Asserts that skipped properties change neither the entries of a text nor its problems; returns whether there were any. */
function skips(text: string): boolean {
  const file = "catalog.yaml";
  const entries = [...entriesOfChunks({ file, chunks: [new TextEncoder().encode(text)] })];
  assert.deepEqual(
    entries.map((entry) => (entry.ok ? bare(entry.value) : entry)),
    [...blobsOf({ file, text })].map((blob) => (blob.ok ? bare(blob.value) : blob)),
    text,
  );
  return [...documentsOf(text, { knownItems: knownProperties })].some(({ ok, ...read }) => {
    return ok && "value" in read && read.value.whole !== undefined;
  });
}

const values = (text: string): unknown => {
  const [read] = documentsOf(text, { knownItems: knownProperties });
  assert.ok(read?.ok === true, text);
  return (read.value.value as { readonly properties?: unknown }).properties;
};

test("of properties as renderers write them only versions and counted types are read", () => {
  assert.equal(skips(bundle), true);
  assert.deepEqual(values(bundle), [
    { type: "olm.package", value: { packageName: "p", version: "1.0.0" } },
    { type: "olm.csv.metadata", value: {} },
  ]);
  const shifted = bundle.replaceAll(/^(?=- type| )/gm, "  ").replaceAll(/^ {2}(?=- image| {2}name: p$)/gm, "");
  assert.deepEqual(values(shifted), values(bundle));
  assert.deepEqual(values(bundle.replace(tail, "")), values(bundle));
});

test("two properties with the metadata of a CSV are counted as two", () => {
  assert.equal(skips(head + metadata + metadata + packageProperty), true);
  assert.deepEqual(values(head + metadata + metadata), [
    { type: "olm.csv.metadata", value: {} },
    { type: "olm.csv.metadata", value: {} },
  ]);
});

test("items of other lists are read, whatever they look like", () => {
  const channel = `schema: olm.channel\npackage: p\nname: c\nentries:\n${gvk}`;
  assert.equal(skips(channel), false);
  assert.equal(skips(`schema: x\nproperties:\n  properties:\n  ${gvk.replaceAll("\n ", "\n   ")}`), false);
});

test("a property is read when it has a further member", () => {
  assert.equal(skips(`${head}${gvk}  type: olm.package\n${tail}`), false);
  assert.equal(skips(`${head}${gvk}  Type: olm.package\n${tail}`), false);
  assert.equal(skips(`${head}${metadata}  type: olm.bundle.object\n${tail}`), false);
});

/** Each replaces the group of an `olm.gvk`; the property has to be read for all of them. */
const read: readonly string[] = [
  ..."y Yes TRUE on No false OFF null ~ 1 10 -1 1.5 .5 .inf 1e3 0x1f 0b1 1_000 1. {} [] {a:b} !x &x *x >-".split(" "),
  "a: b",
  "a #b",
  "a:",
  "",
  "# nothing",
  '"a',
  '"\\q"',
  '"\\ud83d\\ude00"',
  '"\\U00110000"',
  '"\\x4"',
  '"a" b',
  "'a' b",
  "'a'b'",
  "|",
  "|2\n       x",
  "|\n     x",
  "|\n        x\n      y",
  "|\n    x",
  "a\n    b",
  "a\n      # comment\n      b",
  "a\n      b: c",
  '"a\n    b"',
  "\n    - a",
];

test("what may not be a string is read", () => {
  for (const value of read) {
    const text = `${head}${gvk.replace("example.com", () => value)}${tail}`;
    assert.equal(skips(text), false, value);
  }
});

const taken: readonly string[] = [
  ..."yess Node truth /a <b> (c $d _e ^f =g ;h) 1.2.3 1-2 1/2 a:b:c a#b Café é".split(" "),
  '"a: b # c"',
  "'a: b # c'",
  '""',
  '"\\x41\\u00e9\\U0001F431\\"\\\\\\n"',
  '"a\n     b\n\n     c"',
  "|\n      a\n\n       b",
  "|+\n\n      a\n\n",
  "a\n     b\n\n      c",
];

test("what is certainly a string is not read", () => {
  for (const value of taken) {
    const text = `${head}${gvk.replace("example.com", () => value)}${tail}`;
    assert.equal(skips(text), true, value);
  }
});

test("a key that Go refuses, or a line in another column, is read", () => {
  for (const key of ["null", "Null", "~", "a b", "k".repeat(1100)]) skips(bundle.replace("categories:", `${key}:`));
  const lines = bundle.split("\n");
  for (const [at, line] of lines.entries())
    for (const by of [-2, -1, 1, 2]) {
      const moved = changedLine(line, { indent: by });
      skips([...lines.slice(0, at), moved, ...lines.slice(at + 1)].join("\n"));
    }
});

test("no change of letters or lines makes a difference", () => {
  const lines = bundle.split("\n");
  const pieces = [...new Set(lines.flatMap((line) => [line.trim(), line.replace(/:.*/, ":")]))];
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ at: fc.nat(lines.length - 1), line: fc.constantFrom(...read, ...taken) }) },
    fc.record({ at: fc.nat(lines.length - 1), line: fc.constantFrom(...pieces) }),
    fc.record({ at: fc.nat(lines.length - 1), indent: fc.integer({ min: -4, max: 4 }) }),
    fc.record({ at: fc.nat(lines.length - 1), cut: fc.integer({ min: 0, max: 2 }) }),
    fc.record({
      at: fc.nat(lines.length - 1),
      column: fc.nat(30),
      letter: fc.constantFrom(...Array.from("\"'\\|>-#:? \t\n{[&*!%@`~\u00e9\u2028\u{1f431}")),
    }),
  );
  let skipped = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
      const changed = [...lines];
      for (const { at, ...how } of changes) changed[at] = changedLine(changed[at] ?? "", how);
      if (skips(changed.join("\n"))) skipped++;
    }),
    { numRuns: 600 },
  );
  assert.ok(skipped > 200, `only ${skipped} texts had properties that were not read`);
});

interface Change {
  readonly line?: string;
  readonly indent?: number;
  readonly cut?: number;
  readonly column?: number;
  readonly letter?: string;
}

function changedLine(line: string, { line: other, indent, cut, column = 0, letter = "" }: Change): string {
  const width = line.length - line.trimStart().length;
  if (other !== undefined) return line.replace(/(: |- |^ *)[^:]*$/, (_all, before: string) => before + other);
  if (indent !== undefined) return " ".repeat(Math.max(width + indent, 0)) + line.trimStart();
  if (cut !== undefined) return [line.slice(0, width), line.trimEnd().slice(0, -1), `${line}\n${line}`][cut] ?? "";
  return line.slice(0, column) + letter + line.slice(column);
}

test("a run of properties that does not end as it should is looked up once", () => {
  let asked = 0;
  const text = `${head}${gvk.repeat(50)}  more: x\n`;
  const documents = documentsOf(text, {
    knownItems(...where) {
      asked++;
      return knownProperties(...where);
    },
  });
  assert.equal([...documents].length, 1);
  assert.equal(asked, 1);
});
