import assert from "node:assert/strict";
import { test } from "node:test";
import { labelIndex, parsedSelector, select } from "./cached-selection.ts";
import type { Informer } from "./informer.ts";
import { ObjectStore } from "./object-store.ts";

/** Nine objects of one owner in three namespaces, of two teams; how many of them a selection reads. */
function selected(namespace: string | undefined, labelSelector: string): readonly [readonly string[], number] {
  const store = new ObjectStore();
  const read = new Set<string>();
  let counts = false;
  for (const place of ["c", "a", "b"])
    for (const number of [3, 1, 2]) {
      const name = `${place}${number}`;
      const labels = { owner: "op", place, ...(number === 1 ? { team: place === "a" ? "red" : "blue" } : {}) };
      store.put({
        apiVersion: "v1",
        kind: "ConfigMap",
        get metadata() {
          if (counts) read.add(name);
          return { namespace: place, name, labels };
        },
      });
    }
  for (const label of ["owner", "place", "team"])
    store.addIndex(labelIndex(label), ({ metadata: { labels = {} } }) =>
      labels[label] === undefined ? [] : [labels[label]],
    );
  counts = true;
  const selector = parsedSelector(labelSelector);
  assert.ok(selector !== "unreadable");
  const found = select({ store } as unknown as Informer, namespace, selector);
  return [found.map(({ metadata: { name = "" } }) => name), read.size];
}

for (const [words, namespace, selector, names, reads] of [
  ["the only indexed label", undefined, "owner=op", ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"], 9],
  ["the label with the fewest objects, in whatever order", undefined, "owner=op,place=b", ["b1", "b2", "b3"], 3],
  ["the label with the fewest objects of three", undefined, "place=a,team=red,owner=op", ["a1"], 1],
  ["the namespace, where the label is on more objects", "b", "owner=op", ["b1", "b2", "b3"], 3],
  ["the label, where the namespace has more objects", "a", "owner=op,team=red", ["a1"], 1],
  ["a label that no object has", "a", "team=green", [], 0],
  ["no label of which it allows two values", "c", "team in (red,blue)", ["c1"], 3],
] as const)
  test(`a selection reads the objects of ${words}`, () =>
    assert.deepEqual(selected(namespace, selector), [names, reads]));
