import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed } from "@purser/kubernetes/result";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { ParsedBundle } from "../directory/parse-directory.ts";
import { type BundleChange, diffBundles, type DiffPart } from "./bundle-diff.ts";

interface BundleFields {
  readonly spec?: JsonObject;
  readonly objects?: readonly JsonObject[];
  readonly related?: readonly string[];
  readonly own?: readonly string[];
}

/** Only the fields that differences are made of. */
function bundleOf({ spec = {}, objects = [], related, own }: BundleFields): ParsedBundle {
  return {
    objects: objects.map((object) => ({ object })),
    csv: {
      object: { spec },
      relatedImages: () => (related === undefined ? failed("none") : done(related.map((image) => ({ image })))),
      operatorImages: () => (own === undefined ? failed("none") : done(own)),
    },
  } as unknown as ParsedBundle;
}

/** `~ subject: detail; detail`. */
function changes(part: DiffPart, old: BundleFields, next: BundleFields): readonly string[] {
  const sign: Readonly<Record<BundleChange["change"], string>> = { added: "+", removed: "-", changed: "~" };
  return diffBundles(bundleOf(old), bundleOf(next), [part]).map((one) => {
    assert.equal(one.part, part);
    return `${sign[one.change]} ${one.subject}: ${one.details.join("; ")}`;
  });
}

const rule = (verbs: readonly JsonValue[], resources: readonly string[], more: JsonObject = {}): JsonObject => ({
  verbs,
  resources,
  apiGroups: [""],
  ...more,
});

test("permissions differ by holder and resource, in the words of their verbs", () => {
  const permissions = (key: string, ...rules: readonly JsonObject[]): BundleFields => ({
    spec: { install: { spec: { [key]: [{ serviceAccountName: "op", rules }, "no object"] } } },
  });
  const old = permissions("permissions", rule(["list", "get"], ["pods", "nodes"]), rule(["get"], ["jobs"]));
  const next = permissions(
    "permissions",
    rule(["watch", "get"], ["pods", "pods"]),
    rule(["get", 1], ["jobs"], { apiGroups: ["", "batch"] }),
    rule(["get"], ["secrets"], { resourceNames: ["b", "a"] }),
    { verbs: ["get"], nonResourceURLs: ["/healthz"] },
  );
  assert.deepEqual(changes("permissions", old, next), [
    "+ namespace op: /healthz: + get",
    "+ namespace op: jobs.batch: + get",
    "- namespace op: nodes: - get, list",
    "~ namespace op: pods: + watch; - list",
    "+ namespace op: secrets (named a, b): + get",
  ]);
  assert.deepEqual(changes("permissions", old, old), []);
  assert.deepEqual(changes("permissions", {}, permissions("clusterPermissions", rule(["*"], ["*"]))), [
    "+ cluster op: *: + *",
  ]);
});

test("roles among the manifests count, other kinds with rules do not", () => {
  const objectOf = (kind: string) => ({ kind, metadata: { name: "x" }, rules: [rule(["get"], ["pods"])] });
  const objects = ["Role", "ClusterRole", "Other"].map(objectOf);
  assert.deepEqual(changes("permissions", { objects }, {}), ["- ClusterRole x: pods: - get", "- Role x: pods: - get"]);
});

const crdOf = (name: string, schema: JsonValue, more: JsonObject = {}): JsonObject => ({
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }], ...more },
});

