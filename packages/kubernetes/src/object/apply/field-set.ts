import { keepKeys } from "../../known-keys.ts";
import { allSteps, sortedInSteps, Strides, type Steps } from "../../steps.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";

/**
 * A set of field paths, as a tree. A path element is written as in `fieldsV1`: `f:name`, `k:{"name":"c1"}`,
 * `v:"value"`, `i:0`. Immutable.
 */
export interface FieldSet {
  /** The path that leads here is itself in the set. */
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

const none: ReadonlyMap<string, FieldSet> = new Map();

export const emptySet: FieldSet = { member: false, children: none };
const leaf: FieldSet = { member: true, children: none };

/** True when the set has no path, its own included. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

function node(isMember: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  if (children.size === 0) return isMember ? leaf : emptySet;
  return { member: isMember, children };
}

/** Collects paths; the one mutable form. */
export class FieldSetBuilder {
  #member = false;
  /** Leaves, of which a large object has one for each member, need no builder. */
  #children: Map<string, FieldSetBuilder | typeof leaf> | undefined;

  /** The path is read at once and not kept. */
  add(path: readonly string[]): void {
    const last = path.length - 1;
    if (last < 0) {
      this.#member = true;
      return;
    }
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    let at: FieldSetBuilder = this;
    for (let index = 0; index < last; index++) at = at.#child(path[index] ?? "");
    at.#addLeaf(path[last] ?? "");
  }

  #addLeaf(element: string): void {
    this.#children ??= new Map();
    const held = this.#children.get(element);
    if (held === undefined) this.#children.set(element, leaf);
    else if (held instanceof FieldSetBuilder) held.#member = true;
  }

  #child(element: string): FieldSetBuilder {
    this.#children ??= new Map();
    const held = this.#children.get(element);
    if (held instanceof FieldSetBuilder) return held;
    const child = new FieldSetBuilder();
    child.#member = held !== undefined;
    this.#children.set(element, child);
    return child;
  }

  build(): FieldSet {
    if (this.#children === undefined) return this.#member ? leaf : emptySet;
    // Only the few that are not leaves yet are replaced: a large object has a leaf for each member.
    const children: Map<string, FieldSetBuilder | FieldSet> = this.#children;
    for (const [element, child] of this.#children)
      if (child instanceof FieldSetBuilder) children.set(element, child.build());
    return node(this.#member, children as Map<string, FieldSet>);
  }
}

/** The set of these paths; each is a list of elements as in `fieldsV1` (`f:spec`, `k:{"name":"a"}`, `v:1`, `i:0`). */
export function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder.build();
}

/** Whether the path itself is in the set. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children.get(element);
  return at?.member === true;
}

/** The paths of both sets. Shares what it can with the sets it is made of, as all functions here do. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  return allSteps(unionInSteps(a, b, new Strides()));
}

/** As {@link union}, with pauses. */
export function* unionInSteps(a: FieldSet, b: FieldSet, strides: Strides): Steps<FieldSet> {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    children.set(element, child);
    if (strides.isDue()) yield;
  }
  for (const [element, child] of b.children) {
    const held = children.get(element);
    if (held === undefined) children.set(element, child);
    else if (held !== child) children.set(element, yield* unionInSteps(held, child, strides));
    if (strides.isDue()) yield;
  }
  return node(a.member || b.member, children);
}

/** Of any number of sets: by halves, so that no path is copied more often than that takes. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? emptySet;
  const middle = sets.length >>> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

/** The paths that are in both sets. */
export function* intersectionInSteps(a: FieldSet, b: FieldSet, strides: Strides): Steps<FieldSet> {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    if (strides.isDue()) yield;
    const other = b.children.get(element);
    if (other === undefined) continue;
    const shared = yield* intersectionInSteps(child, other, strides);
    if (!isEmptySet(shared)) children.set(element, shared);
  }
  return node(a.member && b.member, children);
}

/** Paths of `a` that are not paths of `b`; what lies below a removed path stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return allSteps(differenceInSteps(a, b, new Strides()));
}

/** As {@link difference}, with pauses. */
export function* differenceInSteps(a: FieldSet, b: FieldSet, strides: Strides): Steps<FieldSet> {
  if (isEmptySet(b)) return a;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (strides.isDue()) yield;
    const rest = other === undefined ? child : yield* differenceInSteps(child, other, strides);
    if (!isEmptySet(rest)) children.set(element, rest);
  }
  return node(a.member && !b.member, children);
}

