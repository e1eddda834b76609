import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterCatalog } from "../../../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter } from "../../../../apis/v1/cluster-extension.ts";
import type { ExtensionOutcome } from "../../../../resolver/v1/outcome.ts";
import { chooseBundle } from "./choose-bundle.ts";
import type { RevisionBundle } from "./revision-state.ts";
import { bundleOf } from "./testing/extension-world.ts";

const explanation = { code: "PackageNotFound", summary: "", facts: {}, derivation: [], remedies: [] } as const;
const failed: ExtensionOutcome = { kind: "failed", isError: true, upstream: "no bundles found", explanation };
const catalog: ClusterCatalog = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name: "community", labels: { tier: "community" } },
  spec: { source: { type: "Image" } },
} as ClusterCatalog;

function chosen(
  filter: Partial<CatalogFilter>,
  installed: RevisionBundle | undefined,
  ...catalogs: readonly ClusterCatalog[]
): string {
  const choice = chooseBundle(failed, { packageName: "op", ...filter }, installed, catalogs);
  return choice.kind === "bundle" ? `${choice.bundle.name} as ${choice.catalogVersion}` : choice.upstream;
}

const held = bundleOf("1.0.0");
const kept = "op.v1.0.0 as 1.0.0";
const refused = "no bundles found";
const table: readonly (readonly [string, string, string])[] = [
  ["what is installed is kept without catalogs", chosen({}, held), kept],
  [
    "what is installed is kept without catalogs when an empty version is asked for",
    chosen({ version: "" }, held),
    kept,
  ],
  [
    "what is installed is kept without catalogs when its own version is asked for",
    chosen({ version: "1.0.0" }, held),
    kept,
  ],
  [
    "a range is refused without catalogs, also where it takes in what is installed",
    chosen({ version: "1.x" }, held),
    refused,
  ],
  ["nothing installed is refused without catalogs", chosen({}, undefined), refused],
  ["what a catalog lacks is refused, also where it is installed", chosen({}, held, catalog), refused],
  [
    "what is installed is kept when no catalog matches the selector",
    chosen({ selector: { matchLabels: { tier: "other" } } }, held, catalog),
    kept,
  ],
  [
    "what a matching catalog lacks is refused",
    chosen({ selector: { matchLabels: { tier: "community" } } }, held, catalog),
    refused,
  ],
  [
    "a selector that cannot be read is refused",
    chosen({ selector: { matchExpressions: [{ key: "tier", operator: "Nonsense" as never }] } }, held),
    refused,
  ],
];

for (const [what, choice, expected] of table) test(what, () => assert.equal(choice, expected));
