import { counted } from "../../explanation/summary.ts";
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

/** Custom resources of a CRD that are stored now. */
export interface StoredObjects {
  readonly count: number;
  /** Versions of the API in which objects may be stored. */
  readonly versions: readonly string[];
  /** Those that the new version of the CRD refuses, with what is wrong with their fields. */
  readonly refused: readonly { readonly object: string; readonly fields: string }[];
  /** Present when the new version of the CRD converts objects by a webhook, which may make them fit. */
  readonly converts?: true;
}

interface CrdVersions {
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  /** Live objects by `referenceText`: they say which versions objects are stored in. */
  readonly live?: ReadonlyMap<string, JsonObject> | undefined;
  readonly stored?: ReadonlyMap<string, StoredObjects> | undefined;
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
      const found = stored?.get(name);
      return {
        name,
        change,
        ...withRefused(findingsOf(change, live?.get(referenceText(changed)) ?? old.get(name), next.get(name)), found),
        ...(found === undefined ? {} : { stored: found.count }),
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

/** Adds what InstallPlans of OLM v0 are refused for; OLM v1 does not look at stored objects. */
function withRefused(
  { findings, rules }: Pick<CrdChange, "findings" | "rules">,
  stored: StoredObjects | undefined,
): Pick<CrdChange, "findings" | "rules"> {
  const [first, ...others] = stored?.refused ?? [];
  if (first === undefined) return { findings, rules };
  const unless = stored?.converts === true ? ", unless its conversion webhook makes them fit" : "";
  const count = `${counted(others.length + 1, "stored object")}${others.length === 0 ? "" : ", first"}`;
  const text = `the new schema refuses ${count}: ${first.object}: ${first.fields}${unless}`;
  return { findings: [text, ...findings], rules: ["storedObjects", ...rules] };
}

function crdsByName(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  return new Map(crds.map((crd) => [referenceOf(crd).name, crd]));
}
