import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { Content } from "../../content/content.ts";
import { extensionOffer, subscriptionOffer } from "./observe-offers.ts";

/** By the image of the catalog: its bundles of package `op` as `NAME@VERSION`, by channel; none is not read yet. */
type Bundles = Readonly<Record<string, readonly (readonly string[])[] | undefined>>;

function contentOf(bundles: Bundles): Content {
  return {
    catalog({ source }: { readonly source: { readonly kind: string; readonly reference: string } }) {
      const channels = bundles[source.reference]?.map((names) => ({
        bundles: names.map((text) => {
          const [name, version] = text.split("@");
          return { name, version };
        }),
      }));
      const index = { package: (name: string) => (name === "op" ? { channels } : undefined) };
      return { state: { kind: "ready" }, ...(channels === undefined ? {} : { index }) };
    },
  } as unknown as Content;
}

const sourceOf = (namespace: string, name: string, image: string): CatalogSource =>
  ({ metadata: { namespace, name }, spec: { sourceType: "grpc", image } }) as unknown as CatalogSource;
const unusable = (namespace: string, name: string): CatalogSource =>
  ({ metadata: { namespace, name }, spec: { sourceType: "other" } }) as unknown as CatalogSource;
const subscriptionOf = (source: string, sourceNamespace: string, installedCSV?: string, name = "op"): Subscription =>
  ({
    metadata: { namespace: "ns", name: "sub" },
    spec: { name, source, sourceNamespace },
    ...(installedCSV === undefined ? {} : { status: { installedCSV } }),
  }) as unknown as Subscription;

const bundles: Bundles = {
  a: [
    ["op.v1@1.0.0", "op.v2@2.0.0"],
    ["op.v2@2.0.0", "op.v3@3.0.0"],
  ],
  b: [["op.v9@9.0.0", "op.odd@none"]],
  c: [["op.v7@7.0.0"]],
  unread: undefined,
};
const sources = [sourceOf("ns", "own", "a"), sourceOf("global", "all", "b"), sourceOf("far", "own", "c")];
const offer = (subscription: Subscription, held: readonly CatalogSource[] = sources) =>
  subscriptionOffer(subscription, held, "global", contentOf(bundles));

test("a Subscription is offered what its CatalogSource has above the installed version, each name once", () => {
  assert.deepEqual(
    [
      offer(subscriptionOf("own", "ns", "op.v1")),
      offer(subscriptionOf("own", "ns", "op.v3")),
      offer(subscriptionOf("own", "ns")),
      offer(subscriptionOf("own", "ns", "unknown")),
      offer(subscriptionOf("own", "ns", undefined, "other")),
      offer(subscriptionOf("all", "global", "op.v9")),
      offer(subscriptionOf("all", "global", "op.odd")),
      offer(subscriptionOf("own", "nowhere")),
    ],
    [
      { packageName: "op", bundles: ["op.v2", "op.v3"], isComplete: true },
      { packageName: "op", bundles: [], isComplete: true },
      { packageName: "op", bundles: ["op.v1", "op.v2", "op.v3"], isComplete: true },
      { packageName: "op", bundles: ["op.v1", "op.v2", "op.v3"], isComplete: true },
      { packageName: "other", bundles: [], isComplete: true },
      { packageName: "op", bundles: ["op.odd"], isComplete: true },
      { packageName: "op", bundles: ["op.v9"], isComplete: true },
      { packageName: "op", bundles: [], isComplete: true },
    ],
  );
});

test("without a CatalogSource those of its namespace and of the global one offer, and one that cannot be read is missing", () => {
  assert.deepEqual(offer(subscriptionOf("", "")), {
    packageName: "op",
    bundles: ["op.v1", "op.v2", "op.v3", "op.v9", "op.odd"],
    isComplete: true,
  });
  const isComplete = (one: CatalogSource) => offer(subscriptionOf("", ""), [...sources, one]).isComplete;
  assert.deepEqual(
    [sourceOf("ns", "unread", "unread"), unusable("ns", "odd"), sourceOf("far", "unread", "unread")].map(isComplete),
    [false, false, true],
  );
});

const catalogOf = (name: string, ref: string, more: object = {}): ClusterCatalog =>
  ({
    metadata: { name, labels: { tier: name } },
    spec: { source: { type: "Image", image: { ref } }, ...more },
  }) as unknown as ClusterCatalog;
const extensionOf = (catalog: object | undefined, installed?: string): ClusterExtension =>
  ({
    metadata: { name: "ext" },
    spec: catalog === undefined ? undefined : { source: { sourceType: "Catalog", catalog } },
    ...(installed === undefined ? {} : { status: { install: { bundle: { name: installed } } } }),
  }) as unknown as ClusterExtension;

test("a ClusterExtension is offered what the ClusterCatalogs that it selects have; one that is switched off offers nothing", () => {
  const catalogs = [catalogOf("x", "a"), catalogOf("y", "c"), catalogOf("z", "b", { availabilityMode: "Unavailable" })];
  const offered = (extension: ClusterExtension, held = catalogs) => extensionOffer(extension, held, contentOf(bundles));
  const byTier = (tier: string) => ({ packageName: "op", selector: { matchLabels: { tier } } });
  assert.deepEqual(
    [
      offered(extensionOf({ packageName: "op" }, "op.v2")),
      offered(extensionOf(byTier("y"))),
      offered(extensionOf(byTier("x"), "op.v1")),
      offered(extensionOf({ packageName: "op", selector: { matchExpressions: [{ key: "a", operator: "odd" }] } })),
      offered(extensionOf(undefined)),
      offered(extensionOf({ packageName: "op" }, "op.v2"), [...catalogs, catalogOf("u", "unread")]),
    ],
    [
      { packageName: "op", bundles: ["op.v3", "op.v7"], isComplete: true },
      { packageName: "op", bundles: ["op.v7"], isComplete: true },
      { packageName: "op", bundles: ["op.v2", "op.v3"], isComplete: true },
      { packageName: "op", bundles: [], isComplete: true },
      { packageName: "", bundles: [], isComplete: true },
      { packageName: "op", bundles: ["op.v3", "op.v7"], isComplete: false },
    ],
  );
});
