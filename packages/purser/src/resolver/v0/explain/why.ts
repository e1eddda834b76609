import { summaryOf } from "../../../explanation/summary.ts";
import type { Resolution } from "../../resolution.ts";
import { stepwise } from "../../resolution.ts";
import type { ConstraintSet, Variable } from "../../solver/constraint-set.ts";
import { solve } from "../../solver/solve.ts";
import type { WhyBundle } from "../../why-bundle.ts";
import { bundleWords, requestWords, subscriptionName } from "./derivation.ts";
import type { Entry } from "../entry.ts";
import { explainConflict } from "./explain-conflict.ts";
import type { NamespaceInput } from "../input.ts";
import type { NamespaceWorld } from "../namespace-steps.ts";
import { namespaceWorld } from "../namespace-steps.ts";
import { predicateWords } from "./predicate-words.ts";

/** The problem with one more demand: this bundle has to be there. */
function demanding(set: ConstraintSet, variable: Variable): ConstraintSet {
  const constraints = [...set.constraints, { kind: "mandatory", subject: variable, others: [], limit: 0 } as const];
  return { ...set, constraints, anchors: [...set.anchors, variable] };
}

/** The first request or chosen bundle that has the bundle among its candidates. */
function wantedBy({ problem }: NamespaceWorld, entry: Entry, chosen: ReadonlySet<Entry>): string {
  for (const cause of problem.causes) {
    if (cause.kind === "wants" && cause.candidates.includes(entry))
      return `Subscription ${subscriptionName(cause.subscription)} asks for ${requestWords(cause.subscription)}`;
    if (
      cause.kind === "requires" &&
      chosen.has(cause.entry) &&
      cause.entry !== entry &&
      cause.candidates.includes(entry)
    )
      return `${bundleWords(cause.entry)} requires ${predicateWords(cause.predicate)}`;
  }
  return `${entry.name} is installed`;
}

/** The bundle that was chosen in place of this one. */
function takenInstead({ problem }: NamespaceWorld, entry: Entry, chosen: ReadonlySet<Entry>): Entry | undefined {
  for (const cause of problem.causes) {
    const decides = cause.kind === "wants" || (cause.kind === "requires" && chosen.has(cause.entry));
    if (!decides || !cause.candidates.includes(entry)) continue;
    const taken = cause.candidates.find((candidate) => chosen.has(candidate));
    if (taken !== undefined) return taken;
  }
  return undefined;
}

function* whySteps(input: NamespaceInput, bundle: string): Generator<undefined, WhyBundle> {
  const world = yield* namespaceWorld(input);
  if (world.kind === "error") return { kind: "undecided", explanation: world.explanation };
  const { problem, set, scope } = world;
  const answer = yield* solve(set);
  if (answer.kind === "unsatisfiable") {
    const causes = answer.conflict.flatMap((id) => problem.causes[id] ?? []);
    return { kind: "undecided", explanation: yield* explainConflict(input, scope, causes) };
  }
  const chosen = new Set(answer.chosen.flatMap((variable) => problem.entries[variable] ?? []));
  const named = problem.entries.flatMap((entry, variable) => (entry?.name === bundle ? [{ entry, variable }] : []));
  const [first] = named;
  const found = named.find(({ entry }) => chosen.has(entry)) ?? first;
  if (found === undefined)
    return { kind: "notAsked", text: `No Subscription and no requirement in ${input.namespace} can lead to ${bundle}` };
  const { entry, variable } = found;
  if (chosen.has(entry)) return { kind: "chosen", text: wantedBy(world, entry, chosen) };
  const forced = yield* solve(demanding(set, variable));
  if (forced.kind === "unsatisfiable") {
    const causes = forced.conflict.flatMap((id) => problem.causes[id] ?? []);
    const explanation = yield* explainConflict(input, scope, causes);
    const summary = summaryOf(`${bundleWords(entry)} cannot be chosen: ${explanation.summary}`);
    return { kind: "excluded", explanation: { ...explanation, summary } };
  }
  const instead = takenInstead(world, entry, chosen);
  if (instead === undefined)
    return { kind: "notAsked", text: `${bundleWords(entry)} could only come with bundles that were not chosen` };
  return {
    kind: "lessPreferred",
    text: `${bundleWords(instead)} comes before ${bundleWords(entry)} in the order of preference`,
    instead: instead.name,
  };
}

/** Why a bundle, named by its CSV, is or is not in the answer for a namespace. */
export function whyBundle(input: NamespaceInput, bundle: string): Resolution<WhyBundle> {
  return stepwise(whySteps(input, bundle));
}
