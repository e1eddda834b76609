import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resolveNow } from "../resolver/resolution.ts";
import { indexOfBlobs } from "../resolver/testing/short-catalog.ts";
import { shortExtension, shortNamespace } from "../resolver/testing/short-world.ts";
import { resolveExtension } from "../resolver/v1/resolve-extension.ts";
import { resolveNamespace } from "../resolver/v0/resolve-namespace.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { viewOf } from "./catalog-view.ts";
import { graphProblem } from "./channel-graph.ts";
import { installedAs, journeysOf } from "./journey.ts";
import { loadCatalog } from "./loading/load.ts";

const versions = ["1.0.0", "1.0.1", "1.1.0-rc1", "1.1.0", "1.2.0+2", "2.0.0"];
const nodes = fc
  .array(
    fc.record({
      replaces: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      skips: fc.array(fc.nat({ max: 5 }), { maxLength: 2 }),
      skipRange: fc.constantFrom(undefined, undefined, "<1.1.0", ">=1.0.0 <2.0.0", "<=2.0.0"),
      isDeprecated: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
    }),
    { minLength: 2, maxLength: 6 },
  )
  .chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(versions, { minLength: all.length, maxLength: all.length })),
  );

test("the next update is the one that the resolvers of OLM v0 and v1 choose", () => {
  let compared = 0;
  fc.assert(
    fc.property(nodes, ([all, order]) => {
      const name = (index: number): string => `p.v${order[index] ?? "0.0.1"}`;
      const entries = all.map(({ replaces, skips, skipRange }, index) => ({
        name: name(index),
        replaces: replaces === undefined ? "" : name(replaces),
        skips: skips.map(name),
        ...(skipRange === undefined ? {} : { skipRange }),
      }));
      fc.pre(graphProblem(entries) === undefined);
      const blobs: readonly JsonObject[] = [
        { schema: "olm.package", name: "p", defaultChannel: "stable" },
        { schema: "olm.channel", name: "stable", package: "p", entries },
        ...entries.map((entry, index) => ({
          schema: "olm.bundle",
          name: entry.name,
          package: "p",
          image: "example.com/p",
          properties: [{ type: "olm.package", value: { packageName: "p", version: order[index] ?? "" } }],
        })),
        {
          schema: "olm.deprecations",
          package: "p",
          entries: all.flatMap(({ isDeprecated }, index) =>
            isDeprecated ? [{ reference: { schema: "olm.bundle", name: name(index) }, message: "old" }] : [],
          ),
        },
      ];
      const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
      const one = viewOf(loadCatalog([{ file: "p", text }]).blobs).packages.get("p");
      const [channel] = one?.channels ?? [];
      assert.ok(one !== undefined && channel !== undefined);
      const journeys = journeysOf(one, channel);
      const content = { kind: "present", index: indexOfBlobs(blobs) } as const;
      for (const [index, { name: from }] of entries.entries()) {
        const bundle = one.bundles.get(from);
        assert.ok(bundle !== undefined);
        const version = order[index] ?? "";
        const namespace = shortNamespace({
          catalogs: { "olm/cat": {} },
          subscriptions: [`sub p/stable at=${from}`],
          installed: [`${from} ${version} p`],
        });
        const v0 = resolveNow(
          resolveNamespace({ ...namespace, catalogs: namespace.catalogs.map((catalog) => ({ ...catalog, content })) }),
        );
        // A channel may validate and still have no order that OLM v0 accepts; then there is no update.
        assert.ok(v0.kind === "resolved" || v0.kind === "error");
        const chosen =
          v0.kind === "resolved" ? v0.operators.find((operator) => operator.bundle.name !== from) : undefined;
        assert.equal(journeys.next("v0", installedAs(bundle)), chosen?.bundle.name, `v0 from ${from} of ${text}`);
        const extension = shortExtension({
          catalogs: { cat: {} },
          extension: { packageName: "p", channels: ["stable"] },
          installed: { name: from, version },
        });
        const v1 = resolveNow(
          resolveExtension({ ...extension, catalogs: extension.catalogs.map((catalog) => ({ ...catalog, content })) }),
        );
        assert.equal(v1.kind, "resolved");
        const next = v1.kind === "resolved" && v1.bundle.name !== from ? v1.bundle.name : undefined;
        assert.equal(journeys.next("v1", installedAs(bundle)), next, `v1 from ${from} of ${text}`);
        compared++;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(compared > 300, `${compared} comparisons`);
});
