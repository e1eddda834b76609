import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { goJson } from "@purser/kubernetes/text/documents";
import { changedInputs, type ChangePlan } from "./change-plan.ts";

/** Change plans that are approved together, such as those of one InstallPlan. */
export interface PlanSet {
  /** Of the inputs; a single plan's own digest. */
  readonly digest: Digest;
  /** Those of the plans by name; of several plans each name starts with the installation. */
  readonly inputs: ChangePlan["inputs"];
  readonly plans: readonly ChangePlan[];
}

export function planSet(plans: readonly ChangePlan[]): PlanSet {
  const [only, ...others] = plans;
  if (only !== undefined && others.length === 0) return { digest: only.digest, inputs: only.inputs, plans };
  const inputs = Object.fromEntries(
    plans.flatMap(({ installation, inputs: own }) =>
      Object.entries(own).map(([name, digest]) => [`${installation}: ${name}`, digest] as const),
    ),
  );
  return { digest: digestOf(goJson(inputs)), inputs, plans };
}

/** What stopped a digest from being the one that is approved. */
export type Staleness =
  | { readonly kind: "same" }
  /** `changed`: the inputs that differ, as people read them; undefined: those of the older plan are not known. */
  | { readonly kind: "stale"; readonly changed: readonly string[] | undefined };

/** Fewer digits of a digest name no plan. */
const shortestPrefix = 8;

/** Whether the text is the digest or the start of its digits, 8 at least; with or without `sha256:`. */
export function namesDigest(text: string, digest: Digest): boolean {
  const digits = text.startsWith("sha256:") ? text.slice("sha256:".length) : text;
  return digits.length >= shortestPrefix && digest.slice("sha256:".length).startsWith(digits);
}

/** Compares what was reviewed, named by its digest, with what would be applied now. */
export function staleness(
  reviewed: { readonly digest: string; readonly inputs?: ChangePlan["inputs"] | undefined },
  now: Pick<PlanSet, "digest" | "inputs">,
): Staleness {
  if (namesDigest(reviewed.digest, now.digest)) return { kind: "same" };
  return {
    kind: "stale",
    // The name of an object of the core group ends in a space.
    changed:
      reviewed.inputs === undefined
        ? undefined
        : changedInputs(reviewed.inputs, now.inputs).map((name) => name.trimEnd()),
  };
}
