import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PackageFacts } from "../catalog/package-facts.ts";
import type { ChannelName, PackageName } from "../catalog/names.ts";
import { searchPackages } from "./search.ts";

const facts = (name: string, more: Partial<PackageFacts> = {}): PackageFacts => ({
  name: name as PackageName,
  displayName: "",
  provider: "",
  keywords: [],
  kinds: [],
  capability: "",
  description: "",
  defaultChannel: "stable" as ChannelName,
  channels: [],
  ...more,
});
const namesFor = (query: string, items: readonly PackageFacts[]): readonly string[] =>
  searchPackages(query, items, (item) => item).map(({ item }) => item.name);

/** The word "vault" in each field, in the order of weight; names give no order away. */
const byField = [
  facts("m", { displayName: "Vault" }),
  facts("vault"),
  facts("k", { keywords: ["vault"] }),
  facts("j", { provider: "Vault Inc." }),
  facts("i", { kinds: ["Vault"] }),
  facts("h", { description: "Runs a vault." }),
];

test("a match counts by its field: display name, name, keywords, provider, kinds, description", () => {
  // A package of exactly that name is a case of its own.
  const fields = byField.map((one) => (one.name === "vault" ? facts("z-vault") : one));
  const noWhole = fields.map((one) => (one.displayName === "" ? one : { ...one, displayName: "Vault of Many" }));
  assert.deepEqual(namesFor("vault", noWhole.toReversed()), ["m", "z-vault", "k", "j", "i", "h"]);
});

const rows: readonly (readonly [says: string, query: string, finds: readonly string[]])[] = [
  ["no text lists all by name", "", ["app-postgres", "cache", "crunchy", "pg"]],
  ["only blanks are no text", "  ", ["app-postgres", "cache", "crunchy", "pg"]],
  ["a typing error finds what was meant", "postgrs", ["crunchy", "app-postgres", "pg"]],
  ["upper and lower case are the same", "POSTGRESQL", ["crunchy", "pg", "app-postgres"]],
  ["the beginning of a word is enough", "postg", ["crunchy", "app-postgres", "pg"]],
  ["the middle of a word is not", "ostgres", ["crunchy", "app-postgres", "pg"]],
  ["all words must match", "postgres backup", ["crunchy"]],
  ["a part of a camel-case kind is a word", "cluster", ["crunchy"]],
  ["the whole name comes first", "cache", ["cache", "pg"]],
  ["hyphens separate words", "app-postgres", ["app-postgres"]],
  ["two errors in seven letters are too many", "pastgrs", []],
  ["five letters may have one error", "cacha", ["pg", "cache"]],
  ["signs alone match nothing", "--", []],
];
const shop = [
  facts("pg", { keywords: ["postgresql"], displayName: "PG Cache" }),
  facts("crunchy", { displayName: "PostgreSQL", kinds: ["PostgresCluster"], description: "with backup" }),
  facts("app-postgres"),
  facts("cache"),
];
for (const [says, query, finds] of rows)
  test(`${says}: "${query}"`, () => assert.deepEqual(namesFor(query, shop), finds));

test("a name of four letters is not found with an error in it", () => {
  assert.deepEqual(namesFor("etdc", [facts("etcd")]), []);
  assert.deepEqual(namesFor("etxd", [facts("etcd")]), []);
});

test("signs are a query when a package is called so", () => {
  assert.deepEqual(namesFor("++", [facts("cc", { displayName: "++" }), facts("other")]), ["cc"]);
});

const letters = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const word = fc.string({ unit: letters, minLength: 5, maxLength: 20 });

/** One typing error at a place: insert, delete, replace, or swap with the next letter. */
function mistyped(text: string, kind: number, at: number): string {
  const place = at % text.length;
  const [before, letter, after] = [text.slice(0, place), text[place] ?? "", text.slice(place + 1)];
  switch (kind % 4) {
    case 0:
      return `${before}x${letter}${after}`;
    case 1:
      return before + after;
    case 2:
      return `${before}x${after}`;
    default:
      return before + (after[0] ?? "") + letter + after.slice(1);
  }
}

test("a word with one typing error in each five letters is found", () => {
  fc.assert(
    fc.property(word, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }), (name, errors) => {
      const typed = errors
        .slice(0, Math.floor(name.length / 5))
        .reduce((text, [kind, at]) => mistyped(text, kind, at), name);
      // Edits between a text and its double swap may be more than the errors that were made.
      assert.ok(errors.length > 1 || namesFor(typed, [facts(name)]).length === 1, `${typed} for ${name}`);
    }),
  );
});

test("the order is total: it does not depend on the order of the packages", () => {
  const some = fc.uniqueArray(
    fc.record({ name: fc.string({ unit: letters, minLength: 1, maxLength: 6 }), more: word }),
    {
      selector: ({ name }) => name,
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(some, fc.string({ unit: letters, maxLength: 4 }), fc.nat(), (packages, query, turn) => {
      const items = packages.map(({ name, more }) => facts(name, { description: more }));
      const turned = [...items.slice(turn % (items.length || 1)), ...items.slice(0, turn % (items.length || 1))];
      const found = namesFor(query, items);
      assert.deepEqual(namesFor(query, turned), found);
      assert.deepEqual(namesFor(query, items.toReversed()), found);
    }),
  );
});
