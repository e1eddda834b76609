import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { stepsOf } from "../../../bundle/install-plan-steps.ts";
import { smallCrd, smallCsv } from "../../../bundle/testing/small-bundle.ts";
import type { CatalogIndex } from "../../../catalog/catalog-index.ts";
import { loadCatalog } from "../../../catalog/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import { resolveNow } from "../../resolution.ts";
import { carriedCatalog } from "../../testing/carried-catalog.ts";
import { shortCatalog } from "../../testing/short-catalog.ts";
import { shortNamespace } from "../../testing/short-world.ts";
import type { NamespaceCatalog } from "../input.ts";
import { resolveNamespace } from "../resolve-namespace.ts";
import { inlineLimit, referenceIn, referredManifest } from "./bundle-reference.ts";
import type { InstallWorld } from "./install-world.ts";
import { contentKey, type KnownContent } from "./known-content.ts";
import { planInstall, type PlannedInstall } from "./plan-install.ts";

const digest = digestOf("a bundle");

/** What a world decides: the operators by the names of their bundles, and how to plan with certain contents. */
function decided(
  index: CatalogIndex,
  subscriptions: readonly string[],
  change: Partial<Pick<InstallWorld, "installPlans" | "reservedGroups">> & {
    /** Before that of `index`, which is `olm/cat`. */
    readonly catalogs?: readonly NamespaceCatalog[];
    readonly installed?: readonly string[];
    readonly spec?: (name: string) => Partial<Subscription["spec"]>;
    readonly at?: Partial<NonNullable<Subscription["status"]>>;
  } = {},
) {
  const { spec = () => ({}), at, catalogs = [], installed = [], ...rest } = change;
  const short = shortNamespace({ catalogs: {}, subscriptions, installed });
  const input = {
    ...short,
    subscriptions: short.subscriptions.map((subscription): Subscription => {
      const { name = "" } = subscription.metadata;
      return {
        ...subscription,
        metadata: { ...subscription.metadata, uid: `uid-${name}` },
        spec: { ...subscription.spec, ...spec(name) },
        ...(at === undefined ? {} : { status: { lastUpdated: "", ...at } }),
      };
    }),
    catalogs: [
      ...catalogs,
      { key: { namespace: "olm", name: "cat" }, priority: 0, content: { kind: "present", index } as const },
    ],
  };
  const outcome = resolveNow(resolveNamespace(input));
  if (outcome.kind !== "resolved") throw new Error(`${outcome.kind}: ${outcome.upstream}`);
  const operators = new Map(outcome.operators.map((operator) => [String(operator.bundle.name), operator]));
  return {
    operators,
    plan: (contents: Readonly<Record<string, KnownContent>> = {}, readable = input.catalogs): PlannedInstall =>
      planInstall(
        {
          ...input,
          catalogs: readable,
          installPlans: [],
          reservedGroups: "refused",
          ...rest,
          contents: new Map(
            Object.entries(contents).map(([name, content]) => {
              const operator = operators.get(name);
              assert.ok(operator !== undefined, name);
              return [contentKey(operator.bundle), content];
            }),
          ),
        },
        outcome,
      ),
  };
}

function present(csv: JsonObject | undefined, objects: readonly JsonObject[] = []): KnownContent {
  const all = csv === undefined ? objects : [csv, ...objects];
  return { kind: "present", digest, bundle: { objects: all, ...(csv === undefined ? {} : { csv }) } };
}

const named = (name: string, change: JsonObject = {}): JsonObject => ({ ...smallCsv({}, { name }), ...change });

function completed(install: PlannedInstall) {
  assert.equal(install.kind, "complete", JSON.stringify(install).slice(0, 300));
  assert.ok(install.kind === "complete" && install.plan !== undefined, "there is no plan");
  return install.plan;
}

const stepNames = (plan: { readonly status: Pick<NonNullable<InstallPlan["status"]>, "plan"> }): readonly string[] =>
  (plan.status.plan ?? []).map(({ resource }) => `${resource.kind} ${resource.name}`);

const one = shortCatalog({ "a/stable": ["a.v1 1.0.0"] });

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
    // An API server refuses the `null` that a registry writes here.
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

