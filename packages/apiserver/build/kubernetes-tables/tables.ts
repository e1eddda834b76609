import { resolve } from "node:path";
import { structNames } from "../../src/kinds/fields/field-table.ts";
import { builtinTypesFile } from "./builtin-types.ts";
import { publishedSchemas } from "./published-schemas.ts";
import { publishedStructsFile } from "./published-structs.ts";

const packages = resolve(import.meta.dirname, "../../..");

/** The generated files by their paths. */
export function tables(): ReadonlyMap<string, string> {
  const schemas = publishedSchemas();
  return new Map([
    [resolve(packages, "kubernetes/src/object/apply/builtin-types.gen.ts"), builtinTypesFile(schemas)],
    [resolve(packages, "apiserver/src/openapi/published-structs.gen.ts"), publishedStructsFile(schemas, structNames())],
  ]);
}
