import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  validateSchema,
} from "graphql";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { DiscoveredBlobs, DiscoveredField, DiscoveredSchemas, ScalarName } from "./discovered-schema.ts";
import { fieldName, queryFieldName, typeName } from "./names.ts";

/** The blobs of one schema in the order of the catalog. */
export type LoadBlobs = (schema: string, offset: number, limit: number) => readonly JsonObject[];

/** Counts what a query returns. */
export interface QueryBudget {
  /** Characters that may still be returned. */
  characters: number;
}

/** Blobs in one answer of one field. */
const mostBlobs = 100;
/** What a value costs beside its text. */
const charactersPerValue = 16;

const scalars: Readonly<Record<ScalarName, GraphQLScalarType>> = {
  String: GraphQLString,
  Int: GraphQLInt,
  Float: GraphQLFloat,
  Boolean: GraphQLBoolean,
};

type Fields = Record<string, GraphQLFieldConfig<unknown, QueryBudget>>;

/** The GraphQL schema of a catalog: a field for every schema of blobs, and `summary`. Fails when two names become the same, or one is no name of GraphQL. */
export function catalogSchema(schemas: DiscoveredSchemas, load: LoadBlobs): Result<GraphQLSchema, string> {
  const collision =
    sameName([...schemas.keys()], typeName, "type name collision", "both sanitize to GraphQL type") ??
    sameName([...schemas.keys()], queryFieldName, "query field collision", "both map to field");
  if (collision !== undefined) return failed(collision);
  const sorted = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
  try {
    const fields = Object.fromEntries([
      ...sorted.map(([schema, blobs]) => [queryFieldName(schema), blobsField(schema, blobs, load)]),
      ["summary", summaryField(sorted)],
    ]) as Fields;
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields }) });
    const problems = validateSchema(schema);
    return problems.length === 0 ? done(schema) : failed(problems.map(({ message }) => message).join("; "));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function sameName(
  schemas: readonly string[],
  nameOf: (schema: string) => string,
  what: string,
  how: string,
): string | undefined {
  const known = new Map<string, string>();
  for (const schema of schemas.toSorted()) {
    const name = nameOf(schema);
    const other = known.get(name);
    if (other !== undefined) return `${what}: schemas "${other}" and "${schema}" ${how} "${name}"`;
    known.set(name, schema);
  }
  return undefined;
}

function blobsField(schema: string, { fields }: DiscoveredBlobs, load: LoadBlobs): Fields[string] {
  const type = new GraphQLObjectType({
    name: typeName(schema),
    fields: Object.fromEntries(
      [...fields].map(([name, field]) => [name, valueField(name, field, `${typeName(schema)}${typeName(name)}`)]),
    ),
  });
  return {
    type: new GraphQLList(type),
    args: {
      limit: { type: GraphQLInt, default: { value: mostBlobs }, description: "Maximum number of items to return" },
      offset: { type: GraphQLInt, default: { value: 0 }, description: "Number of items to skip" },
    },
    resolve: (_source, { limit, offset }: { readonly limit?: number | null; readonly offset?: number | null }) => {
      const wanted = limit ?? 0;
      return load(schema, Math.max(offset ?? 0, 0), wanted <= 0 || wanted > mostBlobs ? mostBlobs : wanted);
    },
  };
}

function valueField(name: string, { scalar, isList, nested }: DiscoveredField, nestedType: string): Fields[string] {
  if (nested.size === 0) {
    const type = scalars[scalar];
    return {
      type: isList ? new GraphQLList(type) : type,
      resolve(source, _arguments, budget) {
        const value = valueOf(source, name);
        if (value === undefined || value === null) return null;
        const values = isList && Array.isArray(value) ? value : [value];
        const read = values.map((each) => scalarValue(each, scalar, budget));
        return isList ? read : read[0];
      },
    };
  }
  const inner = [...nested].map(([field, found]) => [field, valueField(field, found, "")] as const);
  const type: GraphQLOutputType = new GraphQLObjectType({ name: nestedType, fields: Object.fromEntries(inner) });
  return { type: new GraphQLList(type), resolve: (source) => valueOf(source, name) };
}

function valueOf(source: unknown, name: string): JsonValue | undefined {
  if (!isJsonObject(source as JsonValue)) return undefined;
  return Object.entries(source as JsonObject).find(([key]) => fieldName(key) === name)?.[1];
}

/** The value as the type that the field has; null when it cannot be read as that type. As the library of catalogd converts. */
function scalarValue(value: JsonValue, scalar: ScalarName, budget: QueryBudget): string | number | boolean | null {
  const simple = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  budget.characters -= charactersPerValue + (typeof simple === "string" ? simple.length : 0);
  if (budget.characters < 0)
    throw new GraphQLError("the result of the query is too large: ask for fewer fields, or for fewer items with limit");
  if (simple === null) return null;
  switch (scalar) {
    case "String":
      return String(simple);
    case "Boolean":
      return typeof simple === "string" ? simple !== "" && simple !== "false" : Boolean(simple);
    case "Float":
      return numberOf(simple);
    case "Int": {
      const whole = Math.trunc(numberOf(simple) ?? Number.NaN);
      return whole === (whole | 0) ? whole | 0 : null;
    }
  }
}

function numberOf(value: string | number | boolean): number | null {
  if (typeof value !== "string") return Number(value);
  return /^[-+]?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(value) && Number.isFinite(Number(value))
    ? Number(value)
    : null;
}

function summaryField(schemas: readonly (readonly [string, DiscoveredBlobs])[]): Fields[string] {
  const one = new GraphQLObjectType({
    name: "SchemaSummary",
    fields: { name: { type: GraphQLString }, totalObjects: { type: GraphQLInt }, totalFields: { type: GraphQLInt } },
  });
  const type = new GraphQLObjectType({
    name: "CatalogSummary",
    fields: { totalSchemas: { type: GraphQLInt }, schemas: { type: new GraphQLList(one) } },
  });
  const summary = {
    totalSchemas: schemas.length,
    schemas: schemas.map(([name, { count, fields }]) => ({ name, totalObjects: count, totalFields: fields.size })),
  };
  return { type, resolve: () => summary };
}
