import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Constraint, ConstraintSet } from "./constraint-set.ts";
import { restrictedTo } from "./constraint-set.ts";
import { solve } from "./solve.ts";
import { resolveNow, stepwise } from "../resolution.ts";

/** `a:M,d(x y),c(z),P,am(1 x y)` per variable, in order of declaration. */
function parse(text: string): { set: ConstraintSet; names: string[]; texts: string[] } {
  const declarations = text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const names = declarations.map((part) => part.split(":")[0]!.trim());
  const constraints: Constraint[] = [];
  const texts: string[] = [];
  const anchors: number[] = [];
  declarations.forEach((part, subject) => {
    const rules = part.split(":")[1]?.match(/M|P|\w+\([^)]*\)/g) ?? [];
    for (const rule of rules) {
      texts.push(`${names[subject]} ${rule}`);
      const args =
        /\((.*)\)/
          .exec(rule)?.[1]
          ?.split(" ")
          .filter((arg) => arg !== "") ?? [];
      const ids = args.map((arg) => names.indexOf(arg)).filter((id) => id >= 0);
      if (rule === "M") anchors.push(subject);
      constraints.push(
        rule === "M"
          ? { kind: "mandatory", subject, others: [], limit: 0 }
          : rule === "P"
            ? { kind: "prohibited", subject, others: [], limit: 0 }
            : rule.startsWith("d(")
              ? { kind: "dependency", subject, others: ids, limit: 0 }
              : rule.startsWith("c(")
                ? { kind: "conflict", subject, others: ids, limit: 0 }
                : { kind: "atMost", subject, others: ids, limit: Number(args[0]) },
      );
    }
  });
  return { set: { variables: names.length, constraints, anchors }, names, texts };
}

/**
 * Cases of OLM's own solver tests, restated, then more cases; the answer names the chosen variables or, after `!`, the
 * conflicting rules. OLM's cases of duplicate names and of a scripted inner solver do not apply here.
 */
const cases: readonly (readonly [id: string, sentence: string, problem: string, answer: string])[] = [
  ["G1", "nothing asks for nothing", "", ""],
  ["G2", "a variable that nothing requires stays out", "a", ""],
  ["G3", "what is mandatory is in", "a:M", "a"],
  ["G4", "mandatory and prohibited clash", "a:M,P", "!a M, a P"],
  ["G5", "a dependency comes along", "a; b:M,d(a)", "a b"],
  ["G6", "and its dependency too", "a; b:d(a); c:M,d(b)", "a b c"],
  ["G7", "two dependencies both come", "a; b; c:M,d(a),d(b)", "a b c"],
  ["G8", "the first candidate is taken, the other left out", "a; b:c(a); c:M,d(a b)", "a c"],
  ["G9", "one candidate is enough", "a; b; c:M,d(a b)", "a c"],
  ["G10", "the order of candidates decides", "a; b:c(a); c:M,d(b a)", "b c"],
  ["G11", "two mandatory ones that conflict name all three rules", "a:M; b:M,c(a)", "!a M, b M, b c(a)"],
  ["G12", "preferences of what is not wanted do not count", "a:d(x y); b:M,d(y x); x; y", "b y"],
  ["G13", "at most one of two that must be", "a:M,d(x y),am(1 x y); x:M; y:M", "!a am(1 x y), x M, y M"],
  ["G14", "a wish gives way to a limit", "a:M,d(x y),am(1 x y); b:M,d(y); x; y", "a b y"],
  ["G15", "what is chosen already serves again", "a:M,d(y); b:M,d(x y); x; y", "a b y"],
  ["G16", "also among many", "a:M,d(y z m); b:M,d(x y); x; y; z; m", "a b y"],
  ["G17", "preference counts more than size", "a:M,d(x y); b:M,d(y); x; y", "a b x y"],
  [
    "G18",
    "the search turns back as far as it must",
    "a:M,d(a1 a2); a1:c(c1),c(c2); a2:c(c1); b:M,d(b1 b2); b1:c(c1),c(c2); b2:c(c1); c:M,d(c1 c2); c1; c2",
    "a a2 b b2 c c2",
  ],
  ["G19", "every dependency takes its own first candidate", "a:M,d(x1 x2),d(y1 y2); x1; x2; y1; y2", "a x1 y1"],
  ["G21", "a contradiction undoes every guess", "a:M,d(x); b:M,d(y); x:c(y); y", "!a M, a d(x), b M, b d(y), x c(y)"],
  ["own", "a dependency on nothing", "a:M,d()", "!a M, a d()"],
  ["own", "a dependency on itself", "a:M,d(a)", "a"],
  ["own", "a circle", "a:M,d(b); b:d(a)", "a b"],
  ["own", "a conflict with itself", "a:M,c(a)", "!a M, a c(a)"],
  ["own", "none of one that must be", "a:M,am(0 a)", "!a M, a am(0 a)"],
  ["own", "none of two of three", "a:M,d(x y z),am(0 x y); x; y; z", "a z"],
];

