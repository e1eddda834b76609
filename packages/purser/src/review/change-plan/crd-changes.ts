import type { JsonObject } from "@purser/kubernetes/json";
import { checkCrdUpgrade } from "../crd-upgrade-safety.ts";
import type { ObjectChange } from "./object-changes.ts";
import { referenceOf, referenceText } from "./object-changes.ts";

export interface CrdChange {
  readonly name: string;
  readonly change: ObjectChange["change"];
  /** What may break stored objects, one rule a line. */
  readonly findings: readonly string[];
  /** The rule of each finding, by which update policies judge it; `deletion` of a CRD that is deleted. */
  readonly rules: readonly string[];
  /** Custom resources that are stored now; undefined when they were not counted. */
  readonly stored?: number;
}

interface CrdVersions {
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  /** Live objects by `referenceText`: they say which versions objects are stored in. */
  readonly live?: ReadonlyMap<string, JsonObject> | undefined;
  readonly stored?: ReadonlyMap<string, number> | undefined;
}

/** The changes of CustomResourceDefinitions; those that stay as they are come without findings. */
export function crdChanges(
  changes: readonly ObjectChange[],
  { before, after, live, stored }: CrdVersions,
): readonly CrdChange[] {
  const [old, next] = [crdsByName(before), crdsByName(after)];
  return changes
    .filter(({ group, kind }) => kind === "CustomResourceDefinition" && group === "apiextensions.k8s.io")
    .map((changed) => {
      const { name, change } = changed;
      const count = stored?.get(name);
      return {
        name,
        change,
        ...findingsOf(change, live?.get(referenceText(changed)) ?? old.get(name), next.get(name)),
        ...(count === undefined ? {} : { stored: count }),
      };
    });
}

function findingsOf(
  change: ObjectChange["change"],
  old: JsonObject | undefined,
  next: JsonObject | undefined,
): Pick<CrdChange, "findings" | "rules"> {
  if (change === "deleted")
    return {
      findings: ["the CustomResourceDefinition is deleted, and all its custom resources with it"],
      rules: ["deletion"],
    };
  const refusal = change === "changed" && next !== undefined ? checkCrdUpgrade(old, next) : undefined;
  return { findings: refusal?.messages ?? [], rules: refusal?.rules ?? [] };
}

function crdsByName(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  return new Map(crds.map((crd) => [referenceOf(crd).name, crd]));
}
