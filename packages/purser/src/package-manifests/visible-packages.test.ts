import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import { sourceNamed } from "./testing/offers.ts";
import { isVisible, orderedPackages } from "./visible-packages.ts";

const source = (namespace: string, name: string, priority = 0): CatalogSource => {
  const { spec, ...rest } = sourceNamed(name, { namespace });
  return { ...rest, spec: { ...spec, priority } };
};

test("a namespace sees its own CatalogSources and those of the global namespace", () => {
  const sources = [source("olm", "a"), source("mine", "b"), source("other", "c")];
  const seenIn = (namespace: string | undefined): readonly (string | undefined)[] =>
    sources.filter((each) => isVisible(each, namespace, "olm")).map(({ metadata }) => metadata.name);
  assert.deepEqual([seenIn("mine"), seenIn("olm"), seenIn(undefined)], [["a", "b"], ["a"], ["a", "b", "c"]]);
});

test("packages come by name, and of the same name the own namespace first, then priority, then the catalog's name", () => {
  const catalogs = [
    { source: source("olm", "b", 5), packages: ["x"] },
    { source: source("olm", "c", 9), packages: ["x", "a"] },
    { source: source("olm", "a", 5), packages: ["x"] },
    { source: source("mine", "z", -1), packages: ["x"] },
  ];
  assert.deepEqual(
    orderedPackages(catalogs, "mine").map(({ name, catalog }) => `${name} ${catalog.source.metadata.name ?? ""}`),
    ["a c", "x z", "x c", "x a", "x b"],
  );
});
