import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Reason } from "../../explanation/explanation.ts";
import { unitsPerStep } from "../pace.ts";
import type { Constraint, ConstraintSet } from "../solver/constraint-set.ts";
import { solve } from "../solver/solve.ts";
import type { ShortCatalog } from "../testing/short-catalog.ts";
import { shortNamespace } from "../testing/short-world.ts";
import { resolveNow, stepsPerSlice } from "../resolution.ts";
import type { NamespaceInput } from "./input.ts";
import { maxConstraintBytes } from "./olm-constraint.ts";
import type { NamespaceOutcome } from "./outcome.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

function resolve(catalog: ShortCatalog, subscriptions: readonly string[]): NamespaceOutcome {
  return resolveNow(resolveNamespace(shortNamespace({ catalogs: { "olm/cat": catalog }, subscriptions })));
}

function chosen(outcome: NamespaceOutcome): string {
  return outcome.kind === "resolved" ? outcome.operators.map(({ bundle }) => bundle.name).join(" ") : outcome.upstream;
}

/** `count` packages that all provide one API, in a catalog of their own names. */
function rivals(count: number, extra: (index: number) => string): Record<string, readonly string[]> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = `p${String(index).padStart(5, "0")}`;
      return [`${name}/stable`, [`${name}.v1.0.0 1.0.0 P=Disk${extra(index)}`]];
    }),
  );
}

test("a requirement with ten thousand providers takes the first by name", () => {
  const catalog = { ...rivals(10_000, () => ""), "app/stable": ["app.v1.0.0 1.0.0 R=Disk"] };
  assert.equal(chosen(resolve(catalog, ["my app/stable"])), "app.v1.0.0 p00000.v1.0.0");
});

test("of a thousand providers of which only the last is installable, the last is taken", () => {
  const catalog = {
    ...rivals(1000, (index) => (index === 999 ? "" : " R=Nothing")),
    "app/stable": ["app.v1.0.0 1.0.0 R=Disk"],
  };
  assert.equal(chosen(resolve(catalog, ["my app/stable"])), "app.v1.0.0 p00999.v1.0.0");
});

test("two hundred providers that all lack something are named each once", () => {
  const catalog = { ...rivals(200, () => " R=Nothing"), "app/stable": ["app.v1.0.0 1.0.0 R=Disk"] };
  const outcome = resolve(catalog, ["my app/stable"]);
  assert.equal(outcome.kind, "unsatisfiable");
  if (outcome.kind === "unsatisfiable") assert.equal(outcome.constraints.length, 203);
});

test("packages that require each other in a circle come together", () => {
  const catalog = {
    "a/stable": ["a.v1.0.0 1.0.0 P=A R=B"],
    "b/stable": ["b.v1.0.0 1.0.0 P=B R=C"],
    "c/stable": ["c.v1.0.0 1.0.0 P=C R=A"],
  };
  assert.equal(chosen(resolve(catalog, ["my b/stable"])), "a.v1.0.0 b.v1.0.0 c.v1.0.0");
});

test("a chain of two thousand packages is followed to its end", () => {
  const catalog = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [
      `p${index}/stable`,
      [`p${index}.v1 1.0.0 P=K${index} R=K${index + 1}`],
    ]),
  );
  const closed = { ...catalog, "end/stable": ["end.v1 1.0.0 P=K2000"] };
  const outcome = resolve(closed, ["my p0/stable"]);
  assert.equal(outcome.kind === "resolved" ? outcome.operators.length : outcome.upstream, 2001);
});

test("a bundle may meet its own requirement, and may not when that needs another version of itself", () => {
  assert.equal(chosen(resolve({ "a/stable": ["a.v1 1.0.0 P=A R=A"] }, ["my a/stable"])), "a.v1");
  const two = { "a/stable": ["a.v1 1.0.0 P=A", "a.v2 2.0.0 r=a.v1 P=B R=A"] };
  assert.equal(chosen(resolve(two, ["my a/stable"])), "a.v1");
});

