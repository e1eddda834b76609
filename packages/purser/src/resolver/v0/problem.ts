import type { Subscription } from "../../apis/v0/subscription.ts";
import { cellsPerUnit, Pace } from "../pace.ts";
import type { Constraint, ConstraintSet, Variable } from "../solver/constraint-set.ts";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import type { Scope } from "./catalogs-in-scope.ts";
import type { Cause } from "./explain/cause.ts";
import { DependencyCandidates } from "./dependency-candidates.ts";
import type { Entry, GroupVersionKind } from "./entry.ts";
import { entryId } from "./entry.ts";
import type { Hold } from "./input.ts";
import type { RequirementProblem } from "./requirement.ts";
import { requirementsOf } from "./requirement.ts";
import { subscriptionCandidates } from "./subscription-candidates.ts";

/** Why the constraints of a namespace cannot be built; `entry` is the bundle with the fault. */
export type ExpansionProblem = (RequirementProblem | ChannelOrderProblem) & {
  readonly entry?: Entry;
  readonly subscription?: Subscription;
};

interface Provided {
  readonly api: GroupVersionKind;
  readonly entries: Entry[];
}

/** A constraint over a list of variables. */
interface Listed {
  readonly id: number;
  readonly others: readonly Variable[];
}

function isSameList(left: readonly Variable[], right: readonly Variable[]): boolean {
  return left === right || (left.length === right.length && left.every((variable, at) => variable === right[at]));
}

/** Builds the constraints of a namespace, one bundle at a time, touching only bundles that can matter. */
export class NamespaceProblem {
  readonly causes: Cause[] = [];
  /** What each variable stands for; Subscriptions have variables too. */
  readonly entries: (Entry | undefined)[] = [];
  /** The installed CSV that a candidate replaces. */
  readonly replaced = new Map<Entry, Entry>();
  readonly problems: ExpansionProblem[] = [];

  readonly #scope: Scope;
  readonly #holds: readonly Hold[];
  readonly #pace = new Pace();
  readonly #candidates: DependencyCandidates;
  readonly #constraints: Constraint[] = [];
  readonly #numbers = new Map<Entry, Variable>();
  readonly #lists = new Map<readonly Entry[], readonly Variable[]>();
  /** Lists of candidates that were seen to be expanded whole. */
  readonly #settled = new Set<readonly Entry[]>();
  readonly #expanded = new Set<Entry>();
  readonly #unowned: Entry[] = [];
  readonly #subscriptionAnchors: Variable[] = [];
  /** At-most constraints by first, last and number of their members. */
  readonly #shared = new Map<string, readonly Listed[]>();

  constructor(scope: Scope, holds: readonly Hold[]) {
    this.#scope = scope;
    this.#holds = holds;
    this.#candidates = new DependencyCandidates(scope, this.#pace);
  }

