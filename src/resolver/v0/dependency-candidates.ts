import type { Result } from "../../result.ts";
import { done, failed } from "../../result.ts";
import type { ChannelOrderProblem } from "../../upgrade-graph/channel-order.ts";
import { channelOrder } from "../../upgrade-graph/channel-order.ts";
import type { CatalogSnapshot } from "./catalog-snapshot.ts";
import type { Scope } from "./catalogs-in-scope.ts";
import { preferredCatalogs } from "./catalogs-in-scope.ts";
import type { Entry, GroupVersionKind, Origin } from "./entry.ts";
import type { Predicate } from "./predicate.ts";
import { formatPredicate, matches, placesOf } from "./predicate.ts";

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
  readonly #answers = new Map<string, Answer>();
  readonly #apiAnswers = new Map<
    string,
    { readonly api: GroupVersionKind; readonly origin: Origin | undefined; readonly answer: Answer }[]
  >();
  readonly #perCatalog = new Map<CatalogSnapshot, Map<string, Answer>>();

  constructor(scope: Scope) {
    this.#scope = scope;
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
    const own = originOf(requiring);
    const { group, version, kind } = predicate.api;
    return this.#apiAnswers
      .get(kind)
      ?.find(({ api, origin }) => origin === own && api.group === group && api.version === version)?.answer;
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
    const installed = this.#installed(predicate);
    if (!installed.ok) return installed;
    const found = [...installed.value];
    for (const snapshot of preferredCatalogs(this.#scope, own, this.#scope.namespace)) {
      const answers = this.#perCatalog.get(snapshot) ?? new Map<string, Answer>();
      this.#perCatalog.set(snapshot, answers);
      const inCatalog: Answer = answers.get(text) ?? (yield* inSnapshot(snapshot, predicate));
      answers.set(text, inCatalog);
      if (!inCatalog.ok) return inCatalog;
      found.push(...inCatalog.value);
    }
    return done(found);
  }

  /** Installed operators go through the same ordering as a channel, so two of one package have no order (as upstream). */
  #installed(predicate: Predicate): Result<readonly Entry[], ChannelOrderProblem> {
    const matching = this.#scope.installed.filter((entry) => matches(predicate, entry));
    const packages = [...new Set(matching.map((entry) => entry.packageName))].sort(compareText);
    const found: Entry[] = [];
    for (const name of packages) {
      const ofPackage = matching.filter((entry) => entry.packageName === name);
      const order = channelOrder(ofPackage, "", name);
      if (!order.ok) return order;
      found.push(...order.value);
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

function* inSnapshot(snapshot: CatalogSnapshot, predicate: Predicate): Generator<undefined, Answer> {
  const channels = new Map<string, Channel>();
  const matching = new Set<Entry>();
  for (const name of packagesToSearch(snapshot, predicate)) {
    for (const entry of snapshot.entriesOf(name)) {
      yield;
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
    const order = snapshot.ordered(packageName, name);
    if (!order.ok) return failed(order.problem);
    found.push(...order.value.filter((entry) => matching.has(entry)));
  }
  return done(found);
}
