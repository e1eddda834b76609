import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { descriptorBytes, protocolFiles } from "./protocol.ts";

// Descriptors in Base64 by file, recorded from the reflection service of `opm serve` (opm 1.73).
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../testing/upstream-descriptors.json"), "utf8"),
) as Readonly<Record<string, string>>;

for (const file of protocolFiles)
  test(`reflection sends ${file.name} byte for byte as opm serve does`, () => {
    assert.equal(Buffer.from(descriptorBytes(file)).toString("base64"), recorded[file.name]);
  });
