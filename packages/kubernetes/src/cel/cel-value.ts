import type { AccessAsker, AccessQuestion } from "./functions/access-question.ts";
import type { GoUrl } from "./functions/go-url.ts";
import type { Cidr, IpAddress } from "./functions/ip-address.ts";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "../json.ts";
import { type CelObjectType, type CelType, type ListIdentity, objectField, opaqueNames } from "./cel-type.ts";
import type { CelQuantity } from "./functions/quantity-value.ts";
import type { Semver } from "./functions/semver-value.ts";
import type { NamedFormat } from "./functions/named-format.ts";

/** The runtime representation of CEL values. Integers are bigint, doubles are number. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly CelValue[]
  | CelMap
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | CelFault;

/** Errors are values until they are used: `false && error` is false. */
export class CelFault {
  readonly message: string;
  /** The cost limit was exceeded: logical operators do not absorb this error. */
  readonly isCost: boolean;

  constructor(message: string, isCost = false) {
    this.message = message;
    this.isCost = isCost;
  }
}

/** A failed evaluation with its message in the words of cel-go. */
export function fault(message: string): CelFault {
  return new CelFault(message);
}

/** A `uint` of CEL; numbers without a class are `int` (bigint) and `double`. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds. */
export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since the Unix epoch. */
export class CelTimestamp {
  readonly nanos: bigint;
  /** Offset of the source text, used only for printing. */
  readonly offsetMinutes: number;

  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

/** An optional of CEL; without a value it is `optional.none()`. */
export class CelOptional {
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value, such as the result of `type(1)`. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export type OpaqueContent =
  | { readonly kind: "url"; readonly value: GoUrl }
  | { readonly kind: "ip"; readonly value: IpAddress }
  | { readonly kind: "cidr"; readonly value: Cidr }
  | { readonly kind: "quantity"; readonly value: CelQuantity }
  | { readonly kind: "semver"; readonly value: Semver }
  | { readonly kind: "format"; readonly value: NamedFormat }
  | { readonly kind: "authorizer"; readonly value: AccessAsker }
  | { readonly kind: "pathCheck" | "groupCheck" | "resourceCheck"; readonly value: AccessQuestion }
  | { readonly kind: "decision"; readonly value: { readonly allowed: boolean; readonly reason: string } };

/** A value of one of Kubernetes' library types: URL, IP address, quantity and the like. */
export class CelOpaque {
  readonly content: OpaqueContent;

  constructor(content: OpaqueContent) {
    this.content = content;
  }
}

/** A map or an object; members are converted lazily. */
export interface CelMapSource {
  get(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
}

/** A map of CEL over a source that reads its entries when they are asked for. */
export class CelMap {
  readonly #source: CelMapSource;
  /** For JSON: keys are strings, and a lookup with another type is an error. */
  readonly textKeys: boolean;

  constructor(source: CelMapSource, textKeys = false) {
    this.#source = source;
    this.textKeys = textKeys;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#source.get(key);
  }