test("a carried object without a kind fails the resolution in the words of OLM's decoder", () => {
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

test("without its content a bundle is a lookup with OLM's first conditions, and the plan names what it needs", () => {
  const install = decided(one, ["a a/stable"]).plan();
  assert.ok(install.kind === "incomplete");
  assert.deepEqual(
    install.needs.map(({ bundle, catalog, reading }) => [bundle.name, catalog.name, reading]),
    [["a.v1", "cat", "objects"]],
  );
  assert.deepEqual(install.content.steps, []);
  assert.deepEqual(
    install.content.lookups.map(({ identifier, conditions = [] }) => [
      identifier,
      ...conditions.map(({ type }) => type),
    ]),
    [["a.v1", "BundleLookupNotPersisted", "BundleLookupPending"]],
  );
  assert.deepEqual(install.content.spec?.clusterServiceVersionNames, ["a.v1"]);
});

test("a bundle that was asked for and is not there yet is not asked for again", () => {
  const install = decided(one, ["a a/stable"]).plan({ "a.v1": { kind: "pending" } });
  assert.ok(install.kind === "incomplete");
  assert.deepEqual(install.needs, []);
});

test("with its content a bundle is steps, and a lookup without conditions", () => {
  const { status } = completed(decided(one, ["a a/stable"]).plan({ "a.v1": present(named("a.v1"), [smallCrd]) }));
  assert.deepEqual(stepNames({ status }), [
    "ClusterServiceVersion a.v1",
    "CustomResourceDefinition pots.kiln.example.com",
  ]);
  assert.deepEqual(
    status.bundleLookups?.map(({ path, identifier, conditions }) => [path, identifier, conditions]),
    [["r/a.v1", "a.v1", undefined]],
  );
});

test("the Subscription of a dependency comes first, in the text that OLM writes", () => {
  const index = shortCatalog({ "a/stable": ["a.v1 1.0.0 R=K"], "b/beta": ["b.v1 1.0.0 P=K"] });
  const contents = { "a.v1": present(named("a.v1")), "b.v1": present(named("b.v1")) };
  const { status } = completed(decided(index, ["a a/stable"]).plan(contents));
  assert.deepEqual(stepNames({ status }), [
    "Subscription b-beta-cat-olm",
    "ClusterServiceVersion a.v1",
    "ClusterServiceVersion b.v1",
  ]);
  const [first] = status.plan ?? [];
  assert.equal(first?.resolving, "b.v1");
  assert.equal(
    first.resource.manifest,
    '{"metadata":{"name":"b-beta-cat-olm","namespace":"ns"},"spec":{"source":"cat","sourceNamespace":"olm","name":"b","channel":"beta","startingCSV":"b.v1","installPlanApproval":"Automatic"},"status":{"lastUpdated":null}}\n',
  );
});

test("what a catalog carries stands before what images hold, CSVs before CRDs before Subscriptions", () => {
  const index = carriedCatalog([
    { package: "a", line: "a.v1 1.0.0 R=K", image: "r/a" },
    { package: "b", line: "b.v1 1.0.0 P=K", objects: [smallCrd] },
  ]);
  const { object, status } = completed(decided(index, ["a a/alpha"]).plan({ "a.v1": present(named("a.v1")) }));
  assert.deepEqual(stepNames({ status }), [
    "ClusterServiceVersion b.v1",
    "CustomResourceDefinition pots.kiln.example.com",
    "Subscription b-alpha-cat-olm",
    "ClusterServiceVersion a.v1",
  ]);
  assert.deepEqual(object.spec.clusterServiceVersionNames, ["b.v1", "a.v1"]);
});

const unavailable: KnownContent = { kind: "unavailable", message: "no such image; push it" };

test("of several bundles nothing is refused before all were asked for, and then the first one's refusal counts", () => {
  const index = shortCatalog({ "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0"], "c/stable": ["c.v1 1.0.0"] });
  const { plan } = decided(index, ["a a/stable", "b b/stable", "c c/stable"]);
  assert.equal(plan({ "b.v1": unavailable }).kind, "incomplete");
  const refused = plan({
    "a.v1": { kind: "pending" },
    "b.v1": unavailable,
    "c.v1": { kind: "unreadable", message: "m" },
  });
  assert.ok(refused.kind === "refused");
  assert.equal(refused.refusal.message, "Bundle unpacking failed - BundleUnavailable: b.v1: no such image; push it");
  assert.equal(refused.refusal.stage, "unpacking");
});

test("a bundle that makes no steps is diagnosed before it is refused", () => {
  const { plan } = decided(one, ["a a/stable"]);
  const content = present(named("a.v1", { spec: {} }));
  const asked = plan({ "a.v1": content });
  assert.ok(asked.kind === "incomplete");
  assert.deepEqual(
    asked.needs.map(({ reading }) => reading),
    ["diagnosis"],
  );
  for (const [diagnosis, shown] of [
    ["", ""],
    ["csv.yaml:3: no such field", " (csv.yaml:3: no such field)"],
  ] as const) {
    const refused = plan({ "a.v1": { ...content, diagnosis } as KnownContent });
    assert.ok(refused.kind === "refused");
    const { message, fatal, problem } = refused.refusal;
    assert.equal(message, `Bundle unpacking failed - BundleInvalid: a.v1: unrecognized install strategy${shown}`);
    assert.equal(fatal, false);
    assert.equal(problem?.message, "unrecognized install strategy");
  }
});

test("a CSV without a kind is refused for good", () => {
  const content = { ...present(named("a.v1", { kind: "" })), diagnosis: "" } as KnownContent;
  const refused = decided(one, ["a a/stable"]).plan({ "a.v1": content });
  assert.ok(refused.kind === "refused");
  assert.equal(refused.refusal.fatal, true);
});

for (const carried of [false, true])
  test(`APIs of the lifecycle manager in a bundle ${carried ? "of the catalog itself" : "image"} are refused unless they are accepted`, () => {
    const spec = { customresourcedefinitions: { owned: [{ name: "as.purser.dev", version: "v1", kind: "A" }] } };
    const bundle = { package: "a", line: "a.v1 1.0.0", csvSpec: spec };
    const index = carriedCatalog([carried ? bundle : { ...bundle, image: "r/a" }]);
    const contents = carried ? {} : { "a.v1": present(smallCsv(spec, { name: "a.v1" })) };
    const refused = decided(index, ["a a/alpha"]).plan(contents);
    assert.ok(refused.kind === "refused");
    assert.match(
      refused.refusal.message,
      /BundleInvalid: a\.v1: it brings APIs of the lifecycle manager: as\.purser\.dev\./,
    );
    assert.equal(refused.refusal.fatal, true);
    completed(decided(index, ["a a/alpha"], { reservedGroups: "accepted" }).plan(contents));
  });

test("content that is no bundle is refused, and may be mended", () => {
  const refused = decided(one, ["a a/stable"]).plan({
    "a.v1": { kind: "unreadable", message: "open manifests/: no such file" },
  });
  assert.ok(refused.kind === "refused");
  const { message, fatal, stage } = refused.refusal;
  assert.deepEqual(
    [message, fatal, stage],
    ["Bundle unpacking failed - BundleInvalid: a.v1: open manifests/: no such file", false, "unpacking"],
  );
});

test("a plan carries OLM's label and is owned by every Subscription of its namespace, without blocking their deletion", () => {
  const index = shortCatalog({ "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0"] });
  const contents = { "a.v1": present(named("a.v1")) };
  const { metadata } = completed(
    decided(index, ["a a/stable", "b b/stable at=b.v1"], { installed: ["b.v1 1.0.0 b"] }).plan(contents),
  ).object;
  const owner = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    controller: false,
    blockOwnerDeletion: false,
  };
  assert.deepEqual(metadata.labels, { "olm.managed": "true" });
  assert.deepEqual(metadata.ownerReferences, [
    { ...owner, name: "a", uid: "uid-a" },
    { ...owner, name: "b", uid: "uid-b" },
  ]);
});

