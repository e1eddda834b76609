// Entrance of the thread that answers queries: one that takes too long or too much memory ends with the thread.
import { parentPort } from "node:worker_threads";
import type { GraphQLSchema } from "graphql";
import type { JsonObject } from "@purser/kubernetes/json";
import { openIndex, type StoredIndex } from "../../catalog-store/open.ts";
import type { LineRow } from "../../catalog-store/served-lines.ts";
import { catalogSchema } from "./catalog-schema.ts";
import { type DiscoveredSchemas, discoverSchemas } from "./discovered-schema.ts";
import { executeQuery, readQuery } from "./execute-query.ts";
import type { QueryOutcome, QueryTask } from "./query-task.ts";

interface OpenCatalog {
  readonly file: string;
  readonly index: StoredIndex;
  /** The lines of each schema of blobs. */
  readonly rows: ReadonlyMap<string, readonly LineRow[]>;
  schema?: GraphQLSchema;
}

const decoder = new TextDecoder();
/** The one asked for last stays open. */
let open: OpenCatalog | undefined;

const blobOf = (index: StoredIndex, row: LineRow): JsonObject =>
  JSON.parse(decoder.decode(index.readLine(row))) as JsonObject;

function openCatalog(file: string): OpenCatalog {
  if (open?.file === file) return open;
  open?.index.close();
  open = undefined;
  const opened = openIndex(file);
  if (!opened.ok) throw new Error(opened.problem.message);
  const rows = new Map<string, LineRow[]>();
  for (const row of opened.value.lines()) {
    const known = rows.get(row.schema);
    if (known === undefined) rows.set(row.schema, [row]);
    else known.push(row);
  }
  return (open = { file, index: opened.value, rows });
}

function outcomeOf({ file, question }: QueryTask): QueryOutcome {
  const catalog = openCatalog(file);
  const { index, rows } = catalog;
  if (question.kind === "discover") {
    const blobs = [...rows.values()].flat().values();
    return { kind: "discovered", schemas: discoverSchemas(blobs.map((row) => blobOf(index, row))) };
  }
  catalog.schema ??= built(question.schemas, (schema, offset, limit) =>
    (rows.get(schema) ?? []).slice(offset, offset + limit).map((row) => blobOf(index, row)),
  );
  const read = readQuery(question.query);
  return {
    kind: "executed",
    response: "refusal" in read ? read.refusal : executeQuery(catalog.schema, read.document),
  };
}

function built(schemas: DiscoveredSchemas, load: Parameters<typeof catalogSchema>[1]): GraphQLSchema {
  const schema = catalogSchema(schemas, load);
  if (!schema.ok) throw new Error(schema.problem);
  return schema.value;
}

parentPort?.on("message", (task: QueryTask) => {
  let outcome: QueryOutcome;
  try {
    outcome = outcomeOf(task);
  } catch (error) {
    outcome = { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(outcome);
});
