import { type DocumentNode, executeSync, type GraphQLError, type GraphQLSchema, parse, validate } from "graphql";
import type { QueryBudget } from "./catalog-schema.ts";
import { failedQuery } from "./failed-query.ts";
import { beyondLimits } from "./query-limits.ts";

/** Characters of one result. */
const mostCharacters = 32 * 2 ** 20;

/** The document of a query that is within the limits of the endpoint, else the text of the response that refuses it. */
export type ReadQuery = { readonly document: DocumentNode } | { readonly refusal: string };

/** Reads a query and holds it against the limits, before anything is read of a catalog. */
export function readQuery(text: string): ReadQuery {
  try {
    const document = parse(text);
    const problem = beyondLimits(document);
    return problem === undefined ? { document } : { refusal: failedQuery(problem) };
  } catch (error) {
    // A text of opening brackets alone fills the stack of the parser.
    const problem = error instanceof RangeError ? "the query is nested too deeply" : messageOf(error);
    return { refusal: failedQuery(`query parse error: ${problem}`) };
  }
}

/** The response to a query against the schema of a catalog, as text. */
export function executeQuery(schema: GraphQLSchema, document: DocumentNode): string {
  const problems = validate(schema, document, undefined, { hideSuggestions: true });
  if (problems.length > 0) return response(null, problems);
  const contextValue: QueryBudget = { characters: mostCharacters };
  const { data = null, errors = [] } = executeSync({ schema, document, contextValue });
  return response(data, errors);
}

function response(data: unknown, errors: readonly GraphQLError[]): string {
  const shown = errors.map(({ message, locations = [], path }) => ({
    message,
    locations,
    ...(path === undefined ? {} : { path }),
  }));
  return `${JSON.stringify(shown.length === 0 ? { data } : { data, errors: shown })}\n`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
