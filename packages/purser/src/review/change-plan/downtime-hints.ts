import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import type { ObjectChange } from "./object-changes.ts";
import { referenceOf, referenceText } from "./object-changes.ts";
import { restartedBy } from "./restarts.ts";

/** Sentences on what pauses while the objects are applied; empty when every Deployment replaces its pods one by one. */
export function downtimeHints(
  changes: readonly ObjectChange[],
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  /** Names of Deployments that serve webhooks. */
  serving: ReadonlySet<string>,
): readonly string[] {
  const old = new Map(before.map((object) => [referenceText(referenceOf(object)), object]));
  const changed = new Set(changes.filter(({ change }) => change === "changed").map(referenceText));
  const restarted = new Set(restartedBy(changes).map(referenceText));
  return after.flatMap((object): readonly string[] => {
    const reference = referenceOf(object);
    const text = referenceText(reference);
    if (reference.kind !== "Deployment" || !changed.has(text)) return [];
    const [was, spec] = [inside(old.get(text), "spec"), inside(object, "spec")];
    const name = `Deployment ${reference.namespace === undefined ? "" : `${reference.namespace}/`}${reference.name}`;
    const hints: string[] = [];
    const selectors = [inside(was, "selector"), inside(spec, "selector")] as const;
    if (selectors[0] !== undefined && !semanticEqual(selectors[0], selectors[1]))
      hints.push(
        `${name}: its selector changes, which the API server refuses; the Deployment has to be deleted and created again`,
      );
    const isRestarted =
      was === undefined ? restarted.has(text) : !semanticEqual(inside(was, "template"), inside(spec, "template"));
    if (!isRestarted) return hints;
    const replicas = inside(spec, "replicas") ?? 1;
    const isRecreated = inside(inside(spec, "strategy"), "type") === "Recreate";
    const webhooks = serving.has(reference.name) ? "; its admission webhooks are unavailable meanwhile" : "";
    if (isRecreated) hints.push(`${name}: strategy Recreate stops all pods before new ones start${webhooks}`);
    else if (replicas === 1)
      hints.push(`${name}: 1 replica, which restarts; the new pod starts before the old one stops`);
    return hints;
  });
}

function inside(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? member(value, key) : undefined;
}
