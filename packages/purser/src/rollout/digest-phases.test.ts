import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { digestPhases } from "./digest-phases.ts";

const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "ç" }];

test("a phase is pinned by its name and by its objects in order", async () => {
  const phases = [
    { name: "crds", objects: [a, b] },
    { name: "crds", objects: [a, c] },
    { name: "crds", objects: [a] },
    { name: "roles", objects: [a, b] },
    { name: "crds", objects: [b, a] },
    { name: "crds", objects: [] },
  ];
  // Twice, because what was computed last is remembered.
  for (const phase of [...phases, ...phases.toReversed()])
    assert.deepEqual(await digestPhases([phase]), [{ name: phase.name, digest: digestOf(canonicalJson(phase)) }]);
});

test("the digest of a phase whose objects are the same ones is computed once", async () => {
  let reads = 0;
  const counting = {
    get spec() {
      reads++;
      return {};
    },
  };
  const first = await digestPhases([{ name: "crds", objects: [counting] }]);
  const before = reads;
  assert.deepEqual(await digestPhases([{ name: "crds", objects: [counting] }]), first);
  assert.equal(reads, before);
});
