import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { mapList, objectIn, objectsIn } from "../../kinds/decoding/json-parts.ts";

export const indexLabel = "batch.kubernetes.io/job-completion-index";

/** The index that a pod of an indexed job works on; undefined for all others. */
export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexLabel] ?? "";
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads `1,3-5,7` as far as it is below `completions`. */
export function parseIndexes(text: string, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of text.split(",")) {
    const [, first = "", last = first] = /^([0-9]+)(?:-([0-9]+))?$/.exec(part) ?? [];
    if (first === "") continue;
    for (let index = Number(first); index <= Number(last) && index < completions; index++) indexes.add(index);
  }
  return indexes;
}

/** Three or more in a row become a range, two stay two. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const runs: (readonly [first: number, last: number])[] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.[1] === index - 1) runs[runs.length - 1] = [run[0], index];
    else runs.push([index, index]);
  }
  return runs
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

/** The pod as the one that works on the index: it finds it in its labels, its environment and its host name. */
export function withIndex(pod: JsonObject, job: string, index: number): JsonObject {
  const metadata = objectIn(pod, "metadata");
  const mark = { [indexLabel]: String(index) };
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexLabel}']` } },
  };
  const told = (container: JsonObject): JsonObject => {
    const env = objectsIn(container, "env");
    return env.some(({ name }) => name === variable.name) ? container : { ...container, env: [...env, variable] };
  };
  const spec = mapList(mapList(objectIn(pod, "spec"), "containers", told), "initContainers", told);
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: `${job}-${index}-`,
      labels: { ...objectIn(metadata, "labels"), ...mark },
      annotations: { ...objectIn(metadata, "annotations"), ...mark },
    },
    spec: { ...spec, hostname: `${job}-${index}` },
  };
}
