import { base62Sha224 } from "@purser/kubernetes/digest";
import type { InstallPlan, InstallPlanSpec, InstallPlanStatus, Step } from "../../../apis/v0/install-plan.ts";
import { approvalAskedAnnotation, managedLabel, signaturesAnnotation } from "../../../apis/v0/labels.ts";
import { acceptanceText } from "../../../catalog/image-acceptance.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import type { Installing } from "./install-steps.ts";
import type { InstallContent, InstallWorld } from "./install-world.ts";

export interface WantedInstallPlan {
  /** Without status. */
  readonly object: InstallPlan;
  readonly status: InstallPlanStatus;
}

/** An {@link InstallWorld}, and the Subscriptions that the InstallPlan is made for. */
export type OwnedWorld = InstallWorld & { readonly owners: readonly Subscription[] };

export const inNamespace =
  (namespace: string) =>
  ({ metadata }: Subscription | InstallPlan): boolean =>
    metadata.namespace === namespace;

/**
 * The InstallPlan's spec. One of the owners with manual approval makes the plan wait, and so does a policy; the generation follows on all
 * that Subscriptions and InstallPlans of the namespace have.
 */
export function specOf(
  { namespace, subscriptions, installPlans, owners, approvals = [] }: OwnedWorld,
  steps: readonly Step[],
  installing: readonly Installing[],
): InstallPlanSpec {
  const own = subscriptions.filter(inNamespace(namespace));
  const plans = installPlans.filter(inNamespace(namespace));
  const isManual = approvals.length > 0 || owners.some(({ spec }) => spec.installPlanApproval === "Manual");
  const generations = [
    ...own.map(({ status }) => status?.installPlanGeneration ?? 0),
    ...plans.map(({ spec }) => spec.generation ?? 0),
  ];
  const brought = steps.filter(({ resource }) => resource.kind === "ClusterServiceVersion");
  return {
    clusterServiceVersionNames: [
      ...brought.map(({ resource }) => resource.name),
      ...installing.flatMap(({ operator, part }) => ("steps" in part ? [] : [operator.bundle.name])),
    ],
    approval: isManual ? "Manual" : "Automatic",
    approved: !isManual,
    generation: 1 + Math.max(0, ...generations),
  };
}

/** Undefined when no Subscription moves or there are no steps. Equal inputs give the same name. */
export function wantedPlan(
  { namespace, owners, approvals = [] }: Pick<OwnedWorld, "namespace" | "owners" | "approvals">,
  { steps, lookups, spec, accepted }: InstallContent,
): WantedInstallPlan | undefined {
  if (spec === undefined || steps.length === 0) return undefined;
  const signatures = accepted.map(({ csv, by }) => `${csv} is ${acceptanceText(by)}`).join("; ");
  const annotations = {
    ...(accepted.length === 0 ? {} : { [signaturesAnnotation]: signatures }),
    ...(approvals.length === 0 ? {} : { [approvalAskedAnnotation]: approvals.join("; ") }),
  };
  const inputs = [
    namespace,
    String(spec.generation),
    ...spec.clusterServiceVersionNames,
    ...owners.map(({ metadata }) => metadata.uid ?? ""),
  ];
  return {
    object: {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "InstallPlan",
      metadata: {
        name: `install-${nameSuffix(inputs)}`,
        namespace,
        labels: { [managedLabel]: "true" },
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
        ownerReferences: owners.map(ownerReference),
      },
      spec,
    },
    status: {
      phase: spec.approved ? "Installing" : "RequiresApproval",
      plan: steps,
      catalogSources: [...new Set(steps.map(({ resource }) => resource.sourceName))].sort(),
      bundleLookups: lookups,
    },
  };
}

const ownerReference = ({ metadata }: Subscription) => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  controller: false,
  blockOwnerDeletion: false,
});

/** Five lower-case characters, as OLM's generated names have, but derived from what the plan brings. */
function nameSuffix(parts: readonly string[]): string {
  return base62Sha224(parts.join("\n")).toLowerCase().slice(-5);
}
