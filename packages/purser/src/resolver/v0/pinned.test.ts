// Cases of OLM v0's own resolver tests, restated. Letter and number only identify the case.
import assert from "node:assert/strict";
import { test } from "node:test";
import { channelOrder } from "../../upgrade-graph/channel-order.ts";
import { resolveNow } from "../resolution.ts";
import type { ShortNamespace } from "../testing/short-world.ts";
import { shortNamespace } from "../testing/short-world.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

/** Chosen bundles, each with `>CSV` when it replaces one; or what the refusal has to say. */
type Expected = string | RegExp;

type Case = readonly [id: string, world: ShortNamespace, expected: Expected];

function answer(world: ShortNamespace): string {
  const outcome = resolveNow(resolveNamespace(shortNamespace(world)));
  if (outcome.kind !== "resolved") return `${outcome.kind}: ${outcome.upstream}`;
  return outcome.operators
    .map(({ bundle, replaces }) => `${bundle.name}${replaces === undefined ? "" : `>${replaces}`}`)
    .join(" ");
}

const one = (channels: Readonly<Record<string, readonly string[]>>): ShortNamespace["catalogs"] => ({
  "olm/cat": channels,
});
const c = (constraint: object): string => `c=${JSON.stringify(constraint)}`;
const gvk = (kind: string): object => ({ gvk: { group: "g.io", version: "v1", kind } });

const threeT = {
  "t/alpha": ["t.v1 1.0.0 R=K"],
  "another/alpha": ["another.v1 1.0.0 P=K"],
  "c/alpha": ["c.v1 1.0.0 P=K"],
};
const foo = [
  "foo.v0.99.0 0.99.0 P=K1,K2,K3",
  "foo.v1.0.0 1.0.0 r=foo.v0.99.0 P=K2,K3",
  "foo.v1.0.1 1.0.1 r=foo.v1.0.0 P=K1,K2,K3",
];
const phases = {
  "a/alpha": ["opA.v1.0.0 1.0.0 P=K", "opA.v1.0.1 1.0.1 r=opA.v1.0.0 R=K"],
  "b/alpha": ["opB.v1.0.0 1.0.0 P=K2 R=K"],
};
const updated = ["opA.v1.0.0 1.0.0 a P=K", "opB.v1.0.0 1.0.0 b P=K2 R=K"];
const both = ["a a/alpha at=opA.v1.0.0", "b b/alpha at=opB.v1.0.0"];

