import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { acceptedRequestId, currentRequestId, newRequestId, withRequestId } from "./request-id.ts";

test("everything that is awaited has the id of its own request, and nothing has one outside", async () => {
  const ids = [newRequestId(), newRequestId()];
  assert.equal(new Set(ids).size, 2);
  const seen = await Promise.all(
    ids.map((id) =>
      withRequestId(id, async () => {
        await setImmediate();
        return currentRequestId();
      }),
    ),
  );
  assert.deepEqual(seen, ids);
  assert.equal(currentRequestId(), undefined);
});

test("ids of clients are accepted when they are short and plain", () => {
  assert.equal(acceptedRequestId("4f2a-1b.c_d"), "4f2a-1b.c_d");
  for (const sent of [undefined, "", "a b", "a\n", "x".repeat(65)]) assert.equal(acceptedRequestId(sent), undefined);
});
