import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { CatalogContent } from "./content.ts";
import { readableCatalog } from "./readable-catalog.ts";

const index = {} as StoredIndex;
const failing = { kind: "failing", cause: "no route", remedy: "wait" } as unknown as CatalogContent["state"];
const refused = { kind: "refused", cause: "no rights", remedy: "ask" } as unknown as CatalogContent["state"];
const pending: CatalogContent["state"] = { kind: "pending", since: 0 };

test("a catalog is readable as long as it has content; without any it says why, or that it is being read", () => {
  const unavailable = (cause: string) => ({ kind: "unavailable", cause });
  assert.deepEqual(
    [pending, failing, refused].map((state) => readableCatalog({ state, index: undefined })),
    ["its content is still being read", "no route", "no rights"].map(unavailable),
  );
  for (const state of [pending, failing])
    assert.deepEqual(readableCatalog({ state, index }), { kind: "present", index });
});
