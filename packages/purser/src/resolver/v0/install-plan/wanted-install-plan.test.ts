import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { stepsOf } from "../../../bundle/install-plan-steps.ts";
import { shortCatalog } from "../../testing/short-catalog.ts";
import { inlineLimit, referenceIn, referredManifest } from "./bundle-reference.ts";
import { type KnownContent } from "./known-content.ts";
import { completed, decided, digest, named, present } from "./testing/decided-install.ts";

const one = shortCatalog({ "a/stable": ["a.v1 1.0.0"] });

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

test("no plan is made when no Subscription moves, though a deleted CSV has steps", () => {
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
    assert.ok(reference.ok && reference.value?.kind === "bundle", step.resource.name);
    const { image, package: packageName, version } = reference.value;
    assert.deepEqual([reference.value.digest, image, packageName, version], [digest, bundle.image, "a", "1.0.0"]);
    return referredManifest(step, reference.value, over.bundle, "ns");
  });
  assert.deepEqual(
    resolved,
    made.ok ? made.value.map(({ resource }) => ({ ok: true, value: resource.manifest })) : made.problem,
  );
});
