import type { JsonObject } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { member } from "@purser/kubernetes/json";
import { textMember, objectMember } from "../directory/first-object.ts";
import { emailFault, urlFault } from "./addresses.ts";
import { minKubeVersionRule, objectsIn } from "./csv.ts";
import { type BundleIssue, csvIssue, resultOf, type ValidatorResult } from "./issue.ts";
import { annotationsOf, type LoadedBundle } from "./loaded-bundle.ts";
import { removedApiIssues } from "./removed-apis.ts";

export interface HubOptions {
  /** Kubernetes version to check removed APIs against; "" for the bundle's own. */
  readonly kubernetes?: string;
  /** Replaces the standard categories. */
  readonly categories?: readonly string[];
}

/** What operatorhub.io asks of a CSV; capabilities and categories have validators of their own. */
export function validateOperatorHubV2(bundle: LoadedBundle, { kubernetes = "" }: HubOptions): ValidatorResult {
  return resultOf(bundle.name, [...hubIssues(bundle), ...removedApiIssues(bundle, kubernetes)]);
}

/** The older form of all three in one; it says of itself that it is deprecated, in a result without name. */
export function validateOperatorHub(bundle: LoadedBundle, options: HubOptions): readonly ValidatorResult[] {
  const detail =
    'The "operatorhub" validator is deprecated; for equivalent validation use "operatorhub/v2", "standardcapabilities" and "standardcategories" validators';
  const all = [
    ...providerIssues(bundle),
    ...capabilityIssues(bundle),
    ...categoryIssues(bundle, options),
    ...versionIssues(bundle),
    ...iconIssues(bundle),
    ...kubernetesIssues(bundle),
    ...removedApiIssues(bundle, options.kubernetes ?? ""),
  ];
  return [
    resultOf(bundle.name, all),
    resultOf("", [{ rule: "deprecated-validator", level: "Warning", type: "DeprecatedValidator", detail }]),
  ];
}

export function validateCapabilities(bundle: LoadedBundle): ValidatorResult {
  return resultOf(bundle.name, capabilityIssues(bundle));
}

export function validateCategories(bundle: LoadedBundle, options: HubOptions): ValidatorResult {
  return resultOf(bundle.name, categoryIssues(bundle, options));
}

function hubIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  return [...providerIssues(bundle), ...versionIssues(bundle), ...iconIssues(bundle), ...kubernetesIssues(bundle)];
}

function specOf({ csv }: LoadedBundle): JsonObject {
  return objectMember(csv, "spec");
}

function issue(
  { name, csvManifest }: LoadedBundle,
  rule: string,
  level: BundleIssue["level"],
  text: string,
  pointer: string,
): BundleIssue {
  return csvIssue(rule, level, name, text, csvManifest.locate(pointer));
}

function providerIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const spec = specOf(bundle);
  const issues: BundleIssue[] = [];
  const refuse = (rule: string, text: string, pointer: string): void =>
    void issues.push(issue(bundle, rule, "Error", text, pointer));
  if (textMember(objectMember(spec, "provider"), "name") === "")
    refuse("hub-provider", "csv.Spec.Provider.Name not specified", "/spec/provider");
  for (const [index, maintainer] of objectsIn(spec, "maintainers").entries()) {
    const [name, email] = [textMember(maintainer, "name"), textMember(maintainer, "email")];
    const at = `/spec/maintainers/${index}`;
    if (name === "" || email === "")
      refuse("hub-maintainer", "csv.Spec.Maintainers elements should contain both name and email", at);
    const fault = email === "" ? undefined : emailFault(email);
    if (fault !== undefined)
      refuse("hub-maintainer", `csv.Spec.Maintainers email ${email} is invalid: ${fault}`, `${at}/email`);
  }
  for (const [index, link] of objectsIn(spec, "links").entries()) {
    const [name, url] = [textMember(link, "name"), textMember(link, "url")];
    const at = `/spec/links/${index}`;
    if (name === "" || url === "") refuse("hub-link", "csv.Spec.Links elements should contain both name and url", at);
    const fault = url === "" ? undefined : urlFault(url);
    if (fault !== undefined) refuse("hub-link", `csv.Spec.Links url ${url} is invalid: ${fault}`, `${at}/url`);
  }
  return issues;
}

function versionIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const version = textMember(specOf(bundle), "version");
  if (version !== "" && version.split("+", 1)[0] !== "0.0.0") return [];
  return [issue(bundle, "hub-version", "Error", "csv.Spec.Version must be set", "/spec/version")];
}

const mediatypes = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

function iconIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const at = "/spec/icon";
  const given = member(objectMember(bundle.csvManifest.object, "spec"), "icon") ?? null;
  if (given === null) return [issue(bundle, "hub-icon", "Warning", "csv.Spec.Icon not specified", at)];
  const icons = objectsIn(specOf(bundle), "icon");
  const issues: BundleIssue[] = [];
  const refuse = (text: string): void => void issues.push(issue(bundle, "hub-icon", "Error", text, at));
  if (icons.length !== 1) refuse("csv.Spec.Icon should only have one element");
  const [icon] = icons;
  // Upstream crashes on an empty list.
  if (icon === undefined) return issues;
  const [data, mediatype] = [textMember(icon, "base64data"), textMember(icon, "mediatype")];
  if (data === "" || mediatype === "") refuse("csv.Spec.Icon elements should contain both data and mediatype");
  if (mediatype !== "" && !mediatypes.includes(mediatype))
    refuse(`csv.Spec.Icon ${mediatype} does not have a valid mediatype`);
  return issues;
}

function kubernetesIssues({ csv, csvManifest }: LoadedBundle): readonly BundleIssue[] {
  return minKubeVersionRule(csv, (pointer) => csvManifest.locate(pointer)).map((found) => ({
    ...found,
    rule: "hub-min-kube-version",
  }));
}

const capabilities = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

function capabilityIssues(bundle: LoadedBundle): readonly BundleIssue[] {
  const level = annotationsOf(bundle.csv)["capabilities"];
  if (typeof level !== "string" || capabilities.includes(level)) return [];
  const text = `csv.Metadata.Annotations.Capabilities ${goQuote(level)} is not a valid capabilities level`;
  return [issue(bundle, "hub-capabilities", "Error", text, "/metadata/annotations/capabilities")];
}

const standardCategories = [
  "AI/Machine Learning",
  "Application Runtime",
  "Big Data",
  "Cloud Provider",
  "Developer Tools",
  "Database",
  "Integration & Delivery",
  "Logging & Tracing",
  "Modernization & Migration",
  "Monitoring",
  "Networking",
  "OpenShift Optional",
  "Security",
  "Storage",
  "Streaming & Messaging",
  "Observability",
];

function categoryIssues(bundle: LoadedBundle, { categories }: HubOptions): readonly BundleIssue[] {
  const given = annotationsOf(bundle.csv)["categories"];
  if (typeof given !== "string") return [];
  const [allowed, set] = categories === undefined ? [standardCategories, "standard"] : [categories, "custom"];
  return given
    .split(",")
    .map((category) => category.trim())
    .filter((category) => !allowed.includes(category))
    .map((category) =>
      issue(
        bundle,
        "hub-categories",
        "Error",
        `csv.Metadata.Annotations["categories"] value ${goQuote(category)} is not in the set of ${set} categories`,
        "/metadata/annotations/categories",
      ),
    );
}
