// Compares the resolution of whole namespaces with a naive implementation (`testing/reference-namespace.ts`) on random small worlds.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resolveNow } from "./resolution.ts";
import type { ReferenceAnswer } from "./testing/reference-namespace.ts";
import { referenceAnswer } from "./testing/reference-namespace.ts";
import type { ShortNamespace } from "./testing/short-world.ts";
import { shortNamespace } from "./testing/short-world.ts";
import type { NamespaceInput } from "./v0/input.ts";
import { resolveNamespace } from "./v0/resolve-namespace.ts";

function ours(input: NamespaceInput): ReferenceAnswer {
  const outcome = resolveNow(resolveNamespace(input));
  if (outcome.kind !== "resolved") return { kind: outcome.kind };
  return {
    kind: "resolved",
    chosen: outcome.operators.map(
      ({ bundle, catalog, replaces }) =>
        `${catalog.name}/${catalog.namespace}/${bundle.channel}/${bundle.name}>${replaces ?? ""}`,
    ),
  };
}

const packages = ["a", "b", "c"] as const;
const apis = ["K1", "K2", "K3"] as const;
const anyPackage = fc.constantFrom(...packages);
const anyApi = fc.constantFrom(...apis);
const range = fc.constantFrom("<2.0.0", ">=2.0.0", "1.0.0", ">=1.0.0 <3.0.0", "!1.0.0", "9.0.0");
const gvk = anyApi.map((kind) => ({ gvk: { group: "g.io", version: "v1", kind } }));
const inRange = fc.record({ package: fc.record({ packageName: anyPackage, versionRange: range }) });
const atom = fc.oneof(gvk, inRange);
const constraint = fc.oneof(
  atom,
  fc.record({ all: fc.record({ constraints: fc.array(atom, { minLength: 1, maxLength: 2 }) }) }),
  fc.record({ any: fc.record({ constraints: fc.array(atom, { minLength: 1, maxLength: 2 }) }) }),
  fc.tuple(gvk, atom).map(([wanted, part]) => ({ all: { constraints: [wanted, { not: { constraints: [part] } }] } })),
);

/** What a bundle says; most say little, so that worlds are not all refused. */
const words = fc
  .record({
    P: fc.option(anyApi, { freq: 2, nil: undefined }),
    R: fc.option(anyApi, { freq: 1, nil: undefined }),
    dep: fc.option(
      fc.tuple(anyPackage, range).map((pair) => pair.join(":")),
      { freq: 1, nil: undefined },
    ),
    label: fc.option(fc.constant("lts"), { freq: 1, nil: undefined }),
    needs: fc.option(fc.constant("lts"), { freq: 1, nil: undefined }),
    c: fc.option(
      constraint.map((value) => JSON.stringify(value)),
      { freq: 1, nil: undefined },
    ),
    rare: fc.nat({ max: 11 }),
  })
  .map(({ rare, ...said }) => {
    const sparse = Object.entries(said).filter(([key, value]) => value !== undefined && (key === "P" || rare < 8));
    return sparse.map(([key, value]) => ` ${key}=${value}`).join("") + (rare === 11 ? " D" : "");
  });

const versions = ["1.0.0", "2.0.0", "3.0.0"] as const;

/** A package: what its versions say, and how its channels link them. */
const packageShape = fc.record({
  said: fc.tuple(words, words, words),
  channels: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("alpha", "stable"),
      members: fc.subarray([0, 1, 2], { minLength: 1 }),
      edge: fc.constantFrom("replaces", "replaces", "replaces", "skips", "skipRange", "none"),
    }),
    { minLength: 1, maxLength: 2, selector: ({ name }) => name },
  ),
});
type PackageShape = typeof packageShape extends fc.Arbitrary<infer Shape> ? Shape : never;

const bundleName = (name: string, version: number): string => `${name}.v${version + 1}`;

function channelsOf(name: string, { said, channels }: PackageShape): readonly (readonly [string, readonly string[]])[] {
  return channels.map(({ name: channel, members, edge }) => {
    const lines = members.map((version, at) => {
      const before = members[at - 1];
      const older = before === undefined ? "" : bundleName(name, before);
      const edges: Readonly<Record<typeof edge, string>> = {
        replaces: ` r=${older}`,
        skips: ` r=${older}${at > 1 ? ` s=${bundleName(name, members[at - 2] ?? 0)}` : ""}`,
        skipRange: ` r=${older} sr=<${versions[version]}`,
        none: "",
      };
      return `${bundleName(name, version)} ${versions[version]}${older === "" ? "" : edges[edge]}${said[version]}`;
    });
    return [`${name}/${channel}`, lines];
  });
}

const world = fc
  .record({
    shapes: fc.tuple(packageShape, packageShape, packageShape),
    second: fc.option(fc.tuple(anyPackage, packageShape, fc.constantFrom("olm/second", "ns/own 5", "far/away 9")), {
      freq: 2,
      nil: undefined,
    }),
    subscribed: fc.uniqueArray(
      fc.record({ name: anyPackage, channel: fc.constantFrom("", "/alpha", "/stable"), start: fc.nat({ max: 9 }) }),
      { minLength: 1, maxLength: 3, selector: ({ name }) => name },
    ),
    installed: fc.uniqueArray(fc.record({ name: anyPackage, version: fc.nat({ max: 2 }), owned: fc.boolean() }), {
      maxLength: 2,
      selector: ({ name }) => name,
    }),
    excluded: fc.nat({ max: 9 }),
  })
  .map(({ shapes, second, subscribed, installed, excluded }): ShortNamespace => {
    const own = Object.fromEntries(packages.flatMap((name, at) => channelsOf(name, shapes[at] ?? shapes[0])));
    const there = second === undefined ? {} : { [second[2]]: Object.fromEntries(channelsOf(second[0], second[1])) };
    const said = (name: string, version: number): string =>
      shapes[packages.findIndex((other) => other === name)]?.said[version] ?? "";
    return {
      catalogs: { "olm/cat": own, ...there },
      subscriptions: subscribed.map(({ name, channel, start }) => {
        const at = installed.find((csv) => csv.name === name && csv.owned);
        const status = at === undefined ? "" : ` at=${bundleName(name, at.version)}`;
        return `${name} ${name}${channel}${start < 2 ? ` start=${bundleName(name, start)}` : ""}${status}`;
      }),
      installed: installed.map(
        ({ name, version }) => `${bundleName(name, version)} ${versions[version]} ${name}${said(name, version)}`,
      ),
      groups: [excluded === 9 ? "og excluded" : "og"],
    };
  });

test("namespaces resolve to the same bundles as with the naive implementation", () => {
  const seen = { resolved: 0, unsatisfiable: 0, error: 0 };
  fc.assert(
    fc.property(world, (short) => {
      const input = shortNamespace(short);
      const expected = referenceAnswer(input);
      assert.deepEqual(ours(input), expected);
      seen[expected.kind]++;
    }),
    { numRuns: 600, seed: 7 },
  );
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 10, `${count} worlds of kind ${kind}`);
});
