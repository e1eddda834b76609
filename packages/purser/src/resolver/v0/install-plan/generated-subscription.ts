import { htmlSafeJson } from "@purser/kubernetes/text/documents";
import type { Step } from "../../../apis/v0/install-plan.ts";
import type { ResolvedOperator } from "../outcome.ts";

/**
 * The step that makes the Subscription of a dependency; none for an operator that Subscriptions ask for. The manifest is
 * Go's text of the type: without kind and version, which the step names, and with the empty status.
 */
export function subscriptionSteps(
  { newSubscription, bundle, catalog }: ResolvedOperator,
  namespace: string,
): readonly Step[] {
  if (newSubscription === undefined) return [];
  const { name, spec } = newSubscription;
  const { source, sourceNamespace, name: packageName, channel, startingCSV, installPlanApproval } = spec;
  const manifest = {
    metadata: { name, namespace },
    spec: { source, sourceNamespace, name: packageName, channel, startingCSV, installPlanApproval },
    status: { lastUpdated: null },
  };
  return [
    {
      resolving: bundle.name,
      resource: {
        name,
        group: "operators.coreos.com",
        version: "v1alpha1",
        kind: "Subscription",
        sourceName: catalog.name,
        sourceNamespace: catalog.namespace,
        manifest: `${htmlSafeJson(JSON.stringify(manifest))}\n`,
      },
      status: "Unknown",
    },
  ];
}
