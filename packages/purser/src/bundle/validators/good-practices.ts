import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { parseVersion } from "@purser/kubernetes/version";
import { listMember, objectMember, textMember } from "../directory/first-object.ts";
import { objectsIn } from "./csv.ts";
import { type BundleIssue, resultOf, type ValidatorResult, valueIssue } from "./issue.ts";
import { deploymentsOf, type LoadedBundle } from "./loaded-bundle.ts";

/** Advice: what works, but not well. */
export function validateGoodPractices(bundle: LoadedBundle): ValidatorResult {
  return resultOf(bundle.name, [
    ...requestIssues(bundle),
    ...descriptionIssues(bundle),
    ...channelIssues(bundle),
    ...permissionIssues(bundle),
    ...nameIssues(bundle),
  ]);
}

function advise(
  { name, csvManifest }: LoadedBundle,
  rule: string,
  detail: string,
  pointer: string,
  level: BundleIssue["level"] = "Warning",
): BundleIssue {
  return valueIssue(rule, level, "ValidationFailed", detail, { text: name }, csvManifest.locate(pointer));
}

function requestIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  // As they were written: an empty map of requests is one to upstream.
  const deployments = deploymentsOf(bundle.csvManifest.object);
  const at = "/spec/install/spec/deployments";
  const given = objectMember(objectMember(objectMember(bundle.csv, "spec"), "install"), "spec")["deployments"] ?? null;
  if (given === null)
    return [advise(bundle, "practice-deployment", "unable to find a deployment to install in the CSV", at, "Error")];
  return deployments.flatMap((deployment, index) => {
    const pod = objectMember(objectMember(objectMember(deployment, "spec"), "template"), "spec");
    return objectsIn(pod, "containers").flatMap((container, place) => {
      // Upstream means to look at CPU and memory, but an absent amount prints as 0 and counts as given.
      if (isJsonObject(objectMember(container, "resources")["requests"])) return [];
      const detail = `unable to find the resource requests for the container: (${textMember(container, "name")}). It is recommended to ensure the resource request for CPU and Memory. Be aware that for some clusters configurations it is required to specify requests or limits for those values. Otherwise, the system or quota may reject Pod creation. More info: https://master.sdk.operatorframework.io/docs/best-practices/managing-resources/`;
      return [advise(bundle, "practice-requests", detail, `${at}/${index}/spec/template/spec/containers/${place}`)];
    });
  });
}

function descriptionIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const crds = objectMember(objectMember(bundle.csv, "spec"), "customresourcedefinitions");
  return ["owned", "required"].flatMap((relation) =>
    objectsIn(crds, relation).flatMap((crd, index) => {
      if (textMember(crd, "description") !== "") return [];
      const detail = `${relation} CRD ${goQuote(textMember(crd, "name"))} has an empty description`;
      return [advise(bundle, "practice-description", detail, `/spec/customresourcedefinitions/${relation}/${index}`)];
    }),
  );
}

function channelIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const names = [...bundle.channels, bundle.defaultChannel].map((name) => name.trim());
  const odd = [...new Set(names)].filter((name) => name !== "" && !/^(candidate|stable|fast)/.test(name));
  if (odd.length === 0) return [];
  const detail = `channel(s) [${odd.map(goQuote).join(" ")}] are not following the recommended naming convention: https://olm.operatorframework.io/docs/best-practices/channel-naming`;
  const place = { file: "metadata/annotations.yaml" };
  return [valueIssue("practice-channels", "Warning", "ValidationFailed", detail, { text: bundle.name }, place)];
}

function permissionIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const strategy = objectMember(objectMember(objectMember(bundle.csv, "spec"), "install"), "spec");
  const rules = ["permissions", "clusterPermissions"].flatMap((key) =>
    objectsIn(strategy, key).flatMap((permission) => objectsIn(permission, "rules")),
  );
  if (!rules.some(managesCrds)) return [];
  const detail =
    "CSV contains permissions to create CRD. An Operator shouldn't deploy or manage other operators (such patterns are known as meta or super operators or include CRDs in its Operands). It's the Operator Lifecycle Manager's job to manage the deployment and lifecycle of operators.  Please, review the design of your solution and if you should not be using Dependency Resolution from OLM instead. More info: https://sdk.operatorframework.io/docs/best-practices/common-recommendation/";
  return [advise(bundle, "practice-crd-permissions", detail, "/spec/install/spec")];
}

function managesCrds(rule: JsonObject): boolean {
  const has = (key: string, ...wanted: readonly string[]): boolean =>
    listMember(rule, key).some((item) => typeof item === "string" && wanted.includes(item));
  return (
    has("apiGroups", "apiextensions.k8s.io") &&
    has("resources", "customresourcedefinitions", "*") &&
    has("verbs", "*", "create", "patch")
  );
}

const endsInVersion = /(?<!\d)\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+)?$/;

function nameIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const { name } = bundle;
  const advice = (text: string): BundleIssue =>
    advise(bundle, "practice-csv-name", `csv.metadata.Name ${name} is not following the ${text}`, "/metadata/name");
  const [version] = endsInVersion.exec(name) ?? [];
  return [
    ...(version !== undefined && parseVersion(version).ok
      ? []
      : [advice("versioning convention (MAJOR.MINOR.PATCH e.g 0.0.1): https://semver.org/")]),
    ...(name.split(".v").length === 2
      ? []
      : [advice("recommended naming convention: <operator-name>.v<semver> e.g. memcached-operator.v0.0.1")]),
  ];
}
