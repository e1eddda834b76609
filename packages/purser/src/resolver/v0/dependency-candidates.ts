import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import { channelOrderSteps } from "../../upgrade-graph/channel-order.ts";
import type { Pace } from "../pace.ts";
import type { CatalogSnapshot } from "./catalog-snapshot.ts";
import type { Scope } from "./catalogs-in-scope.ts";
import { preferredCatalogs } from "./catalogs-in-scope.ts";
import type { Entry, GroupVersionKind, Origin } from "./entry.ts";
import type { Predicate } from "./predicate.ts";
import { costOf, formatPredicate, matches, placesOf } from "./predicate.ts";

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

interface Channel {
  readonly packageName: string;
  readonly name: string;
  readonly isDefault: boolean;
}

type Answer = Result<readonly Entry[], ChannelOrderProblem>;

/** Finds and orders what satisfies requirements; equal questions are answered once. */
export class DependencyCandidates {
  readonly #scope: Scope;
  readonly #pace: Pace;
  readonly #answers = new Map<string, Answer>();
  readonly #apiAnswers = new Map<
    string,
    { readonly api: GroupVersionKind; readonly origin: Origin | undefined; readonly answer: Answer }[]
  >();
  readonly #perCatalog = new Map<CatalogSnapshot, Map<string, Answer>>();

  constructor(scope: Scope, pace: Pace) {
    this.#scope = scope;
    this.#pace = pace;
  }

  /**
   * Bundles that satisfy the predicate, most preferred first: installed ones, then by catalog, then default channels before
   * others, by package and channel name, and inside a channel from head to tail. A channel that holds a match must have an order.
   */
  *of(predicate: Predicate, requiring: Entry): Generator<undefined, Answer> {
    const own = originOf(requiring);
    const text = `${predicate.kind} ${formatPredicate(predicate)}`;
    const key = `${own?.key.namespace}/${own?.key.name} ${text}`;
    const known = this.#answers.get(key);
    const answer = known ?? (yield* this.#find(predicate, text, own?.key));
    if (known === undefined) this.#answers.set(key, answer);
    if (predicate.kind === "api") this.#rememberApi(predicate.api, own, answer);
    return answer;
  }

  /** The answer to a question that was asked before. The usual one, for an API, is found without making a text of it. */
  known(predicate: Predicate, requiring: Entry): Answer | undefined {
    if (predicate.kind !== "api") return undefined;
    const ofKind = this.#apiAnswers.get(predicate.api.kind);
    if (ofKind === undefined) return undefined;
    const own = originOf(requiring);
    const { group, version } = predicate.api;
    for (const { api, origin, answer } of ofKind)
      if (origin === own && api.group === group && api.version === version) return answer;
    return undefined;
  }

  #rememberApi(api: GroupVersionKind, origin: Origin | undefined, answer: Answer): void {
    const ofKind = this.#apiAnswers.get(api.kind);
    if (ofKind === undefined) this.#apiAnswers.set(api.kind, [{ api, origin, answer }]);
    else ofKind.push({ api, origin, answer });
  }

  *#find(
    predicate: Predicate,
    text: string,
    own: { readonly namespace: string; readonly name: string } | undefined,
  ): Generator<undefined, Answer> {
    const installed = yield* this.#installed(predicate);
    if (!installed.ok) return installed;
    const found = [...installed.value];
    for (const snapshot of preferredCatalogs(this.#scope, own, this.#scope.namespace)) {
      const answers = this.#perCatalog.get(snapshot) ?? new Map<string, Answer>();
      this.#perCatalog.set(snapshot, answers);
      const inCatalog: Answer = answers.get(text) ?? (yield* this.#inSnapshot(snapshot, predicate));
      answers.set(text, inCatalog);
      if (!inCatalog.ok) return inCatalog;
      found.push(...inCatalog.value);
    }
    return done(found);
  }

  /** Installed operators go through the same ordering as a channel, so two of one package have no order (as upstream). */
  *#installed(predicate: Predicate): Generator<undefined, Answer> {
    const matching: Entry[] = [];
    for (const entry of this.#scope.installed) {
      if (this.#pace.spend(costOf(predicate))) yield;
      if (matches(predicate, entry)) matching.push(entry);
    }
    const found: Entry[] = [];
    const byPackage = Map.groupBy(matching, (entry) => entry.packageName);
    for (const [name, ofPackage] of [...byPackage].sort(([left], [right]) => compareText(left, right))) {
      const order = yield* channelOrderSteps(ofPackage, "", name);
      if (!order.ok) return order;
      found.push(...order.value);
    }
    return done(found);
  }

  *#inSnapshot(snapshot: CatalogSnapshot, predicate: Predicate): Generator<undefined, Answer> {
    const cost = costOf(predicate);
    const channels = new Map<string, Channel>();
    const matching = new Set<Entry>();
    for (const name of packagesToSearch(snapshot, predicate)) {
      if (this.#pace.spend(1)) yield;
      for (const entry of yield* snapshot.entriesOf(name, this.#pace)) {
        if (this.#pace.spend(cost)) yield;
        if (!matches(predicate, entry)) continue;
        matching.add(entry);
        const key = `${entry.packageName}\u0000${entry.channel}`;
        if (!channels.has(key))
          channels.set(key, { packageName: entry.packageName, name: entry.channel, isDefault: entry.inDefaultChannel });
      }
    }
    const inOrder = [...channels.values()].sort(
      (left, right) =>
        Number(right.isDefault) - Number(left.isDefault) ||
        compareText(left.packageName, right.packageName) ||
        compareText(left.name, right.name),
    );
    const found: Entry[] = [];
    for (const { packageName, name } of inOrder) {
      const order = yield* snapshot.ordered(packageName, name);
      if (!order.ok) return failed(order.problem);
      if (this.#pace.spend(1)) yield;
      for (const entry of order.value) if (matching.has(entry)) found.push(entry);
    }
    return done(found);
  }
}

const originOf = ({ origin }: Entry): Origin | undefined => (origin.installed ? undefined : origin);

/** Entries of one catalog in question: those of the packages that the predicate can be satisfied by. */
function packagesToSearch(snapshot: CatalogSnapshot, predicate: Predicate): Iterable<string> {
  const places = placesOf(predicate);
  if (places.kind === "everywhere") return snapshot.packageNames();
  const names = new Set(places.packages);
  for (const api of places.apis) for (const name of snapshot.packagesProviding(api)) names.add(name);
  return names;
}
