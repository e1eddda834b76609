import assert from "node:assert/strict";
import { test } from "node:test";
import { goSort } from "./go-sort.ts";

interface Item {
  readonly key: number;
  readonly at: number;
}

/** The same keys that Go sorted for the table below; `random` is a whole number below 2^24. */
const keyOf: Readonly<Record<string, (at: number, length: number, random: number) => number>> = {
  random: (_at, length, random) => random % (length * 4),
  "few keys": (_at, _length, random) => random % 3,
  ascending: (at) => Math.floor(at / 2),
  descending: (at, length) => Math.floor((length - at) / 2),
  "strictly descending": (at, length) => length - at,
  saw: (at) => at % 7,
  pipe: (at, length) => (at < Math.floor(length / 2) ? at : length - at),
  equal: () => 0,
  "nearly ascending": (at, length, random) => (random % 10 === 0 ? random % length : at),
  "nearly descending": (at, length, random) => (random % 10 === 0 ? random % length : length - at),
};

const lengths = [12, 13, 49, 50, 100, 333, 1000, 5000];

/** FNV-1a of the former places in their new order, after `sort.Slice` of Go 1.26.8, for each of `lengths`. */
const answers: readonly (readonly [keys: string, digests: readonly number[]])[] = [
  ["random", [0x18267601, 0x552a6e45, 0x8105110d, 0x49ad1232, 0x9c724b65, 0xe06d8321, 0x5e58eac5, 0xc14fe153]],
  ["few keys", [0x48f54a1f, 0x9b516989, 0x0cc076b5, 0xb8165fa2, 0x16968759, 0x739e4573, 0xa6ccc76b, 0xa971fd15]],
  ["ascending", [0x4a509959, 0x51e160cf, 0x1f6c285f, 0xe543a52a, 0xde239011, 0x963435cf, 0xa06ae7fd, 0x8c7ca59d]],
  ["descending", [0x0acfb24b, 0x50bf503d, 0xf0efabbd, 0x140e9ec6, 0x0fdb6949, 0x5c435bad, 0x4d80a5e5, 0x52ebf915]],
  [
    "strictly descending",
    [0xbb50ae99, 0x7384b87f, 0x0fe1143f, 0xdaed4e64, 0x146cf8b9, 0x8f598f7f, 0x788180d5, 0x0eef6cd5],
  ],
  ["saw", [0xdf0a5897, 0xb17a2e4b, 0xf0bb5ad1, 0xbd4a5f3a, 0x4e3f7d91, 0x1baaeb7d, 0x0183ff93, 0xf28695e3]],
  ["pipe", [0xee93ce8f, 0x2bf3a64b, 0x0e993a35, 0xdf199bd2, 0x0dc6bc3f, 0x44c652bf, 0x864d36d1, 0x064000b1]],
  ["equal", [0x4a509959, 0x51e160cf, 0x1f6c285f, 0xe543a52a, 0xde239011, 0x963435cf, 0xa06ae7fd, 0x8c7ca59d]],
  [
    "nearly ascending",
    [0xf0b351b3, 0x7aecbdcf, 0x9f87e201, 0xd113bb70, 0x7520a765, 0xa0e21ced, 0x3a52d0cf, 0x48b9ff27],
  ],
  [
    "nearly descending",
    [0x8e14776f, 0x7384b87f, 0xf9a76fe9, 0x16665baa, 0x0e6f7aef, 0x06e65781, 0xbe1be365, 0xf0c1d2a1],
  ],
];

function itemsOf(keys: string, length: number): Item[] {
  let state = 1;
  return Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return { key: keyOf[keys]?.(at, length, state >>> 8) ?? 0, at };
  });
}

for (const [keys, digests] of answers)
  for (const [index, length] of lengths.entries())
    test(`${length} items with ${keys} keys lie as Go's sort.Slice leaves them`, () => {
      const items = itemsOf(keys, length);
      goSort(items, (left, right) => left.key < right.key);
      const digest = items.reduce((hash, { at }) => Math.imul(hash ^ at, 16777619) >>> 0, 2166136261);
      assert.equal(digest, digests[index]);
    });

test("a comparison that contradicts itself, which makes each pivot a bad one, leaves the order of Go's heap", () => {
  // Digests of the items and numbers of comparisons after `sort.Slice` of Go.
  for (const [length, digest, comparisons] of [
    [13, 0x3a11d7cd, 63],
    [20, 0x0a4c1d49, 112],
    [60, 0x95eedd45, 654],
    [200, 0xd8bfc1b5, 2666],
  ] as const) {
    const items = Array.from({ length }, (_, at) => at);
    let compared = 0;
    goSort(items, (a, b) => ++compared % 7 !== 0 || a < b);
    const found = items.reduce((hash, item) => Math.imul(hash ^ item, 16777619) >>> 0, 0x811c9dc5);
    assert.deepEqual([found, compared], [digest, comparisons], String(length));
  }
});
