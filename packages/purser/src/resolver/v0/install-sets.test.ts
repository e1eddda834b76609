import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShortCatalog } from "../testing/short-catalog.ts";
import { shortNamespace } from "../testing/short-world.ts";
import { resolveNow } from "../resolution.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

interface Given {
  readonly catalog: ShortCatalog;
  readonly subscriptions: readonly string[];
  readonly installed?: readonly string[];
}

/** Each set: its bundles, the Subscriptions that move, and in brackets all of its Subscriptions. */
function setsOf({ catalog, ...short }: Given): readonly string[] {
  const outcome = resolveNow(resolveNamespace(shortNamespace({ catalogs: { "olm/cat": catalog }, ...short })));
  assert.ok(outcome.kind === "resolved", JSON.stringify(outcome));
  return outcome.sets.map(({ operators, updated, subscriptions }) =>
    [
      ...operators.map(({ bundle }) => bundle.name),
      ...updated.map(({ subscription, currentCSV }) => `${subscription.metadata.name}=${currentCSV}`),
      `(${subscriptions.map(({ metadata }) => metadata.name).join(" ")})`,
    ].join(" "),
  );
}

/** A constraint that one of these packages meets. */
const eitherOf = (...names: readonly string[]): string =>
  JSON.stringify({
    failureMessage: "m",
    any: { constraints: names.map((packageName) => ({ package: { packageName, versionRange: ">=1.0.0" } })) },
  });

const cases: readonly (readonly [claim: string, given: Given, sets: readonly string[]])[] = [
  [
    "operators without requirements are sets of their own",
    { catalog: { "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0"] }, subscriptions: ["a a", "b b"] },
    ["a.v1 a=a.v1 (a)", "b.v1 b=b.v1 (b)"],
  ],
  [
    "a dependency and all that require it are one set",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 R=K"],
        "b/stable": ["b.v1 1.0.0 dep=k:>=1.0.0"],
        "c/stable": ["c.v1 1.0.0"],
        "k/stable": ["k.v1 1.0.0 P=K"],
      },
      subscriptions: ["a a", "b b", "c c"],
    },
    ["a.v1 b.v1 k.v1 a=a.v1 b=b.v1 (a b)", "c.v1 c=c.v1 (c)"],
  ],
  [
    "what stays installed links the operators that require it, and its Subscription is theirs",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 R=K"],
        "b/stable": ["b.v1 1.0.0 R=K"],
        "k/stable": ["k.v1 1.0.0 P=K"],
      },
      subscriptions: ["a a", "b b", "k k at=k.v1"],
      installed: ["k.v1 1.0.0 k P=K"],
    },
    ["a.v1 b.v1 a=a.v1 b=b.v1 (a b k)"],
  ],
  [
    "a requirement that the new version no longer has still links the upgrades",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 R=K", "a.v2 2.0.0 r=a.v1"],
        "k/stable": ["k.v1 1.0.0 P=K", "k.v2 2.0.0 r=k.v1"],
      },
      subscriptions: ["a a at=a.v1", "k k at=k.v1"],
      installed: ["a.v1 1.0.0 a R=K", "k.v1 1.0.0 k P=K"],
    },
    ["a.v2 k.v2 a=a.v2 k=k.v2 (a k)"],
  ],
  [
    "an API that goes from one operator to the other links them",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1"],
        "b/stable": ["b.v1 1.0.0", "b.v2 2.0.0 r=b.v1 P=K"],
      },
      subscriptions: ["a a at=a.v1", "b b at=b.v1"],
      installed: ["a.v1 1.0.0 a P=K", "b.v1 1.0.0 b"],
    },
    ["a.v2 b.v2 a=a.v2 b=b.v2 (a b)"],
  ],
  [
    "two Subscriptions of one package are served by one set",
    { catalog: { "a/stable": ["a.v1 1.0.0"] }, subscriptions: ["a a", "again a"] },
    ["a.v1 a=a.v1 again=a.v1 (a again)"],
  ],
  [
    "what is neither chosen nor installed links nothing",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 R=K", "a.v2 2.0.0 r=a.v1"],
        "b/stable": ["b.v1 1.0.0 P=K", "b.v2 2.0.0 r=b.v1"],
      },
      subscriptions: ["a a", "b b"],
    },
    ["a.v2 a=a.v2 (a)", "b.v2 b=b.v2 (b)"],
  ],
  [
    "versions that are not chosen and provide the same API link nothing",
    {
      catalog: {
        "a/stable": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1"],
        "b/stable": ["b.v1 1.0.0 P=K", "b.v2 2.0.0 r=b.v1"],
      },
      subscriptions: ["a a", "b b"],
    },
    ["a.v2 a=a.v2 (a)", "b.v2 b=b.v2 (b)"],
  ],
  [
    "a version that is not chosen does not link the operators that it could use",
    {
      catalog: {
        "a/stable": [`a.v1 1.0.0 c=${eitherOf("b", "d")}`, "a.v2 2.0.0 r=a.v1"],
        "b/stable": ["b.v1 1.0.0"],
        "d/stable": ["d.v1 1.0.0"],
      },
      subscriptions: ["a a", "b b", "d d"],
    },
    ["a.v2 a=a.v2 (a)", "b.v1 b=b.v1 (b)", "d.v1 d=d.v1 (d)"],
  ],
  [
    "a dependency takes along the Subscription that it serves, although that Subscription cannot be upgraded to it",
    {
      catalog: { "c/stable": ["c.v1 1.0.0 R=K"], "k/stable": ["k.v1 1.0.0 P=K"] },
      subscriptions: ["c c", "k k at=older"],
      installed: ["older 0.9.0 -"],
    },
    ["c.v1 k.v1 c=c.v1 k=k.v1 (c k)"],
  ],
];

for (const [claim, given, sets] of cases) test(claim, () => assert.deepEqual(setsOf(given), sets));
