// Cases of OLM v1's own resolver tests, restated. The number only identifies the case.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import type { CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { resolveNow } from "../resolution.ts";
import type { ExtensionCatalog, ExtensionInput } from "./input.ts";
import { resolveExtension } from "./resolve-extension.ts";

interface Offered {
  readonly name: string;
  readonly priority?: number;
  readonly off?: boolean;
  readonly channels: Readonly<Record<string, readonly (readonly [version: string, skipRange?: string])[]>>;
  readonly deprecated?: readonly string[];
}

/** A catalog with package `p`; bundles are called `p.v<version>`. */
function catalogOf({ name, priority = 0, off = false, channels, deprecated = [] }: Offered): ExtensionCatalog {
  const versions = [...new Set(Object.values(channels).flatMap((entries) => entries.map(([version]) => version)))];
  const blobs: readonly object[] = [
    { schema: "olm.package", name: "p", defaultChannel: "" },
    ...Object.entries(channels).map(([channel, entries]) => ({
      schema: "olm.channel",
      name: channel,
      package: "p",
      entries: entries.map(([version, skipRange]) => ({
        name: `p.v${version}`,
        ...(skipRange === undefined ? {} : { skipRange }),
      })),
    })),
    ...versions.map((version) => ({
      schema: "olm.bundle",
      name: `p.v${version}`,
      package: "p",
      image: "r/p",
      properties: [{ type: "olm.package", value: { packageName: "p", version } }],
    })),
    {
      schema: "olm.deprecations",
      package: "p",
      entries: deprecated.map((version) => ({
        reference: { schema: "olm.bundle", name: `p.v${version}` },
        message: "old",
      })),
    },
  ];
  const has = Object.keys(channels).length > 0;
  const text = has ? blobs.map((blob) => JSON.stringify(blob)).join("\n") : "";
  return {
    catalog: {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name },
      spec: { source: { type: "Image" }, priority, availabilityMode: off ? "Unavailable" : "Available" },
    },
    content: { kind: "present", index: indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs) },
  };
}

const f: Offered = {
  name: "f",
  channels: {
    alpha: [["0.1.0"], ["1.0.0", "<1.0.0"], ["1.0.1", "<1.0.1"], ["1.0.2", "<1.0.2"], ["2.0.0", ">=1.0.0 <2.0.0"]],
    beta: [["0.1.0"], ["1.0.2", "<1.0.2"]],
    gamma: [["3.0.0", ">=2.0.0 <3.0.0"]],
  },
  deprecated: ["1.0.0", "1.0.1"],
};
const single = (name: string, versions: readonly string[], more: Partial<Offered> = {}): Offered => ({
  name,
  channels: versions.length === 0 ? {} : { stable: versions.map((version) => [version] as const) },
  ...more,
});
const six: readonly Offered[] = [
  single("a", []),
  single("b", ["1.0.0"], { deprecated: ["1.0.0"] }),
  single("c", ["1.0.1"], { deprecated: ["1.0.1"] }),
  single("d", ["1.0.2"]),
  single("e", ["1.0.3"], { deprecated: ["1.0.3"] }),
  single("f", ["1.0.4", "1.0.5"]),
];

interface Asked extends Omit<CatalogFilter, "packageName"> {
  readonly installed?: string;
}

function answer(offered: readonly Offered[], { installed, ...filter }: Asked): string {
  const input: ExtensionInput = {
    name: "ext",
    filter: { packageName: "p", ...filter },
    ...(installed === undefined ? {} : { installed: { name: `p.v${installed}`, version: installed } }),
    catalogs: offered.map(catalogOf),
  };
  const outcome = resolveNow(resolveExtension(input));
  return outcome.kind === "failed"
    ? outcome.upstream
    : `${outcome.version} of ${outcome.catalog}${outcome.deprecation === undefined ? "" : ", with deprecations"}`;
}

const ofF = (version: string): string => `${version} of f, with deprecations`;
const none = 'no bundles found for package "p"';
const named = (name: string): Asked => ({
  selector: { matchLabels: { "olm.operatorframework.io/metadata.name": name } },
});

