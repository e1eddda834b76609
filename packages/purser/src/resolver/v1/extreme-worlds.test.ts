import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveNow } from "../resolution.ts";
import { unitsPerStep } from "../pace.ts";
import type { ShortExtension } from "../testing/short-world.ts";
import { shortExtension } from "../testing/short-world.ts";
import type { ExtensionOutcome } from "./outcome.ts";
import { resolveExtension } from "./resolve-extension.ts";

const channel = (count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, index) => `a.v1.${index}.0 1.${index}.0${index === 0 ? "" : ` r=a.v1.${index - 1}.0`}`,
  );

const worldOf = (count: number, more: Partial<ShortExtension> = {}): ShortExtension => ({
  catalogs: { cat: { "a/stable": channel(count) } },
  extension: { packageName: "a" },
  ...more,
});

function answer(outcome: ExtensionOutcome): string {
  return outcome.kind === "resolved" ? outcome.bundle.name : outcome.explanation.code;
}

test("of ten thousand versions the newest is taken, in as many steps as they need", () => {
  const resolution = resolveExtension(shortExtension(worldOf(10_000)));
  let steps = 1;
  while (resolution.run(1).kind === "more") steps++;
  assert.equal(answer(resolveNow(resolution)), "a.v1.9999.0");
  assert.ok(steps >= (2 * 10_000) / unitsPerStep, `${steps} steps`);
});

test("a range that none of ten thousand versions satisfies is explained", () => {
  const world = worldOf(10_000, { extension: { packageName: "a", version: ">=2.0.0" } });
  assert.equal(answer(resolveNow(resolveExtension(shortExtension(world)))), "NoVersionInRange");
});

test("an upgrade that would take thousands of steps is refused without looking for all of them", () => {
  const world = worldOf(5000, {
    extension: { packageName: "a", version: ">=1.10.0" },
    installed: { name: "a.v1.0.0", version: "1.0.0" },
  });
  assert.equal(answer(resolveNow(resolveExtension(shortExtension(world)))), "NoUpgradePath");
});

test("a range of very many terms and blanks is read, and one that is nonsense is refused", () => {
  const terms = Array.from({ length: 2000 }, (_, index) => `!=1.${index}.1`).join(" ");
  assert.equal(
    answer(
      resolveNow(resolveExtension(shortExtension(worldOf(3, { extension: { packageName: "a", version: terms } })))),
    ),
    "a.v1.2.0",
  );
  const nonsense = `${" ".repeat(20_000)}x y`;
  assert.notEqual(
    answer(
      resolveNow(resolveExtension(shortExtension(worldOf(3, { extension: { packageName: "a", version: nonsense } })))),
    ),
    "a.v1.2.0",
  );
});

test("names that every object inherits are names like others", () => {
  for (const packageName of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    const world: ShortExtension = { catalogs: { cat: { "a/stable": channel(1) } }, extension: { packageName } };
    assert.equal(answer(resolveNow(resolveExtension(shortExtension(world)))), "PackageNotFound", packageName);
  }
});

test("a hundred catalogs of equal priority are an ambiguity of a hundred", () => {
  const catalogs = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`c${index}`, { "a/stable": channel(1) }]),
  );
  const outcome = resolveNow(resolveExtension(shortExtension({ catalogs, extension: { packageName: "a" } })));
  assert.equal(answer(outcome), "AmbiguousCatalog");
  if (outcome.kind === "failed") assert.ok(outcome.explanation.summary.length <= 200);
});
