import { fillImageTemplate, type ImageTemplate, parseImageTemplate } from "../../catalog/opm/image-template.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import { UsageError } from "../command.ts";
import type { Terminal } from "../output/terminal.ts";

const example = "--image-template 'example.com/{{.Package}}:v{{.Version}}'";

/**
 * Parses the value of `--image-template`; undefined when the flag is not set.
 * @throws UsageError when it is malformed or names an unknown field
 */
export function imageTemplateOf(text: string | undefined): ImageTemplate | undefined {
  if (text === undefined) return undefined;
  const refuse = (problem: string): never => {
    throw new UsageError(
      `--image-template: ${problem}`,
      `it may name {{.Package}}, {{.Name}} and {{.Version}}, as in ${example}`,
    );
  };
  const template = parseImageTemplate(text);
  if (!template.ok) return refuse(template.problem);
  // Filled with empty values once, so that an unknown field is reported for the flag and not for the first bundle.
  const filled = fillImageTemplate(template.value, { Package: "", Name: "", Version: "" });
  return filled.ok ? template.value : refuse(filled.problem);
}

/** Warns about rendered bundle directories without an image, because OLM cannot install these bundles. */
export function warnWithoutImage(terminal: Terminal, rendered: ReadonlyMap<string, JsonObject>): void {
  const empty = [...rendered]
    .filter(([, json]) => (member(json, "image") ?? "") === "")
    .map(([reference]) => reference);
  if (empty.length === 0) return;
  const names = empty.length <= 3 ? empty.join(", ") : `${empty.slice(0, 3).join(", ")} and ${empty.length - 3} more`;
  terminal.err(`${terminal.symbol("attention")} rendered without an image, so it cannot be installed: ${names}`);
  terminal.err(`  do    ${example}`);
}
