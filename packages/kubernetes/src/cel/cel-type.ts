/** The type of a CEL value, as declared by callers and inferred by the checker. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: "list"; readonly items: CelType; readonly identity?: ListIdentity }
  | { readonly kind: "map"; readonly keys?: CelType; readonly values: CelType }
  | CelObjectType
  | { readonly kind: "optional"; readonly of: CelType }
  /** A value of a library type, which only its own functions can use. */
  | { readonly kind: "opaque"; readonly name: OpaqueName }
  /** The type of an expression that failed to type-check. */
  | { readonly kind: "error" }
  /** A type variable in the signature of a function. */
  | { readonly kind: "param"; readonly name: string };

export type SimpleKind =
  | "dyn"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "null"
  | "type";

export type OpaqueName =
  | "url"
  | "ip"
  | "cidr"
  | "quantity"
  | "semver"
  | "format"
  | "authorizer"
  | "pathCheck"
  | "groupCheck"
  | "resourceCheck"
  | "decision";

/** Identity of items of a JSON list for comparisons: as a set, or by key fields. */
export type ListIdentity = { readonly kind: "set" } | { readonly kind: "map"; readonly keys: readonly string[] };

export interface CelObjectType {
  readonly kind: "object";
  readonly name: string;
  /** By the name in expressions; `key` is the JSON member. */
  readonly fields: ReadonlyMap<string, { readonly key: string; readonly type: CelType }>;
}

/** Keywords that may follow a dot nevertheless. */
const softWords = new Set(
  "as,break,const,continue,else,for,function,if,import,let,loop,package,namespace,return,var,void,while".split(","),
);

/** A field by its name in expressions: keywords are accepted with and without the escaping underscores. */
export function objectField(
  type: CelObjectType,
  name: string,
): { readonly key: string; readonly type: CelType } | undefined {
  return type.fields.get(name) ?? (softWords.has(name) ? type.fields.get(`__${name}__`) : undefined);
}

export const dyn: CelType = { kind: "dyn" };
export const bool: CelType = { kind: "bool" };
export const int: CelType = { kind: "int" };
export const string: CelType = { kind: "string" };

/** Names of library types in compile-time and runtime errors. */
export const opaqueNames: Readonly<Record<OpaqueName, string>> = {
  url: "kubernetes.URL",
  ip: "net.IP",
  cidr: "net.CIDR",
  quantity: "kubernetes.Quantity",
  semver: "kubernetes.Semver",
  format: "kubernetes.NamedFormat",
  authorizer: "kubernetes.authorization.Authorizer",
  pathCheck: "kubernetes.authorization.PathCheck",
  groupCheck: "kubernetes.authorization.GroupCheck",
  resourceCheck: "kubernetes.authorization.ResourceCheck",
  decision: "kubernetes.authorization.Decision",
};

/** The type as in error messages: `list(string)`, `map(string, int)`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "list":
      return `list(${formatType(type.items)})`;
    case "map":
      return `map(${type.keys === undefined ? "string" : formatType(type.keys)}, ${formatType(type.values)})`;
    case "object":
      return type.name;
    case "optional":
      return `optional_type(${formatType(type.of)})`;
    case "opaque":
      return opaqueNames[type.name];
    case "param":
      return type.name;
    case "error":
      return "!error!";
    case "null":
      return "null";
    case "timestamp":
    case "duration":
    case "dyn":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "type":
      return type.kind;
  }
}

/** The type's name without parameters, as in runtime errors. */
export function formatTypeName(type: CelType): string {
  switch (type.kind) {
    case "list":
    case "map":
      return type.kind;
    case "optional":
      return "optional_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "null":
      return "null_type";
    case "object":
    case "opaque":
    case "param":
    case "error":
    case "dyn":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "type":
      return formatType(type);
  }
}

export type Bindings = Map<string, CelType>;

/** Whether a value of type `actual` is assignable to `declared`; binds the type variables of `declared`. */
export function accepts(declared: CelType, actual: CelType, bindings: Bindings): boolean {
  if (declared.kind === "param") {
    const bound = bindings.get(declared.name);
    if (bound === undefined) {
      bindings.set(declared.name, actual);
      return true;
    }
    if (accepts(bound, actual, new Map())) return true;
    if (!accepts(actual, bound, new Map())) return false;
    bindings.set(declared.name, actual);
    return true;
  }
  if (declared.kind === "dyn" || actual.kind === "dyn") return true;
  if (declared.kind === "error" || actual.kind === "error") return true;
  if (actual.kind === "null") {
    return ["null", "object", "timestamp", "duration", "opaque", "optional"].includes(declared.kind);
  }
  if (declared.kind === "list") return actual.kind === "list" && accepts(declared.items, actual.items, bindings);
  if (declared.kind === "map") {
    if (actual.kind !== "map") return false;
    const keys = accepts(declared.keys ?? string, actual.keys ?? string, bindings);
    return keys && accepts(declared.values, actual.values, bindings);
  }
  if (declared.kind === "optional") return actual.kind === "optional" && accepts(declared.of, actual.of, bindings);
  if (declared.kind === "object") return actual.kind === "object" && declared.name === actual.name;
  if (declared.kind === "opaque") return actual.kind === "opaque" && declared.name === actual.name;
  return declared.kind === actual.kind;
}

/** `type` with its variables replaced; unbound variables become dynamic. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case "param":
      return bindings.get(type.name) ?? dyn;
    case "list":
      return { kind: "list", items: substitute(type.items, bindings) };
    case "map":
      return {
        kind: "map",
        keys: substitute(type.keys ?? string, bindings),
        values: substitute(type.values, bindings),
      };
    case "optional":
      return { kind: "optional", of: substitute(type.of, bindings) };
    case "object":
    case "opaque":
    case "error":
    case "dyn":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "timestamp":
    case "duration":
    case "null":
    case "type":
      return type;
  }
}
