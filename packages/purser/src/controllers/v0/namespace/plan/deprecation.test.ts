import assert from "node:assert/strict";
import { test } from "node:test";
import type { Subscription, SubscriptionCondition } from "../../../../apis/v0/subscription.ts";
import { loadCatalog } from "../../../../catalog/loading/load.ts";
import { indexOf } from "../../../../catalog/memory-index.ts";
import { projectDeprecation } from "./deprecation.ts";
import type { CatalogInScope } from "./world.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

/** Package `a` with bundle `a.v1` in channel `stable`; `deprecated` lists the schemas that are deprecated. */
function catalog(...deprecated: readonly ("package" | "channel" | "bundle")[]): CatalogInScope {
  const names = { package: {}, channel: { name: "stable" }, bundle: { name: "a.v1" } };
  const blobs = [
    { schema: "olm.package", name: "a", defaultChannel: "stable" },
    { schema: "olm.channel", package: "a", name: "stable", entries: [{ name: "a.v1" }] },
    {
      schema: "olm.bundle",
      package: "a",
      name: "a.v1",
      image: "i",
      properties: [{ type: "olm.package", value: { packageName: "a", version: "1.0.0" } }],
    },
    {
      schema: "olm.deprecations",
      package: "a",
      entries: deprecated.map((part) => ({
        reference: { schema: `olm.${part}`, ...names[part] },
        message: `old ${part}`,
      })),
    },
  ];
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  return {
    source: {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { namespace: "olm", name: "cat" },
      spec: { sourceType: "grpc" },
    },
    content: { kind: "present", index: indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs) },
    healthy: true,
  };
}

type Held = Pick<SubscriptionCondition, "type"> & Partial<SubscriptionCondition>;

/** `type=message (reason)` of each condition that is left, in order. */
function shown(held: readonly Held[], scope: CatalogInScope, channel = "stable", installedCSV = "a.v1") {
  const conditions = held.map((condition): SubscriptionCondition => ({ status: "True", reason: "X", ...condition }));
  const status = { installedCSV, conditions, lastUpdated: "" };
  const subscription: Subscription = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace: "ns", name: "s" },
    spec: { name: "a", source: "cat", sourceNamespace: "olm", channel },
    status,
  };
  const next = projectDeprecation(subscription, status, [scope], now).conditions ?? [];
  return next.map(({ type, message = "", reason = "" }) => `${type}=${message} (${reason})`);
}

const packageText = "olm.package/a: old package";
const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    "a deprecated package is shown with its summary",
    shown([], catalog("package")),
    [`PackageDeprecated=${packageText} ()`, `Deprecated=${packageText} ()`],
  ],
  [
    "a condition with the same message keeps its reason, and the summary on its own is left alone",
    shown(
      [
        { type: "PackageDeprecated", message: packageText },
        { type: "Deprecated", message: "before" },
      ],
      catalog("package"),
    ),
    [`PackageDeprecated=${packageText} (X)`, "Deprecated=before (X)"],
  ],
  [
    "a condition with the same message that is False stays False",
    shown([{ type: "PackageDeprecated", status: "False", message: packageText }], catalog("package")),
    [`PackageDeprecated=${packageText} (X)`],
  ],
  [
    "a condition that is removed renews the summary",
    shown(
      [
        { type: "PackageDeprecated", message: packageText },
        { type: "ChannelDeprecated", message: "before" },
        { type: "Deprecated", message: "before" },
      ],
      catalog("package"),
    ),
    [`PackageDeprecated=${packageText} (X)`, `Deprecated=${packageText} ()`],
  ],
  [
    "a stale condition without a message is removed and renews the summary",
    shown([{ type: "BundleDeprecated" }, { type: "Deprecated", message: "before" }], catalog()),
    [],
  ],
  [
    "a stale condition that is not True stays",
    shown([{ type: "BundleDeprecated", status: "False", message: "before" }], catalog()),
    ["BundleDeprecated=before (X)"],
  ],
  ["a summary without its parts stays", shown([{ type: "Deprecated" }], catalog()), ["Deprecated= (X)"]],
  [
    "a Subscription without a channel shows no deprecated channel",
    shown([{ type: "ChannelDeprecated", message: "olm.channel/stable: old channel" }], catalog("channel"), ""),
    [],
  ],
  [
    "all three parts are joined in the order package, channel, bundle",
    shown([{ type: "Deprecated", message: "before" }], catalog("bundle", "channel", "package")).slice(0, 1),
    ["Deprecated=olm.package/a: old package; olm.channel/stable: old channel; olm.bundle/a.v1: old bundle ()"],
  ],
  [
    "nothing changes while the installed CSV is not in the channel",
    shown([{ type: "PackageDeprecated", message: "before" }], catalog("package"), "stable", "a.v0"),
    ["PackageDeprecated=before (X)"],
  ],
];

for (const [name, actual, expected] of table) test(name, () => assert.deepEqual(actual, expected));
