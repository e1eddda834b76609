import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { changed, findingsIn, readWorlds } from "./testing/worlds.ts";

const { base } = readWorlds();
const embedded = (object: JsonObject): string =>
  `- type: olm.bundle.object\n  value: {data: ${Buffer.from(JSON.stringify(object)).toString("base64")}}\n`;

/** The base catalog with manifests embedded in each bundle. */
const withManifests = (older: readonly JsonObject[], newer: readonly JsonObject[]): string =>
  changed(base, [
    [
      "  value: {packageName: foo, version: 1.0.0}\n",
      `  value: {packageName: foo, version: 1.0.0}\n${older.map(embedded).join("")}`,
    ],
    [
      "  value: {packageName: foo, version: 1.1.0}\n",
      `  value: {packageName: foo, version: 1.1.0}\n${newer.map(embedded).join("")}`,
    ],
  ]);

interface Rights {
  readonly permissions?: readonly JsonObject[];
  readonly clusterPermissions?: readonly JsonObject[];
  readonly images?: readonly string[];
  readonly initImages?: readonly string[];
}
const csv = ({ permissions = [], clusterPermissions = [], images = [], initImages = [] }: Rights): JsonObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: "foo" },
  spec: {
    install: {
      strategy: "deployment",
      spec: {
        permissions,
        clusterPermissions,
        deployments: [
          {
            name: "foo",
            spec: {
              template: {
                spec: {
                  containers: images.map((image) => ({ image })),
                  initContainers: initImages.map((image) => ({ image })),
                },
              },
            },
          },
        ],
      },
    },
  },
});
const account = (...rules: readonly JsonObject[]): JsonObject => ({ serviceAccountName: "foo", rules });
const pods = (...verbs: readonly string[]): JsonObject => ({ apiGroups: [""], resources: ["pods"], verbs });

const rights: readonly (readonly [what: string, older: Rights, newer: Rights, expected: string | undefined])[] = [
  [
    "a new verb grows",
    { permissions: [account(pods("get"))] },
    { permissions: [account(pods("get", "delete"))] },
    "foo: delete pods",
  ],
  [
    "fewer verbs do not",
    { permissions: [account(pods("get", "list"))] },
    { permissions: [account(pods("get"))] },
    undefined,
  ],
  [
    "the whole cluster instead of a namespace grows",
    { permissions: [account(pods("get"))] },
    { clusterPermissions: [account(pods("get"))] },
    "foo: get pods in the cluster",
  ],
  [
    "a namespace instead of the whole cluster does not",
    { clusterPermissions: [account(pods("get"))] },
    { permissions: [account(pods("get"))] },
    undefined,
  ],
  [
    "what a wildcard covered does not",
    { permissions: [account({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] })] },
    { permissions: [account(pods("delete"))] },
    undefined,
  ],
];
test("many new permissions are reported in one short line", () => {
  const many = account({
    apiGroups: [""],
    resources: Array.from({ length: 20 }, (_, index) => `resources-of-kind-${index}`),
    verbs: ["get"],
  });
  const [found] = findingsIn(withManifests([csv({})], [csv({ clusterPermissions: [many] })])).filter(
    ({ rule }) => rule === "PBN103",
  );
  assert.match(found?.message ?? "", /resources-of-kind-1 in the cluster and 18 more$/);
});

for (const [what, older, newer, expected] of rights) {
  test(`permissions between neighbours: ${what}`, () => {
    const found = findingsIn(withManifests([csv(older)], [csv(newer)])).filter(({ rule }) => rule === "PBN103");
    assert.deepEqual(
      found.map(({ message, place }) => [message, place.line]),
      expected === undefined ? [] : [[`bundle "foo.v1.1.0" may do more than "foo.v1.0.0": ${expected}`, 24]],
    );
  });
}

const crd = (properties: JsonObject): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
    ],
  },
});
const both = { size: { type: "integer" }, name: { type: "string" } };

test("an API that loses a field breaks between neighbours", () => {
  const found = findingsIn(withManifests([crd(both)], [crd({ size: { type: "integer" } })]));
  assert.deepEqual(
    found.map(({ rule, severity, message, why }) => [rule, severity, message, why]),
    [
      [
        "PBN104",
        "warn",
        'bundle "foo.v1.1.0" breaks the API foos.example.com of "foo.v1.0.0"',
        "existingFieldRemoval: removed field : v1.^.name (and 1 more)",
      ],
    ],
  );
});

test("an API that gains an optional field does not break", () => {
  assert.deepEqual(findingsIn(withManifests([crd({ size: { type: "integer" } })], [crd(both)])), []);
});

test("images of deployments that relatedImages does not list are reported with the list to add them to", () => {
  const image = `example.com/op@sha256:${"5".repeat(64)}`;
  const initial = `example.com/init@sha256:${"6".repeat(64)}`;
  const text = withManifests([], [csv({ images: [image], initImages: [initial] })]);
  const [found] = findingsIn(text);
  assert.equal(found?.rule, "PBN102");
  const added = (missing: string) => ({
    kind: "appendItem",
    file: "foo.yaml",
    document: 3,
    pointer: "",
    key: "relatedImages",
    value: { name: "", image: missing },
    after: "image",
  });
  assert.deepEqual(found.fix, [added(initial), added(image)]);
});