/** Paths of `a` that neither are nor lie below a path of `b`. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.member) return emptySet;
  if (b.children.size === 0) return a;
  const children = new Map<string, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const rest = other === undefined ? child : differenceBelow(child, other);
    if (!isEmptySet(rest)) children.set(element, rest);
  }
  return node(a.member, children);
}

const ranks = ["f", "k", "v", "i"];

function sortedElements(set: FieldSet): readonly string[] {
  const elements = [...set.children.keys()];
  if (elements.length < 2) return elements;
  // Sorted without a comparer, which costs most of the time for a large set.
  const [first] = elements;
  const rank = first?.charAt(0) ?? "";
  if (ranks.includes(rank) && elements.every((element) => element.startsWith(rank))) return elements.sort();
  return ranks.flatMap((each) => elements.filter((element) => element.startsWith(each)).sort());
}

/** All paths; on one level members come before what lies deeper. */
export function* pathsOf(
  set: FieldSet,
  strides = new Strides(),
  prefix: readonly string[] = [],
): Steps<readonly (readonly string[])[]> {
  const elements = set.children.size > 1000 ? yield* sortedLargeSet(set) : sortedElements(set);
  const paths: (readonly string[])[] = [];
  const deeper: string[] = [];
  for (const element of elements) {
    const child = set.children.get(element);
    if (child?.member === true) paths.push([...prefix, element]);
    if (child !== undefined && child.children.size > 0) deeper.push(element);
    if (strides.isDue()) yield;
  }
  for (const element of deeper)
    for (const path of yield* pathsOf(set.children.get(element) ?? emptySet, strides, [...prefix, element]))
      paths.push(path);
  return paths;
}

const noFields: JsonObject = {};

/** As in `managedFields[].fieldsV1`. */
export function* encodeFields(set: FieldSet, strides: Strides): Steps<JsonObject> {
  if (set.children.size === 0) return noFields;
  const fields: Record<string, JsonValue> = {};
  if (set.member) fields["."] = {};
  const elements = set.children.size > 1000 ? yield* sortedLargeSet(set) : sortedElements(set);
  // Elements begin with a letter and a colon: none of them is `__proto__`.
  for (const element of elements) {
    const child = set.children.get(element) ?? emptySet;
    fields[element] = child.children.size === 0 ? noFields : yield* encodeFields(child, strides);
    if (strides.isDue()) yield;
  }
  keepKeys(fields, set.member ? [".", ...elements] : elements);
  return fields;
}

/** The elements as {@link sortedElements} orders them. */
function* sortedLargeSet(set: FieldSet): Steps<readonly string[]> {
  return yield* sortedInSteps([...set.children.keys()], (a, b) => {
    const rank = a.charCodeAt(0) - b.charCodeAt(0);
    if (rank !== 0) return ranks.indexOf(a.charAt(0)) - ranks.indexOf(b.charAt(0));
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

/** Undefined for what is no field set. */
export function* decodeFields(fields: JsonValue | undefined): Steps<FieldSet | undefined> {
  if (!isJsonObject(fields)) return undefined;
  const root = yield* decodeNode(fields, new Strides());
  // The document itself is never a member.
  return root === undefined ? undefined : node(false, root.children);
}

function* decodeNode(fields: JsonObject, strides: Strides): Steps<FieldSet | undefined> {
  const children = new Map<string, FieldSet>();
  let isMember = false;
  const keys = Object.keys(fields);
  if (keys.length === 0) return leaf;
  for (const key of keys) {
    if (key === ".") {
      isMember = true;
      continue;
    }
    const held = member(fields, key);
    const isField = key.startsWith("f:");
    // What a later version may have added is passed over.
    if (!isField && /^[^fikv]:/.test(key)) continue;
    const element = isField ? key : canonicalElement(key);
    if (element === undefined || !isJsonObject(held)) return undefined;
    const child = yield* decodeNode(held, strides);
    if (child === undefined) return undefined;
    children.set(element, child);
    if (strides.isDue()) yield;
  }
  return node(isMember, children);
}

/** Elements are compared as text, so keys are written in one way. */
function canonicalElement(element: string): string | undefined {
  const kind = element.slice(0, 2);
  const rest = element.slice(2);
  if (kind === "i:") return /^-?\d+$/.test(rest) ? element : undefined;
  if (kind !== "k:" && kind !== "v:") return undefined;
  try {
    const value = JSON.parse(rest) as JsonValue;
    if (kind === "v:") return valueElement(value);
    return isJsonObject(value) ? keyElement(Object.entries(value).map(([k, v]) => [k, v ?? null])) : undefined;
  } catch {
    return undefined;
  }
}

/** The element of a field by its name: `f:name`. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The element of a set list by its value: `v:` and JSON. */
export function valueElement(value: JsonValue): string {
  return `v:${JSON.stringify(value)}`;
}

/** The element of a map list by its keys, sorted by name: `k:` and JSON. */
export function keyElement(keys: readonly (readonly [string, JsonValue])[]): string {
  const sorted = keys.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** `.spec.containers[name="c1"].image` */
export function formatPath(path: readonly string[]): string {
  return path.map(formatElement).join("");
}

/** An element as paths show it in conflict messages: `.name`, `[name="value"]`, `[="value"]`, `[0]`. */
export function formatElement(element: string): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${rest}`;
    case "v":
      return `[=${rest}]`;
    case "k": {
      const keys = JSON.parse(rest) as JsonObject;
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(",")}]`;
    }
    default:
      return `[${rest}]`;
  }
}
