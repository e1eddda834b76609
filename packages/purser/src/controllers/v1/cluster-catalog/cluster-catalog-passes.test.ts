// Passes of the ClusterCatalog controller, and what wakes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { digestOf } from "@purser/kubernetes/digest";
import type { ClusterCatalog } from "../../../apis/v1/cluster-catalog.ts";
import { metadataNameLabel, serverCacheFinalizer } from "../../../apis/v1/labels.ts";
import { improved } from "../../../compat.ts";
import type { CatalogContent } from "../../../content/content.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cacheOf, passOf } from "../../testing/passes.ts";
import { clusterCatalogController } from "./cluster-catalog-controller.ts";

const catalogOf = (metadata: JsonObject = {}, spec: JsonObject = {}): KubeObject =>
  ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: {
      name: "cat",
      labels: { [metadataNameLabel]: "cat" },
      finalizers: [serverCacheFinalizer],
      ...metadata,
    },
    spec: { source: { type: "Image", image: { ref: "example.com/cat:1" } }, ...spec },
  }) as unknown as KubeObject;

const ready = {
  state: { kind: "ready", digest: digestOf("a") },
  index: {
    faults: [{ packageName: "op", cause: "no channel", place: { file: "c" } }],
  },
} as unknown as CatalogContent;
const failing = {
  state: { kind: "failing", since: 0, cause: "host does not answer", remedy: "wait" },
  index: undefined,
} as CatalogContent;

async function pass(
  object: KubeObject,
  {
    content: held = ready,
    forbidden = [],
    ...surroundings
  }: Partial<Pick<Surroundings, "compat" | "catalogOrigin">> & {
    readonly content?: CatalogContent;
    readonly forbidden?: readonly string[];
  } = {},
) {
  const content = new SetContent();
  content.setCatalog("image example.com/cat:1", held);
  const controller = clusterCatalogController({
    content,
    compat: improved,
    ...surroundings,
  } as unknown as Surroundings);
  const { cluster, events, error } = await passOf(controller, { name: "cat" }, [object], forbidden);
  const lines = [...cluster.requests.flatMap(linesOf), ...events.map((event) => `event ${event}`)];
  return { lines: [...lines, ...(error === undefined ? [] : [error])], released: content.released };
}

const leftOut = /^(Ready|Reconciling|Stalled)$/;
function linesOf(write: ObjectWrite): readonly string[] {
  if (write.verb === "patch") return [`patch ${JSON.stringify(write.patch)}`];
  if (write.verb !== "replace") return [write.verb];
  const { conditions = [], urls } = (write.object as ClusterCatalog).status ?? {};
  return [
    ...(urls === undefined ? [] : [urls.base]),
    ...conditions
      .filter(({ type }) => !leftOut.test(type))
      .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
  ];
}

const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const served = [
  "Progressing=True Succeeded: Successfully unpacked and stored content from resolved source",
  "Serving=True Available: Serving desired content from resolved source",
  "FaultyPackages=True CatalogInvalid: 1 package cannot be used: op: no channel",
  "event Warning CatalogInvalid cat: 1 package cannot be used: op: no channel",
];
const retrying = (why: string): readonly string[] => [
  `Progressing=True Retrying: source catalog content: ${why}`,
  `event Warning Retrying cat: source catalog content: ${why}`,
];
const off = "Catalog availability mode is set to Unavailable";
const noImage = 'error parsing ClusterCatalog "cat", image source is nil';
const plain = { keepsUpstream: (name: string) => name === "condition-texts" };
const table: readonly (readonly [
  what: string,
  catalog: KubeObject,
  options: Parameters<typeof pass>[1],
  lines: readonly string[],
  isReleased?: true,
])[] = [
  ["that is read is served, and its packages that cannot be used are named", catalogOf(), {}, served],
  [
    "that is served over HTTP shows where",
    catalogOf(),
    { catalogOrigin: "https://host:1" },
    ["https://host:1/catalogs/cat", ...served],
  ],
  ["that cannot be read shows why", catalogOf(), { content: failing }, retrying("host does not answer. Wait")],
  [
    "that cannot be read shows OLM's text alone where that is wanted",
    catalogOf(),
    { content: failing, compat: plain },
    retrying("host does not answer"),
  ],
  [
    "gets its finalizer before anything else",
    catalogOf({ finalizers: [] }),
    {},
    [`patch {"metadata":{"finalizers":["${serverCacheFinalizer}"]}}`],
  ],
  [
    "gets the label of its name",
    catalogOf({ labels: {} }),
    {},
    [`patch {"metadata":{"labels":{"${metadataNameLabel}":"cat"}}}`, ...served],
  ],
  ["that is being deleted shows that nothing is served", catalogOf(deleted), {}, ["Serving=False Unavailable: "], true],
  [
    "that is switched off gives its content up",
    catalogOf({}, { availabilityMode: "Unavailable" }),
    {},
    [
      `Progressing=True Succeeded: ${off}`,
      `Serving=False UserSpecifiedUnavailable: ${off}`,
      `event Normal UserSpecifiedUnavailable cat: ${off}`,
    ],
    true,
  ],
  [
    "that names no image is refused",
    catalogOf({}, { source: { type: "Image" } }),
    {},
    [`Progressing=False Blocked: ${noImage}`, `event Warning Blocked cat: ${noImage}`],
    true,
  ],
  ["that does not exist gives its content up", catalogOf({ name: "other" }), {}, [], true],
  ...(
    [
      ["finalizer", catalogOf({ finalizers: [] })],
      ["label", catalogOf({ labels: {} })],
      ["status", catalogOf()],
    ] as const
  ).map(
    ([what, catalog]) =>
      [
        `whose ${what} is refused fails the pass without an event`,
        catalog,
        { forbidden: ["clustercatalogs"] },
        ['ApiRefusedError: clustercatalogs.olm.operatorframework.io "" is forbidden: denied by test'],
      ] as const,
  ),
];
for (const [what, catalog, options, lines, isReleased] of table)
  test(`a ClusterCatalog ${what}`, async () =>
    assert.deepEqual(await pass(catalog, options), { lines, released: isReleased ? ["ClusterCatalog cat"] : [] }));

test("a notice about a catalog wakes the ClusterCatalogs of its source, also when only times changed", async () => {
  const content = new SetContent();
  const controller = clusterCatalogController({ content, compat: improved } as unknown as Surroundings);
  const cache = cacheOf(controller, [
    catalogOf(),
    catalogOf({ name: "same" }),
    catalogOf({ name: "other" }, { source: { type: "Image", image: { ref: "example.com/other:1" } } }),
    catalogOf({ name: "none" }, { source: { type: "Image" } }),
  ]);
  const ended = new AbortController();
  const woken: string[] = [];
  const listening = (async () => {
    for await (const { name } of controller.wakes[0]?.(ended.signal, cache) ?? []) woken.push(name);
  })();
  const key = "image example.com/cat:1";
  const seen: string[] = [];
  for (const notice of [
    () => content.setCatalog(key, ready),
    () => content.tryLater(key),
    () => content.setBundle(key, { state: ready.state, objects: undefined }),
  ]) {
    notice();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(woken.splice(0).join(" "));
  }
  assert.deepEqual(seen, ["cat same", "cat same", ""]);
  ended.abort();
  await listening.catch(() => {});
});
