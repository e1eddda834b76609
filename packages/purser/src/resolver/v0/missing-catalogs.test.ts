import assert from "node:assert/strict";
import { test } from "node:test";
import { shortNamespace } from "../testing/short-world.ts";
import { resolveNow } from "../resolution.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

const offers = { "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0 R=K1"] };

/** Names of the chosen bundles, or the refusal. */
function decided(
  subscription: string,
  missingCatalogs: "block" | "skip",
  extra: Readonly<Record<string, string>>,
): string {
  const world = shortNamespace({ catalogs: { "olm/cat": offers, ...extra }, subscriptions: [subscription] });
  const outcome = resolveNow(resolveNamespace({ ...world, missingCatalogs }));
  if (outcome.kind === "resolved") return outcome.operators.map(({ bundle }) => bundle.name).join();
  return `${outcome.kind}: ${outcome.explanation.summary}`;
}

const broken = { "olm/broken": "no route to it" };
const refusal = (catalog: string): string =>
  `error: Nothing is decided in ns while catalog ${catalog} cannot be read: no route to it`;

const cases: readonly (readonly [claim: string, subscription: string, mode: "block" | "skip", outcome: string])[] = [
  ["a broken catalog that no Subscription names is left out", "a a/stable", "skip", "a.v1"],
  ["with OLM's rule it blocks all decisions", "a a/stable", "block", refusal("olm/broken")],
  ["a broken catalog that a Subscription names blocks", "a a/stable from=olm/broken", "skip", refusal("olm/broken")],
  ["a dependency that the others lack may be in the broken one", "b b/stable", "skip", refusal("olm/broken")],
  ["a package that the others lack may be in the broken one", "c c/stable", "skip", refusal("olm/broken")],
];

for (const [claim, subscription, mode, outcome] of cases)
  test(claim, () => assert.equal(decided(subscription, mode, broken), outcome));

test("a broken catalog of another namespace plays no part", () => {
  assert.equal(decided("a a/stable", "block", { "elsewhere/broken": "no route to it" }), "a.v1");
});
