import assert from "node:assert/strict";
import { test } from "node:test";
import { type CompatSwitch, namespaceChoices, type NamespaceChoices, parseCompat } from "./compat.ts";

function choicesOf(switches: string): NamespaceChoices {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  return namespaceChoices(compat.value);
}

const ours: NamespaceChoices = {
  reservedGroups: "refused",
  replacedOperators: "passedOver",
  missingCatalogs: "skip",
  plansPer: "set",
};

test("without a switch every choice about a namespace is ours", () => assert.deepEqual(choicesOf(""), ours));

const rows: readonly (readonly [CompatSwitch, Partial<NamespaceChoices>])[] = [
  ["reserved-groups", { reservedGroups: "accepted" }],
  ["replaced-operators", { replacedOperators: "orphans" }],
  ["missing-catalogs", { missingCatalogs: "block" }],
  ["namespace-plans", { plansPer: "namespace" }],
  ["crd-wait", {}],
];
for (const [name, change] of rows)
  test(`with --compat=${name} ${Object.keys(change).join() || "no choice about a namespace"} is as in OLM, and nothing else`, () =>
    assert.deepEqual(choicesOf(name), { ...ours, ...change }));
