import type { JsonObject } from "@purser/kubernetes/json";
import { checkCrdUpgrade } from "../crd-upgrade-safety.ts";
import type { ObjectChange } from "./object-changes.ts";
import { referenceOf } from "./object-changes.ts";

export interface CrdChange {
  readonly name: string;
  readonly change: ObjectChange["change"];
  /** What may break stored objects, one rule a line. */
  readonly findings: readonly string[];
  /** Custom resources that are stored now; undefined when they were not counted. */
  readonly stored?: number;
}

/** The changes of CustomResourceDefinitions; those that stay as they are come without findings. */
export function crdChanges(
  changes: readonly ObjectChange[],
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  stored: ReadonlyMap<string, number> | undefined,
): readonly CrdChange[] {
  const [old, next] = [crdsByName(before), crdsByName(after)];
  return changes
    .filter(({ group, kind }) => kind === "CustomResourceDefinition" && group === "apiextensions.k8s.io")
    .map(({ name, change }) => {
      const count = stored?.get(name);
      return {
        name,
        change,
        findings: findingsOf(change, old.get(name), next.get(name)),
        ...(count === undefined ? {} : { stored: count }),
      };
    });
}

function findingsOf(
  change: ObjectChange["change"],
  old: JsonObject | undefined,
  next: JsonObject | undefined,
): readonly string[] {
  if (change === "deleted") return ["the CustomResourceDefinition is deleted, and all its custom resources with it"];
  if (change !== "changed" || next === undefined) return [];
  return checkCrdUpgrade(old, next)?.messages ?? [];
}

function crdsByName(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  return new Map(crds.map((crd) => [referenceOf(crd).name, crd]));
}
