import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { preferredCatalogs, snapshotsOf } from "./catalogs-in-scope.ts";
import type { CatalogKey, NamespaceCatalog } from "./input.ts";

const index = { packages: () => [] } as unknown as CatalogIndex;
const catalog = (at: string, priority = 0): NamespaceCatalog => ({
  key: keyOf(at),
  priority,
  content: { kind: "present", index },
});
const keyOf = (at: string): CatalogKey => {
  const [namespace = "", name = ""] = at.split("/");
  return { namespace, name };
};
const text = ({ namespace, name }: CatalogKey): string => `${namespace}/${name}`;

/** The catalogs in the order in which a bundle of `own` in namespace `ns` prefers them. */
function preferred(catalogs: readonly NamespaceCatalog[], own?: string): string {
  const scope = {
    namespace: "ns",
    namespaces: ["ns", "olm"],
    installed: [],
    catalogs: snapshotsOf(catalogs, ["ns", "olm", "x"]),
  };
  const order = preferredCatalogs(scope, own === undefined ? undefined : keyOf(own), "ns");
  return order.map(({ origin }) => text(origin.key)).join(" ");
}

const orders: readonly (readonly [
  rule: string,
  catalogs: readonly NamespaceCatalog[],
  own: string | undefined,
  order: string,
])[] = [
  ["by name", [catalog("olm/c"), catalog("olm/a"), catalog("olm/b")], undefined, "olm/a olm/b olm/c"],
  ["by namespace where names are the same", [catalog("x/a"), catalog("olm/a")], undefined, "olm/a x/a"],
  ["its own namespace before a name", [catalog("olm/a"), catalog("ns/b")], undefined, "ns/b olm/a"],
  ["the higher priority before its own namespace", [catalog("ns/a"), catalog("olm/b", 1)], undefined, "olm/b ns/a"],
  ["the higher of negative priorities", [catalog("ns/a", -2), catalog("ns/b", -1)], undefined, "ns/b ns/a"],
  ["its own catalog before all others", [catalog("ns/a", 9), catalog("olm/b")], "olm/b", "olm/b ns/a"],
  ["a catalog of the same name elsewhere is not its own", [catalog("ns/b"), catalog("olm/b", 1)], "x/b", "olm/b ns/b"],
];
for (const [rule, catalogs, own, order] of orders)
  test(`a bundle prefers catalogs ${rule}`, () => {
    assert.equal(preferred(catalogs, own), order);
    assert.equal(preferred(catalogs.toReversed(), own), order);
  });

test("only readable catalogs of the given namespaces are searched", () => {
  const broken: NamespaceCatalog = { ...catalog("ns/broken"), content: { kind: "unavailable", cause: "down" } };
  const found = snapshotsOf([catalog("ns/a"), broken, catalog("y/a"), catalog("olm/a")], ["ns", "olm"]);
  assert.deepEqual(
    found.map(({ origin }) => text(origin.key)),
    ["ns/a", "olm/a"],
  );
});
