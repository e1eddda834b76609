import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnreadSource } from "./package-sources.ts";
import { upgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import type { Terminal } from "../output/terminal.ts";
import { packageText, type ShownPackage, views } from "./package-text.ts";
import { noSource, reportUnread } from "./unread-sources.ts";

const terminal = {
  paint: (meaning: string, text: string) => `<${meaning}>${text}</>`,
  symbol: (name: string) => name,
} as unknown as Terminal;

const bundle = (name: string, version: string, more: object = {}) => ({ name, version, isChannelHead: false, ...more });

const one = bundle("p.v1.0.0", "1.0.0", { deprecation: "old\nand more" });
const two = bundle("p.v1.1.0", "1.1.0", { isChannelHead: true });
const three = bundle("p.v2.0.0", "2.0.0", { isChannelHead: true });

const summary = {
  name: "p",
  defaultChannel: "stable",
  channels: [
    { name: "next", bundles: [three], deprecation: "" },
    { name: "stable", bundles: [one, two] },
  ],
  blobs: [],
};

const graph = upgradeGraph({
  packageName: "p",
  defaultChannel: "stable",
  bundles: [
    { name: "p.v1.0.0", version: "1.0.0", deprecation: "old\nand more" },
    { name: "p.v1.1.0", version: "1.1.0" },
    { name: "p.v2.0.0", version: "2.0.0", deprecation: "" },
  ],
  channels: [
    {
      name: "stable",
      entries: [
        { name: "p.v1.1.0", replaces: "p.v1.0.0", skips: [] },
        { name: "p.v1.0.0", skips: [] },
      ],
    },
    { name: "next", entries: [{ name: "p.v2.0.0", skips: [] }] },
  ],
} as unknown as Parameters<typeof upgradeGraph>[0]);

const role = (scope: "cluster" | "namespace", resource: string) => ({
  scope,
  account: "op",
  rule: { apiGroups: [""], resources: [resource], verbs: ["get", "list"] },
});

const bare = {
  summary,
  facts: { displayName: "", provider: "" },
  source: {},
  sourceLabel: "olm/community",
  graph,
  channel: "stable",
  lifecycle: { kind: "none" },
  installed: [],
} as unknown as ShownPackage;

const full = {
  ...bare,
  facts: { displayName: "The P", provider: "Acme" },
  details: {
    name: "p.v1.1.0",
    version: "1.1.0",
    image: "quay.io/p@sha256:1",
    provides: [
      { group: "g.io", version: "v1", kind: "Kind" },
      { group: "g.io", version: "v2", kind: "Other" },
    ],
    requires: ["package q", "API r"],
    permissions: [role("cluster", "pods"), role("namespace", "services"), role("namespace", "configmaps")],
    description: {
      installModes: [
        { type: "MultiNamespace", supported: false },
        { type: "AllNamespaces", supported: true },
        { type: "OwnNamespace", supported: true },
      ],
      minKubeVersion: "1.30.0",
      relatedImages: ["a@sha256:2", "b:latest"],
      customresourcedefinitions: { owned: [{ kind: "Kind", description: "a\n  kind " }, { kind: "Other" }] },
    },
  },
  installed: [
    {
      reference: "ns/p",
      packageName: "p",
      name: "p",
      namespace: "ns",
      api: "v0",
      bundle: "p.v1.0.0",
      version: "1.0.0",
      channels: ["stable"],
      state: "Ready",
    },
    {
      reference: "ext/x",
      packageName: "p",
      name: "x",
      api: "v1",
      bundle: "p.v1.1.0",
      version: "1.1.0",
      channels: [],
      state: "Paused",
    },
  ],
} as unknown as ShownPackage;

const lines = (
  shown: ShownPackage,
  chosen: Parameters<typeof packageText>[1] = [],
  width?: number,
): readonly string[] =>
  packageText(shown, chosen, width === undefined ? terminal : { ...terminal, width }, false).split("\n");

test("the overview of a package shows each fact that its catalog holds", () => {
  assert.deepEqual(lines(full), [
    "<strong>The P (p)</>  by Acme                           source olm/community",
    "  latest     1.1.0 in stable (default); also next (deprecated)",
    "  installed  ns 1.0.0  ->  1.1.0 in 1 hop               purser plan ns/p",
    "             ext/x 1.1.0  Paused                        purser resume ext/x",
    "  modes      all namespaces, own                        needs Kubernetes 1.30.0 or newer",
    "  asks for   1 cluster rule, 2 rules in its namespaces  purser show p --permissions",
    "  provides   Kind, Other",
    "  needs      package q; API r",
    "  images     2, 1 not pinned by digest",
  ]);
});

test("the overview names the facts that the catalog lacks", () => {
  assert.deepEqual(lines(bare), [
    "<strong>p</>               source olm/community",
    "  version    none in stable (default); also next (deprecated)",
    "  installed  no            purser install p -n operators --create-namespace",
    "  modes      not stated by the catalog",
    "  asks for   not stated by the catalog, which holds no install strategy",
    "  provides   no API",
    "  needs      no other package",
    "  images     not stated by the catalog",
  ]);
});

test("deprecations of package, channel and version are in the overview", () => {
  const deprecated = {
    ...full,
    summary: { ...summary, deprecation: " gone\n soon " },
    channel: "next",
    details: { ...full.details, name: "p.v1.0.0", version: "1.0.0" },
  } as unknown as ShownPackage;
  const found = lines(deprecated).filter((line) => /deprecated|version|latest/.test(line));
  assert.deepEqual(found, [
    "  version    1.0.0 in next (deprecated); also stable (default)",
    "  deprecated package: gone soon",
    "  deprecated channel next",
    "  deprecated version 1.0.0: old and more",
  ]);
});

test("an aside stands below its line where the terminal is too narrow, and never with -o wide", () => {
  assert.deepEqual(lines(full, [], 60), [
    "<strong>The P (p)</>  by Acme",
    "             source olm/community",
    "  latest     1.1.0 in stable (default); also next (deprecated)",
    "  installed  ns 1.0.0  ->  1.1.0 in 1 hop",
    "             purser plan ns/p",
    "             ext/x 1.1.0  Paused",
    "             purser resume ext/x",
    "  modes      all namespaces, own",
    "             needs Kubernetes 1.30.0 or newer",
    "  asks for   1 cluster rule, 2 rules in its namespaces",
    "             purser show p --permissions",
    "  provides   Kind, Other",
    "  needs      package q; API r",
    "  images     2, 1 not pinned by digest",
  ]);
  assert.equal(packageText(full, [], { ...terminal, width: 60 }, true), lines(full).join("\n"));
});

test("each view of a package has its lines, and several have headings", () => {
  const found = Object.fromEntries(views.map(({ flag }) => [flag, lines(full, [flag])]));
  assert.deepEqual(found, {
    versions: [
      "VERSION  CHANNELS  BUNDLE    NOTES",
      "2.0.0    next      p.v2.0.0  head of next; deprecated",
      "1.1.0    stable    p.v1.1.0  head of stable; installed ext/x",
      "1.0.0    stable    p.v1.0.0  installed ns; deprecated: old",
    ],
    graph: [
      "stable (default)                        next",
      "* 1.1.0  head, installed in ext/x       * 2.0.0 head, deprecated",
      "* 1.0.0  installed in ns, deprecated",
    ],
    apis: ["KIND   GROUP  VERSION  DESCRIPTION", "Kind   g.io   v1       a kind", "Other  g.io   v2       -"],
    permissions: [
      "SCOPE      ACCOUNT  VERBS      ON",
      "cluster    op       get, list  pods",
      "namespace  op       get, list  services",
      "namespace  op       get, list  configmaps",
    ],
    dependencies: ["package q", "API r"],
    images: ["bundle  quay.io/p@sha256:1", "runs    a@sha256:2", "runs    b:latest"],
    examples: ["# Its catalog gives no examples"],
    lifecycle: ["The catalog states nothing about its support"],
  });
  assert.deepEqual(lines(full, ["dependencies", "images"]), [
    "<strong>dependencies</>",
    "package q",
    "API r",
    "",
    "<strong>images</>",
    "bundle  quay.io/p@sha256:1",
    "runs    a@sha256:2",
    "runs    b:latest",
  ]);
});

test("examples are documents of one YAML stream, and a catalog without any is said so in a comment", () => {
  const examples = [{ kind: "A" }, { kind: "B" }];
  const shown = { ...full, details: { ...full.details, examples } } as unknown as ShownPackage;
  assert.deepEqual(lines(shown, ["examples"]), ["kind: A", "---", "kind: B"]);
  assert.deepEqual(lines(full, ["examples"]), ["# Its catalog gives no examples"]);
});

test("a view says when there is nothing to list", () => {
  const empty = {
    ...bare,
    details: { name: "p.v1.1.0", version: "1.1.0", image: "", provides: [], requires: [], permissions: [] },
  } as unknown as ShownPackage;
  const without = {
    ...bare,
    details: { name: "p.v1.1.0", version: "1.1.0", image: "quay.io/p:1", provides: [], requires: [] },
  } as unknown as ShownPackage;
  assert.deepEqual(
    [empty, without, bare].map((shown) =>
      (["apis", "permissions", "dependencies", "images"] as const).map((view) => lines(shown, [view])),
    ),
    [
      [["It provides no API"], ["It requires no permissions"], ["It requires no other package"], ["bundle  none"]],
      [
        ["It provides no API"],
        [
          "not stated by the catalog, which holds no install strategy",
          "purser bundle render quay.io/p:1 --namespace NAMESPACE",
        ],
        ["It requires no other package"],
        ["bundle  quay.io/p:1"],
      ],
      [
        ["It provides no API"],
        ["not stated by the catalog, which holds no install strategy"],
        ["It requires no other package"],
        ["bundle  none"],
      ],
    ],
  );
});

test("images are counted by whether they are pinned, rights by their scope", () => {
  const cells = (relatedImages: readonly string[], permissions: readonly object[]): readonly string[] => {
    const details = { ...full.details, permissions, description: { ...full.details?.description, relatedImages } };
    const shown = lines({ ...full, details } as unknown as ShownPackage);
    return shown.filter((line) => /^ {2}(images|asks for)/.test(line));
  };
  assert.deepEqual(cells(["a@sha256:1"], []), ["  asks for   no rights", "  images     1, pinned by digest"]);
  assert.deepEqual(cells(["a@sha256:1", "b@sha256:2"], [role("cluster", "pods")]), [
    "  asks for   1 cluster rule                 purser show p --permissions",
    "  images     2, all pinned by digest",
  ]);
  assert.deepEqual(cells([], [role("namespace", "pods")]), [
    "  asks for   1 rule in its namespaces       purser show p --permissions",
    "  images     not stated by the catalog",
  ]);
});

test("catalogs that were not read are named with their causes, and are the refusal when there is no other", () => {
  const notes: string[] = [];
  const failing = [
    { name: "olm/a", cause: "no address" },
    { name: "cc/b", cause: "no content" },
  ] as unknown as readonly UnreadSource[];
  reportUnread({ ...terminal, err: (...written) => void notes.push(...written) }, failing);
  assert.deepEqual(notes, [
    "<attention>attention</> olm/a was not read: no address",
    "<attention>attention</> cc/b was not read: no content",
  ]);
  assert.deepEqual(noSource([]), {
    code: "CatalogNotFound",
    summary: "There is no catalog to search",
    facts: { unread: [] },
    derivation: [{ relation: "fact", subject: "catalogs", text: "no CatalogSource and no ClusterCatalog exists" }],
    remedies: [{ summary: "use a catalog on disk", command: "purser search --catalog community=PATH" }],
  });
  assert.deepEqual(noSource(failing), {
    code: "CatalogUnavailable",
    summary: "No catalog can be read: all 2 fail",
    facts: {
      unread: [
        { name: "olm/a", cause: "no address" },
        { name: "cc/b", cause: "no content" },
      ],
    },
    derivation: [
      { relation: "fact", subject: "olm/a", text: "olm/a: no address" },
      { relation: "fact", subject: "cc/b", text: "cc/b: no content" },
    ],
    remedies: [{ summary: "use a catalog on disk or an image", command: "purser search --catalog community=PATH" }],
  });
  assert.equal(noSource(failing.slice(0, 1)).summary, "No catalog can be read: olm/a");
});
