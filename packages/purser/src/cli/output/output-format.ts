import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import type { JsonValue } from "@purser/kubernetes/json";
import { UsageError } from "../command.ts";
import { customColumns } from "./custom-columns.ts";
import { jsonPathTemplate } from "./json-path-template.ts";

/** Formats with a text of their own behind `=`; every command with `-o json` takes them. */
const withText = ["jsonpath", "custom-columns"] as const;

/** Whether `-o` with this value prints what the document holds, as a template or columns say. */
export const isTemplated = (format: string): boolean => withText.some((name) => format.startsWith(`${name}=`));

/** Whether the result is a document: `json`, `yaml`, or a part of it by `jsonpath=` and `custom-columns=`. */
export const isDocumentFormat = (format: unknown): format is string =>
  typeof format === "string" && (format === "json" || format === "yaml" || isTemplated(format));

/** Writes a document; see {@link isDocumentFormat}. @throws UsageError for a template or columns that cannot be read */
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

/** The format that a command line asks for, for errors before it is parsed. */
export function askedFormat(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === "-o" || arg === "--output");
  if (at >= 0) return args[at + 1];
  const [joined] = args.filter((arg) => /^(-o|--output=)./.test(arg) && !arg.startsWith("--output-"));
  return joined?.replace(/^(--output=|-o=?)/, "");
}
