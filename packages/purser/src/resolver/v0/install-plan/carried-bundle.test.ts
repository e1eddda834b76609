import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { smallCrd } from "../../../bundle/testing/small-bundle.ts";
import { loadCatalog } from "../../../catalog/loading/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import { carriedCatalog } from "../../testing/carried-catalog.ts";
import { completed, decided, named, present, stepNames } from "./testing/decided-install.ts";

test("a bundle without an image installs from the objects that the catalog carries", () => {
  const index = carriedCatalog([{ package: "a", line: "a.v1 1.0.0", objects: [smallCrd] }]);
  const { object, status } = completed(decided(index, ["a a/alpha"]).plan());
  assert.deepEqual(object.spec, {
    clusterServiceVersionNames: ["a.v1"],
    approval: "Automatic",
    approved: true,
    generation: 1,
  });
  assert.equal(status.phase, "Installing");
  assert.deepEqual(status.catalogSources, ["cat"]);
  assert.deepEqual(status.bundleLookups, []);
  assert.deepEqual(stepNames({ status }), [
    "ClusterServiceVersion a.v1",
    "CustomResourceDefinition pots.kiln.example.com",
  ]);
});

for (const [what, objects, expected] of [
  ["alone", [], ["ClusterServiceVersion a.v1"]],
  [
    "and other objects",
    [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }],
    ["ClusterServiceVersion a.v1", "ConfigMap c"],
  ],
] as const)
  test(`a bundle without an image, with olm.csv.metadata ${what}, installs a CSV made from the metadata`, () => {
    const metadata = { displayName: "A", provider: { name: "x" } };
    const index = carriedCatalog([{ package: "a", line: "a.v1 1.0.0", objects, metadata }]);
    const { status } = completed(decided(index, ["a a/alpha"]).plan());
    assert.deepEqual(stepNames({ status }), expected);
    const csv = JSON.parse(status.plan?.[0]?.resource.manifest ?? "") as {
      readonly metadata: { readonly name: string; readonly namespace: string };
      readonly spec: { readonly displayName: string; readonly install: JsonObject };
    };
    assert.equal(csv.metadata.namespace, "ns");
    assert.equal(csv.spec.displayName, "A");
    // kube-apiserver refuses the `null` that opm's registry writes here.
    assert.deepEqual(csv.spec.install, { strategy: "deployment", spec: { deployments: [] } });
  });

test("a CSV made from metadata without a description has that of its package", () => {
  const { blobs } = loadCatalog([
    {
      file: "c.yaml",
      text: [
        { schema: "olm.package", name: "a", defaultChannel: "alpha", description: "what a does" },
        { schema: "olm.channel", package: "a", name: "alpha", entries: [{ name: "a.v1" }] },
        {
          schema: "olm.bundle",
          package: "a",
          name: "a.v1",
          properties: [
            { type: "olm.package", value: { packageName: "a", version: "1.0.0" } },
            { type: "olm.csv.metadata", value: {} },
          ],
        },
      ]
        .map((blob) => JSON.stringify(blob))
        .join("\n"),
    },
  ]);
  const { status } = completed(decided(indexOf(blobs), ["a a/alpha"]).plan());
  assert.match(status.plan?.[0]?.resource.manifest ?? "", /"description":"what a does"/);
});

test("a carried object without a kind fails the resolution with the error of OLM's decoder", () => {
  for (const [object, shown] of [
    [{ metadata: { name: "x" } }, '{"metadata":{"name":"x"}}'],
    [{ kind: "" }, '{"kind":""}'],
  ] as const) {
    const install = decided(carriedCatalog([{ package: "a", line: "a.v1 1.0.0", objects: [object] }]), [
      "a a/alpha",
    ]).plan();
    assert.ok(install.kind === "refused");
    assert.equal(install.refusal.message, `failed to turn bundle into steps: Object 'Kind' is missing in '${shown}'`);
  }
});

test("steps of several carried bundles are sorted: all CSVs, then all CRDs, then the rest", () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
  const index = carriedCatalog([
    { package: "a", line: "a.v1 1.0.0", objects: [config, smallCrd] },
    { package: "b", line: "b.v1 1.0.0", objects: [{ ...smallCrd, metadata: { name: "second" } }] },
  ]);
  assert.deepEqual(stepNames(completed(decided(index, ["a a/alpha", "b b/alpha"]).plan())), [
    "ClusterServiceVersion a.v1",
    "ClusterServiceVersion b.v1",
    "CustomResourceDefinition pots.kiln.example.com",
    "CustomResourceDefinition second",
    "ConfigMap c",
  ]);
});

test("a carried bundle comes from the catalog that was chosen, not from one of the same name elsewhere", () => {
  const [own, other] = ["own", "other"].map((name) => {
    const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }];
    return carriedCatalog([{ package: "a", line: "a.v1 1.0.0", objects }]);
  });
  assert.ok(own !== undefined && other !== undefined);
  const world = decided(own, ["a a/alpha"], {
    catalogs: [
      ["ns", "cat"],
      ["olm", "dog"],
    ].map(([namespace = "", name = ""]) => ({
      key: { namespace, name },
      priority: -1,
      content: { kind: "present", index: other },
    })),
  });
  assert.deepEqual(stepNames(completed(world.plan())), ["ClusterServiceVersion a.v1", "ConfigMap own"]);
});

test("a carried bundle whose catalog cannot be read now is waited for", () => {
  const { plan } = decided(carriedCatalog([{ package: "a", line: "a.v1 1.0.0" }]), ["a a/alpha"]);
  const install = plan({}, []);
  assert.ok(install.kind === "incomplete");
  assert.deepEqual(install.needs, []);
});

test("the CSV of a carried bundle shows each requirement once, that of an image twice, as with OLM", () => {
  const provider = { package: "b", line: "b.v1 1.0.0 P=K" };
  const properties = (plan: ReturnType<typeof completed>): number => {
    const step = plan.status.plan?.find(
      ({ resource }) => resource.kind === "ClusterServiceVersion" && resource.name === "a.v1",
    );
    const csv = JSON.parse(step?.resource.manifest ?? "") as InstallPlan;
    const shown = JSON.parse(csv.metadata.annotations?.["operatorframework.io/properties"] ?? "") as {
      readonly properties: readonly { readonly type: string }[];
    };
    return shown.properties.filter(({ type }) => type === "olm.gvk.required").length;
  };
  const line = "a.v1 1.0.0 R=K";
  const carried = decided(carriedCatalog([{ package: "a", line }, provider]), ["a a/alpha"]).plan();
  assert.equal(properties(completed(carried)), 1);
  const pulled = decided(carriedCatalog([{ package: "a", line, image: "r/a" }, provider]), ["a a/alpha"]);
  assert.equal(properties(completed(pulled.plan({ "a.v1": present(named("a.v1")) }))), 2);
});

test("a carried bundle that makes no steps fails the resolution with OLM's text", () => {
  const index = carriedCatalog([{ package: "a", line: "a.v1 1.0.0", csvSpec: { install: { strategy: "none" } } }]);
  const install = decided(index, ["a a/alpha"]).plan();
  assert.ok(install.kind === "refused");
  assert.equal(install.refusal.stage, "resolution");
  assert.equal(install.refusal.message, "failed to turn bundle into steps: unrecognized install strategy");
  assert.equal(install.refusal.explanation.code, "BundleInvalid");
});
