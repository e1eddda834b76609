import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { decodeBlob } from "../loading/decode.ts";
import { blobValue, encodeBlob } from "./encode-blob.ts";
import { formatBlob, formatValue } from "./write-blobs.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("1", "a", "\u2028", "\\ud800", "\u0085", "y: #"));
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, -0, 1e21, 1e-7, 12),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
}));
const meta = { schema: "olm.bundle", name: "a.v1", package: "a", image: "i" };
const blob = fc.oneof(
  fc.dictionary(text, value, { maxKeys: 4 }).map((json): JsonObject => ({ ...json, schema: "custom" })),
  fc
    .array(fc.record({ type: fc.constantFrom("t", "olm.csv.metadata"), value }), { maxLength: 3 })
    .map((properties): JsonObject => ({
      ...meta,
      properties,
      relatedImages: [{ image: "b" }, { image: "a", name: "n" }],
    })),
);

test("a blob that V8 writes has the bytes of the blob that is put together as text", () => {
  fc.assert(
    fc.property(blob, (json) => {
      const [read] = documentsOf(JSON.stringify(json));
      const decoded = read?.ok === true ? decodeBlob(read.value) : undefined;
      if (decoded?.ok !== true) return;
      const written = blobValue(decoded.value, "none");
      const encoded = encodeBlob(decoded.value, "none");
      assert.ok(written.ok && encoded.ok);
      if (written.value === undefined) return;
      for (const format of ["json", "yaml"] as const) {
        const pieces = formatValue(written.value, format);
        if (pieces !== undefined)
          assert.deepEqual(formatBlob(encoded.value, format), { ok: true, value: decoder.decode(pieces[0]) });
      }
    }),
  );
});

test("most blobs are written by V8", () => {
  const [read] = documentsOf(JSON.stringify({ ...meta, properties: [{ type: "t", value: { b: [], a: 1.5 } }] }));
  const decoded = read?.ok === true ? decodeBlob(read.value) : undefined;
  assert.ok(decoded?.ok);
  const written = blobValue(decoded.value, "none");
  assert.ok(written.ok && written.value !== undefined);
  assert.match(
    decoder.decode(formatValue(written.value, "json")?.[0]),
    /\n {12}"value": \{\n {16}"a": 1.5,\n {16}"b": \[\]\n/,
  );
});
