import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredIndex } from "../catalog-store/open.ts";
import { namedByIndex } from "./found-catalog.ts";
import type { SourceReader } from "./source-reader.ts";

test("the end of a source reaches the reader behind its name, which may hold a connection", () => {
  let closed = 0;
  const reader: SourceReader<StoredIndex> = {
    look: () => Promise.resolve(undefined),
    pauseMs: () => undefined,
    close: () => void closed++,
  };
  namedByIndex(reader).close?.();
  assert.equal(closed, 1);
});
