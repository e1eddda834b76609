import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { imageChanges } from "./image-changes.ts";
import { objectChanges, type ObjectsInput, referenceOf, referenceText, withoutServerFields } from "./object-changes.ts";

test("an object is named by group, kind, namespace and name; a generated name counts where there is no other", () => {
  assert.deepEqual(
    [
      referenceOf({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { namespace: "ns", name: "d", generateName: "g" },
      }),
      referenceOf({ apiVersion: "v1", kind: "Namespace", metadata: { namespace: "", name: "n" } }),
      referenceOf({ kind: "Job", metadata: { generateName: "j-" } }),
      referenceOf({ kind: 1, metadata: { name: 1 } }),
      referenceOf({ metadata: "none" }),
    ],
    [
      { group: "apps", kind: "Deployment", namespace: "ns", name: "d" },
      { group: "", kind: "Namespace", name: "n" },
      { group: "", kind: "Job", name: "j-" },
      { group: "", kind: "", name: "" },
      { group: "", kind: "", name: "" },
    ],
  );
  assert.equal(
    referenceText({ group: "apps", kind: "Deployment", namespace: "ns", name: "d" }),
    "Deployment ns/d apps",
  );
  assert.equal(referenceText({ group: "", kind: "Namespace", name: "n" }), "Namespace n ");
});

test("status, owners and what the API server sets are left out, and rules of aggregated cluster roles", () => {
  const set = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
  ];
  const metadata = Object.fromEntries(set.map((name) => [name, "x"]));
  assert.deepEqual(
    withoutServerFields({
      kind: "A",
      metadata: { ...metadata, name: "a", labels: { b: "c" } },
      status: {},
      rules: [1],
    }),
    {
      kind: "A",
      metadata: { name: "a", labels: { b: "c" } },
      rules: [1],
    },
  );
  assert.deepEqual(withoutServerFields({ kind: "ClusterRole", rules: [1], aggregationRule: {} }), {
    kind: "ClusterRole",
    aggregationRule: {},
  });
  assert.deepEqual(withoutServerFields({ kind: "ClusterRole", rules: [1] }), { kind: "ClusterRole", rules: [1] });
  assert.deepEqual(withoutServerFields({ kind: "Role", rules: [1], aggregationRule: {} }), {
    kind: "Role",
    rules: [1],
    aggregationRule: {},
  });
});

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name },
  data,
});
const liveOf = (...objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(objects.map((object) => [referenceText(referenceOf(object)), object]));

/** `CHANGE name: changed fields | drifted fields` of each object. */
const changes = (input: Partial<ObjectsInput>): readonly string[] =>
  objectChanges({ before: [], after: [], stays: () => false, ...input }).map(
    ({ change, name, fields, drift, group, kind, namespace }) => {
      assert.deepEqual([group, kind, namespace], ["", "ConfigMap", "ns"]);
      const texts = (list: readonly { readonly kind: string }[]): string => list.map((field) => field.kind).join(" ");
      return `${change} ${name}: ${texts(fields)} | ${texts(drift)}`;
    },
  );

test("without a cluster objects are created, changed, kept and deleted, or left where they stay, sorted by name", () => {
  const before = [configMap("kept", { a: "1" }), configMap("gone", {}), configMap("changed", { a: "1" })];
  const after = [configMap("new", {}), configMap("kept", { a: "1" }), configMap("changed", { a: "2" })];
  const rest = ["changed changed: changed | ", "kept kept:  | ", "created new:  | "];
  const [changed, ...others] = rest;
  assert.deepEqual(changes({ before, after }), [changed, "deleted gone:  | ", ...others]);
  assert.deepEqual(changes({ before, after, stays: ({ metadata }) => JSON.stringify(metadata).includes("gone") }), [
    changed,
    "left gone:  | ",
    ...others,
  ]);
});

test("on a cluster what exists counts: objects that were deleted are created, foreign fields stay and drift is undone", () => {
  const before = [configMap("a", { x: "1" }), configMap("gone", {}), configMap("absent", {})];
  const after = [configMap("a", { x: "1" })];
  const live = (...objects: readonly JsonObject[]) => changes({ before, after, live: liveOf(...objects) });
  assert.deepEqual(live(configMap("gone", {})), ["created a:  | ", "deleted gone:  | "]);
  assert.deepEqual(live(configMap("a", { x: "1", own: "2" })), ["kept a:  | "]);
  assert.deepEqual(live(configMap("a", { x: "9" })), ["changed a: changed | changed"]);
  assert.deepEqual(changes({ after, live: liveOf(configMap("a", { x: "9" })) }), ["changed a: changed | "]);
});

test("images of containers and related images, wherever they stand, are added, removed or kept, with their digest", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const pod = (key: string, image: unknown) =>
    ({ spec: { template: [{ deep: { [key]: [{ image }, 1] } }] } }) as JsonObject;
  assert.deepEqual(
    imageChanges(
      [
        pod("containers", "r/a:1"),
        pod("initContainers", "r/b:1"),
        pod("other", "r/none:1"),
        { ...pod("containers", "r/crd:1"), kind: "CustomResourceDefinition" },
      ],
      [
        pod("relatedImages", `r/c@${digest}`),
        pod("containers", "r/a:1"),
        pod("containers", ""),
        pod("containers", 1),
        { metadata: pod("containers", "r/meta:1") },
      ],
    ),
    [
      { image: "r/a:1", change: "kept" },
      { image: "r/b:1", change: "removed" },
      { image: `r/c@${digest}`, digest, change: "added" },
    ],
  );
});
