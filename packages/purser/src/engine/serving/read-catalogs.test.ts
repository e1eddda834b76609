import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { InformerCache, ObjectChange } from "@purser/kubernetes/kube/informer-cache";
import type { ApiFamily } from "../../apis/api-family.ts";
import type { Content } from "../../content/content.ts";
import { readCatalogs } from "./read-catalogs.ts";

/** What is asked of the content for these changes, and which kinds are followed. */
function asked(families: readonly ApiFamily[], ...changes: readonly ObjectChange[]) {
  const calls: string[] = [];
  const kinds: string[] = [];
  const content = {
    catalog: (_request: unknown, holder = "nobody") => void calls.push(`read for ${holder}`),
    release: (holder: string) => void calls.push(`release ${holder}`),
  } as unknown as Content;
  const cache = {
    acquire({ type }: { readonly type: { readonly kind: string } }, onChange: (change: ObjectChange) => void) {
      kinds.push(type.kind);
      for (const change of changes) if ((change.after ?? change.before)?.kind === type.kind) onChange(change);
      return { release: () => void kinds.push(`end of ${type.kind}`) };
    },
  } as unknown as InformerCache;
  const end = readCatalogs(cache, content, families);
  return { calls, kinds, end };
}

const source = (spec: object): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "olm", name: "demo" },
    spec,
  }) as KubeObject;
const image = source({ sourceType: "grpc", image: "registry.example/catalog:v1" });
const catalog = (more: object = {}): KubeObject =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: "demo", ...more },
    spec: { source: { type: "Image", image: { ref: "registry.example/catalog:v1" } } },
  }) as KubeObject;

const rows: readonly (readonly [what: string, change: ObjectChange, wanted: string])[] = [
  ["a new CatalogSource", { after: image }, "read for CatalogSource olm/demo"],
  ["a deleted CatalogSource", { before: image }, "release CatalogSource olm/demo"],
  [
    "a CatalogSource that names no content any more",
    { before: image, after: source({ sourceType: "grpc" }) },
    "release CatalogSource olm/demo",
  ],
  ["a new ClusterCatalog", { after: catalog() }, "read for ClusterCatalog demo"],
  [
    "a ClusterCatalog that is being deleted",
    { before: catalog(), after: catalog({ deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    "release ClusterCatalog demo",
  ],
];
for (const [what, change, wanted] of rows)
  test(`${what}: ${wanted}`, () => assert.deepEqual(asked(["v0", "v1"], change).calls, [wanted]));

test("only the catalogs of families that are served are followed, until it ends", () => {
  const { kinds, end } = asked(["v1"]);
  end();
  assert.deepEqual(kinds, ["ClusterCatalog", "end of ClusterCatalog"]);
});
