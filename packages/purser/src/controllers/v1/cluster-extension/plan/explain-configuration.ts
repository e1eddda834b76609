import type { JsonValue } from "@purser/kubernetes/json";
import type { ClusterExtension } from "../../../../apis/v1/cluster-extension.ts";
import { type ConfigFault, faultPath } from "../../../../bundle/config-schema.ts";
import type { Explanation, Remedy } from "../../../../explanation/explanation.ts";
import { shellWord, summaryOf } from "../../../../explanation/summary.ts";

/** Why `spec.config.inline` does not fit the bundle: each field with the rule of the bundle's schema that it breaks. */
export function explainConfiguration(extension: ClusterExtension, faults: readonly ConfigFault[]): Explanation {
  const name = extension.metadata.name ?? "";
  const lines = faults.map((fault) => `${pathOf(fault)}: ${fault.text} (schema ${fault.schemaPath})`);
  const more = lines.length > 1 ? `; and ${lines.length - 1} more` : "";
  return {
    code: "ConfigurationInvalid",
    summary: summaryOf(`${name}: ${lines[0] ?? "spec.config.inline does not fit the bundle"}${more}`),
    facts: {
      extension: name,
      faults: faults.map((fault) => ({ field: pathOf(fault), schemaPath: fault.schemaPath, problem: fault.text })),
    },
    derivation: faults.map((fault, i) => ({
      relation: "requested",
      subject: pathOf(fault),
      text: lines[i] ?? "",
      upstream: fault.text,
    })),
    remedies: faults.slice(0, 3).map((fault) => remedyOf(fault, extension)),
  };
}

const pathOf = (fault: ConfigFault): string => faultPath("spec.config.inline", fault);

function remedyOf(fault: ConfigFault, extension: ClusterExtension): Remedy {
  const { field, schemaPath, wanted } = fault;
  const path = pathOf(fault);
  const [name] = field;
  const { inline = {} } = extension.spec?.config ?? {};
  if (schemaPath.endsWith("/additionalProperties") && name !== undefined && !field.some((part) => /^\d+$/.test(part))) {
    const isOnly = Object.keys(inline).length === 1 && field.length === 1;
    // The API server refuses an empty `inline`.
    const removed = field.reduceRight<JsonValue>((below, part) => ({ [part]: below }), null);
    return patched(extension, `Remove ${path}`, isOnly ? null : { inline: removed });
  }
  if (wanted !== undefined && name !== undefined && field.length === 1)
    return patched(extension, `Set ${path} to ${wanted}`, { configType: "Inline", inline: { [name]: wanted } });
  return name === "watchNamespace"
    ? { summary: `Set ${path} to a namespace that the bundle's install modes allow` }
    : { summary: `Correct ${path}` };
}

function patched({ metadata }: ClusterExtension, summary: string, config: JsonValue): Remedy {
  const patch = { spec: { config } };
  return {
    summary,
    command: `kubectl patch clusterextensions.olm.operatorframework.io ${shellWord(metadata.name ?? "")} --type merge -p ${shellWord(JSON.stringify(patch))}`,
    patch,
  };
}
