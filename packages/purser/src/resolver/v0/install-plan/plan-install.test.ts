import assert from "node:assert/strict";
import { test } from "node:test";
import { smallCrd, smallCsv } from "../../../bundle/testing/small-bundle.ts";
import { carriedCatalog } from "../../testing/carried-catalog.ts";
import { shortCatalog } from "../../testing/short-catalog.ts";
import { inlineLimit } from "./bundle-reference.ts";
import { type KnownContent } from "./known-content.ts";
import { completed, decided, named, present, stepNames } from "./testing/decided-install.ts";

const one = shortCatalog({ "a/stable": ["a.v1 1.0.0"] });

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

test("a bundle whose content is pending is not requested again", () => {
  const install = decided(one, ["a a/stable"]).plan({ "a.v1": { kind: "pending" } });
  assert.ok(install.kind === "incomplete");
  assert.deepEqual(install.needs, []);
});

test("manifests are not written before the contents of all bundles are known", () => {
  const index = shortCatalog({ "a/stable": ["a.v1 1.0.0"], "b/stable": ["b.v1 1.0.0"] });
  let written = 0;
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "counted" },
    get data() {
      written++;
      return {};
    },
  };
  const { plan } = decided(index, ["a a/stable", "b b/stable"]);
  const install = plan({ "a.v1": present(named("a.v1"), [object]), "b.v1": { kind: "pending" } });
  assert.ok(install.kind === "incomplete");
  assert.equal(written, 0);
  assert.ok(install.content.steps.some(({ resource }) => resource.name === "counted"));
  assert.ok(written > 0);
});

test("manifests that are too large for the plan are written in its first pass, and in no later one", () => {
  let written = 0;
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "counted" },
    get data() {
      written++;
      return { text: "x".repeat(inlineLimit) };
    },
  };
  const { plan } = decided(one, ["a a/stable"]);
  const content = present(named("a.v1"), [object]);
  const first = completed(plan({ "a.v1": content }));
  assert.ok(written > 0);
  written = 0;
  assert.deepEqual(completed(plan({ "a.v1": content })), first);
  assert.equal(written, 0);
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

test("steps of bundles inside the catalog precede those of images, CSVs precede CRDs, and CRDs precede Subscriptions", () => {
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

test("no bundle is refused before the contents of all were requested, and then the first refusal is reported", () => {
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

test("a bundle that the signature policy rejects is refused with that cause", () => {
  const refused = decided(one, ["a a/stable"]).plan({ "a.v1": { ...unavailable, isRejected: true } });
  assert.ok(refused.kind === "refused");
  const { message, explanation } = refused.refusal;
  assert.equal(message, "Bundle unpacking failed - SignatureRejected: a.v1: no such image; push it");
  assert.equal(explanation.code, "SignatureRejected");
});

test("an InstallPlan names the signer of each bundle, and has no such annotation without a policy", () => {
  const { plan } = decided(one, ["a a/stable"]);
  const accepted = { policy: "/policy.json", scope: "default", signer: "key sha256:1" };
  const content = present(named("a.v1"));
  const signed = completed(plan({ "a.v1": { ...content, accepted } as KnownContent }));
  const text = "a.v1 is signed by key sha256:1, accepted by signature policy /policy.json (default)";
  assert.deepEqual(signed.object.metadata.annotations, { "purser.dev/signatures": text });
  assert.equal(completed(plan({ "a.v1": content })).object.metadata.annotations, undefined);
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

test("a CSV without a kind is refused and not retried", () => {
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

test("content that is not a bundle is refused and may be repaired", () => {
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
