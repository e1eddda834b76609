import type { BundleLookup, InstallPlan, InstallPlanStatus, Step } from "../../../../apis/v0/install-plan.ts";
import type { Subscription } from "../../../../apis/v0/subscription.ts";
import { managedLabel } from "../../../../apis/v0/labels.ts";
import type { ResolvedOperator } from "../../../../resolver/v0/outcome.ts";
import { base62Sha224 } from "@purser/kubernetes/digest";
import type { BundleStep } from "../../../../bundle/install-plan-steps.ts";
import { bundleReference, inlineLimit } from "./bundle-reference.ts";
import type { ChosenContent, NamespaceWorld } from "./world.ts";

export interface WantedInstallPlan {
  readonly object: InstallPlan;
  readonly status: InstallPlanStatus;
}

/** The plan that brings the chosen operators, or undefined when there is nothing to do. Equal inputs give the same name. */
export function wantedInstallPlan(
  world: NamespaceWorld,
  operators: readonly ResolvedOperator[],
): WantedInstallPlan | undefined {
  const fresh = operators.filter((operator) => !operator.upToDate);
  const steps = [
    ...fresh.flatMap((operator) => subscriptionStep(operator, world.namespace)),
    ...bundleSteps(fresh, world.contents),
  ];
  if (steps.length === 0) return undefined;
  const csvNames = steps
    .filter(({ resource }) => resource.kind === "ClusterServiceVersion")
    .map(({ resource }) => resource.name);
  const generation =
    1 +
    Math.max(
      0,
      ...world.subscriptions.map((subscription) => subscription.status?.installPlanGeneration ?? 0),
      ...world.installPlans.map((plan) => plan.spec.generation ?? 0),
    );
  const manual = world.subscriptions.some((subscription) => subscription.spec.installPlanApproval === "Manual");
  const approval = manual ? "Manual" : "Automatic";
  const object: InstallPlan = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: {
      name: `install-${nameSuffix([world.namespace, String(generation), ...csvNames, ...world.subscriptions.map(({ metadata }) => metadata.uid ?? "")])}`,
      namespace: world.namespace,
      labels: { [managedLabel]: "true" },
      ownerReferences: world.subscriptions.map(ownerReference),
    },
    spec: { clusterServiceVersionNames: csvNames, approval, approved: !manual, generation },
  };
  const status: InstallPlanStatus = {
    phase: manual ? "RequiresApproval" : "Installing",
    plan: steps,
    catalogSources: [...new Set(steps.map(({ resource }) => resource.sourceName))].sort(),
    bundleLookups: fresh.map(lookup),
  };
  return { object, status };
}

const ownerReference = ({ metadata }: Subscription) => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  controller: false,
  blockOwnerDeletion: false,
});

/** Five lower-case characters, as upstream's generated names have, but derived: creating the same plan twice is harmless. */
function nameSuffix(parts: readonly string[]): string {
  return base62Sha224(parts.join("\n")).toLowerCase().slice(-5);
}

function subscriptionStep({ newSubscription, bundle, catalog }: ResolvedOperator, namespace: string): readonly Step[] {
  if (newSubscription === undefined) return [];
  const manifest = {
    kind: "Subscription",
    apiVersion: "operators.coreos.com/v1alpha1",
    metadata: { name: newSubscription.name, namespace },
    spec: newSubscription.spec,
  };
  return [
    {
      resolving: bundle.name,
      resource: {
        name: newSubscription.name,
        group: "operators.coreos.com",
        version: "v1alpha1",
        kind: "Subscription",
        manifest: JSON.stringify(manifest),
        sourceName: catalog.name,
        sourceNamespace: catalog.namespace,
      },
      status: "Unknown",
    },
  ];
}

function bundleSteps(
  operators: readonly ResolvedOperator[],
  contents: ReadonlyMap<string, ChosenContent>,
): readonly Step[] {
  const inline = operators.flatMap((operator) => {
    const content = contents.get(operator.bundle.name);
    return content?.steps?.ok === true
      ? content.steps.value.map((step) => ({ step, operator, digest: content.digest }))
      : [];
  });
  const written = writtenUpTo(inlineLimit, inline);
  if (written !== undefined) return written;
  return inline.map(({ step, operator, digest }) => {
    if (digest === undefined) return withManifest(step, step.resource.manifest);
    const { image, package: packageName, version } = operator.bundle;
    const reference = bundleReference({
      image,
      package: packageName,
      version,
      digest,
      replaces: operator.replaces ?? "",
      properties: operator.propertiesText,
    });
    return withManifest(step, reference);
  });
}

/** The steps with their manifests in full; undefined when these have more characters than that. */
function writtenUpTo(limit: number, inline: readonly { readonly step: BundleStep }[]): readonly Step[] | undefined {
  let left = limit;
  const steps: Step[] = [];
  for (const { step } of inline) {
    const { manifest } = step.resource;
    left -= manifest.length;
    if (left < 0) return undefined;
    steps.push(withManifest(step, manifest));
  }
  return steps;
}

function withManifest({ resolving, resource, status }: BundleStep, manifest: string): Step {
  const { group, version, kind, name, sourceName, sourceNamespace } = resource;
  return { resolving, resource: { group, version, kind, name, manifest, sourceName, sourceNamespace }, status };
}

function lookup({ bundle, catalog, replaces, propertiesText }: ResolvedOperator): BundleLookup {
  return {
    path: bundle.image,
    identifier: bundle.name,
    replaces: replaces ?? "",
    catalogSourceRef: { namespace: catalog.namespace, name: catalog.name },
    properties: propertiesText,
  };
}
