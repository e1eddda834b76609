import assert from "node:assert/strict";
import { test } from "node:test";
import { detached, entryOf, entryText } from "./detached-entry.ts";
import { blobsOf } from "./load.ts";

test("an entry as text on one line, or without its document, is the same entry, down to digits beyond doubles and the sign of zero", () => {
  for (const value of ["-0", '[1,{"b":-0,"a":9007199254740993}]', '"a\\nb\\u2028"', '{"z":1,"a":-1e-7}']) {
    const text = `{"schema":"olm.bundle","name":"a.v1","package":"a","image":"registry.example.com/a:1","properties":[
      {"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"acme","value":${value}}]}`;
    for (const blob of blobsOf({ file: "a.json", text })) {
      assert.ok(blob.ok);
      const { json: _json, ...entry } = blob.value;
      const written = entryText(entry);
      assert.ok(!written.includes("\n"));
      assert.deepStrictEqual(entryOf(written), entry);
      assert.deepStrictEqual(detached(blob.value), entry);
    }
  }
});
