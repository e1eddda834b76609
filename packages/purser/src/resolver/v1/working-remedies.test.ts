import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { resolveNow } from "../resolution.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import { resolveExtension } from "./resolve-extension.ts";

const object = (name: string): ClusterCatalog => ({
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterCatalog",
  metadata: { name },
  spec: { source: { type: "Image" } },
});

/** `channels`: the entries of each, `VERSION` or `VERSION<REPLACED`. */
function offering(
  name: string,
  channels: Readonly<Record<string, readonly string[]>>,
  packageName = "app",
): ExtensionCatalog {
  const entries = Object.values(channels)
    .flat()
    .map((entry) => entry.split("<")[0] ?? "");
  const blobs = [
    { schema: "olm.package", name: packageName, defaultChannel: Object.keys(channels)[0] ?? "" },
    ...Object.entries(channels).map(([channel, held]) => ({
      schema: "olm.channel",
      package: packageName,
      name: channel,
      entries: held.map((entry) => {
        const [version, replaced] = entry.split("<");
        return { name: `app.v${version}`, ...(replaced === undefined ? {} : { replaces: `app.v${replaced}` }) };
      }),
    })),
    ...[...new Set(entries)].map((version) => ({
      schema: "olm.bundle",
      package: packageName,
      name: `app.v${version}`,
      image: "example.com/app",
      properties: [{ type: "olm.package", value: { packageName, version } }],
    })),
  ];
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  return {
    catalog: object(name),
    content: { kind: "present", index: indexOf(loadCatalog([{ file: "c.json", text }]).blobs) },
  };
}

interface Case {
  readonly claim: string;
  readonly catalogs: readonly ExtensionCatalog[];
  readonly filter?: Partial<CatalogFilter>;
  readonly installed?: string;
  readonly remedies: readonly string[];
}

const cases: readonly Case[] = [
  {
    claim: "a version in another channel is not proposed with the channel that does not have it",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { version: "2.0.0", channels: ["stable"] },
    remedies: ["Take version 1.0.0", "Allow all channels", "Allow every version"],
  },
  {
    claim: "a channel that does not have the version is not proposed",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { version: "2.0.0", channels: ["stabel"] },
    remedies: ["Allow all channels"],
  },
  {
    claim: "a pre-release is not proposed where there is a release",
    catalogs: [offering("a", { stable: ["1.0.0", "2.0.0-rc.1<1.0.0"] })],
    filter: { version: "5.0.0" },
    remedies: ["Take version 1.0.0", "Allow every version"],
  },
  {
    claim: "a version is proposed of the channels that are asked for",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { version: "9.0.0", channels: ["stable"] },
    remedies: ["Take version 1.0.0", "Allow every version"],
  },
  {
    claim: "a move without an upgrade edge stays in the channels that are asked for",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { channels: ["stable"] },
    installed: "0.9.0",
    remedies: ["Move to app.v1.0.0 without an upgrade edge, at your own risk"],
  },
  {
    claim: "a channel that has what is asked for is proposed",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { channels: ["stabel"] },
    remedies: ["Use channel stable", "Allow all channels"],
  },
  {
    claim: "when neither the channel nor the version helps alone, both are left open",
    catalogs: [offering("a", { stable: ["1.0.0"], fast: ["2.0.0"] })],
    filter: { version: "5.0.0", channels: ["stabel"] },
    remedies: ["Allow every version of every channel"],
  },
  {
    claim: "a catalog without an upgrade from what is installed is not proposed",
    catalogs: [offering("a", { stable: ["1.0.0"] }, "other"), offering("b", { stable: ["3.0.0"] })],
    filter: { selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "a" } } },
    installed: "1.0.0",
    remedies: [],
  },
  {
    claim: "a catalog with such an upgrade is proposed",
    catalogs: [offering("a", { stable: ["1.0.0"] }, "other"), offering("b", { stable: ["3.0.0<1.0.0"] })],
    filter: { selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "a" } } },
    installed: "1.0.0",
    remedies: ["Use catalog b"],
  },
  {
    claim: "a package of a near name is installed anew, because packageName cannot be changed",
    catalogs: [offering("a", { stable: ["1.0.0"] }, "apps")],
    remedies: [
      "Remove the extension, which has installed nothing and whose package cannot be changed (then run purser install apps -n operators --as-extension)",
    ],
  },
];

function input({ catalogs, filter = {}, installed }: Case, change: JsonObject = {}): ExtensionInput {
  const merged = Object.entries({ packageName: "app", ...filter, ...change }).filter(([, value]) => value !== null);
  return {
    name: "ext",
    catalogs,
    filter: Object.fromEntries(merged) as unknown as CatalogFilter,
    ...(installed === undefined ? {} : { installed: { name: `app.v${installed}`, version: installed } }),
  };
}

for (const each of cases)
  test(`${each.claim}, and what is proposed works`, () => {
    const outcome = resolveNow(resolveExtension(input(each)));
    assert.ok(outcome.kind === "failed");
    const { remedies } = outcome.explanation;
    assert.deepEqual(
      remedies.map(({ summary }) => summary),
      each.remedies,
    );
    for (const { patch, summary } of remedies) {
      if (patch === undefined || !isJsonObject(patch)) continue;
      const { catalog } = (patch as { spec: { source: { catalog: JsonObject } } }).spec.source;
      assert.equal(catalog["packageName"], undefined);
      assert.equal(resolveNow(resolveExtension(input(each, catalog))).kind, "resolved", summary);
    }
  });
