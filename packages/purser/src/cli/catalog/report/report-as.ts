import type { JsonValue } from "@purser/kubernetes/json";
import { writeYaml } from "@purser/kubernetes/text/documents";
import { type Invocation, textOption } from "../../command.ts";

/** A report as JSON or YAML, for commands whose `-o` names a directory; undefined without `--report json|yaml`. */
export function reportAs(invocation: Invocation, data: JsonValue): string | undefined {
  const format = textOption(invocation, "report");
  if (format === "json") return `${JSON.stringify(data, undefined, 2)}\n`;
  return format === "yaml" ? writeYaml(data) : undefined;
}