test("CRDs differ in fields of their schemas, whose places are written as fields", () => {
  const old = crdOf("as.g.io", {
    properties: { spec: { properties: { list: { items: { type: "string" } }, gone: {}, same: [1] } } },
  });
  const next = crdOf(
    "as.g.io",
    { properties: { spec: { properties: { list: { items: { type: "integer" } }, new: {}, same: [1] } } } },
    { scope: "Cluster" },
  );
  const objects = [crdOf("bs.g.io", {}), next, { kind: "Other", metadata: { name: "x" } }];
  assert.deepEqual(changes("crds", { objects: [old, crdOf("cs.g.io", {})] }, { objects }), [
    "~ as.g.io: + /spec/scope; - v1 .spec.gone; ~ v1 .spec.list[]/type; + v1 .spec.new",
    "+ bs.g.io: ",
    "- cs.g.io: ",
  ]);
  assert.deepEqual(changes("crds", { objects: [crdOf("as.g.io", 1)] }, { objects: [crdOf("as.g.io", 2)] }), [
    "~ as.g.io: ~ v1 .",
  ]);
});

test("manifests but CSV and CRDs, deployments and webhooks of the CSV are objects; twelve places are shown", () => {
  const data = (value: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at).padStart(2, "0")}`, value]));
  const configMap = (name: string, value: string, count: number) => ({
    kind: "ConfigMap",
    metadata: { name },
    data: data(value, count),
  });
  const places = Array.from({ length: 12 }, (_, at) => `~ /data/k${String(at).padStart(2, "0")}`).join("; ");
  const specOf = (replicas: number, rules: readonly JsonValue[]): JsonObject => ({
    install: { spec: { deployments: [{ name: "manager", spec: { replicas } }, "no object"] } },
    webhookdefinitions: [{ type: "ValidatingAdmissionWebhook", generateName: "hook", rules }, 1],
  });
  const old = {
    spec: specOf(1, ["a", { b: 1 }]),
    objects: [configMap("many", "a", 14), configMap("twelve", "a", 12), { kind: "ClusterServiceVersion", a: 1 }],
  };
  const next = {
    spec: specOf(2, ["a", { b: 2 }]),
    objects: [configMap("many", "b", 14), configMap("twelve", "b", 12), { kind: "ClusterServiceVersion", a: 2 }],
  };
  assert.deepEqual(changes("objects", old, next), [
    `~ ConfigMap many: ${places}; and 2 more places`,
    `~ ConfigMap twelve: ${places}`,
    "~ Deployment manager: ~ /spec/replicas",
    "~ ValidatingAdmissionWebhook hook: ~ /rules/1/b",
  ]);
  assert.deepEqual(
    changes("objects", old, { ...next, spec: specOf(1, ["a"]) }).at(-1),
    "~ ValidatingAdmissionWebhook hook: ~ /rules",
  );
});

test("an image that stays but for tag or digest is one change; images of the CSV and related ones count", () => {
  const [old, next] = [
    { related: ["r:5000/a:1", "r/b@sha256:0", "r/gone:1", "r/same:1"], own: ["r/c"] },
    { related: ["r:5000/a:2", "r/b:2@sha256:1", "r/same:1"], own: ["r/c:9", "r/new:1"] },
  ];
  assert.deepEqual(changes("images", old, next), [
    "~ r/b: - r/b@sha256:0; + r/b:2@sha256:1",
    "~ r/c: - r/c; + r/c:9",
    "- r/gone:1: ",
    "+ r/new:1: ",
    "~ r:5000/a: - r:5000/a:1; + r:5000/a:2",
  ]);
  assert.deepEqual(changes("images", {}, { own: ["r/a:1"] }), ["+ r/a:1: "]);
});

test("the parts that are asked for are compared in their own order, all of them by default", () => {
  const [old, next] = [
    bundleOf({}),
    bundleOf({
      own: ["r/a:1"],
      objects: [
        crdOf("as.g.io", {}),
        { kind: "ClusterRole", metadata: { name: "x" }, rules: [rule(["get"], ["pods"])] },
      ],
    }),
  ];
  const parts = (...asked: readonly (readonly DiffPart[])[]) =>
    diffBundles(old, next, ...asked).map(({ part }) => part);
  assert.deepEqual(parts(), ["permissions", "crds", "objects", "images"]);
  assert.deepEqual(parts(["images", "crds"]), ["crds", "images"]);
});
