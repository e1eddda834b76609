import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { memoryStorage } from "./object-store.ts";
import { StoredIndex } from "./stored-index.ts";

const colours = ["red", "green", "blue"];
const object = (name: string, labels: readonly string[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a", labels: Object.fromEntries(labels.map((label) => [label, ""])) },
});
const labelsOf = ({ metadata }: KubeObject): readonly string[] => Object.keys(metadata.labels ?? {});

const step = fc.record({
  name: fc.constantFrom("x", "y", "z"),
  labels: fc.option(fc.subarray(colours), { nil: undefined }),
  asks: fc.boolean(),
});

test("an index finds what a look at every object would find, whenever it was asked first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const storage = memoryStorage();
      const index = new StoredIndex(storage, "configmaps", labelsOf);
      for (const { name, labels, asks } of steps) {
        if (labels === undefined) storage.remove("configmaps", `a/${name}`);
        else storage.put("configmaps", `a/${name}`, object(name, labels));
        if (!asks) continue;
        await storage.durable();
        const all = storage.list("configmaps");
        assert.ok(all.ok);
        for (const wanted of [["red"], ["blue", "red"], ["grey"]])
          assert.deepEqual(
            index.find(wanted),
            all.value.filter((held) => labelsOf(held).some((label) => wanted.includes(label))),
          );
      }
    }),
  );
});
