import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { digestOf } from "@purser/kubernetes/digest";
import { smallCsv } from "../../../bundle/testing/small-bundle.ts";
import { type StepsOptions, stepsOnce } from "../../../bundle/install-plan-steps.ts";
import type { BundleSummary } from "../../../catalog/catalog-index.ts";
import type { ResolvedOperator } from "../outcome.ts";
import type { KnownContent } from "./known-content.ts";
import { operatorPart } from "./operator-part.ts";
import { preparedContent } from "./prepare-content.ts";

const install: StepsOptions = {
  namespace: "ns",
  replaces: "",
  catalog: { name: "c", namespace: "olm" },
  properties: "",
};

/** A bundle with so many ConfigMaps of 20,000 characters. */
function bundleOf(maps: number): Extract<KnownContent, { readonly kind: "present" }> {
  const csv = smallCsv({}, { name: "a.v1" });
  const objects = Array.from({ length: maps }, (_, index): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `map-${index}` },
    data: { text: "x".repeat(20_000) },
  }));
  return { kind: "present", digest: digestOf("b"), bundle: { objects: [csv, ...objects], csv } };
}

/** What remains, and how many pauses were made. */
function prepared(content: KnownContent, manifests = true) {
  const steps = preparedContent(content, install, manifests);
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { content: step.value, pauses };
  }
}

test("the steps of a prepared bundle are those of the bundle, with manifests that are texts", () => {
  const content = bundleOf(3);
  const steps = stepsOnce(content.bundle, install);
  assert.ok(steps.ok);
  const after = prepared(content).content;
  assert.ok(after.kind === "present" && after.written !== undefined);
  assert.equal(after.written.of, steps.value);
  assert.deepEqual(
    after.written.steps,
    steps.value.map((step) => ({ ...step, resource: { ...step.resource } })),
  );
  for (const { resource } of after.written.steps)
    assert.equal(typeof Object.getOwnPropertyDescriptor(resource, "manifest")?.value, "string");
});

test("there is a pause before each part and after 64 KiB of manifests", () => {
  assert.deepEqual(
    [0, 3, 4, 8, 20].map((maps) => prepared(bundleOf(maps)).pauses),
    [4, 4, 5, 6, 9],
  );
});

test("a bundle that an InstallPlan only refers to is prepared without its manifests, also the second time", () => {
  const content = bundleOf(40);
  assert.equal(prepared(content).content, content);
  assert.deepEqual(prepared(content), { content, pauses: 3 });
});

test("content that is not there, or whose steps are wrong, or whose manifests are not asked for, stays as it is", () => {
  const pending: KnownContent = { kind: "pending" };
  assert.deepEqual(prepared(pending), { content: pending, pauses: 0 });
  const broken: KnownContent = { kind: "present", digest: digestOf("b"), bundle: { objects: [] } };
  assert.deepEqual(prepared(broken), { content: broken, pauses: 2 });
  const content = bundleOf(8);
  assert.deepEqual(prepared(content, false), { content, pauses: 3 });
});

test("an operator takes the prepared steps of its bundle, unless they were made for another installation", () => {
  const { content } = prepared(bundleOf(1));
  assert.ok(content.kind === "present");
  const stepsFor = (replaces: string) => {
    const bundle = { name: "a.v1", image: "example.com/a:1" } as BundleSummary;
    const operator: ResolvedOperator = {
      bundle,
      catalog: install.catalog,
      propertiesText: "",
      replaces,
      subscriptions: [],
      defaultChannel: true,
      properties: [],
      upToDate: false,
    };
    const part = operatorPart(operator, { namespace: "ns", index: undefined, content, reservedGroups: "refused" });
    assert.ok(part.kind === "unpacked");
    return part.steps;
  };
  assert.equal(stepsFor(""), content.written?.steps);
  assert.match(stepsFor("a.v0")[0]?.resource.manifest ?? "", /"replaces":"a.v0"/);
});