  keys(): readonly CelValue[] {
    return this.#source.keys();
  }
}

/** Numerically equal keys are the same key. */
function keyText(key: CelValue): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  return typeof key === "number" && Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
}

/** A map from pairs; undefined when a key has a type that keys cannot have. */
export function literalMap(pairs: readonly (readonly [CelValue, CelValue])[]): CelMap | undefined {
  const held = new Map<string, readonly [CelValue, CelValue]>();
  for (const pair of pairs) {
    const text = keyText(pair[0]);
    if (text === undefined) return undefined;
    held.set(text, pair);
  }
  return new CelMap({
    get: (key) => held.get(keyText(key) ?? "")?.[1],
    keys: () => [...held.values()].map(([key]) => key),
  });
}

/** A map whose keys are texts. */
export function textMap(entries: ReadonlyMap<string, CelValue>): CelMap {
  return new CelMap({
    get: (key) => (typeof key === "string" ? entries.get(key) : undefined),
    keys: () => [...entries.keys()],
  });
}

/** Declared identity of lists from JSON; lists created by expressions have none. */
const identities = new WeakMap<readonly CelValue[], ListIdentity>();

/** Attaches a declared identity to the list. */
export function withIdentity(list: readonly CelValue[], identity: ListIdentity): readonly CelValue[] {
  identities.set(list, identity);
  return list;
}

/** How the schema of the list identifies its items; undefined for lists that expressions create. */
export function identityOf(list: readonly CelValue[]): ListIdentity | undefined {
  return identities.get(list);
}

/** Converts a JSON value according to its declared type. */
export function fromJson(value: JsonValue, type: CelType): CelValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return textFromJson(value, type);
  if (typeof value === "number") {
    if (type.kind === "double" || !Number.isInteger(value)) return value;
    return BigInt(value);
  }
  if (Array.isArray(value)) {
    const items: CelType = type.kind === "list" ? type.items : { kind: "dyn" };
    const list = value.map((item: JsonValue) => fromJson(item, items));
    if (type.kind === "list" && type.identity !== undefined) identities.set(list, type.identity);
    return list;
  }
  if (!isJsonObject(value)) return exactFromJson(value, type);
  return type.kind === "object"
    ? objectValue(value, type)
    : mapValue(value, type.kind === "map" ? type.values : { kind: "dyn" });
}

/** Converts an integer that is kept as digits. */
function exactFromJson(value: JsonValue, type: CelType): CelValue {
  const digits = digitsOf(value);
  if (digits === undefined) return null;
  return type.kind === "double" ? Number(digits) : BigInt(digits);
}

function textFromJson(value: string, type: CelType): CelValue {
  switch (type.kind) {
    case "bytes":
      return decodeBase64(value) ?? fault("invalid base64");
    case "duration":
      return parseGoDuration(value) ?? fault(`invalid duration ${value}`);
    case "timestamp":
      return parseTimestamp(value) ?? parseTimestamp(`${value}T00:00:00Z`) ?? fault(`invalid timestamp ${value}`);
    case "dyn":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "null":
    case "type":
    case "list":
    case "map":
    case "object":
    case "optional":
    case "opaque":
    case "param":
    case "error":
      return value;
  }
}

function objectValue(value: JsonObject, type: CelObjectType): CelMap {
  return new CelMap(
    {
      get: (key) => {
        const field = typeof key === "string" ? objectField(type, key) : undefined;
        const held = field === undefined ? undefined : member(value, field.key);
        // A null field counts as absent.
        if (field === undefined || held === undefined || held === null) return undefined;
        return fromJson(held, field.type);
      },
      keys: () => [...type.fields].filter(([, field]) => member(value, field.key) !== undefined).map(([name]) => name),
    },
    true,
  );
}

function mapValue(value: JsonObject, values: CelType): CelMap {
  return new CelMap(
    {
      get: (key) => {
        const held = typeof key === "string" ? member(value, key) : undefined;
        return held === undefined ? undefined : fromJson(held, values);
      },
      keys: () => Object.keys(value).filter((key) => member(value, key) !== undefined),
    },
    true,
  );
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const unitNanos: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

const maxDuration = 9_223_372_036_854_775_807n;
/** Of one number: those of the longest duration in nanoseconds; further decimals of an hour change nothing. */
const mostDigits = 19;

/** `1h30m`, `-1.5s`, `0`. */
export function parseGoDuration(text: string): CelDuration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const body = text.slice(sign.length);
  if (body === "0") return new CelDuration(0n);
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = BigInt(unitNanos[unit] ?? 1);
    const count = whole.replace(/^0+/, "");
    if (count.length > mostDigits) return undefined;
    nanos += BigInt(count === "" ? 0 : count) * scale;
    const decimals = fraction.slice(0, mostDigits);
    if (decimals !== "") nanos += (BigInt(decimals) * scale) / 10n ** BigInt(decimals.length);
  }
  if (nanos > maxDuration) return undefined;
  return new CelDuration(sign === "-" ? -nanos : nanos);
}

/** RFC 3339 with any number of decimals. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})$/.exec(
    text,
  );
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = parts;
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const back = new Date(utc);
  if (
    back.getUTCDate() !== Number(day) ||
    back.getUTCHours() !== Number(hour) ||
    Number(second) > 59 ||
    Number(minute) > 59
  ) {
    return undefined;
  }
  // Date.UTC takes years below 100 as 19xx.
  if (Number(year) < 100) back.setUTCFullYear(Number(year));
  const offset = /^([+-])(\d{2}):(\d{2})$/.exec(zone);
  const minutes = offset === null ? 0 : Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3]));
  const nanos = BigInt(back.getTime() - minutes * 60_000) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
  return new CelTimestamp(nanos, minutes);
}

/** The name that `type()` returns and runtime errors use. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return "null_type";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  if (typeof value === "string") return "string";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof CelUint) return "uint";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelTypeValue) return "type";
  if (value instanceof CelMap) return "map";
  if (value instanceof CelOpaque) return opaqueNames[value.content.kind];
  return value instanceof CelFault ? "error" : "list";
}