  #newVariable(entry: Entry | undefined): Variable {
    this.entries.push(entry);
    return this.entries.length - 1;
  }

  #numberOf(entry: Entry): Variable {
    let number = this.#numbers.get(entry);
    if (number === undefined) {
      number = this.#newVariable(entry);
      this.#numbers.set(entry, number);
    }
    return number;
  }

  /** Bundles that require the same share one list of candidates. */
  #numbersOf(candidates: readonly Entry[]): readonly Variable[] {
    let numbers = this.#lists.get(candidates);
    if (numbers === undefined) {
      numbers = candidates.map((candidate) => this.#numberOf(candidate));
      this.#lists.set(candidates, numbers);
    }
    return numbers;
  }

  #add(kind: Constraint["kind"], subject: Variable, others: readonly Variable[], cause: Cause, limit = 0): void {
    this.#constraints.push({ kind, subject, others, limit });
    this.causes.push(cause);
  }

  /** Adds bundles with all that they may pull in; depth first from the last one, as upstream meets errors. */
  *expand(start: readonly Entry[]): Generator<undefined, void> {
    const stack = [...start];
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      if (this.#expanded.has(entry)) continue;
      this.#expanded.add(entry);
      if (this.#pace.spend(1)) yield;
      const subject = this.#numberOf(entry);
      this.#judge(entry, subject);
      const requirements = requirementsOf(entry.properties, !entry.origin.installed);
      if (!requirements.ok) {
        this.problems.push({ ...requirements.problem, entry });
        continue;
      }
      const own: Listed[] = [];
      for (const predicate of requirements.value) {
        const found = this.#candidates.known(predicate, entry) ?? (yield* this.#candidates.of(predicate, entry));
        if (!found.ok) {
          this.problems.push({ ...found.problem, entry });
          continue;
        }
        const candidates = found.value;
        if (this.#pace.spend(candidates.length / cellsPerUnit)) yield;
        this.#push(candidates, stack);
        const others = this.#numbersOf(candidates);
        // OLM's solver knows one constraint per formula: of several that say the same, the last one gives the text.
        const cause: Cause = { kind: "requires", entry, predicate, candidates };
        const same = own.find((known) => isSameList(known.others, others));
        if (same === undefined) {
          own.push({ id: this.causes.length, others });
          this.#add("dependency", subject, others, cause);
        } else this.causes[same.id] = cause;
      }
    }
  }

  #push(candidates: readonly Entry[], stack: Entry[]): void {
    if (this.#settled.has(candidates)) return;
    const before = stack.length;
    for (const candidate of candidates) if (!this.#expanded.has(candidate)) stack.push(candidate);
    if (stack.length === before) this.#settled.add(candidates);
  }

  /** What is said of the bundle alone: that it has to stay, or may not be chosen. */
  #judge(entry: Entry, subject: Variable): void {
    if (entry.origin.installed && entry.subscription === undefined) {
      this.#add("mandatory", subject, [], { kind: "unowned", entry });
      this.#unowned.push(entry);
    }
    if (entry.facts.withdrawn) this.#add("prohibited", subject, [], { kind: "deprecated", entry });
    if (this.#holds.length === 0 || entry.origin.installed) return;
    const hold = this.#holdOn(entry);
    if (hold !== undefined) this.#add("prohibited", subject, [], { kind: "held", entry, hold });
  }

  #holdOn(entry: Entry): Hold | undefined {
    return this.#holds.find(
      (hold) => hold.package === entry.packageName && (hold.bundles === undefined || hold.bundles.includes(entry.name)),
    );
  }

  /** Adds what a Subscription asks for. `current` is its installed operator, which stays while it `isUpgrading`. */
  *subscribe(subscription: Subscription, current: Entry | undefined, isUpgrading = false): Generator<undefined, void> {
    const found = yield* subscriptionCandidates(subscription, current, this.#scope, this.#pace);
    if (!found.ok) {
      this.problems.push({ ...found.problem, subscription });
      return;
    }
    const subject = this.#newVariable(undefined);
    this.#subscriptionAnchors.push(subject);
    this.#add("mandatory", subject, [], { kind: "exists", subscription });
    if (found.value.kind === "missing") {
      const { stage, message } = found.value;
      this.#add("prohibited", subject, [], { kind: "missing", subscription, stage, message });
      return;
    }
    yield* this.#want(subscription, subject, current, isUpgrading ? [] : found.value.candidates);
  }

  *#want(
    subscription: Subscription,
    subject: Variable,
    current: Entry | undefined,
    candidates: readonly Entry[],
  ): Generator<undefined, void> {
    for (const candidate of new Set(candidates)) {
      if (!this.#expanded.has(candidate)) yield* this.expand([candidate]);
      if (this.#pace.spend(0.5)) yield;
      if (current === undefined) continue;
      const number = this.#numberOf(candidate);
      this.replaced.set(candidate, current);
      this.#add("conflict", number, [this.#numberOf(current)], { kind: "replaces", entry: candidate, current });
    }
    const all = current === undefined ? candidates : [...candidates, current];
    const others = all.map((candidate) => this.#numberOf(candidate));
    this.#add("dependency", subject, others, { kind: "wants", subscription, candidates: all, current });
  }

  /**
   * Uniqueness of APIs and packages over all that was added; call once, after everything else. A bundle that states an API
   * twice is in conflict with itself, as in OLM.
   */
  *finish(): Generator<undefined, ConstraintSet> {
    // By kind first, so that no text has to be made for a key.
    const apis = new Map<string, Provided[]>();
    const packages = new Map<string, Entry[]>();
    for (const entry of this.#expanded) {
      if (this.#pace.spend(1)) yield;
      for (const api of entry.facts.apis) {
        const ofKind = apis.get(api.kind);
        const known = ofKind?.find((other) => other.api.group === api.group && other.api.version === api.version);
        if (ofKind === undefined) apis.set(api.kind, [{ api, entries: [entry] }]);
        else if (known === undefined) ofKind.push({ api, entries: [entry] });
        else known.entries.push(entry);
      }
      for (const name of entry.facts.packages) {
        const known = packages.get(name);
        if (known === undefined) packages.set(name, [entry]);
        else known.push(entry);
      }
    }
    for (const ofKind of apis.values())
      for (const { api, entries } of ofKind) {
        if (this.#pace.spend(1 + entries.length / cellsPerUnit)) yield;
        this.#atMostOne(entries, { kind: "oneProvider", api, entries });
      }
    for (const [packageName, entries] of packages) {
      if (this.#pace.spend(1 + entries.length / cellsPerUnit)) yield;
      this.#atMostOne(entries, { kind: "onePerPackage", packageName, entries });
    }
    const unowned = this.#unowned
      .toSorted((left, right) => (entryId(left) < entryId(right) ? -1 : 1))
      .map((entry) => this.#numberOf(entry));
    return {
      variables: this.entries.length,
      constraints: this.#constraints,
      anchors: [...unowned, ...this.#subscriptionAnchors],
    };
  }

  #atMostOne(entries: readonly Entry[], cause: Cause): void {
    if (entries.length < 2) return;
    const members = new Set<Variable>();
    const twice = new Set<Variable>();
    for (const entry of entries) {
      const member = this.#numberOf(entry);
      if (members.has(member)) twice.add(member);
      members.add(member);
    }
    for (const member of twice) this.#add("prohibited", member, [], cause);
    const [first] = members;
    if (first === undefined || members.size < 2) return;
    // As with dependencies, the last of several that say the same gives the text: a package rather than its APIs.
    const others = [...members];
    const like = `${first} ${others.at(-1)} ${others.length}`;
    const alike = this.#shared.get(like) ?? [];
    const same = alike.find((known) => isSameList(known.others, others));
    if (same !== undefined) {
      this.causes[same.id] = cause;
      return;
    }
    this.#shared.set(like, [...alike, { id: this.causes.length, others }]);
    this.#add("atMost", first, others, cause, 1);
  }
}
