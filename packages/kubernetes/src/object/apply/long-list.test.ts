import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LongList } from "./long-list.ts";

const change = fc.record({ kind: fc.constantFrom("insert", "remove", "set"), at: fc.nat(), item: fc.integer() });

test("a long list holds after any changes what a plain one holds", () => {
  fc.assert(
    fc.property(fc.nat({ max: 3000 }), fc.array(change, { maxLength: 1500, size: "max" }), (length, changes) => {
      const plain = Array.from({ length }, (_, index) => index);
      const list = new LongList(plain);
      for (const { kind, at, item } of changes) {
        const place = at % (plain.length + 1);
        if (kind === "insert") {
          plain.splice(place, 0, item);
          list.insert(place, item);
        } else if (place < plain.length && kind === "remove") {
          plain.splice(place, 1);
          list.remove(place);
        } else if (place < plain.length) {
          plain[place] = item;
          list.set(place, item);
          assert.equal(list.get(place), item);
        }
        assert.equal(list.length, plain.length);
      }
      assert.deepEqual([...list], plain);
    }),
    { numRuns: 40 },
  );
});
