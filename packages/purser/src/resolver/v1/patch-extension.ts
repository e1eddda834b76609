import type { HarmlessRemedy } from "../../explanation/explanation.ts";
import { setCommand } from "../../explanation/set-command.ts";
import { shellWord } from "../../explanation/summary.ts";
import type { JsonValue } from "@purser/kubernetes/json";

/** A merge patch of a ClusterExtension's catalog filter, as a command and as data. */
export function patchExtension(
  name: string,
  summary: string,
  catalog: Readonly<Record<string, JsonValue>>,
): HarmlessRemedy {
  const patch = { spec: { source: { catalog } } };
  return {
    summary,
    command:
      setCommand(`ext/${name}`, catalog) ??
      `kubectl patch clusterextensions.olm.operatorframework.io ${shellWord(name)} --type merge -p ${shellWord(JSON.stringify(patch))}`,
    patch,
  };
}
