import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Property } from "../../catalog/catalog-index.ts";
import { entryId, type Entry, factsOf, formatGvk, gvkOf, versionsOf } from "./entry.ts";
import { maxConstraintBytes, parseConstraint } from "./olm-constraint.ts";
import { costOf, formatPredicate, isShownBy, matches, placesOf, type Predicate } from "./predicate.ts";
import { requirementOf, requirementsOf } from "./requirement.ts";

const origin = { key: { name: "cat", namespace: "olm" }, installed: false, priority: 0 };

function entryOf(properties: readonly Property[], more: Partial<Entry> = {}): Entry {
  return {
    name: "op.v1",
    version: "1.0.0",
    origin,
    packageName: "op",
    channel: "stable",
    inDefaultChannel: true,
    properties,
    facts: factsOf(properties),
    summary: undefined,
    subscription: undefined,
    ...more,
  } as unknown as Entry;
}

const gvk = { group: "g.io", version: "v1", kind: "A" };

/** How a requirement reads, or its problem. */
function read(type: string, value: JsonValue): string | undefined {
  const found = requirementOf({ type, value });
  if (!found.ok) {
    assert.deepEqual([found.problem.kind, found.problem.property], ["requirement", { type, value }]);
    return `problem: ${found.problem.message}`;
  }
  return found.value === undefined ? undefined : formatPredicate(found.value);
}

test("requirement properties are predicates in OLM's words; other properties require nothing", () => {
  const into = "into Go value of type struct";
  const rows: readonly (readonly [type: string, value: JsonValue, text: string | undefined])[] = [
    ["olm.gvk.required", gvk, "providing an API with group: g.io, version: v1, kind: A"],
    ["olm.gvk.required", { kind: "A", group: null }, "providing an API with group: , version: , kind: A"],
    ["olm.gvk.required", { kind: 1 }, `problem: json: cannot unmarshal object ${into}`],
    ["olm.gvk.required", null, `problem: json: cannot unmarshal null ${into}`],
    [
      "olm.package.required",
      { packageName: "a", versionRange: ">1.0.0" },
      "with package: a and with version in range: >1.0.0",
    ],
    ["olm.package.required", [], `problem: json: cannot unmarshal array ${into}`],
    ["olm.label.required", { label: "l" }, "with label: l"],
    ["olm.label.required", { label: 1 }, "with label: "],
    ["olm.label.required", {}, "with label: "],
    ["olm.label.required", true, `problem: json: cannot unmarshal bool ${into}`],
    ["olm.label.required", "text", `problem: json: cannot unmarshal string ${into}`],
    ["olm.constraint", { gvk }, "providing an API with group: g.io, version: v1, kind: A"],
    ["olm.constraint", {}, "problem: convert olm.constraint to resolver predicate: constraint is empty"],
    ["olm.gvk", gvk, undefined],
    ["other", {}, undefined],
  ];
  for (const [type, value, text] of rows) assert.equal(read(type, value), text, `${type} ${JSON.stringify(value)}`);
  assert.match(read("olm.package.required", { packageName: "a", versionRange: "x" }) ?? "", /^problem: ./);
  assert.equal(read("olm.package.required", {}), read("olm.package.required", { versionRange: "" }));
});

test("requirements keep the order of the properties; APIs and packages come again only behind another kind that follows", () => {
  const [label, api, pack, other] = [
    { type: "olm.label.required", value: { label: "l" } },
    { type: "olm.gvk.required", value: gvk },
    { type: "olm.package.required", value: { packageName: "p", versionRange: ">=1.0.0" } },
    { type: "olm.gvk", value: gvk },
  ];
  const kinds = (properties: readonly Property[], twice?: boolean): readonly string[] | string => {
    const found = requirementsOf(properties, twice);
    return found.ok ? found.value.map(({ kind }) => kind) : found.problem.message;
  };
  assert.deepEqual(
    [
      kinds([other, api, label, pack, { type: "x", value: 1 }, { type: "olm.package", value: 1 }]),
      kinds([api, label, pack], true),
      kinds([pack, label], true),
      kinds([label, api, pack], true),
      kinds([label], true),
      kinds([api, { type: "olm.label.required", value: 1 }, { type: "olm.gvk.required", value: 1 }]),
    ],
    [
      ["api", "label", "package"],
      ["api", "label", "package", "api", "package"],
      ["package", "label", "package"],
      ["label", "api", "package"],
      ["label"],
      "json: cannot unmarshal number into Go value of type struct",
    ],
  );
});

/** How a constraint reads, or OLM's problem. */
function constraint(value: JsonValue): string {
  const found = parseConstraint(value);
  return found.ok ? formatPredicate(found.value) : found.problem;
}

