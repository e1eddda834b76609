import assert from "node:assert/strict";
import { test } from "node:test";
import { type CatalogView, viewOf } from "../catalog-view.ts";
import { loadCatalog } from "../loading/load.ts";
import { bestProvider, requirementsOf } from "./requirements.ts";

interface BundleText {
  readonly version: string;
  readonly properties?: readonly string[];
}

/** A package of which each channel has some of the bundles. */
const packageText = (
  name: string,
  channels: Readonly<Record<string, readonly string[]>>,
  bundles: Readonly<Record<string, BundleText>>,
): string =>
  [
    `---\nschema: olm.package\nname: ${name}\ndefaultChannel: stable\n`,
    ...Object.entries(channels).map(
      ([channel, entries]) =>
        `---\nschema: olm.channel\npackage: ${name}\nname: ${channel}\nentries: [${entries.map((one) => `{name: ${one}}`).join(", ")}]\n`,
    ),
    ...Object.entries(bundles).map(
      ([bundle, { version, properties = [] }]) =>
        `---\nschema: olm.bundle\npackage: ${name}\nname: ${bundle}\nimage: i\nproperties: [${[`{type: olm.package, value: {packageName: ${name}, version: ${version}}}`, ...properties].join(", ")}]\n`,
    ),
  ].join("");

const view = (...texts: readonly string[]): CatalogView =>
  viewOf(loadCatalog([{ file: "c", text: texts.join("") }]).blobs);

/** What a bundle with these properties requires: alternatives are joined by " or ". */
function required(...properties: readonly string[]): readonly string[] {
  const bundle = view(packageText("op", { stable: ["op.v1"] }, { "op.v1": { version: "1.0.0", properties } }))
    .packages.get("op")
    ?.bundles.get("op.v1");
  assert.ok(bundle !== undefined);
  return requirementsOf(bundle).map((alternatives) => alternatives.map(({ text }) => text).join(" or "));
}

const gvk = "{group: g.io, version: v1, kind: A}";

test("packages, APIs and constraints of them are requirements; of alternatives each may do", () => {
  assert.deepEqual(
    required(
      "{type: olm.package.required, value: {packageName: bar, versionRange: '>=1.0.0'}}",
      "{type: olm.package.required, value: {packageName: baz}}",
      `{type: olm.gvk.required, value: ${gvk}}`,
      "{type: olm.package.required, value: text}",
      "{type: other, value: {packageName: bar}}",
    ),
    ["package bar >=1.0.0", "package baz", "A g.io/v1"],
  );
  assert.deepEqual(
    required(
      "{type: olm.constraint, value: {failureMessage: m, package: {packageName: bar, versionRange: '<2'}}}",
      `{type: olm.constraint, value: {gvk: ${gvk}}}`,
      `{type: olm.constraint, value: {all: {constraints: [{gvk: ${gvk}}, 1, {package: {packageName: a}}]}}}`,
      `{type: olm.constraint, value: {any: {constraints: [{gvk: ${gvk}}, {package: {packageName: a}}]}}}`,
      "{type: olm.constraint, value: {cel: {rule: 'true'}}}",
      "{type: olm.constraint, value: {package: text}}",
    ),
    ["package bar <2", "A g.io/v1", "A g.io/v1", "package a", "A g.io/v1 or package a"],
  );
});

const provides = (value: string): string => `{type: olm.gvk, value: ${value}}`;

/** `package bundle` of the provider that a bundle with this property gets. */
function provider(property: string, ...texts: readonly string[]): string | undefined {
  const all = view(
    packageText("op", { stable: ["op.v1"] }, { "op.v1": { version: "1.0.0", properties: [property] } }),
    ...texts,
  );
  const op = all.packages.get("op")?.bundles.get("op.v1");
  assert.ok(op !== undefined);
  const found = bestProvider(all, requirementsOf(op).flat());
  return found === undefined ? undefined : `${found.package.name} ${found.bundle.name}`;
}

test("the provider of a package is its highest version in the range", () => {
  const bar = packageText(
    "bar",
    { stable: ["b1", "b2"] },
    { b1: { version: "1.0.0" }, b2: { version: "2.0.0" }, odd: { version: "none" } },
  );
  const wants = (range: string) =>
    provider(`{type: olm.package.required, value: {packageName: bar, versionRange: '${range}'}}`, bar);
  assert.deepEqual(
    [wants("<2.0.0"), wants(">=1.0.0"), wants(">2.0.0"), wants("unreadable")],
    ["bar b1", "bar b2", undefined, undefined],
  );
  assert.equal(provider("{type: olm.package.required, value: {packageName: baz}}", bar), undefined);
});

test("an API is provided under exactly its group, version and kind", () => {
  const wants = (value: string) =>
    provider(
      `{type: olm.gvk.required, value: ${gvk}}`,
      packageText("bar", { stable: ["b1"] }, { b1: { version: "1.0.0", properties: [provides(value)] } }),
    );
  assert.deepEqual(
    [
      wants(gvk),
      wants("{group: h.io, version: v1, kind: A}"),
      wants("{group: g.io, version: v2, kind: A}"),
      wants("{group: g.io, version: v1, kind: B}"),
      wants("text"),
    ],
    ["bar b1", undefined, undefined, undefined, undefined],
  );
});

test("of equal versions the first package wins, and in it the bundle of the default channel", () => {
  const properties = [provides(gvk)];
  const bundles = {
    b1: { version: "1.0.0", properties },
    b2: { version: "1.0.0", properties },
    b3: { version: "1.0.0", properties },
  };
  const wants = (...texts: readonly string[]) => provider(`{type: olm.gvk.required, value: ${gvk}}`, ...texts);
  const bar = packageText("bar", { stable: ["b2", "b3"], fast: ["b1"] }, bundles);
  assert.equal(wants(bar), "bar b2");
  assert.equal(wants(packageText("bar", { fast: ["b1", "b2", "b3"], stable: [] }, bundles)), "bar b1");
  assert.equal(wants(packageText("bar", { stable: ["b1", "b2"], fast: ["b3"] }, bundles)), "bar b1");
  const baz = packageText("baz", { stable: ["b2"] }, { b2: { version: "1.0.0", properties } });
  assert.equal(
    wants(packageText("bar", { fast: ["b1"], stable: [] }, { b1: { version: "1.0.0", properties } }), baz),
    "bar b1",
  );
});
