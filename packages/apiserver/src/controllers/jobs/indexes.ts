import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { mapList, objectIn, objectsIn } from "../../kinds/decoding/json-parts.ts";

const indexLabel = "batch.kubernetes.io/job-completion-index";

/** The completion index of a pod; undefined when it has none. */
export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexLabel] ?? "";
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Parses `1,3-5,7`; indexes from `completions` on are ignored. */
export function parseIndexes(text: string, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of text.split(",")) {
    const [, first = "", last = first] = /^([0-9]+)(?:-([0-9]+))?$/.exec(part) ?? [];
    if (first === "") continue;
    for (let index = Number(first); index <= Number(last) && index < completions; index++) indexes.add(index);
  }
  return indexes;
}

/** Three or more consecutive indexes become a range, two stay separate. */
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

/** The pod for an index, which it finds in its labels, its environment and its host name. */
export function withIndex(pod: JsonObject, job: string, index: number): JsonObject {
  const metadata = objectIn(pod, "metadata");
  const mark = { [indexLabel]: String(index) };
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexLabel}']` } },
  };
  const withIndexVariable = (container: JsonObject): JsonObject => {
    const env = objectsIn(container, "env");
    return env.some(({ name }) => name === variable.name) ? container : { ...container, env: [...env, variable] };
  };
  const spec = mapList(
    mapList(objectIn(pod, "spec"), "containers", withIndexVariable),
    "initContainers",
    withIndexVariable,
  );
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
