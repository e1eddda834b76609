import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { goJson } from "@purser/kubernetes/text/documents";
import { changedInputs } from "../change-plan/change-plan.ts";

/** What of the data an uninstallation deletes. */
export const uninstallModes = ["keep-data", "unused", "everything"] as const;
export type UninstallMode = (typeof uninstallModes)[number];

/** A CRD that the operator owns. */
export interface OwnedApi {
  /** Name of the CRD. */
  readonly crd: string;
  readonly kind: string;
  /** Stored custom resources; undefined when they may not be listed. */
  readonly instances: number | undefined;
  /** Other installations that own or provide it; it stays with them. */
  readonly sharedWith: readonly string[];
  /** Whether another object of OLM v1 controls it. */
  readonly ownedElsewhere: boolean;
}

/** An installation that requires an API of the operator. */
export interface Dependent {
  readonly installation: string;
  readonly kind: string;
}

/** An installation that was made for the operator and that nothing else requires. */
export interface UnneededDependency {
  readonly installation: string;
  readonly instances: number | undefined;
}

export interface UninstallWorld {
  readonly installation: string;
  /** What is deleted with the operator, CRDs left out: as `Kind namespace/name`. */
  readonly objects: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
  readonly apis: readonly OwnedApi[];
  readonly dependents: readonly Dependent[];
  readonly unneeded: readonly UnneededDependency[];
}

/** What happens to one CRD. */
export interface ApiFate extends OwnedApi {
  readonly fate: "kept" | "removed";
  /** Why it is kept although the mode removes CRDs. */
  readonly because?: string;
}

export interface UninstallPlan extends Omit<UninstallWorld, "apis"> {
  /** Of the inputs; equal digests mean that the same is removed and kept. */
  readonly digest: Digest;
  /** Digests by name of what the plan was made from, as in a change plan. */
  readonly inputs: Readonly<Record<string, Digest>>;
  readonly mode: UninstallMode;
  readonly apis: readonly ApiFate[];
  /** Custom resources that are deleted; the name of the installation has to be typed when there are any. */
  readonly deletedInstances: number;
  /** CRDs whose custom resources may not be counted: what `everything` would delete is not known. */
  readonly uncounted: readonly string[];
}

/** What uninstalling in a mode removes and keeps. A CRD that another installation provides is never removed. */
export function uninstallPlan({ apis, ...world }: UninstallWorld, mode: UninstallMode): UninstallPlan {
  const fates = apis.map((api): ApiFate => {
    if (mode === "keep-data") return { ...api, fate: "kept" };
    const [other] = api.sharedWith;
    if (other !== undefined) return { ...api, fate: "kept", because: `${other} provides it too` };
    if (mode === "everything") return { ...api, fate: "removed" };
    if (api.instances === undefined) return { ...api, fate: "kept", because: "you may not count its custom resources" };
    return api.instances > 0 ? { ...api, fate: "kept" } : { ...api, fate: "removed" };
  });
  const removed = fates.filter(({ fate }) => fate === "removed");
  const inputs = inputsOf(world, fates, mode);
  return {
    ...world,
    digest: digestOf(goJson(inputs)),
    inputs,
    mode,
    apis: fates,
    deletedInstances: removed.reduce((sum, { instances = 0 }) => sum + instances, 0),
    uncounted: removed.filter(({ instances }) => instances === undefined).map(({ crd }) => crd),
  };
}

/**
 * The inputs in which an uninstallation differs from the plan that was shown, sorted; empty: the plan still holds. An object that was
 * deleted meanwhile is not one of them, a dependency that is needed again is.
 */
export function changedSince(shown: UninstallPlan, now: UninstallPlan): readonly string[] {
  return changedInputs(shown.inputs, now.inputs).filter(
    (name) => now.inputs[name] !== undefined || name.startsWith("dependency "),
  );
}

/** How many custom resources a CRD has matters only where they are deleted, or where having none lets the CRD be deleted. */
function inputsOf(
  { installation, objects, dependents, unneeded }: Omit<UninstallWorld, "apis">,
  fates: readonly ApiFate[],
  mode: UninstallMode,
): UninstallPlan["inputs"] {
  const entries = [
    ...objects.map(({ kind, namespace = "", name }) => [`object ${kind} ${namespace}/${name}`, ""] as const),
    ...fates.map(
      ({ crd, fate, because = "", instances }) =>
        [`CRD ${crd}`, goJson([fate, because, fate === "removed" ? (instances ?? null) : null])] as const,
    ),
    ...dependents.map((one) => [`dependent ${one.installation}`, one.kind] as const),
    ...unneeded.map((one) => [`dependency ${one.installation}`, ""] as const),
  ];
  return Object.fromEntries([
    ["installation", digestOf(installation)],
    ["mode", digestOf(mode)],
    ...entries.map(([name, text]) => [name, digestOf(text)] as const),
  ]);
}