test("a constraint at the size limit is read, one byte more is refused, deep nesting does not break anything", () => {
  const padded = (bytes: number): string => {
    const empty = JSON.stringify({ failureMessage: "", all: { constraints: [] } });
    return JSON.stringify({ failureMessage: "x".repeat(bytes - empty.length), all: { constraints: [] } });
  };
  const world = (constraint: string): NamespaceOutcome =>
    resolve({ "a/stable": [`a.v1 1.0.0 c=${constraint}`] }, ["my a/stable"]);
  assert.equal(chosen(world(padded(maxConstraintBytes))), "a.v1");
  const refused = world(padded(maxConstraintBytes + 1));
  assert.equal(refused.kind, "error");
  assert.match(chosen(refused), /^parse olm\.constraint: .*greater than max constraint size 131072 bytes$/);
  const deep = `${'{"all":{"constraints":['.repeat(1000)}{"gvk":{"group":"g.io","version":"v1","kind":"A"}}${"]}}".repeat(1000)}`;
  assert.notEqual(world(deep).kind, "resolved");
});

test("requirements that exclude each other by constraint are refused, not searched for ever", () => {
  const lines = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const catalog: Record<string, readonly string[]> = { "app/stable": [`app.v1 1.0.0 R=${lines.join(",")}`] };
  // Every package has two versions, each of which forbids one of its neighbours' versions.
  for (const [index, name] of lines.entries()) {
    const next = lines[(index + 1) % lines.length] ?? "";
    catalog[`${name}/stable`] = [
      `${name}.v1 1.0.0 P=${name},X${index} dep=${next}:>=2.0.0`,
      `${name}.v2 2.0.0 r=${name}.v1 P=${name},X${(index + 1) % lines.length} dep=${next}:<2.0.0`,
    ];
  }
  assert.notEqual(resolve(catalog, ["my app/stable"]).kind, "error");
});

test("the same world gives the same answer whatever the order of its objects", () => {
  const catalogs = {
    "olm/cat": {
      "a/stable": ["a.v1 1.0.0 P=A", "a.v2 2.0.0 r=a.v1 P=A R=B"],
      "b/stable": ["b.v1 1.0.0 P=B", "b.v2 2.0.0 r=b.v1 P=B R=C"],
      "c/stable": ["c.v1 1.0.0 P=C dep=a:<2.0.0"],
    },
    "ns/more 5": { "c/stable": ["c.v1 1.0.0 P=C"] },
  };
  const subscriptions = ["one a/stable", "two b/stable", "three c/stable from=ns/more"];
  const answers = [subscriptions, subscriptions.toReversed()].map((order) =>
    chosen(resolveNow(resolveNamespace(shortNamespace({ catalogs, subscriptions: order })))),
  );
  assert.equal(answers[0], answers[1]);
});

test("a resolution stops after the given number of steps and continues from there", () => {
  const catalog = { ...rivals(500, () => ""), "app/stable": ["app.v1.0.0 1.0.0 R=Disk"] };
  const resolution = resolveNamespace(
    shortNamespace({ catalogs: { "olm/cat": catalog }, subscriptions: ["my app/stable"] }),
  );
  let slices = 1;
  while (resolution.run(stepsPerSlice).kind === "more") slices++;
  assert.ok(slices > 3, `${slices} slices`);
  assert.equal(resolution.run(1).kind, "done");
});

/** The most work that one step does, as the index sees it: packages asked for. */
function packagesPerStep(input: NamespaceInput): { readonly most: number; readonly steps: number } {
  let asked = 0;
  const catalogs = input.catalogs.map((catalog) =>
    catalog.content.kind === "present"
      ? { ...catalog, content: { kind: "present" as const, index: counting(catalog.content.index, () => asked++) } }
      : catalog,
  );
  const resolution = resolveNamespace({ ...input, catalogs });
  let most = 0;
  for (let steps = 1; ; steps++) {
    const before = asked;
    const progress = resolution.run(1);
    most = Math.max(most, asked - before);
    if (progress.kind === "done") return { most, steps };
  }
}

function counting(index: CatalogIndex, count: () => void): CatalogIndex {
  return {
    digest: index.digest,
    packages: () => index.packages(),
    package: (name) => {
      count();
      return index.package(name);
    },
    providers: (api) => index.providers(api),
    packagesProviding: (api) => index.packagesProviding(api),
    blob: (id) => index.blob(id),
  };
}

