import { goQuote } from "@purser/kubernetes/go-quote";
import { compareVersions, parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import { objectsIn } from "./csv.ts";
import { type BundleIssue, resultOf, type ValidatorResult, valueIssue } from "./issue.ts";
import type { LoadedBundle } from "./loaded-bundle.ts";

interface Removal {
  /** Kubernetes release that no longer serves them. */
  readonly release: string;
  /** apiVersion to kinds. */
  readonly apis: ReadonlyMap<string, readonly string[]>;
}

/** Facts of the Kubernetes deprecation guide, as far as upstream checks them. */
const removals: readonly Removal[] = [
  {
    release: "1.22",
    apis: new Map([
      ["scheduling.k8s.io/v1beta1", ["PriorityClass"]],
      ["rbac.authorization.k8s.io/v1beta1", ["Role", "ClusterRoleBinding", "RoleBinding", "ClusterRole"]],
      ["apiregistration.k8s.io/v1beta1", ["APIService"]],
      ["authentication.k8s.io/v1beta1", ["TokenReview"]],
      ["authorization.k8s.io/v1beta1", ["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"]],
      ["admissionregistration.k8s.io/v1beta1", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]],
      ["coordination.k8s.io/v1beta1", ["Lease"]],
      ["extensions/v1beta1", ["Ingress"]],
      ["networking.k8s.io/v1beta1", ["Ingress", "IngressClass"]],
      ["storage.k8s.io/v1beta1", ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]],
      ["certificates.k8s.io/v1beta1", ["CertificateSigningRequest"]],
    ]),
  },
  {
    release: "1.25",
    apis: new Map([
      ["batch/v1beta1", ["CronJob"]],
      ["discovery.k8s.io/v1beta1", ["EndpointSlice"]],
      ["events.k8s.io/v1beta1", ["Event"]],
      ["autoscaling/v2beta1", ["HorizontalPodAutoscaler"]],
      ["policy/v1beta1", ["PodDisruptionBudget", "PodSecurityPolicy"]],
      ["node.k8s.io/v1beta1", ["RuntimeClass"]],
    ]),
  },
  { release: "1.26", apis: new Map([["autoscaling/v2beta2", ["HorizontalPodAutoscaler"]]]) },
];

/** Names of the objects that use APIs of a release, by kind, in the order found. */
export function removedApis(bundle: LoadedBundle, release: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const add = (kind: string, name: string): void => {
    const names = found.get(kind);
    if (names === undefined) found.set(kind, [name]);
    else names.push(name);
  };
  const removal = removals.find((known) => known.release === release);
  if (release === "1.22") for (const crd of bundle.crds) if (crd.version === "v1beta1") add("CRD", nameOf(crd.object));
  for (const { object } of bundle.objects) {
    const kind = textMember(object, "kind");
    if (removal?.apis.get(textMember(object, "apiVersion"))?.includes(kind) === true) add(kind, nameOf(object));
  }
  return found;
}

/** `CRD: (["a" "b"]),Role: (["c"]),`, of one kind without comma; upstream takes kinds in any order. */
export function listApis(apis: ReadonlyMap<string, readonly string[]>): string {
  const comma = apis.size > 1 ? "," : "";
  return [...apis].map(([kind, names]) => `${kind}: ([${names.map(goQuote).join(" ")}])${comma}`).join("");
}

export interface RemovedApiOptions {
  /** Kubernetes version to check against; "" for the lowest one that the bundle names. */
  readonly kubernetes?: string;
}

/** Objects whose API is removed in a Kubernetes release, and permissions on such APIs. */
export function validateRemovedApis(bundle: LoadedBundle, { kubernetes = "" }: RemovedApiOptions): ValidatorResult {
  return resultOf(bundle.name, removedApiIssues(bundle, kubernetes));
}

export function removedApiIssues(bundle: LoadedBundle, kubernetes: string): readonly BundleIssue[] {
  const value = { text: bundle.name };
  const place = bundle.csvManifest.place;
  const issue = (level: BundleIssue["level"], detail: string): BundleIssue =>
    valueIssue("removed-api", level, "ValidationFailed", detail, value, place);
  const issues: BundleIssue[] = [];
  const given = kubernetes === "" ? undefined : parseTolerantVersion(kubernetes);
  if (given?.ok === false) issues.push(issue("Error", `invalid value informed via the k8s key option : ${kubernetes}`));
  const lowestText = textMember(objectMember(bundle.csv, "spec"), "minKubeVersion");
  const lowest = lowestText === "" ? undefined : parseTolerantVersion(lowestText);
  if (lowest?.ok === false)
    issues.push(
      issue(
        "Error",
        `unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: ${lowestText}`,
      ),
    );
  const versions = [given, lowest].flatMap((read) => (read?.ok === true ? [read.value] : []));
  for (const { release } of removals) {
    const apis = removedApis(bundle, release);
    const detail = (listed: string): string =>
      `this bundle is using APIs which were deprecated and removed in v${release}. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v${release.replace(".", "-")}. Migrate the API(s) for ${listed}`;
    if (apis.size > 0) {
      const isGone = versions.some((version) => compareVersions(version, releaseVersion(release)) >= 0);
      issues.push(issue(isGone ? "Error" : "Warning", detail(listApis(apis))));
    }
    const permissions = release === "1.25" ? policyPermissions(bundle.csv) : new Map<string, readonly string[]>();
    if (permissions.size > 0) issues.push(issue("Warning", detail(listApis(permissions))));
  }
  return issues;
}

function releaseVersion(release: string): Version {
  const [major = "0", minor = "0"] = release.split(".");
  return { major: BigInt(major), minor: BigInt(minor), patch: 0n, prerelease: [], build: [] };
}

/** Rules of the CSV that name pod security policies, which were removed in 1.25. */
function policyPermissions(csv: JsonObject): ReadonlyMap<string, readonly string[]> {
  const strategy = objectMember(objectMember(objectMember(csv, "spec"), "install"), "spec");
  const places: string[] = [];
  for (const [key, title] of [
    ["permissions", "Permissions"],
    ["clusterPermissions", "ClusterPermissions"],
  ] as const) {
    for (const [at, permission] of objectsIn(strategy, key).entries()) {
      for (const [index, rule] of listMember(permission, "rules").entries()) {
        if (!isJsonObject(rule) || !listMember(rule, "resources").includes("podsecuritypolicies")) continue;
        places.push(`ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.${title}[${at}].Rules[${index}]`);
      }
    }
  }
  return places.length === 0 ? new Map() : new Map([["podsecuritypolicies", places]]);
}