test("one Subscription with manual approval makes the plan of its namespace wait", () => {
  const index = shortCatalog({ "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0"] });
  const spec = (name: string): Partial<Subscription["spec"]> =>
    name === "b" ? { installPlanApproval: "Manual" } : { installPlanApproval: "Automatic" };
  const contents = { "a.v1": present(named("a.v1")), "b.v1": present(named("b.v1")) };
  const { object, status } = completed(decided(index, ["a a/stable", "b b/stable"], { spec }).plan(contents));
  assert.equal(object.spec.approval, "Manual");
  assert.equal(object.spec.approved, false);
  assert.equal(status.phase, "RequiresApproval");
});

function planOf(namespace: string, generation: number): InstallPlan {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { namespace, name: `${namespace}-${generation}` },
    spec: { approval: "Automatic", approved: true, clusterServiceVersionNames: [], generation },
  };
}

test("a plan's generation follows on those of the namespace's plans and Subscriptions, and on no others", () => {
  const content = { "a.v1": present(named("a.v1")) };
  const generation = (change: Parameters<typeof decided>[2]): number | undefined =>
    completed(decided(one, ["a a/stable"], change).plan(content)).object.spec.generation;
  const { generation: _none, ...spec } = planOf("ns", 0).spec;
  assert.equal(generation({ installPlans: [{ ...planOf("ns", 0), spec }] }), 1);
  assert.equal(generation({ installPlans: [planOf("ns", 3), planOf("other", 9)] }), 4);
  assert.equal(generation({ installPlans: [planOf("ns", 3)], at: { installPlanGeneration: 6 } }), 7);
});

