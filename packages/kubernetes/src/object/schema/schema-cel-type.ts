import type { CelType, ListIdentity } from "../../cel/cel-type.ts";
import type { StructuralSchema } from "./schema-node.ts";

const cached = new WeakMap<StructuralSchema, { readonly plain?: CelType; readonly root?: CelType }>();

/**
 * The CEL type of a schema; undefined for values that rules cannot access (no type, or below preserve-unknown-fields).
 * At the root of a resource, `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` are available in
 * addition to the schema's own properties.
 */
export function celTypeOf(schema: StructuralSchema, isResource: boolean): CelType | undefined {
  const known = cached.get(schema);
  const found = isResource ? known?.root : known?.plain;
  if (found !== undefined) return found;
  const type = makeType(schema, isResource, "selfType");
  if (type !== undefined) cached.set(schema, { ...known, ...(isResource ? { root: type } : { plain: type }) });
  return type;
}

const string: CelType = { kind: "string" };

function metadataType(name: string): CelType {
  return {
    kind: "object",
    name,
    fields: new Map([
      ["name", { key: "name", type: string }],
      ["generateName", { key: "generateName", type: string }],
    ]),
  };
}

/** `name` is the path of the type below the rule's node: types at different paths are different types. */
function makeType(schema: StructuralSchema, isResource: boolean, name: string): CelType | undefined {
  if (schema.intOrString) return { kind: "dyn" };
  switch (schema.type) {
    case "array":
      return listType(schema, name);
    case "object":
      return objectType(schema, isResource, name);
    case "string":
      return textType(schema.format);
    case "boolean":
      return { kind: "bool" };
    case "number":
      return { kind: "double" };
    case "integer":
      return { kind: "int" };
    case "":
      return isResource ? objectType(schema, true, name) : undefined;
  }
}

function textType(format: string): CelType {
  switch (format) {
    case "byte":
      return { kind: "bytes" };
    case "duration":
      return { kind: "duration" };
    case "date":
    case "date-time":
      return { kind: "timestamp" };
    default:
      return string;
  }
}

function listType(schema: StructuralSchema, name: string): CelType | undefined {
  const items = schema.items === undefined ? undefined : makeType(schema.items, schema.items.embedded, `${name}.@idx`);
  if (items === undefined) return undefined;
  const identity = identityOf(schema);
  return identity === undefined ? { kind: "list", items } : { kind: "list", items, identity };
}

function identityOf(schema: StructuralSchema): ListIdentity | undefined {
  if (schema.listType === "set") return { kind: "set" };
  return schema.listType === "map" ? { kind: "map", keys: schema.listMapKeys } : undefined;
}

function objectType(schema: StructuralSchema, isResource: boolean, own: string): CelType | undefined {
  if (typeof schema.additional === "object") {
    const values = makeType(schema.additional, schema.additional.embedded, `${own}.@elem`);
    return values === undefined ? undefined : { kind: "map", values };
  }
  const fields = new Map<string, { readonly key: string; readonly type: CelType }>();
  for (const [key, property] of schema.properties) {
    const type = makeType(property, property.embedded, `${own}.${key}`);
    const name = escapeName(key);
    if (type !== undefined && name !== undefined) fields.set(name, { key, type });
  }
  if (isResource) {
    fields.set("apiVersion", { key: "apiVersion", type: string });
    fields.set("kind", { key: "kind", type: string });
    fields.set("metadata", { key: "metadata", type: metadataType(`${own}.metadata`) });
  }
  return { kind: "object", name: own, fields };
}

const keywords = new Set(
  "true,false,null,in,as,break,const,continue,else,for,function,if,import,let,loop,package,namespace,return,var,void,while".split(
    ",",
  ),
);

/** The property's name in expressions; undefined when it cannot be accessed. */
function escapeName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/.test(name)) return undefined;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}