test("constraints are read by Go's rules: names in any case, null is absent, the first kind of OLM's order counts", () => {
  const [api, label] = [
    "providing an API with group: g.io, version: v1, kind: A",
    "with package: p and with version in range: >=1.0.0",
  ];
  const pack = { packageName: "p", versionRange: ">=1.0.0" };
  const rows: readonly (readonly [value: JsonValue, text: string])[] = [
    [{ GVK: { Group: "g.io", VERSION: "v1", kind: "A" } }, api],
    [{ gvk: {} }, "providing an API with group: , version: , kind: "],
    [{ gvk, package: pack }, api],
    [{ package: pack, all: { constraints: [] } }, label],
    [{ package: pack, gvk: null }, label],
    [{ all: { constraints: [{ gvk }, { package: pack }] } }, `${api} and ${label}`],
    [{ any: { constraints: [{ gvk }, { package: pack }] }, not: { constraints: [] } }, `${api} or ${label}`],
    [{ not: { constraints: [{ gvk }, { package: pack }] } }, `${api} and not ${label}`],
    [{ all: {} }, ""],
    [{ cel: { rule: "true" }, failureMessage: "m" }, 'with constraint: "true" and message: "m"'],
    [{ cel: { rule: "true" } }, 'with constraint: "true" and message: ""'],
  ];
  for (const [value, text] of rows) assert.equal(constraint(value), text, JSON.stringify(value));
});

test("a constraint that is no constraint is refused in OLM's words", () => {
  const [parse, convert] = ["parse olm.constraint: ", "convert olm.constraint to resolver predicate: "];
  const shape = (kind: string) => `${parse}json: cannot unmarshal ${kind} into Go value of type constraints.Constraint`;
  const rows: readonly (readonly [value: JsonValue, text: string])[] = [
    [[], shape("array")],
    [true, shape("bool")],
    [1, shape("number")],
    [{ failureMessage: 1 }, shape("number")],
    [{ gvk: { group: false } }, shape("bool")],
    [{ all: { constraints: "x" } }, shape("string")],
    [{ unknown: 1 }, `${parse}json: unknown field "unknown"`],
    [{ gvk: { other: "x" } }, `${parse}json: unknown field "other"`],
    [{ package: { name: "x" } }, `${parse}json: unknown field "name"`],
    [{ cel: { other: "x" } }, `${parse}json: unknown field "other"`],
    [{ all: { other: [] } }, `${parse}json: unknown field "other"`],
    [{ failureMessage: "m" }, `${convert}constraint is empty`],
    [{ all: { constraints: [null] } }, `${convert}constraint is empty`],
    [{ cel: { rule: "1" } }, `${convert}cel expressions must have type Bool`],
  ];
  for (const [value, text] of rows) assert.equal(constraint(value), text, JSON.stringify(value));
  assert.ok(constraint({ cel: {} }).startsWith(convert));
  assert.ok(constraint({ package: { packageName: "p", versionRange: "x" } }).startsWith(convert));
});

test("a constraint may have as many bytes of JSON as OLM allows, however many of them a character has", () => {
  const frame = JSON.stringify({ failureMessage: "" }).length;
  const sized = (character: string, count: number): string => constraint({ failureMessage: character.repeat(count) });
  const tooLarge = `parse olm.constraint: olm.constraint value is greater than max constraint size 131072 bytes`;
  for (const [character, bytes] of [
    ["a", 1],
    ["ä", 2],
    ["€", 3],
    ["😀", 4],
  ] as const) {
    const most = Math.floor((maxConstraintBytes - frame) / bytes);
    assert.equal(
      sized(character, most),
      "convert olm.constraint to resolver predicate: constraint is empty",
      character,
    );
    assert.equal(sized(character, most + 1), tooLarge, character);
  }
});

const package_ = (name: string, range: string): Predicate => {
  const found = requirementOf({ type: "olm.package.required", value: { packageName: name, versionRange: range } });
  assert.ok(found.ok && found.value !== undefined);
  return found.value;
};
const cel = (rule: string): Predicate => {
  const found = parseConstraint({ cel: { rule } });
  assert.ok(found.ok);
  return found.value;
};
const api = (change: Partial<typeof gvk> = {}): Predicate => ({ kind: "api", api: { ...gvk, ...change } });
const label = (text: string): Predicate => ({ kind: "label", label: text });

