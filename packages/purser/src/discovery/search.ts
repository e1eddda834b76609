import type { PackageFacts } from "../catalog/package-facts.ts";
import { compareBytes } from "@purser/kubernetes/text/documents";

/** A package with its rank for a query; higher is better. */
export interface Ranked<Item> {
  readonly item: Item;
  readonly score: number;
}

/** Fields in the order of their weight: a match in one outweighs equal matches in all below it. */
const fields: readonly (readonly [weight: number, texts: (facts: PackageFacts) => readonly string[]])[] = [
  [32, ({ displayName }) => [displayName]],
  [16, ({ name }) => [name]],
  [8, ({ keywords }) => keywords],
  [4, ({ provider }) => [provider]],
  [2, ({ kinds }) => kinds],
  [1, ({ description }) => [description]],
];

/** What a word of the query is worth in a field: the word itself, a word that begins with it, one with typing errors. */
const exact = 1;
const prefix = 0.75;
const mistyped = 0.4;

/** Above all other matches: the query is the name or the display name. */
const wholeName = 100;

const lettersPerTypo = 5;

/**
 * Packages that match every word of the query, best first, equal ones by name. A word matches a word of a field that is
 * equal to it, begins with it, or does so but for one typing error in five letters (insert, delete, replace, swap of
 * neighbours). Upper and lower case are the same. An empty query matches all, by name.
 */
export function searchPackages<Item>(
  query: string,
  items: readonly Item[],
  factsOf: (item: Item) => PackageFacts,
): readonly Ranked<Item>[] {
  const words = [...new Set(wordsIn(query))];
  const whole = query.trim().toLowerCase();
  const matchers = words.map(matcherOf);
  const found: Ranked<Item>[] = [];
  for (const item of items) {
    const facts = factsOf(item);
    const isNamed = whole !== "" && (facts.name.toLowerCase() === whole || facts.displayName.toLowerCase() === whole);
    const score = scoreOf(facts, matchers) ?? (isNamed ? 0 : undefined);
    if (score !== undefined && (words.length > 0 || whole === "" || isNamed))
      found.push({ item, score: score + (isNamed ? wholeName : 0) });
  }
  return found.sort((a, b) => b.score - a.score || compareBytes(factsOf(a.item).name, factsOf(b.item).name));
}

/** Undefined when a word of the query is in no field. */
function scoreOf(facts: PackageFacts, matchers: readonly Matcher[]): number | undefined {
  const texts = fields.map(([weight, textsOf]) => [weight, textsOf(facts).flatMap(wordsOfField)] as const);
  let score = 0;
  for (const quality of matchers) {
    let own = 0;
    for (const [weight, words] of texts) own += weight * best(words, quality);
    if (own === 0) return undefined;
    score += own;
  }
  return score;
}

function best(words: readonly string[], quality: Matcher): number {
  let most = 0;
  for (const word of words) {
    const own = quality(word);
    if (own > most) most = own;
    if (most === exact) break;
  }
  return most;
}

/** 0 for a word that does not match. */
type Matcher = (word: string) => number;

/** Words repeat in thousands of descriptions: each is compared once. */
function matcherOf(wanted: string): Matcher {
  const known = new Map<string, number>();
  return (word) => {
    let quality = known.get(word);
    if (quality === undefined) {
      quality = word === wanted ? exact : word.startsWith(wanted) ? prefix : isMistyped(wanted, word) ? mistyped : 0;
      known.set(word, quality);
    }
    return quality;
  };
}

/** Whether some beginning of `word`, or all of it, is `wanted` but for one error in five letters of the longer of both. */
function isMistyped(wanted: string, word: string): boolean {
  // Each error needs five letters of the longer one, which has at most one letter more for each error.
  const most = Math.floor(wanted.length / (lettersPerTypo - 1));
  if (most === 0 || word.length < wanted.length - most) return false;
  return beginningDistances(wanted, word.slice(0, wanted.length + most), most).some(
    (edits, length) => edits <= Math.floor(Math.max(wanted.length, length) / lettersPerTypo),
  );
}

/** The number of errors between `wanted` and the first 0, 1, 2 ... letters of `word`; empty when all are above `most`. */
function beginningDistances(wanted: string, word: string, most: number): readonly number[] {
  let older: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: word.length + 1 }, (_, column) => column);
  for (let row = 1; row <= wanted.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= word.length; column++) {
      const same = wanted[row - 1] === word[column - 1];
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && wanted[row - 1] === word[column - 2] && wanted[row - 2] === word[column - 1])
        edits = Math.min(edits, (older[column - 2] ?? 0) + 1);
      current.push(edits);
      if (edits < least) least = edits;
    }
    // No later row falls below: a swap reaches back to the row before and costs one more, and that row is at most one lower.
    if (least > most) return [];
    older = previous;
    previous = current;
  }
  return previous;
}

/** Words in lower case: letters and digits of any script. */
function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of a field, and the parts of those in camel case: `EtcdCluster` is found by `cluster` as well. */
function wordsOfField(text: string): readonly string[] {
  const words = wordsIn(text);
  if (!/\p{Ll}\p{Lu}/u.test(text)) return words;
  return [...words, ...wordsIn(text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " "))];
}