const cases: readonly (readonly [id: string, offered: readonly Offered[], asked: Asked, expected: string | RegExp])[] =
  [
    ["1", [f], { version: "foobar" }, 'desired version range "foobar" is invalid: improper constraint: "foobar"'],
    ["4", [single("a", [])], {}, none],
    ["5", [f], {}, ofF("3.0.0")],
    ["7", [f], { version: "4.0.0" }, `${none} matching version "4.0.0"`],
    ["8", [f], { version: ">=1.0.0 <2.0.0" }, ofF("1.0.2")],
    ["9", [f], { channels: ["stable"] }, `${none} in channels [stable]`],
    ["10", [f], { channels: ["beta"] }, ofF("1.0.2")],
    ["11", [f], { channels: ["beta"], version: "3.0.0" }, `${none} matching version "3.0.0" in channels [beta]`],
    ["12", [f], { channels: ["stable"], version: "1.0.0" }, `${none} matching version "1.0.0" in channels [stable]`],
    ["13", [f], { channels: ["alpha"], version: "0.1.0" }, ofF("0.1.0")],
    ["14", [f], { version: ">=0.1.0 <=1.0.0" }, ofF("0.1.0")],
    ["15", [f], { version: ">=1.0.0 <=1.0.1" }, ofF("1.0.1")],
    ["16", six, { version: ">=1.0.0 <=1.0.3" }, /^1\.0\.2 of d/],
    ["17", six, { version: ">=1.0.0 <=1.0.1" }, /in multiple catalogs with the same priority \[b c\]$/],
    ["18", six, { version: ">=1.0.0 <=1.0.4" }, /in multiple catalogs with the same priority \[d f\]$/],
    ["19", six, { version: ">=1.0.4 <=1.0.5" }, /^1\.0\.5 of f/],
    ["20", [f], { installed: "0.1.0" }, ofF("1.0.2")],
    [
      "21",
      [f],
      { installed: "0.1.0", version: "<1.0.0 >=2.0.0" },
      `error upgrading from currently installed version "0.1.0": ${none} matching version "<1.0.0 >=2.0.0"`,
    ],
    ["22", [f], { installed: "1.0.2", version: "<1.0.2", upgradeConstraintPolicy: "SelfCertified" }, ofF("0.1.0")],
    [
      "23",
      [f],
      { installed: "1.0.2", version: ">0.1.0 <1.0.0", upgradeConstraintPolicy: "SelfCertified" },
      `error upgrading from currently installed version "1.0.2": ${none} matching version ">0.1.0 <1.0.0"`,
    ],
    [
      "25",
      [f],
      { selector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
      /^desired catalog selector is invalid/,
    ],
    ["26, key", [f], { selector: { matchLabels: { "": "a" } } }, /^desired catalog selector is invalid/],
    ["26, value", [f], { selector: { matchLabels: { a: "&" } } }, /^desired catalog selector is invalid/],
    ["27", [single("a", ["2.0.0"]), single("b", ["1.0.0"])], named("b"), /^1\.0\.0 of b/],
    ["28", [f], named("other"), none],
    ["29", [single("a", ["1.0.0"], { priority: 1 }), single("b", ["1.1.0"])], {}, /^1\.0\.0 of a/],
    [
      "30",
      [single("a", ["1.0.0"], { priority: 1 }), single("b", ["1.0.0"]), single("c", ["1.0.0"], { priority: 1 })],
      {},
      /same priority \[a b c\]$/,
    ],
    ["31", [f], { channels: ["beta", "alpha"] }, ofF("2.0.0")],
    ["32", [{ ...f, off: true }], {}, none],
    ["33", [{ ...f, off: true }, single("b", ["1.0.0"])], {}, /^1\.0\.0 of b/],
    [
      "42",
      [f],
      { installed: "9.9.9" },
      /^error upgrading from currently installed version "9\.9\.9": no bundles found/,
    ],
    ["43", [f], { installed: "invalid" }, /^error walking catalogs: error finding upgrade edges/],
  ];

for (const [id, offered, asked, expected] of cases)
  test(`pinned, v1 resolution: ${id}`, () => {
    if (typeof expected === "string") assert.equal(answer(offered, asked), expected);
    else assert.match(answer(offered, asked), expected);
  });
