import assert from "node:assert/strict";
import { test } from "node:test";
import { queryObjects } from "node:v8";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Item, ItemEvent } from "./request/answer.ts";
import { toWire } from "./wire.ts";

/** An item with a tree that is much larger than its text. */
class HeavyItem implements Item {
  readonly object: KubeObject;
  readonly text: string;

  constructor(name: string) {
    this.object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } } as KubeObject;
    this.text = JSON.stringify(this.object);
  }

  get passing(): KubeObject {
    return this.object;
  }

  get size(): number {
    return this.text.length;
  }
}

async function* added(items: readonly Item[]): AsyncGenerator<ItemEvent> {
  for (const item of items) yield { type: "ADDED", item };
}

/** Lets two watchers read the events; their lines. */
async function watched(items: readonly Item[]): Promise<readonly (readonly Uint8Array[])[]> {
  return Promise.all(
    [0, 1].map(async () => {
      const { body } = toWire(
        { result: { ok: true, value: { kind: "watch", events: added(items) } }, warnings: [] },
        { method: "GET", path: "/" },
      );
      assert.ok(body?.kind === "stream");
      return Array.fromAsync(body.chunks);
    }),
  );
}

/**
 * So many events for two watchers.
 * @returns how many lines both got as the same bytes
 */
async function shared(count: number): Promise<number> {
  const [one = [], other = []] = await watched(
    Array.from({ length: count }, (_, index) => new HeavyItem(String(index))),
  );
  return one.filter((line, index) => line === other[index]).length;
}

test("watchers share the lines of events, and no line keeps an object alive after the watchers have stopped", async () => {
  assert.equal(await shared(500), 500);
  await new Promise((next) => setImmediate(next));
  const left = queryObjects(HeavyItem, { format: "count" });
  assert.ok(left < 50, `${left} of 500 objects`);
});