test("a predicate matches the bundle that it is about, and no other", () => {
  const entry = entryOf([
    { type: "olm.gvk", value: gvk },
    { type: "olm.label", value: { label: "l" } },
    { type: "olm.label", value: "text" },
    { type: "olm.package", value: { packageName: "also", version: "5.0.0" } },
  ]);
  const rows: readonly (readonly [Predicate, boolean])[] = [
    [api(), true],
    [api({ group: "h.io" }), false],
    [api({ version: "v2" }), false],
    [api({ kind: "B" }), false],
    [package_("op", ">=1.0.0"), true],
    [package_("op", "<1.0.0"), false],
    [package_("also", ">=5.0.0"), true],
    [package_("also", "<5.0.0 >1.0.0"), false],
    [package_("other", ">=1.0.0"), false],
    [label("l"), true],
    [label("text"), false],
    [label(""), false],
    [cel("properties.exists(p, p.type == 'olm.gvk')"), true],
    [cel("properties.exists(p, p.type == 'x')"), false],
    [cel("properties[9].type == 'x'"), false],
    [{ kind: "all", of: [api(), label("l")] }, true],
    [{ kind: "all", of: [api(), label("x")] }, false],
    [{ kind: "any", of: [api({ kind: "B" }), label("l")] }, true],
    [{ kind: "any", of: [] }, false],
    [{ kind: "not", of: [label("x"), label("l")] }, false],
    [{ kind: "not", of: [label("x")] }, true],
  ];
  for (const [predicate, expected] of rows)
    assert.equal(matches(predicate, entry), expected, formatPredicate(predicate));
  assert.equal(matches(label(""), entryOf([{ type: "olm.label", value: {} }])), true);
  assert.equal(matches(label("l"), entryOf([{ type: "other", value: { label: "l" } }])), false);
});

test("labels and rules hold for properties alone, a rule only within its cost", () => {
  const properties = [{ type: "olm.label", value: { label: "l" } }];
  const rule = cel("properties.exists(p, p.type == 'olm.label')") as Predicate & { readonly kind: "cel" };
  assert.deepEqual(
    [
      isShownBy({ kind: "label", label: "l" }, properties),
      isShownBy({ kind: "label", label: "x" }, properties),
      isShownBy(rule, properties),
      isShownBy(rule, []),
      isShownBy(rule, properties, 1),
    ],
    [true, false, true, false, false],
  );
});

test("a rule costs as much as sixteen comparisons, a compound as much as its parts", () => {
  const of = [api(), package_("p", ">1.0.0"), label("l"), cel("true")];
  assert.deepEqual(
    [...of, { kind: "all", of } as const, { kind: "not", of: [] } as const].map(costOf),
    [1, 1, 1, 16, 19, 0],
  );
});

test("a predicate is found at its APIs or packages; of all parts the one that names packages alone, of any all", () => {
  const [byApi, byPackage] = [api(), package_("p", ">1.0.0")];
  const everywhere = { kind: "everywhere" };
  const places = (predicate: Predicate) => placesOf(predicate);
  assert.deepEqual(
    [
      places(byApi),
      places(byPackage),
      places(label("l")),
      places(cel("true")),
      places({ kind: "not", of: [byApi] }),
      places({ kind: "all", of: [label("l"), byApi, byPackage] }),
      places({ kind: "all", of: [byApi, api({ kind: "B" })] }),
      places({ kind: "all", of: [label("l")] }),
      places({ kind: "any", of: [byApi, byPackage] }),
      places({ kind: "any", of: [byApi, label("l")] }),
    ],
    [
      { kind: "some", apis: [gvk], packages: [] },
      { kind: "some", apis: [], packages: ["p"] },
      everywhere,
      everywhere,
      everywhere,
      { kind: "some", apis: [], packages: ["p"] },
      { kind: "some", apis: [gvk], packages: [] },
      everywhere,
      { kind: "some", apis: [gvk], packages: ["p"] },
      everywhere,
    ],
  );
});

test("facts of a bundle are its readable APIs and packages, and whether it is withdrawn", () => {
  assert.deepEqual(
    factsOf([
      { type: "olm.gvk", value: gvk },
      { type: "olm.gvk", value: "text" },
      { type: "olm.package", value: { packageName: "a" } },
      { type: "olm.package", value: {} },
      { type: "olm.package", value: 1 },
      { type: "other", value: { packageName: "b" } },
    ]),
    { apis: [gvk], packages: ["a", ""], withdrawn: false },
  );
  assert.equal(factsOf([{ type: "olm.deprecated", value: {} }]).withdrawn, true);
  assert.deepEqual(
    [gvkOf({ group: "g" }), gvkOf({ version: 1 }), gvkOf({ group: 1 }), gvkOf([])],
    [{ group: "g", version: "", kind: "" }, undefined, undefined, undefined],
  );
  assert.equal(formatGvk(gvk), "A (g.io/v1)");
});

test("an entry is named by its place, and has its own version beside those that its properties state", () => {
  const entry = entryOf([
    { type: "olm.package", value: { packageName: "op", version: "2.0.0" } },
    { type: "olm.package", value: { version: "none" } },
    { type: "olm.package", value: {} },
    { type: "other", value: { version: "3.0.0" } },
  ]);
  const texts = (one: Entry) => {
    const { own, stated } = versionsOf(one);
    assert.equal(versionsOf(one), versionsOf(one));
    return [own?.major, ...stated.map(({ major }) => major)];
  };
  assert.deepEqual(
    [texts(entry), texts(entryOf([], { version: "" })), texts(entryOf([], { version: "none" }))],
    [[1n, 2n], [undefined], [undefined]],
  );
  assert.equal(entryId(entry), "cat/olm/stable/op.v1");
  assert.equal(entryId(entryOf([], { origin: { ...origin, installed: true } })), "@existing/olm//op.v1");
});
