// Removing any leaf of a derivation removes the failure; tested on whole objects: catalogs, Subscriptions, CSVs, holds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { Reason } from "../explanation/explanation.ts";
import { readYaml } from "@purser/kubernetes/text/documents";
import { endOf, resolveNow } from "./resolution.ts";
import { solve } from "./solver/solve.ts";
import type { EditableWorld } from "./testing/editable-world.ts";
import { editableWorld, inputOf, withoutCause } from "./testing/editable-world.ts";
import type { ShortExtension, ShortNamespace } from "./testing/short-world.ts";
import { shortExtension, shortNamespace } from "./testing/short-world.ts";
import { upstreamText } from "./v0/explain/cause.ts";
import { namespaceWorld } from "./v0/namespace-steps.ts";
import { resolveNamespace } from "./v0/resolve-namespace.ts";
import { resolveExtension } from "./v1/resolve-extension.ts";

/**
 * Whether this world no longer has the failure: it resolves, or what is wrong with it now is something else (a world may
 * hold several failures, of which one is explained at a time).
 */
function hasVanished(world: EditableWorld, before: ReadonlySet<string>): "resolved" | "other failure" | undefined {
  const outcome = resolveNow(resolveNamespace(inputOf(world)));
  if (outcome.kind === "resolved") return "resolved";
  return outcome.kind === "unsatisfiable" && outcome.constraints.some((text) => !before.has(text))
    ? "other failure"
    : undefined;
}

interface Tried {
  readonly leaves: number;
  readonly resolved: number;
}

/** Removes each leaf of the explained failure; undefined when the world has no failure that is explained by constraints. */
function withoutEachLeaf(short: ShortNamespace, name: string): Tried | undefined {
  const editable = editableWorld(short);
  const world = endOf(namespaceWorld(inputOf(editable)));
  if (world.kind === "error") return undefined;
  const answer = endOf(solve(world.set));
  if (answer.kind === "satisfiable") return undefined;
  const causes = answer.conflict.flatMap((id) => world.problem.causes[id] ?? []);
  const before = new Set(causes.map(upstreamText));
  let resolved = 0;
  for (const cause of causes) {
    const found = withoutCause(editable, cause).map((changed) => hasVanished(changed, before));
    assert.ok(
      found.some((change) => change !== undefined),
      `${name}: still refused for the same reasons without "${upstreamText(cause)}"`,
    );
    if (found.includes("resolved")) resolved++;
  }
  return { leaves: causes.length, resolved };
}

test("in the corpus of failing worlds, removing any leaf removes the failure", () => {
  const read = readYaml(readFileSync(new URL("testing/failing-worlds.yaml", import.meta.url), "utf8"));
  assert.ok(read.ok);
  const worlds = read.value as unknown as readonly { readonly name: string; readonly v0?: ShortNamespace }[];
  let leaves = 0;
  let resolved = 0;
  for (const { name, v0 } of worlds) {
    const tried = v0 === undefined ? undefined : withoutEachLeaf(v0, name);
    leaves += tried?.leaves ?? 0;
    resolved += tried?.resolved ?? 0;
  }
  assert.ok(leaves > 100, `${leaves} leaves`);
  assert.ok(resolved > 0.8 * leaves, `${resolved} of ${leaves} leaves were all that was wrong`);
});

const names = ["a", "b", "c"] as const;
const apis = ["K1", "K2", "K3"] as const;

const bundleLine = fc.record({
  provides: fc.uniqueArray(fc.constantFrom(...apis), { maxLength: 2 }),
  requires: fc.uniqueArray(fc.constantFrom(...apis), { maxLength: 2 }),
  needs: fc.option(fc.tuple(fc.constantFrom(...names), fc.constantFrom("<2.0.0", ">=2.0.0", "1.0.0")), {
    nil: undefined,
    freq: 4,
  }),
  withdrawn: fc.boolean().map((value) => value),
  odds: fc.nat({ max: 9 }),
});

