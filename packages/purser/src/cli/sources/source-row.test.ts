import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogSource } from "../../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../../apis/v1/cluster-catalog.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { catalogRow, type SourceRow, sourceRows } from "./source-row.ts";

const source = (metadata: object, spec: object, status?: object): CatalogSource =>
  ({
    metadata: { namespace: "olm", name: "a", ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  }) as never;

const content = {
  kind: "present",
  index: {
    digest: "sha256:1",
    packages: () => ["p", "q"],
    package: (name: string) =>
      name === "q"
        ? undefined
        : { channels: [{ bundles: [{ name: "b" }, { name: "c" }] }, { bundles: [{ name: "c" }] }] },
  },
};

function rowsOf(
  catalogSources: readonly CatalogSource[],
  clusterCatalogs: readonly ClusterCatalog[] = [],
  read = false,
) {
  const contentOf = () => (read ? content : { kind: "absent" });
  return sourceRows({
    snapshot: { catalogSources, clusterCatalogs },
    contentOfSource: contentOf,
    contentOfCatalog: contentOf,
  } as unknown as DecisionWorld);
}
const ready = { connectionState: { lastObservedState: "READY", lastConnect: "t1" } };
const base = {
  reference: "olm/a",
  api: "v0",
  name: "a",
  namespace: "olm",
  from: "",
  priority: 0,
  state: "reading",
  note: "",
};

const cases: readonly (readonly [what: string, source: CatalogSource, row: object])[] = [
  ["of an image", source({}, { image: "i" }), { from: "i" }],
  ["of an address", source({}, { address: "a:1" }), { from: "a:1" }],
  ["of a ConfigMap", source({}, { configMap: "c" }), { from: "ConfigMap c" }],
  ["with priority and labels", source({ labels: { a: "b" } }, { priority: -3 }), { priority: -3, labels: { a: "b" } }],
  ["that serves", source({}, {}, ready), { state: "ok", checked: "t1" }],
  ["that was polled", source({}, {}, { ...ready, latestImageRegistryPoll: "t2" }), { state: "ok", checked: "t2" }],
  [
    "that serves old content",
    source({}, {}, { ...ready, message: " first\nsecond" }),
    { state: "stale", checked: "t1", note: "first" },
  ],
  ["that fails for a reason", source({}, {}, { reason: "SpecInvalid" }), { state: "failing" }],
  ["that fails with a message", source({}, {}, { message: "m" }), { state: "failing", note: "m" }],
  ["that connects", source({}, {}, { connectionState: { lastObservedState: "CONNECTING" } }), {}],
];
for (const [what, one, row] of cases)
  test(`the row of a CatalogSource ${what}`, () => assert.deepEqual(rowsOf([one]), [{ ...base, ...row }]));

const catalog = (spec: object, conditions: readonly object[] = [], more: object = {}): ClusterCatalog =>
  ({
    metadata: { name: "c" },
    spec: { source: { image: { ref: "r" } }, ...spec },
    status: { conditions, ...more },
  }) as never;
const serving = { type: "Serving", status: "True" };
const failing = (reason: string) => ({ type: "Progressing", status: "True", reason, message: "m1\nm2" });
const row = { reference: "cc/c", api: "v1", name: "c", from: "r", priority: 0, note: "" };
const catalogs: readonly (readonly [what: string, catalog: ClusterCatalog, row: object])[] = [
  ["that is read", catalog({}), { state: "reading" }],
  [
    "without an image and status",
    { metadata: {}, spec: { source: {}, priority: 2 } } as never,
    { from: "", reference: "cc/", name: "", priority: 2, state: "reading" },
  ],
  ["that serves", catalog({}, [serving], { lastUnpacked: "t" }), { state: "ok", checked: "t" }],
  ["that serves old content", catalog({}, [serving, failing("Retrying")]), { state: "stale", note: "m1" }],
  ["that retries", catalog({}, [failing("Retrying")]), { state: "failing", note: "m1" }],
  ["that is blocked", catalog({}, [failing("Blocked")]), { state: "failing", note: "m1" }],
  ["that made it", catalog({}, [{ ...serving, status: "False" }, failing("Succeeded")]), { state: "reading" }],
  [
    "that is off",
    catalog({ availabilityMode: "Unavailable" }, [serving, failing("Retrying")]),
    { state: "off", note: "availabilityMode is Unavailable" },
  ],
];
for (const [what, one, rest] of catalogs)
  test(`the row of a ClusterCatalog ${what}`, () => assert.deepEqual(catalogRow(one, undefined), { ...row, ...rest }));

test("rows are those of v0 by name, then those of v1, with what their content holds", () => {
  const rows = rowsOf([source({ name: "b" }, {}), source({ namespace: "a" }, {})], [catalog({})], true);
  assert.deepEqual(
    rows.map(({ reference, packages, bundles, digest }: SourceRow) => [reference, packages, bundles, digest]),
    ["a/a", "olm/b", "cc/c"].map((reference) => [reference, 2, 2, "sha256:1"]),
  );
});