const wholeNamespace: readonly Case[] = [
  [
    "A1",
    {
      catalogs: one({ "t/alpha": ["t.v1 1.0.0 P=K"], "a/alpha": ["a.v1 1.0.0"] }),
      installed: ["t.v1 1.0.0 t P=K"],
      subscriptions: ["t t/alpha at=t.v1", "a a/alpha"],
    },
    "a.v1",
  ],
  ["A2", { catalogs: one(threeT), subscriptions: ["t t/alpha"] }, "another.v1 t.v1"],
  ["A3, by a hold", { catalogs: one(threeT), subscriptions: ["t t/alpha"], holds: ["another closed"] }, "c.v1 t.v1"],
  [
    "A4, by a hold",
    {
      catalogs: one({ ...threeT, "d/alpha": ["d.v1 1.0.0"] }),
      subscriptions: ["t t/alpha", "d d/alpha at=d.v1"],
      installed: ["d.v1 1.0.0 d"],
      holds: ["another closed", "d closed"],
    },
    "c.v1 t.v1",
  ],
  [
    "A5, by a hold",
    { catalogs: one(threeT), subscriptions: ["t t/alpha"], holds: ["t closed for now"] },
    /closed for now/,
  ],
  [
    "A6",
    {
      catalogs: one({
        "t/alpha": ["side1.v1 1.0.0", "side1.v2 1.0.1 r=side1.v1", "side2.v1 1.0.0", "side2.v2 1.0.1 r=side2.v1"],
      }),
      subscriptions: ["t t/alpha"],
    },
    /2 replacement chains were found in channel "alpha" of package "t": side1\.v2\.\.\.side1\.v1, side2\.v2\.\.\.side2\.v1/,
  ],
  [
    "A7",
    { catalogs: one({ "a/alpha": ["a.v1 1.0.0"], "a/beta": ["a.v1 1.0.0"] }), subscriptions: ["a a/alpha"] },
    "a.v1",
  ],
  [
    "A8",
    {
      catalogs: one({
        "t/alpha": ["t.v1 1.0.0", "t.v1.0.1 1.0.1 r=t.v1"],
        "a/alpha": ["a.v0.9.0 0.9.0", "a.v1.0.0 1.0.0 r=a.v0.9.0", "a.v1.0.1 1.0.1 r=a.v1.0.0"],
      }),
      installed: ["t.v1 1.0.0 t"],
      subscriptions: ["t t/alpha at=t.v1", "a a/alpha"],
    },
    "a.v1.0.1>a.v1.0.0 t.v1.0.1>t.v1",
  ],
  [
    "A9 and A10",
    {
      catalogs: one({
        "a/alpha": ["a.v1.0.1 1.0.1 dep=c:1.0.1,d:1.0.1"],
        "c/alpha": ["c.v1.0.0 1.0.0 dep=e:1.0.1", "c.v1.0.1 1.0.1 r=c.v1.0.0 dep=e:1.0.1"],
        "d/alpha": ["d.v1.0.1 1.0.1", "d.v1.0.2 1.0.2 r=d.v1.0.1"],
        "e/alpha": ["e.v1.0.1 1.0.1"],
      }),
      subscriptions: ["a a/alpha"],
    },
    "a.v1.0.1 c.v1.0.1>c.v1.0.0 d.v1.0.1 e.v1.0.1",
  ],
  [
    "A16",
    {
      catalogs: one({ "t/alpha": ["t.v1 1.0.0 needs=lts"], "a/beta": ["a.v1 1.0.0 label=lts"] }),
      subscriptions: ["t t/alpha"],
    },
    "a.v1 t.v1",
  ],
  [
    "A17",
    { catalogs: one({ "t/alpha": ["t.v1 1.0.0 needs=lts"], "a/beta": ["a.v1 1.0.0"] }), subscriptions: ["t t/alpha"] },
    /bundle t\.v1 requires an operator with label: lts/,
  ],
  [
    "A19",
    {
      catalogs: one({
        "bar/stable": [
          `bar.v1 1.0.0 ${c({ all: { constraints: [{ package: { packageName: "foo", versionRange: ">=1.0.0" } }, gvk("K1"), gvk("K2")] } })}`,
        ],
        "foo/stable": foo,
      }),
      subscriptions: ["bar bar/stable"],
    },
    "bar.v1 foo.v1.0.1>foo.v1.0.0",
  ],
  [
    "A20",
    {
      catalogs: one({
        "bar/stable": [`bar.v1 1.0.0 ${c({ any: { constraints: [gvk("K1"), gvk("K2")] } })}`],
        "foo/stable": foo,
      }),
      subscriptions: ["bar bar/stable"],
    },
    "bar.v1 foo.v1.0.1>foo.v1.0.0",
  ],
  [
    "A21",
    {
      catalogs: one({
        "bar/stable": [
          `bar.v1 1.0.0 ${c({ all: { constraints: [gvk("K0"), { not: { constraints: [gvk("K1"), gvk("K2")] } }] } })}`,
        ],
        "foo/stable": [
          "foo.v0.99.0 0.99.0 P=K0",
          "foo.v1.0.0 1.0.0 r=foo.v0.99.0 P=K0,K1",
          "foo.v1.0.1 1.0.1 r=foo.v1.0.0 P=K0,K2",
        ],
      }),
      subscriptions: ["bar bar/stable"],
    },
    "bar.v1 foo.v0.99.0",
  ],
  [
    "A22",
    { catalogs: one({ "bar/stable": [`bar.v1 1.0.0 ${c({ unknown: {} })}`] }), subscriptions: ["bar bar/stable"] },
    /^error: .*json: unknown field "unknown"/,
  ],
  [
    "A23",
    {
      catalogs: {
        "olm/cat": { "a/alpha": ["a.v1 1.0.0 dep=c:1.0.0"], "c/alpha": ["c.v1 1.0.0 dep=d:1.0.0"] },
        "olm/second": { "c/alpha": ["c.v1 1.0.0"] },
      },
      subscriptions: ["a a/alpha"],
    },
    "a.v1 c.v1",
  ],
  [
    "A26",
    { catalogs: one({ "t/stable": ["t.v0.0.1 0.0.1"], "t/alpha": ["t.v0.0.2 0.0.2"] }), subscriptions: ["t t"] },
    "t.v0.0.1",
  ],
  [
    "A27",
    {
      catalogs: one({
        "a/stable": ["a.v1 1.0.0 R=K"],
        "x/stable": ["x.v0.0.1 0.0.1 P=K"],
        "x/alpha": ["x.v0.0.2 0.0.2 P=K"],
      }),
      subscriptions: ["a a/stable"],
    },
    "a.v1 x.v0.0.1",
  ],
  [
    "A28",
    {
      catalogs: one({ "a/alpha": ["a.v1.0.0 1.0.0 R=K", "a.v1.0.1 1.0.1 r=a.v1.0.0 R=K"] }),
      installed: ["t.v1 1.0.0 - P=K"],
      subscriptions: ["a a/alpha"],
    },
    "a.v1.0.1>a.v1.0.0",
  ],
  [
    "A29",
    {
      catalogs: one({ "a/alpha": ["a.v1.0.0 1.0.0 P=K", "a.v1.0.1 1.0.1 r=a.v1.0.0 P=K"] }),
      installed: ["t.v1 1.0.0 - P=K"],
      subscriptions: ["a a/alpha"],
    },
    /^unsatisfiable: .*provide K \(g\.io\/v1\)/,
  ],
  [
    "A30",
    {
      catalogs: {
        "olm/cat": {
          "t/stable": ["opA.v1 1.0.0 R=K,K2"],
          "t/other": ["opABC.v1 1.0.0 P=K,K2"],
          "x/stable": ["opB.v1 1.0.0 P=K"],
          "x/alpha": ["opD.v1 1.0.0 P=K"],
        },
        "olm/second": { "x/stable": ["opC.v1 1.0.0 P=K2"], "c/stable": ["opE.v1 1.0.0 P=K2"] },
      },
      subscriptions: ["t t/stable"],
    },
    "opA.v1 opB.v1 opE.v1",
  ],
  [
    "A31",
    {
      catalogs: one({ "a/alpha": ["opA.v1.0.0 1.0.0 P=K"], "b/alpha": ["opB.v1.0.0 1.0.0 P=K2 R=K"] }),
      subscriptions: ["b b/alpha"],
    },
    "opA.v1.0.0 opB.v1.0.0",
  ],
  ["A32", { catalogs: one(phases), installed: updated, subscriptions: both }, ""],
  [
    "A33",
    {
      catalogs: one({ ...phases, "b/alpha": [...phases["b/alpha"], "opB.v1.0.1 1.0.1 r=opB.v1.0.0 P=K,K2"] }),
      installed: updated,
      subscriptions: both,
    },
    "opA.v1.0.1>opA.v1.0.0 opB.v1.0.1>opB.v1.0.0",
  ],
  [
    "A34",
    { catalogs: one({ "a/alpha": ["a-1 1.0.0 D"] }), subscriptions: ["a a/alpha"] },
    /^unsatisfiable: .*bundle cat\/olm\/alpha\/a-1 is deprecated/,
  ],
  [
    "A35",
    {
      catalogs: one({ "a/alpha": ["a-1 1.0.0", "a-2 2.0.0 r=a-1 D", "a-3 3.0.0 r=a-2"] }),
      subscriptions: ["a a/alpha"],
    },
    "a-3>a-2",
  ],
  [
    "A36",
    {
      catalogs: one({
        "a/alpha": ["a.v1 1.0.0 R=K", "a.v2 2.0.0 s=a.v1 R=K"],
        "t/alpha": [
          "t.v1 1.0.0 P=K",
          "t.v2 2.0.0 r=t.v1 P=K",
          "t.v3 3.0.0 r=t.v2 P=K",
          "t.v4 4.0.0 r=t.v2 s=t.v3 P=K",
          "t.v5 5.0.0 r=t.v1 s=t.v2,t.v3,t.v4 P=K",
          "t.v6 6.0.0 r=t.v5 P=K",
        ],
      }),
      subscriptions: ["a a/alpha start=a.v1"],
    },
    "a.v1 t.v6>t.v5",
  ],
  ["A37", { catalogs: one({ "a/alpha": ["a.v1 1.0.0", "a.v2 2.0.0 s=a.v1"] }), subscriptions: ["a a/alpha"] }, "a.v2"],
  [
    "A38",
    {
      catalogs: one({
        "a/alpha": ["a-1 1.0.0 R=K"],
        "b/alpha": ["b-1 1.0.0 P=K", "b-2 2.0.0 r=b-1", "b-3 3.0.0 r=b-2 s=b-1"],
      }),
      subscriptions: ["a a/alpha"],
    },
    /^unsatisfiable: .*bundle a-1 requires an operator providing an API/,
  ],
  [
    "A39",
    {
      catalogs: one({ "b/alpha": ["b-1 1.0.0", "b-2 2.0.0 r=b-1"] }),
      installed: ["a-1 1.0.0 - dep=b:1.0.0", "b-1 1.0.0 b"],
      subscriptions: ["b b/alpha at=b-1"],
    },
    "",
  ],
  [
    "A40",
    {
      catalogs: one({
        "a/stable": [
          `opA.v1 1.0.0 ${c({ failureMessage: "K is needed", cel: { rule: "properties.exists(p, p.type == 'olm.gvk' && p.value == {'group': 'g.io', 'version': 'v1', 'kind': 'K'})" } })}`,
        ],
        "x/stable": ["x.v1 1.0.0 P=K"],
      }),
      subscriptions: ["a a/stable"],
    },
    "opA.v1 x.v1",
  ],
  [
    "A41",
    {
      catalogs: one({
        "a/stable": [
          `opA.v1 1.0.0 ${c({ failureMessage: "gvk2-constraint", cel: { rule: "properties.exists(p, p.type == 'olm.gvk' && p.value.kind == 'K2')" } })}`,
        ],
      }),
      subscriptions: ["a a/stable"],
    },
    /gvk2-constraint/,
  ],
  [
    "A42",
    {
      catalogs: one({
        "a/stable": [
          `opA.v1 1.0.0 ${c({ failureMessage: "1.0.1 is needed", cel: { rule: "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'other' && semver_compare(p.value.version, '1.0.1') == 0)" } })}`,
        ],
        "other/stable": ["o.v1.0.0 1.0.0", "o.v1.0.1 1.0.1 r=o.v1.0.0", "o.v1.0.2 1.0.2 r=o.v1.0.1"],
      }),
      subscriptions: ["a a/stable"],
    },
    "o.v1.0.1>o.v1.0.0 opA.v1",
  ],
];