const smallWorld: fc.Arbitrary<ShortNamespace> = fc
  .record({
    packages: fc.tuple(...names.map(() => fc.array(bundleLine, { minLength: 1, maxLength: 3 }))),
    subscribed: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
    installed: fc.array(fc.tuple(fc.constantFrom(...names), fc.nat({ max: 2 }), fc.boolean()), { maxLength: 2 }),
    held: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 5 }),
  })
  .map(({ packages, subscribed, installed, held }): ShortNamespace => {
    const lines = new Map<string, readonly string[]>();
    for (const [at, bundles] of packages.entries()) {
      const name = names[at] ?? "a";
      lines.set(
        name,
        bundles.map(({ provides, requires, needs, withdrawn, odds }, version) => {
          const parts = [`${name}.v${version + 1} ${version + 1}.0.0`];
          if (version > 0) parts.push(`r=${name}.v${version}`);
          if (provides.length > 0) parts.push(`P=${provides.join(",")}`);
          if (requires.length > 0) parts.push(`R=${requires.join(",")}`);
          if (needs !== undefined) parts.push(`dep=${needs.join(":")}`);
          if (withdrawn && odds === 0) parts.push("D");
          return parts.join(" ");
        }),
      );
    }
    const there = new Map<string, { readonly line: string; readonly owned: boolean }>();
    for (const [name, version, owned] of installed) {
      const line = lines.get(name)?.[version];
      if (line !== undefined)
        there.set(name, { line: line.replace(/ r=\S+/, "").replace(/^(\S+ \S+)/, `$1 ${name}`), owned });
    }
    return {
      catalogs: { "olm/cat": Object.fromEntries([...lines].map(([name, bundles]) => [`${name}/stable`, bundles])) },
      subscriptions: subscribed.map((name) => {
        const known = there.get(name);
        return `${name} ${name}/stable${known?.owned === true ? ` at=${known.line.split(" ")[0]}` : ""}`;
      }),
      installed: [...there.values()].map(({ line }) => line),
      holds: held === undefined ? [] : [`${held} closed`],
    };
  });

test("in small random worlds, removing any leaf removes the failure", () => {
  let failing = 0;
  fc.assert(
    fc.property(smallWorld, (world) => {
      const tried = withoutEachLeaf(world, JSON.stringify(world));
      if (tried !== undefined) failing++;
    }),
    { numRuns: 150, seed: 5 },
  );
  assert.ok(failing > 40, `${failing} of the worlds had no answer`);
});

interface Refused {
  readonly name: string;
  readonly v0?: ShortNamespace;
  readonly v1?: ShortExtension;
}

/** Without what the leaf speaks of; `undefined` for leaves of another kind. */
type Repair<World> = readonly [leaf: RegExp, repair: (world: World, parts: readonly string[]) => World];

const withoutKeys = <Value>(
  map: Readonly<Record<string, Value>>,
  lost: (key: string) => boolean,
): Record<string, Value> => Object.fromEntries(Object.entries(map).filter(([key]) => !lost(key)));

function editedLines(
  short: ShortNamespace,
  edit: (lines: readonly string[], channel: string) => readonly string[],
): ShortNamespace {
  const catalogs = Object.entries(short.catalogs).map(([key, content]) => [
    key,
    typeof content === "string"
      ? content
      : Object.fromEntries(Object.entries(content).map(([channel, lines]) => [channel, edit(lines, channel)])),
  ]);
  return { ...short, catalogs: Object.fromEntries(catalogs) as ShortNamespace["catalogs"] };
}

const anyBundle = (packageName: string): Readonly<Record<string, readonly string[]>> => ({
  [`${packageName}/stable`]: [`${packageName}.v1.0.0 1.0.0`],
});

const namespaceRepairs: readonly Repair<ShortNamespace>[] = [
  [
    /Catalog \S+ cannot be read/,
    (world) => ({
      ...world,
      catalogs: Object.fromEntries(
        Object.entries(world.catalogs).map(([key, content]) => [
          key,
          typeof content === "string" ? anyBundle((world.subscriptions?.[0] ?? "").split(/[ /]/)[1] ?? "") : content,
        ]),
      ),
    }),
  ],
  [/has no OperatorGroup/, (world) => ({ ...world, groups: ["og"] })],
  [/has \d OperatorGroups/, (world) => ({ ...world, groups: (world.groups ?? []).slice(0, 1) })],
  [
    /^channel (\S+) of package (\S+) has no order/,
    (world, [channel, packageName]) =>
      editedLines(world, (lines, key) =>
        key === `${packageName}/${channel}` ? lines.slice(0, 1).map((line) => line.replace(/ [rs]=\S+/g, "")) : lines,
      ),
  ],
  [
    /states a requirement that cannot be read/,
    (world) => editedLines(world, (lines) => lines.map((line) => line.replace(/ (dep|c)=.*$/, ""))),
  ],
  [
    /^Installed (\S+) in ns cannot be taken into account: .* in phase Failed/,
    (world, [csv]) => ({
      ...world,
      installed: (world.installed ?? []).map((line) =>
        line.startsWith(`${csv} `) ? line.replace("phase=Failed", "phase=Replacing") : line,
      ),
    }),
  ],
  [
    /^several installed operators of package "(\S+)"/,
    (world, [packageName]) => {
      const [first] = (world.installed ?? []).filter((line) => line.split(" ")[2] === packageName);
      return {
        ...world,
        installed: (world.installed ?? []).filter((line) => line === first || line.split(" ")[2] !== packageName),
      };
    },
  ],
];

