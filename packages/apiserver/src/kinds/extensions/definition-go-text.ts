import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { goSchema, goStruct } from "@purser/kubernetes/object/schema/go-schema";
import { goJson } from "@purser/kubernetes/text/go-json";
import { objectIn, objectsIn } from "../decoding/json-parts.ts";
import { sharedParts } from "./definition-validation.ts";

/**
 * Versions as Go prints the internal struct. Parts that are equal in all versions move to the top level there, so they
 * are null here.
 */
export function goVersions(versions: readonly JsonObject[]): string {
  const isShared = sharedParts(versions);
  return `[${versions.map((version) => goVersion(version, isShared)).join(",")}]`;
}

function goVersion(version: JsonObject, isShared: (part: string) => boolean): string {
  const own = (part: string, print: (value: JsonValue) => string): string => {
    const value = version[part];
    return value === undefined || value === null || isShared(part) ? "null" : print(value);
  };
  const list = (part: string, print: (item: JsonObject) => string): string =>
    own(part, () => `[${objectsIn(version, part).map(print).join(",")}]`);
  const text = (object: JsonObject, key: string): string => goJson(object[key] ?? "");
  return goStruct([
    ["Name", text(version, "name")],
    ["Served", goJson(version["served"] === true)],
    ["Storage", goJson(version["storage"] === true)],
    ["Deprecated", goJson(version["deprecated"] === true)],
    ["DeprecationWarning", goJson(version["deprecationWarning"] ?? null)],
    ["Schema", own("schema", (held) => goStruct([["OpenAPIV3Schema", goHeldSchema(held)]]))],
    ["Subresources", own("subresources", goSubresources)],
    [
      "AdditionalPrinterColumns",
      list("additionalPrinterColumns", (column) =>
        goStruct([
          ["Name", text(column, "name")],
          ["Type", text(column, "type")],
          ["Format", text(column, "format")],
          ["Description", text(column, "description")],
          ["Priority", goJson(column["priority"] ?? 0)],
          ["JSONPath", text(column, "jsonPath")],
        ]),
      ),
    ],
    ["SelectableFields", list("selectableFields", (field) => goStruct([["JSONPath", text(field, "jsonPath")]]))],
  ]);
}

function goHeldSchema(held: JsonValue): string {
  const schema = isJsonObject(held) ? held["openAPIV3Schema"] : undefined;
  return isJsonObject(schema) ? goSchema(schema) : "null";
}

function goSubresources(held: JsonValue): string {
  if (!isJsonObject(held)) return "null";
  const scale = objectIn(held, "scale");
  return goStruct([
    ["Status", isJsonObject(held["status"]) ? "{}" : "null"],
    [
      "Scale",
      isJsonObject(held["scale"])
        ? goStruct([
            ["SpecReplicasPath", goJson(scale["specReplicasPath"] ?? "")],
            ["StatusReplicasPath", goJson(scale["statusReplicasPath"] ?? "")],
            ["LabelSelectorPath", goJson(scale["labelSelectorPath"] ?? null)],
          ])
        : "null",
    ],
  ]);
}
