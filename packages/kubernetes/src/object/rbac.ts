import { withoutEnding } from "../without-ending.ts";

/** One rule of a Role or ClusterRole, as in `rbac.authorization.k8s.io/v1`. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A request to be authorized, for a resource or a path. */
export type RuleRequest =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      /** Absent or empty for requests without a name (list, create, ...). */
      readonly name?: string;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

/** Whether the rule allows the request. `pods` does not cover `pods/log`; `*` and a wildcard with that subresource do. */
export function ruleAllows(rule: PolicyRule, request: RuleRequest): boolean {
  if (!holds(rule.verbs, request.verb)) return false;
  if (request.kind === "path") return (rule.nonResourceURLs ?? []).some((held) => pathCovers(held, request.path));
  const names = rule.resourceNames ?? [];
  return (
    holds(rule.apiGroups, request.group) &&
    (rule.resources ?? []).some((held) => resourceMatches(held, request.resource, request.subresource)) &&
    (names.length === 0 || names.includes(request.name ?? ""))
  );
}

/** Rules by the entries of one of their lists. */
class RulesByText {
  readonly #named = new Map<string, PolicyRule[]>();
  readonly #any: PolicyRule[] = [];

  add(rule: PolicyRule, texts: readonly string[]): void {
    if (texts.includes("*")) this.#any.push(rule);
    else
      for (const text of new Set(texts)) {
        const named = this.#named.get(text);
        if (named === undefined) this.#named.set(text, [rule]);
        else named.push(rule);
      }
  }

  /** Lists of the rules that may match. */
  of(...texts: readonly string[]): readonly (readonly PolicyRule[])[] {
    return [this.#any, ...texts.map((text) => this.#named.get(text) ?? [])];
  }
}

/** Comparisons that lookups may still make together. */
export interface RemainingLooks {
  left: number;
}

/** Asks thousands of rules for thousands of requests: only those rules are compared that name the rarest part of the request. */
export class RuleLookup {
  readonly #looks: RemainingLooks;
  readonly #verbs = new RulesByText();
  readonly #groups = new RulesByText();
  readonly #resources = new RulesByText();
  readonly #names = new RulesByText();
  readonly #ofPaths = new RulesByText();

  constructor(rules: readonly PolicyRule[], looks: RemainingLooks = { left: Infinity }) {
    this.#looks = looks;
    for (const rule of rules) {
      const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
      this.#verbs.add(rule, verbs);
      this.#groups.add(rule, apiGroups);
      this.#resources.add(rule, resources);
      this.#names.add(rule, resourceNames.length === 0 ? ["*"] : resourceNames);
      if (nonResourceURLs.length > 0) this.#ofPaths.add(rule, verbs);
    }
  }

