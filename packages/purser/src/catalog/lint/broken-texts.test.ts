import { test } from "node:test";
import fc from "fast-check";
import { smallCatalog } from "../testing/small-catalog.ts";
import { fixFiles } from "./fix-catalog.ts";
import { findingsIn } from "./testing/worlds.ts";

const base = smallCatalog("foo", ["1.0.0", "1.1.0"]);
const pieces = [
  ...Array.from('\n\t:"[]{}&*-|>'),
  "---\n",
  "- ",
  "name: ",
  "__proto__: ",
  "constructor: 1\n",
  "null",
  "5",
  "\r\n",
  "skips:\n",
  "entries:\n",
  "properties: [null]\n",
  "relatedImages: [null]\n",
  "schema: olm.deprecations\nentries:\n- reference: null\n",
];

test("checking, locating and repairing a damaged text returns findings and never throws", () => {
  const edits = fc.array(fc.tuple(fc.nat({ max: base.length }), fc.nat({ max: 12 }), fc.constantFrom(...pieces)), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(edits, (changes) => {
      const text = changes.reduce(
        (held, [at, length, piece]) => held.slice(0, at) + piece + held.slice(at + length),
        base,
      );
      fixFiles([{ file: "foo.yaml", text }], findingsIn(text, { old: base }));
    }),
    { numRuns: 1500 },
  );
});
