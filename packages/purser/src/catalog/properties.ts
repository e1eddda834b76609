import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { propertyShapes } from "./schemas/blob-shapes.ts";
import type { Property } from "./catalog-index.ts";
import { fieldOf, misfit, textOf } from "./schemas/go-shape.ts";
import type { BundleContent, PackageVersion } from "./model.ts";

/** Types whose values are whole documents that a resolver does not need. */
export function isBulkProperty(type: string): boolean {
  return type === "olm.csv.metadata" || type === "olm.bundle.object";
}

type PropertyFacts = Pick<BundleContent, "properties" | "versions" | "objects" | "csvMetadata" | "propertyProblem">;

/** A bundle's properties as the resolver needs them, and the first one that cannot be read. */
export function readProperties(listed: readonly JsonObject[]): PropertyFacts {
  const properties: Property[] = [];
  const versions: PackageVersion[] = [];
  let objects = 0;
  let csvMetadata = 0;
  let problem: PropertyFacts["propertyProblem"];
  for (const [index, item] of listed.entries()) {
    const type = textOf(item, "type");
    const value = fieldOf(item, "value");
    const shape = propertyShapes.get(type);
    const complaint =
      shape === undefined && value !== undefined ? undefined : misfit(value, shape ?? { kind: "raw", type: "" });
    if (complaint !== undefined && problem === undefined)
      problem = { index, message: `parse property[${index}] of type ${goQuote(type)}: ${complaint}` };
    if (type === "olm.package") versions.push(packageVersion(isJsonObject(value) ? value : {}));
    if (type === "olm.bundle.object") objects++;
    if (type === "olm.csv.metadata") csvMetadata++;
    if (!isBulkProperty(type) && value !== undefined) properties.push({ type, value });
  }
  return { properties, versions, objects, csvMetadata, ...(problem === undefined ? {} : { propertyProblem: problem }) };
}

function packageVersion(value: JsonObject): PackageVersion {
  const release = fieldOf(value, "release");
  return {
    packageName: textOf(value, "packageName"),
    version: textOf(value, "version"),
    ...(typeof release === "string" ? { release } : {}),
  };
}
