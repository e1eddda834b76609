import type { DiscoveredSchemas } from "./discovered-schema.ts";

/** What the thread of queries is asked for. It answers each task with one {@link QueryOutcome}, in the same order. */
export interface QueryTask {
  /** The index of the catalog. */
  readonly file: string;
  readonly question:
    | { readonly kind: "discover" }
    | { readonly kind: "execute"; readonly query: string; readonly schemas: DiscoveredSchemas };
}

export type QueryOutcome =
  | { readonly kind: "discovered"; readonly schemas: DiscoveredSchemas }
  /** The JSON of the response. */
  | { readonly kind: "executed"; readonly response: string }
  | { readonly kind: "failed"; readonly message: string };