test("no step reads more than a step's worth of packages, whatever makes them be read", () => {
  const many = rivals(3000, () => "");
  const rule = JSON.stringify({ cel: { rule: "properties.exists(p, p.value == 1)" } });
  for (const wanted of ["R=Disk", "needs=none", `c=${rule}`]) {
    const catalog = { ...many, "app/stable": [`app.v1.0.0 1.0.0 ${wanted}`] };
    const { most, steps } = packagesPerStep(
      shortNamespace({ catalogs: { "olm/cat": catalog }, subscriptions: ["my app/stable"] }),
    );
    assert.ok(most <= unitsPerStep, `${wanted}: ${most} packages in one step`);
    assert.ok(steps >= 3000 / unitsPerStep, `${wanted}: ${steps} steps`);
  }
});

test("a channel of ten thousand bundles takes as many steps as one of its size needs", () => {
  const channel = (count: number): ShortCatalog => ({
    "a/stable": Array.from({ length: count }, (_, index) =>
      index === 0 ? "a.v0 0.0.0" : `a.v${index} 1.${index}.0 r=a.v${index - 1}`,
    ),
  });
  const stepsOf = (count: number): number =>
    packagesPerStep(shortNamespace({ catalogs: { "olm/cat": channel(count) }, subscriptions: ["my a/stable"] })).steps;
  const [small, large] = [stepsOf(1000), stepsOf(10_000)];
  assert.ok(small >= (2 * 1000) / unitsPerStep, `${small} steps for 1,000 bundles`);
  assert.ok(large >= 9 * small, `${small} steps for 1,000 bundles, ${large} for 10,000`);
});

test("solving pauses while it takes in constraints, draws consequences and shrinks a conflict", () => {
  const stepsOf = (set: ConstraintSet): number => {
    const steps = solve(set);
    let count = 1;
    while (steps.next().done !== true) count++;
    return count;
  };
  const dependency = (subject: number, others: readonly number[]): Constraint => ({
    kind: "dependency",
    subject,
    others,
    limit: 0,
  });
  const mandatory: Constraint = { kind: "mandatory", subject: 0, others: [], limit: 0 };
  const length = 20_000;
  const chain = Array.from({ length }, (_, index) => dependency(index, [index + 1]));
  const open: ConstraintSet = { variables: length + 1, constraints: [mandatory, ...chain], anchors: [0] };
  assert.ok(stepsOf(open) >= length / 64, "a long chain that can be chosen");
  const closed: Constraint = { kind: "prohibited", subject: length, others: [], limit: 0 };
  const refused = { ...open, constraints: [...open.constraints, closed] };
  assert.ok(stepsOf(refused) >= length / 64, "a long chain that cannot");
  const wide = dependency(
    0,
    Array.from({ length }, (_, index) => index + 1),
  );
  const rules = Array.from({ length: 100 }, () => wide);
  assert.ok(stepsOf({ ...open, constraints: [mandatory, ...rules] }) >= 100, "constraints of many candidates");
});

test("a chain of requirements without a provider at its end is explained at any length", () => {
  const length = 5000;
  const catalog = Object.fromEntries(
    Array.from({ length }, (_, index) => [`p${index}/stable`, [`p${index}.v1 1.0.0 P=K${index} R=K${index + 1}`]]),
  );
  const outcome = resolve(catalog, ["my p0/stable"]);
  assert.equal(outcome.kind, "unsatisfiable");
  if (outcome.kind !== "unsatisfiable") return;
  assert.equal(outcome.explanation.code, "DependencyMissing");
  assert.equal(outcome.constraints.length, length + 2);
  let leaves = 0;
  const pending: Reason[] = [...outcome.explanation.derivation];
  for (let reason = pending.pop(); reason !== undefined; reason = pending.pop()) {
    if (reason.upstream !== undefined) leaves++;
    pending.push(...(reason.because ?? []));
  }
  assert.equal(leaves, length + 2);
  assert.ok(JSON.stringify(outcome.explanation).length > length);
});

test("of ten thousand providers of which only the last is installable, the last is taken", () => {
  const catalog = {
    ...rivals(10_000, (index) => (index === 9999 ? "" : " R=Nothing")),
    "app/stable": ["app.v1.0.0 1.0.0 R=Disk"],
  };
  assert.equal(chosen(resolve(catalog, ["my app/stable"])), "app.v1.0.0 p09999.v1.0.0");
});
