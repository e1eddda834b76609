import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { resolveNow } from "../resolution.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import { resolveExtension } from "./resolve-extension.ts";

const object = (name: string): ClusterCatalog => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name, labels: { tier: name === "broken" ? "test" : "production" } },
  spec: { source: { type: "Image" } },
});

function offering(name: string, ...versions: readonly string[]): ExtensionCatalog {
  const blobs = [
    { schema: "olm.package", name: "p", defaultChannel: "stable" },
    {
      schema: "olm.channel",
      package: "p",
      name: "stable",
      entries: versions.map((version) => ({ name: `p.${version}` })),
    },
    ...versions.map((version) => ({
      schema: "olm.bundle",
      package: "p",
      name: `p.${version}`,
      image: "example.com/p",
      properties: [{ type: "olm.package", value: { packageName: "p", version } }],
    })),
  ];
  const text = versions.length === 0 ? "" : blobs.map((blob) => JSON.stringify(blob)).join("\n");
  return {
    catalog: object(name),
    content: { kind: "present", index: indexOf(loadCatalog([{ file: "c.json", text }]).blobs) },
  };
}

const broken: ExtensionCatalog = {
  catalog: object("broken"),
  content: { kind: "unavailable", cause: "its image cannot be pulled" },
};
const sound = offering("sound", "1.0.0");

function decided(
  catalogs: readonly ExtensionCatalog[],
  filter: Partial<CatalogFilter> = {},
  missingCatalogs: ExtensionInput["missingCatalogs"] = "skip",
): string {
  const outcome = resolveNow(
    resolveExtension({ name: "ext", filter: { packageName: "p", ...filter }, catalogs, missingCatalogs }),
  );
  if (outcome.kind === "failed") return `${outcome.explanation.code}: ${outcome.upstream}`;
  const left = (outcome.missing ?? []).map(({ name, cause }) => ` without ${name}: ${cause}`);
  return `${outcome.bundle.name} of ${outcome.catalog}${left.join("")}`;
}

const unread =
  'error walking catalogs: error getting package "p" from catalog "broken": catalog "broken" is not being served';
const labelled = (tier: string): Partial<CatalogFilter> => ({ selector: { matchLabels: { tier } } });

const table: readonly (readonly [string, string, string])[] = [
  [
    "without a selector is decided from the catalogs that can be read",
    decided([broken, sound]),
    "p.1.0.0 of sound without broken: its image cannot be pulled",
  ],
  [
    "with an empty selector as well",
    decided([broken, sound], { selector: { matchLabels: {}, matchExpressions: [] } }),
    "p.1.0.0 of sound without broken: its image cannot be pulled",
  ],
  [
    "whose selector does not match it is not affected",
    decided([broken, sound], labelled("production")),
    "p.1.0.0 of sound",
  ],
  ["whose selector matches it is refused", decided([broken, sound], labelled("test")), `CatalogUnavailable: ${unread}`],
  [
    "whose selector matches it beside others is refused",
    decided([broken, sound], { selector: { matchExpressions: [{ key: "tier", operator: "Exists" }] } }),
    `CatalogUnavailable: ${unread}`,
  ],
  [
    "whose package no other catalog has is refused",
    decided([broken, offering("empty")]),
    `CatalogUnavailable: ${unread}`,
  ],
  [
    "whose version no other catalog has is refused",
    decided([broken, sound], { version: "2.0.0" }),
    `CatalogUnavailable: ${unread}`,
  ],
  ["is refused by OLM's rule", decided([broken, sound], {}, "block"), `CatalogUnavailable: ${unread}`],
];

for (const [what, outcome, expected] of table)
  test(`beside a catalog that cannot be read, an extension ${what}`, () => assert.equal(outcome, expected));