const priorities = (own: string, other: string): ShortNamespace => ({
  catalogs: {
    "olm/cat": { "t/stable": ["t.v1 1.0.0 dep=x:1.0.0"] },
    [own]: { "x/stable": ["x.v1 1.0.0"] },
    [other]: { "x/stable": ["x.v1 1.0.0"] },
  },
  subscriptions: ["t t/stable"],
});

const changes: readonly Case[] = [
  [
    "C2",
    { catalogs: one({}), subscriptions: ["a-alpha a/alpha"] },
    "unsatisfiable: constraints not satisfiable: no operators found from catalog cat in namespace olm referenced by subscription a-alpha, subscription a-alpha exists",
  ],
  [
    "C3",
    { catalogs: one({ "b/alpha": ["b.v1 1.0.0"] }), subscriptions: ["a-alpha a/alpha"] },
    /no operators found in package a in the catalog referenced by subscription a-alpha/,
  ],
  [
    "C4",
    { catalogs: one({ "a/beta": ["a.v1 1.0.0"] }), subscriptions: ["a-alpha a/alpha"] },
    /no operators found in channel alpha of package a in the catalog/,
  ],
  [
    "C5",
    { catalogs: one({ "a/alpha": ["a.v1 1.0.0"] }), subscriptions: ["a-alpha a/alpha start=notfound"] },
    /no operators found with name notfound in channel alpha of package a/,
  ],
  [
    "C7",
    { catalogs: one({ "a/alpha": ["a.v1 1.0.0 R=K"], "b/beta": ["b.v1 1.0.0 P=K"] }), subscriptions: ["a a/alpha"] },
    "a.v1 b.v1",
  ],
  [
    "C11",
    { catalogs: one({ "a/alpha": ["a.v1 1.0.0 R=K"] }), subscriptions: ["a a/alpha"] },
    "unsatisfiable: constraints not satisfiable: bundle a.v1 requires an operator providing an API with group: g.io, version: v1, kind: K, subscription a exists, subscription a requires cat/olm/alpha/a.v1",
  ],
  [
    "C12",
    { catalogs: one({ "a/alpha": ["a.v1 1.0.0"] }), installed: ["a.v1 1.0.0 a"], subscriptions: ["a a/alpha at=a.v1"] },
    "",
  ],
  [
    "C13",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0 P=K"], "b/alpha": ["b.v1 1.0.0 P=K"] }),
      installed: ["a.v1 1.0.0 a P=K"],
      subscriptions: ["a a/alpha at=a.v1", "b b/alpha at=b.v1"],
    },
    /^unsatisfiable/,
  ],
  [
    "C14",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0"], "a/beta": ["a.v2 2.0.0"] }),
      subscriptions: ["one a/alpha", "two a/beta"],
    },
    /^unsatisfiable: .*originate from package a/,
  ],
  ["C15", { catalogs: one({ "a/alpha": ["a.v1 1.0.0"] }), subscriptions: ["one a/alpha", "two a/alpha"] }, "a.v1"],
  [
    "C17",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0", "a.v2 2.0.0 r=a.v1"] }),
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    "a.v2>a.v1",
  ],
  [
    "C18",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0"], "b/alpha": ["b.v2 2.0.0 r=a.v1"] }),
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a b/alpha at=a.v1"],
    },
    "b.v2>a.v1",
  ],
  ["C20", { catalogs: one({ "a/alpha": ["a.v1 1.0.0"] }), subscriptions: ["a a/alpha at=a.v1"] }, "a.v1"],
  [
    "C21",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1 R=K"], "b/beta": ["b.v1 1.0.0 P=K"] }),
      installed: ["a.v1 1.0.0 a P=K"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    "a.v2>a.v1 b.v1",
  ],
  [
    "C26",
    {
      catalogs: one({
        "a/alpha": ["a.v1 1.0.0 P=K R=K2", "a.v2 2.0.0 r=a.v1 P=K3 R=K4"],
        "b/alpha": ["b.v1 1.0.0 P=K2 R=K", "b.v2 2.0.0 r=b.v1 P=K4 R=K3"],
      }),
      installed: ["a.v1 1.0.0 a P=K R=K2", "b.v1 1.0.0 b P=K2 R=K"],
      subscriptions: ["a a/alpha at=a.v1", "b b/alpha at=b.v1"],
    },
    "a.v2>a.v1 b.v2>b.v1",
  ],
  [
    "C27",
    {
      catalogs: one({
        "a/alpha": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1"],
        "b/alpha": ["b.v1 1.0.0 R=K", "b.v2 2.0.0 r=b.v1 P=K"],
      }),
      installed: ["a.v1 1.0.0 a P=K", "b.v1 1.0.0 b R=K"],
      subscriptions: ["a a/alpha at=a.v1", "b b/alpha at=b.v1"],
    },
    "a.v2>a.v1 b.v2>b.v1",
  ],
  [
    "C28",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1"], "b/alpha": ["b.v1 1.0.0 R=K"] }),
      subscriptions: ["b b/alpha"],
    },
    "a.v1 b.v1",
  ],
  [
    "C29",
    {
      catalogs: one({ "a/alpha": ["a.v2 2.0.0", "a.v3 3.0.0 r=a.v2 sr=< 1.0.0"] }),
      installed: ["a.v1 0.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    "a.v3>a.v1",
  ],
  [
    "C31",
    {
      catalogs: one({
        "a/alpha": [
          "a.v1 0.0.0",
          "a.v2 2.0.0 r=a.v1 sr=< 1.0.0",
          "a.v3 3.0.0 r=a.v2 sr=< 1.0.0",
          "a.v4 4.0.0 r=a.v3 sr=< 1.0.0 !0.0.0",
        ],
      }),
      installed: ["a.v1 0.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    "a.v3>a.v1",
  ],
  [
    "C32",
    {
      catalogs: one({ "a/alpha": ["a.v1 0.0.0", "a.v2 2.0.0 r=a.v1", "a.v3 3.0.0 r=a.v2 sr=< 1.0.0"] }),
      subscriptions: ["a a/alpha start=a.v2"],
    },
    "a.v2>a.v1",
  ],
  [
    "C33",
    {
      catalogs: one({ "a/alpha": ["a.v1 1.0.0", "a.v2 2.0.0 s=a.v1", "a.v3 3.0.0 r=a.v2 s=a.v1"] }),
      installed: ["a.v1 1.0.0 a"],
      subscriptions: ["a a/alpha at=a.v1"],
    },
    "a.v3>a.v1",
  ],
];

const chain = ["a.v1 1.0.0 a P=K phase=Replacing", "a.v2 2.0.0 a P=K phase=Failed replaces=a.v1"];
const three = [
  "a.v1 1.0.0 a P=K phase=Replacing",
  "a.v2 2.0.0 a P=K phase=Replacing replaces=a.v1",
  "a.v3 3.0.0 a P=K phase=Failed replaces=a.v2",
];
const failForward: readonly Case[] = [
  [
    "D1",
    {
      catalogs: one({ "a/alpha": ["a.v3 3.0.0 r=a.v2 P=K"] }),
      installed: chain,
      subscriptions: ["a-alpha a/alpha at=a.v2"],
    },
    /^unsatisfiable/,
  ],
  [
    "D2",
    {
      catalogs: one({ "a/alpha": ["a.v3 3.0.0 r=a.v2 P=K"] }),
      installed: chain,
      subscriptions: ["a-alpha a/alpha at=a.v2"],
      groups: ["og failforward"],
    },
    "a.v3>a.v2",
  ],
  [
    "D3",
    {
      catalogs: one({ "a/alpha": ["a.v4 4.0.0 r=a.v3 P=K"] }),
      installed: three,
      subscriptions: ["a-alpha a/alpha at=a.v3"],
    },
    /^unsatisfiable/,
  ],
  [
    "D4",
    {
      catalogs: one({ "a/alpha": ["a.v4 4.0.0 r=a.v3 P=K"] }),
      installed: three,
      subscriptions: ["a-alpha a/alpha at=a.v3"],
      groups: ["og failforward"],
    },
    "a.v4>a.v3",
  ],
  [
    "D5",
    {
      catalogs: one({ "a/alpha": ["a.v4 4.0.0 r=a.v3 P=K"] }),
      installed: three.map((line) => line.replace("Replacing", "Failed")),
      subscriptions: ["a-alpha a/alpha at=a.v3"],
      groups: ["og failforward"],
    },
    /error using catalogsource ns\/@existing: csv .* in phase Failed instead of Replacing/,
  ],
  [
    "D6",
    {
      catalogs: one({ "a/alpha": ["a.v2 2.0.0 r=a.v1 P=K"] }),
      installed: ["b.v1 1.0.0 b P=K phase=Replacing", "a.v1 1.0.0 a P=K phase=Failed"],
      subscriptions: ["a-alpha a/alpha at=a.v1"],
      groups: ["og failforward"],
    },
    /^unsatisfiable/,
  ],
  [
    "D13",
    {
      catalogs: one({}),
      installed: ["foo-v1 1.0.0 a phase=Replacing replaces=foo-v2", "foo-v2 2.0.0 a phase=Replacing replaces=foo-v1"],
      groups: ["og failforward"],
    },
    /csv ns\/foo-v1 has already been seen/,
  ],
];

for (const [name, cases] of Object.entries({
  "a whole namespace": wholeNamespace,
  "steps and updates": changes,
  "fail-forward": failForward,
}))
  for (const [id, world, expected] of cases)
    test(`pinned, ${name}: ${id}`, () => {
      if (typeof expected === "string") assert.equal(answer(world), expected);
      else assert.match(answer(world), expected);
    });

test("pinned: A11 to A13, catalogs of a dependency are ordered by own catalog, priority, name", () => {
  const catalogOf = (world: ShortNamespace): string => {
    const outcome = resolveNow(resolveNamespace(shortNamespace(world)));
    return outcome.kind === "resolved"
      ? (outcome.operators.find(({ bundle }) => bundle.name === "x.v1")?.catalog.name ?? "")
      : outcome.upstream;
  };
  assert.equal(catalogOf(priorities("olm/community", "olm/high 100")), "high");
  assert.equal(catalogOf(priorities("olm/community 100", "olm/high 100")), "community");
  const world = priorities("olm/community", "olm/high");
  const own = {
    ...world,
    catalogs: { ...world.catalogs, "olm/cat": { "t/stable": ["t.v1 1.0.0 dep=x:1.0.0"], "x/stable": ["x.v1 1.0.0"] } },
  };
  assert.equal(catalogOf(own), "cat");
});

test("without source fields catalogs are asked by priority, those of one priority by name", () => {
  const chainsOf = (...catalogs: readonly string[]): string | undefined => {
    const input = shortNamespace({
      catalogs: Object.fromEntries(
        catalogs.map((catalog) => [catalog, { "x/stable": [`${catalog.slice("olm/".length).split(" ")[0]} 1.0.0`] }]),
      ),
      subscriptions: ["x x/stable"],
    });
    const anywhere = input.subscriptions.map((subscription) => ({
      ...subscription,
      spec: { ...subscription.spec, source: "", sourceNamespace: "" },
    }));
    const outcome = resolveNow(resolveNamespace({ ...input, subscriptions: anywhere }));
    return outcome.kind === "error" ? / found in .*: (.*)$/.exec(outcome.upstream)?.[1] : outcome.kind;
  };
  assert.equal(chainsOf("olm/a", "olm/b"), "a, b");
  assert.equal(chainsOf("olm/a", "olm/b 100"), "b, a");
  assert.equal(chainsOf("olm/a -100", "olm/b"), "b, a");
});

test("pinned: B1 to B7, the order of a channel", () => {
  const entry = (name: string, replaces?: string, skips: readonly string[] = []) => ({
    name,
    version: "",
    skips,
    ...(replaces === undefined ? {} : { replaces }),
  });
  const order = (...entries: readonly ReturnType<typeof entry>[]): string => {
    const sorted = channelOrder(entries, "c", "p");
    return sorted.ok ? sorted.value.map(({ name }) => name).join(" ") : sorted.problem.message;
  };
  assert.equal(order(entry("b"), entry("a", "b")), "a b");
  assert.equal(order(), "");
  assert.match(order(entry("a", "b"), entry("b", "a")), /^no channel heads/);
  assert.match(order(entry("a", "b"), entry("b", "c"), entry("c", "b")), /^a cycle exists .* beginning with "a"/);
  assert.equal(order(entry("a", "b", ["b"]), entry("b")), "a");
  assert.equal(order(entry("a", "b", ["c"]), entry("b", "c"), entry("c")), "a b");
  assert.match(order(entry("a"), entry("b", "c"), entry("c")), /2 replacement chains .*: a, b\.\.\.c$/);
});