test("equal inputs give a plan the same name, another generation gives it another one", () => {
  const nameOf = (change: Parameters<typeof decided>[2]): string | undefined =>
    completed(decided(one, ["a a/stable"], change).plan({ "a.v1": present(named("a.v1")) })).object.metadata.name;
  const name = nameOf({});
  assert.match(name ?? "", /^install-[0-9a-z]{5}$/);
  assert.equal(nameOf({}), name);
  assert.notEqual(nameOf({ installPlans: [planOf("ns", 1)] }), name);
});

test("no plan is made when no Subscription moves, though a CSV that is gone has steps", () => {
  const install = decided(one, ["a a/stable at=a.v1"]).plan({ "a.v1": present(named("a.v1")) });
  assert.ok(install.kind === "complete");
  assert.equal(install.plan, undefined);
  assert.equal(install.content.spec, undefined);
  assert.deepEqual(
    install.content.steps.map(({ resource }) => resource.name),
    ["a.v1"],
  );
});

test("manifests stay inline up to the limit; one character more and steps refer to the bundle, which gives the same text", () => {
  const { plan, operators } = decided(one, ["a a/stable"]);
  const filled = (characters: number): KnownContent =>
    present(named("a.v1"), [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { x: "y".repeat(characters) } },
    ]);
  const manifests = (content: KnownContent): readonly string[] =>
    (completed(plan({ "a.v1": content })).status.plan ?? []).map(({ resource }) => resource.manifest ?? "");
  const size = (content: KnownContent): number => manifests(content).reduce((sum, text) => sum + text.length, 0);
  const room = inlineLimit - size(filled(0));
  const [full, over] = [filled(room), filled(room + 1)];
  assert.equal(size(full), inlineLimit);
  for (const manifest of manifests(full)) assert.deepEqual(referenceIn(manifest), { ok: true, value: undefined });

  const operator = operators.get("a.v1");
  assert.ok(over.kind === "present" && operator !== undefined);
  const { bundle, catalog, propertiesText } = operator;
  const made = stepsOf(over.bundle, { namespace: "ns", replaces: "", catalog, properties: propertiesText });
  const resolved = (completed(plan({ "a.v1": over })).status.plan ?? []).map((step) => {
    const reference = referenceIn(step.resource.manifest ?? "");
    assert.ok(reference.ok && reference.value !== undefined, step.resource.name);
    const { image, package: packageName, version } = reference.value;
    assert.deepEqual([reference.value.digest, image, packageName, version], [digest, bundle.image, "a", "1.0.0"]);
    return referredManifest(step, reference.value, over.bundle, "ns");
  });
  assert.deepEqual(
    resolved,
    made.ok ? made.value.map(({ resource }) => ({ ok: true, value: resource.manifest })) : made.problem,
  );
});
