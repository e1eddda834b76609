import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import type { Subscription } from "../apis/v0/subscription.ts";
import { isDataPresent, realCatalogs } from "../../conformance/real-data.ts";
import { viewOf, type PackageView } from "../catalog/catalog-view.ts";
import { indexOf } from "../catalog/memory-index.ts";
import type { CatalogBlob } from "../catalog/model.ts";
import { readCatalog } from "../catalog-store/read/read-catalog.ts";
import { Pace } from "../resolver/pace.ts";
import { endOf, resolveNow } from "../resolver/resolution.ts";
import { CatalogSnapshot } from "../resolver/v0/catalog-snapshot.ts";
import { subscriptionCandidates } from "../resolver/v0/subscription-candidates.ts";
import type { ExtensionOutcome } from "../resolver/v1/outcome.ts";
import { resolveExtension } from "../resolver/v1/resolve-extension.ts";
import { scopeOf } from "./scope.ts";
import { nextUnattended } from "./unattended.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";
import { upgradeGraph } from "./upgrade-graph.ts";

/** The last of the real catalogs found. */
const catalog = realCatalogs.at(-1) ?? "";

function blobsOfDirectory(directory: string): readonly CatalogBlob[] {
  return [...readCatalog(join(catalog, directory))].flatMap((read) => (read.ok ? [read.value] : []));
}

function graphOf({ name, defaultChannel, bundles, channels, deprecations }: PackageView): UpgradeGraph {
  return upgradeGraph({
    name,
    defaultChannel,
    bundles: [...bundles.values()].map(({ name: bundle, content }) => ({
      name: bundle,
      version: content.versions[0]?.version,
      deprecation: deprecations.bundles.get(bundle),
    })),
    channels,
  });
}

test("the next upgrade is the one that the resolvers of OLM v0 and v1 choose, for every bundle of a real catalog", () => {
  const compared = { v0: 0, v1: 0 };
  for (const directory of readdirSync(catalog)) {
    const blobs = blobsOfDirectory(directory);
    const index = indexOf(blobs);
    const [view] = viewOf(blobs).packages.values();
    assert.ok(view !== undefined);
    const graph = graphOf(view);
    const snapshot = new CatalogSnapshot(
      { key: { name: "c", namespace: "olm" }, priority: 0, content: { kind: "present", index } },
      index,
    );
    const entries = snapshot.entriesNow(view.name);
    const catalog = { metadata: { name: "c" }, spec: {} } as unknown as ClusterCatalog;
    for (const channel of graph.channels) {
      for (const { name, version } of channel.entries) {
        const from = { name, version };
        const subscription = {
          metadata: { name: "s", namespace: "olm" },
          spec: { name: view.name, channel: channel.name, source: "c", sourceNamespace: "olm" },
        } as unknown as Subscription;
        const scope = { namespace: "olm", namespaces: ["olm"], installed: [], catalogs: [snapshot] };
        const current = entries.find((entry) => entry.name === name);
        const candidates = endOf(subscriptionCandidates(subscription, current, scope, new Pace()));
        const first =
          candidates.ok && candidates.value.kind === "found" ? candidates.value.candidates[0]?.name : undefined;
        assert.equal(
          nextUnattended(graph, scopeOf(graph, "v0", channel.name), from)?.entry.name,
          first,
          `v0 ${name} in ${channel.name}`,
        );
        compared.v0++;
        for (const channels of [[channel.name], []]) {
          const outcome: ExtensionOutcome = resolveNow(
            resolveExtension({
              name: "e",
              filter: { packageName: view.name, ...(channels.length === 0 ? {} : { channels }) },
              installed: { name, version },
              catalogs: [{ catalog, content: { kind: "present", index } }],
            }),
          );
          // A bundle with dependencies is refused by OLM v1 whatever leads to it.
          if (outcome.kind === "failed") continue;
          const next = nextUnattended(graph, scopeOf(graph, "v1", channels[0]), from)?.entry.name;
          assert.equal(next ?? name, outcome.bundle.name, `v1 ${name} in ${channels[0] ?? "all channels"}`);
          compared.v1++;
        }
      }
    }
  }
  const least = isDataPresent ? 900 : 10;
  assert.ok(compared.v0 > least && compared.v1 > least, JSON.stringify(compared));
});
