import type { JsonValue } from "@purser/kubernetes/json";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { UsageError } from "../command.ts";
import { customColumns } from "./custom-columns.ts";
import { jsonPathTemplate } from "./json-path-template.ts";

/** Writes a document; its format is one of `isDocumentFormat`. @throws UsageError for a template or columns that cannot be read */
export function documentWriter(format: string, withHeadings: boolean): (document: JsonValue) => string {
  if (format === "json") return (document) => `${JSON.stringify(document, undefined, 2)}\n`;
  if (format === "yaml") return (document) => `${writeYaml(document).trimEnd()}\n`;
  const [name = "", ...rest] = format.split("=");
  const text = rest.join("=");
  const read = name === "jsonpath" ? jsonPathTemplate(text) : customColumns(text, withHeadings);
  if (!read.ok) throw new UsageError(`-o ${name}: ${read.problem}`, `-o json prints the whole document`);
  const { value } = read;
  return name === "jsonpath" ? value : (document) => `${value(document)}\n`;
}