function asking(world: ShortExtension, lost: string): ShortExtension {
  const extension = withoutKeys({ ...world.extension }, (key) => key === lost);
  return { ...world, extension: { ...extension, packageName: world.extension.packageName } };
}

const extensionRepairs: readonly Repair<ShortExtension>[] = [
  [
    /^It asks for package (\S+), which is in none of (\S+)/,
    (world, [packageName = "", catalog = ""]) => {
      const content = world.catalogs[catalog];
      const wanted = { ...(typeof content === "object" ? content : {}), ...anyBundle(packageName) };
      return { ...world, catalogs: { ...world.catalogs, [catalog]: wanted } };
    },
  ],
  [/there is no ClusterCatalog/, (world) => ({ ...world, catalogs: { new: anyBundle(world.extension.packageName) } })],
  [
    /is switched off$/,
    (world) => ({
      ...world,
      catalogs: Object.fromEntries(
        Object.entries(world.catalogs).map(([key, content]) => [key.replace(" off", ""), content]),
      ),
    }),
  ],
  [/selector/, (world) => asking(world, "selector")],
  [/asks for version/, (world) => asking(world, "version")],
  [/asks for channels? /, (world) => asking(world, "channels")],
  [
    /installed/,
    (world) => {
      const { installed: _, ...fresh } = world;
      return fresh;
    },
  ],
  [
    /^Catalog (\S+) offers/,
    (world, [name]) => ({ ...world, catalogs: withoutKeys(world.catalogs, (key) => key.split(" ")[0] === name) }),
  ],
  [
    /^ClusterCatalog (\S+) cannot be read/,
    (world, [name]) => ({
      ...world,
      catalogs: Object.fromEntries(
        Object.entries(world.catalogs).map(([key, content]) => [
          key,
          key.split(" ")[0] === name ? anyBundle("another") : content,
        ]),
      ),
    }),
  ],
  [
    /^(\S+) requires /,
    (world, [bundle]) => ({
      ...world,
      catalogs: Object.fromEntries(
        Object.entries(world.catalogs).map(([key, content]) => [
          key,
          typeof content === "string"
            ? content
            : Object.fromEntries(
                Object.entries(content).map(([channel, lines]) => [
                  channel,
                  lines.map((line) => (line.startsWith(`${bundle} `) ? line.replace(/ (R|dep|c)=.*$/, "") : line)),
                ]),
              ),
        ]),
      ),
    }),
  ],
  [/held|holds? /, (world) => ({ ...world, holds: [] })],
];

function leavesOf(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.flatMap((reason) => (reason.because === undefined ? [reason] : leavesOf(reason.because)));
}

function repaired<World>(world: World, leaf: Reason, repairs: readonly Repair<World>[], name: string): World {
  for (const [pattern, repair] of repairs) {
    const match = pattern.exec(leaf.text);
    if (match !== null) return repair(world, match.slice(1));
  }
  throw new Error(`${name}: no removal is defined for "${leaf.text}"`);
}

test("in the corpus, removing any leaf of an error or of a refused extension removes the failure", () => {
  const read = readYaml(readFileSync(new URL("testing/failing-worlds.yaml", import.meta.url), "utf8"));
  assert.ok(read.ok);
  let leaves = 0;
  for (const { name, v0, v1 } of read.value as unknown as readonly Refused[]) {
    const before =
      v1 === undefined
        ? resolveNow(resolveNamespace(shortNamespace(v0 ?? { catalogs: {} })))
        : resolveNow(resolveExtension(shortExtension(v1)));
    if (before.kind === "resolved" || before.kind === "unsatisfiable") continue;
    for (const leaf of leavesOf(before.explanation.derivation)) {
      const after =
        v1 === undefined
          ? resolveNow(resolveNamespace(shortNamespace(repaired(v0 ?? { catalogs: {} }, leaf, namespaceRepairs, name))))
          : resolveNow(resolveExtension(shortExtension(repaired(v1, leaf, extensionRepairs, name))));
      const still = after.kind === "resolved" ? undefined : after.upstream;
      assert.ok(after.kind === "resolved", `${name}: without "${leaf.text}" still "${still}"`);
      leaves++;
    }
  }
  assert.ok(leaves > 30, `${leaves} leaves`);
});
