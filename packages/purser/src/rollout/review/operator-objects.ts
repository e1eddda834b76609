import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { Step } from "../../apis/v0/install-plan.ts";
import { deploymentSpecHashLabel } from "../../apis/v0/labels.ts";
import { renderPermissions } from "../../bundle/render/render-permissions.ts";
import { type StepsOptions, stepsOf } from "../../bundle/install-plan-steps.ts";
import { isNamespacedKind } from "../../bundle/supported-kinds.ts";
import { targetNamespacesOf } from "../../bundle/target-namespaces.ts";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import { desiredDeployment } from "../plan/strategy/csv-deployment.ts";

export interface OperatorObjects {
  readonly csv: JsonObject;
  readonly objects: readonly JsonObject[];
  /** What the ServiceAccounts may do, as roles and bindings: those of `objects`, in each namespace that the operator watches. */
  readonly granted: readonly JsonObject[];
}

export interface OperatorOptions extends StepsOptions {
  /** Namespaces of the OperatorGroup; `[""]` for all. */
  readonly targets: readonly string[];
  /** `spec.config` of the Subscription. */
  readonly config?: Subscription["spec"]["config"];
}

/**
 * The objects that OLM v0 makes of a bundle: those of the steps of its InstallPlan and the Deployments of its install strategy.
 * Certificates and what depends on them are left out; the problem is OLM's text.
 */
export function operatorObjects(
  bundle: Parameters<typeof stepsOf>[0],
  options: OperatorOptions,
): Result<OperatorObjects, string> {
  const steps = stepsOf(bundle, options);
  return steps.ok ? operatorOfSteps(steps.value, options) : failed(steps.problem.message);
}

/** The same of steps that an InstallPlan holds; their manifests are whole. */
export function operatorOfSteps(
  steps: readonly Step[],
  options: Pick<OperatorOptions, "namespace" | "targets" | "config">,
): Result<OperatorObjects, string> {
  const objects: JsonObject[] = [];
  for (const { resource } of steps) {
    const manifest = readYaml(resource.manifest ?? "");
    if (!manifest.ok || !isJsonObject(manifest.value))
      return failed(`the manifest of ${resource.kind} ${resource.name} is not an object`);
    objects.push(placed(manifest.value, resource, options.namespace));
  }
  return operatorOf(objects, options);
}

/** The same of objects that include the CSV. */
export function operatorOf(
  objects: readonly JsonObject[],
  options: Pick<OperatorOptions, "namespace" | "targets" | "config">,
): Result<OperatorObjects, string> {
  const csv = objects.find(({ kind }) => kind === "ClusterServiceVersion");
  if (csv === undefined) return failed("the bundle has no ClusterServiceVersion");
  const typed = csv as unknown as ClusterServiceVersion;
  const deployments = (typed.spec.install.spec?.deployments ?? []).map((entry) =>
    withoutSpecHash(desiredDeployment(worldOf(typed, options), entry, undefined).object),
  );
  return done({
    csv,
    objects: [...objects, ...deployments],
    granted: [
      ...renderPermissions(typed, options.namespace, options.targets),
      ...objects.filter((object) => roleKinds.has(kindOf(object))),
    ],
  });
}

/** The hash is of the rest, and differs on a cluster, where the pods also carry annotations that the CSV gets there. */
function withoutSpecHash(deployment: JsonObject): JsonObject {
  const { metadata } = deployment as { readonly metadata: { readonly labels: JsonObject } & JsonObject };
  const { [deploymentSpecHashLabel]: _hash, ...labels } = metadata.labels;
  return { ...deployment, metadata: { ...metadata, labels } };
}

function worldOf(csv: ClusterServiceVersion, { config, namespace }: Pick<OperatorOptions, "config" | "namespace">) {
  const subscription: Subscription = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace },
    spec: { name: "", source: "", sourceNamespace: "", ...(config === undefined ? {} : { config }) },
    status: { installedCSV: csv.metadata.name ?? "", lastUpdated: "" },
  };
  return { csv, subscriptions: [subscription], proxy: undefined };
}

/** The manifest of a step as the object that is written: manifests of roles and accounts have neither kind nor API version. */
function placed(
  manifest: JsonObject,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
  namespace: string,
): JsonObject {
  const written = kind === "BundleSecret" ? "Secret" : kind;
  const given = member(manifest, "metadata");
  const { namespace: own, ...metadata } = isJsonObject(given) ? given : {};
  const isOutside = !isNamespacedKind(written);
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: written,
    ...manifest,
    metadata: {
      ...metadata,
      ...(isOutside ? {} : { namespace: typeof own === "string" && own !== "" ? own : namespace }),
    },
  };
}

const clusterRoleKinds: ReadonlySet<string> = new Set(["ClusterRole", "ClusterRoleBinding"]);
const roleKinds: ReadonlySet<string> = new Set([...clusterRoleKinds, "Role", "RoleBinding"]);

/** A cluster-scoped object that is not deleted with its CSV, such as a CRD. */
export function staysWithoutCsv(object: JsonObject): boolean {
  const kind = kindOf(object);
  return !clusterRoleKinds.has(kind) && !isNamespacedKind(kind) && kind !== "Deployment";
}

function kindOf({ kind }: JsonObject): string {
  return typeof kind === "string" ? kind : "";
}

/** All namespaces where the install modes allow it, else the operator's own, as for a ClusterServiceVersion that cannot be read. */
export function defaultTargets(csv: JsonObject | undefined, namespace: string): readonly string[] {
  if (csv === undefined) return [namespace];
  const targets = targetNamespacesOf(csv as unknown as ClusterServiceVersion, namespace, undefined);
  return targets.ok ? targets.value : [namespace];
}
