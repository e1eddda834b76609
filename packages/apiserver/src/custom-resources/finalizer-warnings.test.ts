import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { finalizerWarnings } from "./finalizer-warnings.ts";

const held = (...finalizers: readonly string[]): { readonly metadata: { readonly finalizers: readonly string[] } } => ({
  metadata: { finalizers },
});

describe("warnings of finalizers", () => {
  const rows: readonly (readonly [
    why: string,
    now: readonly string[],
    old: readonly string[] | undefined,
    expected: readonly RegExp[],
  ])[] = [
    ["a name without a domain", ["bare"], undefined, [/"bare": prefer a domain-qualified finalizer name to avoid/u]],
    ["a domain without a path", ["x.io"], undefined, [/"x\.io": prefer .* name including a path \(\/\) to avoid/u]],
    ["a domain with a path", ["x.io/a"], undefined, []],
    ["Kubernetes' own", ["orphan", "foregroundDeletion"], undefined, []],
    ["what was there before", ["bare"], ["bare"], []],
    ["only what is new, each once, by name", ["c", "b", "a", "b"], ["a"], [/"b"/u, /"c"/u]],
  ];
  for (const [why, now, old, expected] of rows)
    test(why, () => {
      const warnings = finalizerWarnings(held(...now), old === undefined ? undefined : held(...old));
      assert.equal(warnings.length, expected.length, warnings.join("\n"));
      for (const [index, pattern] of expected.entries()) assert.match(warnings[index] ?? "", pattern);
    });
});
