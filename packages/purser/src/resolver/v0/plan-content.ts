import type { BundleLookup, Step } from "../../apis/v0/install-plan.ts";
import { stepsOf } from "../../bundle/install-plan-steps.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { decodeBase64 } from "../../catalog/decode.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { goJson, readYaml } from "@purser/kubernetes/text/documents";
import type { CatalogKey } from "./input.ts";
import type { NewSubscription, ResolvedOperator } from "./outcome.ts";

/** What an InstallPlan starts from: steps that are known already, and bundles to unpack first. */
export interface PlanContent {
  readonly steps: readonly Step[];
  readonly lookups: readonly BundleLookup[];
}

const subscriptionGroup = "operators.coreos.com";

/** Objects that the catalog itself carries for a bundle without an image. */
function inlineObjects(blob: JsonObject): readonly JsonObject[] {
  const properties = member(blob, "properties");
  if (!Array.isArray(properties)) return [];
  return properties.flatMap((property): readonly JsonObject[] => {
    if (!isJsonObject(property) || member(property, "type") !== "olm.bundle.object") return [];
    const value = member(property, "value");
    const data = isJsonObject(value) ? member(value, "data") : undefined;
    if (typeof data !== "string") return [];
    const object = readYaml(decodeBase64(data));
    return object.ok && isJsonObject(object.value) ? [object.value] : [];
  });
}

function subscriptionStep(resolving: string, catalog: CatalogKey, wanted: NewSubscription, namespace: string): Step {
  const { spec } = wanted;
  const manifest = {
    kind: "Subscription",
    apiVersion: `${subscriptionGroup}/v1alpha1`,
    metadata: { name: wanted.name, namespace, creationTimestamp: null },
    spec: { ...spec },
    status: { lastUpdated: null },
  };
  return {
    resolving,
    resource: {
      name: wanted.name,
      group: subscriptionGroup,
      version: "v1alpha1",
      kind: "Subscription",
      sourceName: catalog.name,
      sourceNamespace: catalog.namespace,
      manifest: `${goJson(manifest)}\n`,
    },
    status: "Unknown",
  };
}

function lookupOf(operator: ResolvedOperator): BundleLookup {
  const { bundle, catalog, replaces } = operator;
  return {
    path: bundle.image,
    identifier: bundle.name,
    replaces: replaces ?? "",
    catalogSourceRef: { namespace: catalog.namespace, name: catalog.name },
    properties: operator.propertiesText,
    conditions: [
      {
        type: "BundleLookupNotPersisted",
        status: "True",
        reason: "BundleNotUnpacked",
        message: "bundle contents have not yet been persisted to installplan status",
      },
      {
        type: "BundleLookupPending",
        status: "True",
        reason: "JobNotStarted",
        message: "unpack job not yet started",
      },
    ],
  };
}

const rank = ({ resource }: Step): number =>
  resource.kind === "ClusterServiceVersion" ? 0 : resource.kind === "CustomResourceDefinition" ? 1 : 2;

/**
 * The content of the plan that brings in resolved operators: CSVs first, then CRDs, then the rest.
 * @param indexOf opens the catalog that an operator came from; only asked for bundles without an image
 * @returns upstream's text when a bundle that the catalog carries itself cannot become steps
 */
export function planContent(
  operators: readonly ResolvedOperator[],
  options: {
    readonly namespace: string;
    readonly indexOf: (catalog: CatalogKey) => CatalogIndex | undefined;
  },
): Result<PlanContent, string> {
  const steps: Step[] = [];
  const lookups: BundleLookup[] = [];
  for (const operator of operators) {
    if (operator.upToDate) continue;
    const { bundle, catalog, newSubscription } = operator;
    if (bundle.image === "") {
      const blob = options.indexOf(catalog)?.blob(bundle.blob);
      const objects = blob === undefined ? [] : inlineObjects(blob);
      const csv = objects.find((object) => member(object, "kind") === "ClusterServiceVersion");
      const own = stepsOf(
        { objects, ...(csv === undefined ? {} : { csv }) },
        {
          namespace: options.namespace,
          replaces: operator.replaces ?? "",
          catalog,
          properties: operator.propertiesText,
        },
      );
      if (!own.ok) return failed(`failed to turn bundle into steps: ${own.problem.message}`);
      steps.push(...own.value);
    } else lookups.push(lookupOf(operator));
    if (newSubscription !== undefined)
      steps.push(subscriptionStep(bundle.name, catalog, newSubscription, options.namespace));
  }
  return done({ steps: steps.toSorted((left, right) => rank(left) - rank(right)), lookups });
}