for (const [id, sentence, problem, answer] of cases)
  test(`pinned: ${id}, ${sentence}`, () => {
    const { set, names, texts } = parse(problem);
    const found = resolveNow(stepwise(solve(set)));
    const shown =
      found.kind === "satisfiable"
        ? found.chosen.map((variable) => names[variable]).join(" ")
        : `!${found.conflict
            .map((id) => texts[id])
            .sort((left, right) => (left! < right! ? -1 : 1))
            .join(", ")}`;
    const byPosition = (left: string, right: string): number => names.indexOf(left) - names.indexOf(right);
    const expected = answer.startsWith("!") ? answer : answer.split(" ").sort(byPosition).join(" ");
    assert.equal(shown, expected, problem);
  });

function holds(set: ConstraintSet, chosen: number): boolean {
  const has = (variable: number): boolean => ((chosen >> variable) & 1) === 1;
  return set.constraints.every(({ kind, subject, others, limit }) => {
    switch (kind) {
      case "mandatory":
        return has(subject);
      case "prohibited":
        return !has(subject);
      case "dependency":
        return !has(subject) || others.some(has);
      case "conflict":
        return !(has(subject) && others.some(has));
      case "atMost":
        return new Set(others.filter(has)).size <= limit;
    }
  });
}

const models = (set: ConstraintSet): number[] =>
  Array.from({ length: 1 << set.variables }, (_, chosen) => chosen).filter((chosen) => holds(set, chosen));

/** A naive solver: a queue of choices, each tried against all models, then the model with the fewest additional variables. */
function byHand(set: ConstraintSet): number[] | undefined {
  const all = models(set);
  if (all.length === 0) return undefined;
  const queue = set.anchors.map((anchor) => [anchor]);
  const taken = new Set<number>();
  const possible = (extra: number): boolean =>
    all.some((model) => [...taken, extra].every((variable) => ((model >> variable) & 1) === 1));
  for (const candidates of queue) {
    if (candidates.some((candidate) => taken.has(candidate))) continue;
    const next = candidates.find(possible);
    assert.ok(next !== undefined);
    taken.add(next);
    for (const { kind, subject, others } of set.constraints)
      if (kind === "dependency" && subject === next && others.length > 0) queue.push([...others]);
  }
  const size = (model: number): number => model.toString(2).replaceAll("0", "").length;
  const within = all.filter((model) => [...taken].every((variable) => ((model >> variable) & 1) === 1));
  const least = within.sort((left, right) => size(left) - size(right))[0]!;
  return Array.from({ length: set.variables }, (_, variable) => variable).filter(
    (variable) => ((least >> variable) & 1) === 1,
  );
}

const small = fc.integer({ min: 1, max: 9 }).chain((variables) => {
  const variable = fc.integer({ min: 0, max: variables - 1 });
  const others = fc.array(variable, { maxLength: 4 });
  const constraint: fc.Arbitrary<Constraint> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("mandatory" as const),
        subject: variable,
        others: fc.constant([]),
        limit: fc.constant(0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("prohibited" as const),
        subject: variable,
        others: fc.constant([]),
        limit: fc.constant(0),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("dependency" as const),
        subject: variable,
        others,
        limit: fc.constant(0),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("conflict" as const),
        subject: variable,
        others: fc.array(variable, { minLength: 1, maxLength: 1 }),
        limit: fc.constant(0),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("atMost" as const),
        subject: variable,
        others,
        limit: fc.integer({ min: 0, max: 2 }),
      }),
    },
  );
  return fc.array(constraint, { maxLength: 24 }).map((constraints): ConstraintSet => ({
    variables,
    constraints,
    anchors: [...new Set(constraints.filter(({ kind }) => kind === "mandatory").map(({ subject }) => subject))].sort(
      (a, b) => a - b,
    ),
  }));
});

test("on small problems the answer equals that of the naive solver", () => {
  fc.assert(
    fc.property(small, (set) => {
      const expected = byHand(set);
      const found = resolveNow(stepwise(solve(set)));
      assert.deepEqual(found.kind === "satisfiable" ? found.chosen : undefined, expected);
    }),
    { numRuns: 3000 },
  );
});

test("a conflict is unsatisfiable, and satisfiable without any one of its constraints", () => {
  fc.assert(
    fc.property(small, (set) => {
      const found = resolveNow(stepwise(solve(set)));
      if (found.kind === "satisfiable") return;
      assert.equal(models(restrictedTo(set, found.conflict)).length, 0);
      for (const id of found.conflict)
        assert.notEqual(
          models(
            restrictedTo(
              set,
              found.conflict.filter((other) => other !== id),
            ),
          ).length,
          0,
        );
    }),
    { numRuns: 2000 },
  );
});