  /**
   * True when one rule alone allows the whole request, as in Kubernetes' RBAC authorizer; rules do not add up. False when no
   * comparison is left.
   */
  allow(request: RuleRequest): boolean {
    const [first = [], ...others] = this.#mayAllow(request);
    const fewest = others.reduce((least, lists) => (lengthOf(lists) < lengthOf(least) ? lists : least), first);
    // A request that nothing may allow costs as well.
    if (this.#looks.left-- <= 0) return false;
    for (const rules of fewest)
      for (const rule of rules) {
        if (this.#looks.left-- <= 0) return false;
        if (ruleAllows(rule, request)) return true;
      }
    return false;
  }

  #mayAllow(request: RuleRequest): readonly (readonly (readonly PolicyRule[])[])[] {
    if (request.kind === "path") return [this.#ofPaths.of(request.verb)];
    const { verb, group, resource, subresource = "", name = "" } = request;
    const resources = subresource === "" ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
    return [this.#verbs.of(verb), this.#groups.of(group), this.#resources.of(...resources), this.#names.of(name)];
  }
}

function lengthOf(lists: readonly (readonly PolicyRule[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}

function holds(held: readonly string[] | undefined, wanted: string): boolean {
  return held !== undefined && (held.includes("*") || held.includes(wanted));
}

function resourceMatches(held: string, resource: string, subresource: string | undefined): boolean {
  const sub = subresource === "" ? undefined : subresource;
  if (held === "*") return true;
  if (held === (sub === undefined ? resource : `${resource}/${sub}`)) return true;
  return sub !== undefined && held === `*/${sub}`;
}

function pathCovers(held: string, path: string): boolean {
  return held === "*" || held === path || (held.endsWith("*") && path.startsWith(withoutEnding(held, "*")));
}

/** Limit of expanded permissions in the result: one rule with a few thousand entries stands for billions. */
const mostReported = 10_000;

/** Limit of comparisons for one wanted rule; the rest counts as not covered. */
const mostComparisons = 1_000_000;

/**
 * The permissions of `wanted` that `held` does not cover: expanded to one group, one resource and at most one name (or
 * one path) with all verbs together, sorted and without duplicates, as in the escalation message of kube-apiserver. At
 * most the first 10,000 uncovered permissions; the result is empty exactly when everything is covered, within a limit
 * of a million comparisons per wanted rule.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const index = new HeldRules(held);
  const pieces: RightPiece[] = [];
  for (const rule of wanted) {
    for (const piece of uncovered(index, rule)) {
      pieces.push(piece);
      if (pieces.length >= mostReported) return compact(pieces);
    }
  }
  return compact(pieces);
}

/** Whether every permission in `wanted` is held. */
export function rulesCover(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean {
  const index = new HeldRules(held);
  return wanted.every((rule) => uncovered(index, rule).next().done === true);
}

/** One verb on one resource (and name), or one verb on one path. */
type RightPiece =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly name?: string;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

/** Indexes of held rules. */
interface Places {
  readonly all: ReadonlySet<number>;
  /** The same for equal places. */
  readonly key: string;
}

function placesOf(places: readonly number[]): Places {
  return { all: new Set(places), key: places.join() };
}

/** Index of the held rules by the entries of one of their lists. */
class Dimension {
  readonly #any: number[] = [];
  readonly #named = new Map<string, number[]>();
  /** What has been asked before: thousands of wanted rules ask for one verb. */
  readonly #places = new Map<string, Places>();
  #nobody: Places | undefined;

  constructor(held: readonly PolicyRule[], textsOf: (rule: PolicyRule) => readonly string[] | "any") {
    for (const [place, rule] of held.entries()) {
      const texts = textsOf(rule);
      if (texts === "any" || texts.includes("*")) this.#any.push(place);
      else
        for (const text of new Set(texts)) {
          const named = this.#named.get(text);
          if (named === undefined) this.#named.set(text, [place]);
          else named.push(place);
        }
    }
  }

  of(...texts: readonly string[]): Places {
    const asked = texts.join("\n");
    const known = this.#places.get(asked);
    if (known !== undefined) return known;
    const named = texts.flatMap((text) => this.#named.get(text) ?? []);
    const places = named.length === 0 ? this.#none : placesOf([...this.#any, ...named]);
    this.#places.set(asked, places);
    return places;
  }

  get #none(): Places {
    return (this.#nobody ??= placesOf(this.#any));
  }
}

class HeldRules {
  readonly verbs: Dimension;
  readonly #groups: Dimension;
  readonly #resources: Dimension;
  readonly #names: Dimension;
  readonly #paths: readonly (readonly [place: number, owned: string])[];

  constructor(held: readonly PolicyRule[]) {
    this.verbs = new Dimension(held, ({ verbs = [] }) => verbs);
    this.#groups = new Dimension(held, ({ apiGroups = [] }) => apiGroups);
    this.#resources = new Dimension(held, ({ resources = [] }) => resources);
    this.#names = new Dimension(held, ({ resourceNames = [] }) => (resourceNames.length === 0 ? "any" : resourceNames));
    this.#paths = held.flatMap(({ nonResourceURLs = [] }, place) =>
      nonResourceURLs.map((url) => [place, url] as const),
    );
  }

  group = (group: string): Places => this.#groups.of(group);

  resource = (resource: string): Places => {
    const slash = resource.indexOf("/");
    return slash < 0 ? this.#resources.of(resource) : this.#resources.of(resource, `*/${resource.slice(slash + 1)}`);
  };

  name = (name: string | undefined): Places => (name === undefined ? this.#names.of() : this.#names.of(name));

  path = (path: string): Places =>
    placesOf(this.#paths.flatMap(([place, owned]) => (urlCovers(owned, path) ? [place] : [])));
}

/** Entries of a wanted rule that the same held rules contain, so that all of them are covered or none. */
interface Alike<Text> {
  readonly texts: Text[];
  readonly places: ReadonlySet<number>;
}

function alike<Text>(texts: readonly Text[], find: (text: Text) => Places): readonly Alike<Text>[] {
  const groups = new Map<string, Alike<Text>>();
  for (const text of texts) {
    const { all, key } = find(text);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { texts: [text], places: all });
    else known.texts.push(text);
  }
  return [...groups.values()];
}

/**
 * The uncovered permissions of one rule, expanded lazily: the work depends on the number of groups of equal entries.
 */
function* uncovered(held: HeldRules, rule: PolicyRule): Generator<RightPiece> {
  const verbs = alike(rule.verbs ?? [], (verb) => held.verbs.of(verb));
  let looks = 0;
  const lacking = (places: Iterable<number>): readonly string[] => {
    const among = [...places];
    looks += among.length * verbs.length + 1;
    const all = looks > mostComparisons;
    const missing = new Set(
      verbs.filter((one) => all || !among.some((place) => one.places.has(place))).flatMap(({ texts }) => texts),
    );
    return missing.size === 0 ? [] : (rule.verbs ?? []).filter((verb) => missing.has(verb));
  };
  const names = (rule.resourceNames ?? []).length === 0 ? [undefined] : (rule.resourceNames ?? []);
  const [groups, resources, named] = [
    alike(rule.apiGroups ?? [], held.group),
    alike(rule.resources ?? [], held.resource),
    alike(names, held.name),
  ];
  for (const group of groups)
    for (const resource of resources) {
      const both = group.places.intersection(resource.places);
      for (const name of named) {
        const missing = lacking(both.intersection(name.places));
        if (missing.length > 0) yield* pieces(group.texts, resource.texts, name.texts, missing);
      }
    }
  for (const path of alike(rule.nonResourceURLs ?? [], held.path)) {
    const missing = lacking(path.places);
    for (const one of path.texts) for (const verb of missing) yield { kind: "path", verb, path: one };
  }
}

function* pieces(
  groups: readonly string[],
  resources: readonly string[],
  names: readonly (string | undefined)[],
  verbs: readonly string[],
): Generator<RightPiece> {
  for (const group of groups)
    for (const resource of resources)
      for (const name of names)
        for (const verb of verbs)
          yield { kind: "resource", verb, group, resource, ...(name === undefined ? {} : { name }) };
}

/** `/a*` covers `/a`, `/ab` and `/ab*`. */
function urlCovers(owned: string, wanted: string): boolean {
  return owned === wanted || owned === "*" || (owned.endsWith("*") && wanted.startsWith(withoutEnding(owned, "*")));
}

function compact(pieces: readonly RightPiece[]): readonly PolicyRule[] {
  const verbs = new Map<string, { readonly piece: RightPiece; readonly verbs: Set<string> }>();
  for (const piece of pieces) {
    const key =
      // Verbs of a path are not combined.
      piece.kind === "path"
        ? JSON.stringify([piece.path, piece.verb])
        : JSON.stringify([piece.group, piece.resource, piece.name ?? null]);
    const known = verbs.get(key);
    if (known === undefined) verbs.set(key, { piece, verbs: new Set([piece.verb]) });
    else known.verbs.add(piece.verb);
  }
  return [...verbs.values()]
    .map(({ piece, verbs: held }) => {
      const rule = ruleOf(piece, [...held]);
      return { rule, text: formatRule(rule) };
    })
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ rule }) => rule);
}

function ruleOf(piece: RightPiece, verbs: readonly string[]): PolicyRule {
  if (piece.kind === "path") return { nonResourceURLs: [piece.path], verbs };
  const rule = { apiGroups: [piece.group], resources: [piece.resource], verbs };
  return piece.name === undefined ? rule : { ...rule, resourceNames: [piece.name] };
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`: the rule as in the escalation message. */
export function formatRule(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (title: string, values: readonly string[] | undefined): void => {
    if (values !== undefined && values.length > 0)
      parts.push(`${title}:[${values.map((v) => JSON.stringify(v)).join(" ")}]`);
  };
  add("APIGroups", rule.apiGroups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.nonResourceURLs);
  add("ResourceNames", rule.resourceNames);
  add("Verbs", rule.verbs);
  return `{${parts.join(", ")}}`;
}
