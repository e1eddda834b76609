import { invariant } from "../invariant.ts";
import { type CelType, type OpaqueName, type SimpleKind } from "./cel-type.ts";
import {
  CelDuration,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./cel-value.ts";

/** One overload of a function. For member functions the receiver is the first parameter. */
export interface Overload {
  readonly name: string;
  readonly isMember: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: CelValue[]) => CelValue;
  /** Additional cost of a call; 0 when absent. */
  readonly cost?: number;
}

/**
 * `string.find(string): string` is a member function of strings, `size(list<A>): int` a global function,
 * `ip/isCanonical(string): bool` a namespaced one (called `ip.isCanonical`). Capital letters are type variables.
 * @param run is called with values of the types in the signature alone, see {@link holdsValue}
 */
export function overload<Args extends readonly (CelValue | undefined)[]>(
  signature: string,
  run: (...args: Args) => CelValue,
): Overload {
  const parts = /^(?:([\w<>, ]+)\.)?([\w/@!+\-*%<>=]+)\((.*)\): (.+)$/.exec(signature);
  invariant(parts !== null, `"${signature}" is a signature`);
  const [, receiver, name = "", params = "", result = ""] = parts;
  const types = splitTypes(params);
  return {
    name: /^[a-z]\w*\//.test(name) ? name.replace("/", ".") : name,
    isMember: receiver !== undefined,
    params: (receiver === undefined ? types : [receiver, ...types]).map(parseType),
    result: parseType(result),
    run: run as unknown as Overload["run"],
  };
}

function splitTypes(text: string): readonly string[] {
  const types: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of text) {
    if (character === "<") depth++;
    if (character === ">") depth--;
    if (character === "," && depth === 0) {
      types.push(current.trim());
      current = "";
    } else current += character;
  }
  if (current.trim() !== "") types.push(current.trim());
  return types;
}

const opaque: ReadonlySet<string> = new Set<OpaqueName>([
  "url",
  "ip",
  "cidr",
  "quantity",
  "semver",
  "format",
  "authorizer",
  "pathCheck",
  "groupCheck",
  "resourceCheck",
  "decision",
]);
const simple: ReadonlySet<string> = new Set<SimpleKind>([
  "dyn",
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "timestamp",
  "duration",
  "null",
  "type",
]);

function isOpaque(name: string): name is OpaqueName {
  return opaque.has(name);
}

function isSimple(name: string): name is SimpleKind {
  return simple.has(name);
}

function parseType(text: string): CelType {
  const generic = /^(list|map|optional)<(.*)>$/.exec(text);
  if (generic !== null) {
    const [first, second] = splitTypes(generic[2] ?? "").map(parseType);
    invariant(first !== undefined, `"${text}" names what it holds`);
    if (generic[1] === "list") return { kind: "list", items: first };
    if (generic[1] === "optional") return { kind: "optional", of: first };
    return second === undefined ? { kind: "map", values: first } : { kind: "map", keys: first, values: second };
  }
  if (isSimple(text)) return { kind: text };
  if (isOpaque(text)) return { kind: "opaque", name: text };
  invariant(/^[A-Z]$/.test(text), `"${text}" is a type`);
  return { kind: "param", name: text };
}

/** Whether the value has the type; contents of lists and maps are checked only as far as they are typed. */
export function holdsValue(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
    case "error":
      return true;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "uint":
      return value instanceof CelUint;
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof CelTimestamp;
    case "duration":
      return value instanceof CelDuration;
    case "null":
      return value === null;
    case "type":
      return value instanceof CelTypeValue;
    case "optional":
      return value instanceof CelOptional;
    case "list":
      return (
        Array.isArray(value) &&
        (type.items.kind === "param" || value.every((item: CelValue) => holdsValue(type.items, item)))
      );
    case "map":
    case "object":
      return value instanceof CelMap;
    case "opaque":
      return value instanceof CelOpaque && value.content.kind === type.name;
  }
}

/** Overloads by name, member and global functions separately. */
export class FunctionTable {
  readonly #globals = new Map<string, Overload[]>();
  readonly #members = new Map<string, Overload[]>();

  constructor(overloads: readonly Overload[]) {
    for (const candidate of overloads) {
      const table = candidate.isMember ? this.#members : this.#globals;
      const held = table.get(candidate.name);
      if (held === undefined) table.set(candidate.name, [candidate]);
      else held.push(candidate);
    }
  }

  /** Whether a member or global function with the name exists. */
  has(name: string): boolean {
    return this.#globals.has(name) || this.#members.has(name);
  }

  find(name: string, isMember: boolean): readonly Overload[] | undefined {
    return (isMember ? this.#members : this.#globals).get(name);
  }
}
