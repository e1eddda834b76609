import assert from "node:assert/strict";
import { test } from "node:test";
import type { BundleSummary, CatalogIndex } from "../../catalog/catalog-index.ts";
import { bundleIn, dependenciesAmong } from "./dependencies.ts";

const index = {
  package: (name: string) =>
    name === "op"
      ? {
          channels: [
            {
              bundles: [
                { name: "op.v1", channel: "a" },
                { name: "op.v2", channel: "a" },
              ],
            },
            { bundles: [{ name: "op.v2", channel: "b" }] },
          ],
        }
      : undefined,
} as unknown as CatalogIndex;

test("a bundle is the one of the channel, else of the first channel that has it", () => {
  const places = [
    bundleIn(index, "op", "op.v2", "b"),
    bundleIn(index, "op", "op.v2", "c"),
    bundleIn(index, "op", "op.v1", "b"),
    bundleIn(index, "op", "op.v3", "a"),
    bundleIn(index, "x", "op.v1", "a"),
  ];
  assert.deepEqual(places, [
    { name: "op.v2", channel: "b" },
    { name: "op.v2", channel: "a" },
    { name: "op.v1", channel: "a" },
    undefined,
    undefined,
  ]);
});

const bundle = (name: string, fields: Partial<BundleSummary>): BundleSummary =>
  ({ name, package: name, provides: [], requires: [], properties: [], ...fields }) as unknown as BundleSummary;
const api = (group: string, kind: string) => ({ group, kind, version: "v1" });

test("a bundle that nobody asked for is a dependency of those that require its APIs or its package", () => {
  const needed = bundle("needed", { provides: [api("g.io", "A"), api("g.io", "B")] });
  const required = (type: string, value: unknown) => [{ type, value }] as BundleSummary["properties"];
  const others = [
    bundle("by-api", { requires: [api("g.io", "A"), api("g.io", "C"), api("h.io", "A"), api("g.io", "B")] }),
    bundle("by-package", { properties: required("olm.package.required", { packageName: "needed" }) }),
    bundle("other-package", { properties: required("olm.package.required", { packageName: "x" }) }),
    bundle("other-type", { properties: required("olm.package", { packageName: "needed" }) }),
    bundle("unreadable", { properties: required("olm.package.required", "needed") }),
  ];
  assert.deepEqual(
    dependenciesAmong([...others.map((one) => ({ isAsked: true, bundle: one })), { isAsked: false, bundle: needed }]),
    [
      {
        bundle: "needed",
        askedBy: [
          { bundle: "by-api", requirement: "A.g.io" },
          { bundle: "by-api", requirement: "B.g.io" },
          { bundle: "by-package", requirement: "package needed" },
        ],
      },
    ],
  );
});
