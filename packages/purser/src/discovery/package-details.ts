import type { PolicyRule } from "@purser/kubernetes/apis/rbac";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { listOf } from "../explanation/summary.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { CSVDescription } from "../apis/v0/package-manifest.ts";
import { permissionsOf } from "../bundle/csv-permissions.ts";
import type { ApiRef, BundleSummary, PackageSummary, Property } from "../catalog/catalog-index.ts";
import { textOf } from "../catalog/schemas/go-shape.ts";
import { describe, readHeadCsv } from "../package-manifests/head-csv.ts";
import type { PackageVersions } from "../upgrade-graph/package-versions.ts";
import { csvTextOf, type ReadBlob } from "./package-facts.ts";

/** A right that a bundle asks for. */
export interface AskedRule {
  readonly account: string;
  readonly scope: "cluster" | "namespace";
  readonly rule: PolicyRule;
}

/** One bundle of a package, as its catalog describes it. */
export interface BundleDetails {
  readonly name: string;
  readonly version: string;
  readonly image: string;
  readonly provides: readonly ApiRef[];
  /** What must be there first, one sentence each. */
  readonly requires: readonly string[];
  /** From its ClusterServiceVersion; undefined when the catalog has none that can be read. */
  readonly description?: CSVDescription;
  /** Undefined when the catalog holds only metadata of the ClusterServiceVersion. */
  readonly permissions?: readonly AskedRule[];
  /** Custom resources that its ClusterServiceVersion gives as examples. */
  readonly examples: readonly JsonObject[];
}

/** Reads a bundle of a package with its ClusterServiceVersion. */
export function bundleDetails(summary: PackageSummary, bundle: BundleSummary, blob: ReadBlob): BundleDetails {
  const csvText = csvTextOf(summary, bundle.blob, blob);
  const csv = readHeadCsv(csvText);
  const permissions = csv === undefined ? undefined : rulesOf(JSON.parse(csvText) as ClusterServiceVersion);
  return {
    name: bundle.name,
    version: bundle.version,
    image: bundle.image,
    provides: bundle.provides,
    requires: bundle.properties.flatMap(requirement),
    examples: csv === undefined ? [] : examplesOf(JSON.parse(csvText) as ClusterServiceVersion),
    ...(csv === undefined ? {} : { description: describe(csv) }),
    ...(permissions === undefined ? {} : { permissions }),
  };
}

/** The objects of the annotation `alm-examples`; none when it cannot be read. */
function examplesOf({ metadata }: ClusterServiceVersion): readonly JsonObject[] {
  const read = readYaml(metadata.annotations?.["alm-examples"] ?? "[]");
  return read.ok && Array.isArray(read.value) ? (read.value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function rulesOf(csv: ClusterServiceVersion): readonly AskedRule[] | undefined {
  // One that is made from metadata has a strategy without Deployments and rights.
  const { install } = csv.spec as Partial<ClusterServiceVersion["spec"]>;
  const { deployments } = (install?.spec ?? {}) as { readonly deployments?: readonly unknown[] | null };
  if ((deployments ?? []).length === 0) return undefined;
  const accounts = permissionsOf(csv);
  if (!accounts.ok) return undefined;
  return accounts.value.flatMap(({ serviceAccountName: account, objects }) =>
    objects.flatMap(({ type, object }): readonly AskedRule[] => {
      if (type !== "Role" && type !== "ClusterRole") return [];
      const scope = type === "Role" ? "namespace" : "cluster";
      return ((object["rules"] ?? []) as unknown as readonly PolicyRule[]).map((rule) => ({ account, scope, rule }));
    }),
  );
}

/** The requirement of a property as a sentence; none for other properties. */
function requirement({ type, value }: Property): readonly string[] {
  if (!isJsonObject(value)) return [];
  switch (type) {
    case "olm.gvk.required":
      return [`API ${textOf(value, "kind")} ${textOf(value, "group")}/${textOf(value, "version")}`];
    case "olm.package.required":
      return [`package ${textOf(value, "packageName")} ${textOf(value, "versionRange")}`];
    case "olm.constraint":
      return [`constraint: ${constraintText(value)}`];
    default:
      return [];
  }
}

function constraintText(value: JsonObject): string {
  const message = textOf(value, "failureMessage");
  return message === "" ? JSON.stringify(value) : message;
}

/** The versions of a package as an upgrade graph reads them. */
export function versionsOf({ name, defaultChannel, deprecation, channels }: PackageSummary): PackageVersions {
  const bundles = new Map(
    channels.flatMap((channel) => channel.bundles.map((bundle) => [bundle.name, bundle] as const)),
  );
  return {
    name,
    defaultChannel,
    deprecation,
    bundles: [...bundles.values()].map((bundle) => ({
      name: bundle.name,
      version: bundle.version === "" ? undefined : bundle.version,
      release: bundle.release,
      deprecation: bundle.deprecation,
    })),
    channels: channels.map((channel) => ({
      name: channel.name,
      deprecation: channel.deprecation,
      entries: channel.bundles.map(({ name: own, replaces, skips, skipRange }) => ({
        name: own,
        replaces,
        skips,
        skipRange,
      })),
    })),
  };
}

const reading: ReadonlySet<string> = new Set(["get", "list", "watch", "*"]);

/** Rights that a reader wants to know of first, in plain words; the order is that of their weight. */
export function riskyRights(rules: readonly AskedRule[]): readonly string[] {
  const holds = (list: readonly string[] | undefined, ...wanted: readonly string[]): boolean =>
    (list ?? []).some((each) => each === "*" || wanted.includes(each));
  const cluster = rules.filter(({ scope }) => scope === "cluster").map(({ rule }) => rule);
  const risks: readonly (readonly [words: string, is: (rule: PolicyRule) => boolean])[] = [
    [
      "all rights everywhere",
      ({ verbs, apiGroups, resources }) =>
        verbs.includes("*") && (apiGroups ?? []).includes("*") && (resources ?? []).includes("*"),
    ],
    [
      "reads Secrets everywhere",
      ({ verbs, apiGroups, resources, resourceNames }) =>
        verbs.some((verb) => reading.has(verb)) &&
        holds(apiGroups, "") &&
        holds(resources, "secrets") &&
        (resourceNames ?? []).length === 0,
    ],
    [
      "may give itself more rights",
      ({ verbs, resources }) =>
        verbs.some((verb) => verb === "escalate" || verb === "bind" || verb === "impersonate") ||
        (verbs.includes("*") && holds(resources, "clusterroles", "roles")),
    ],
    [
      "runs commands in pods",
      ({ verbs, apiGroups, resources }) =>
        holds(verbs, "create", "get") && holds(apiGroups, "") && holds(resources, "pods/exec"),
    ],
  ];
  return risks.flatMap(([words, is]) => (cluster.some(is) ? [words] : []));
}

/** A rule as words: `get, list  secrets, configmaps`. */
export function ruleWords({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): {
  readonly verbs: string;
  readonly on: string;
} {
  const groups = (apiGroups ?? []).filter((group) => group !== "");
  const suffix = groups.length === 0 ? "" : ` (${groups.join(", ")})`;
  const names = (resourceNames ?? []).length === 0 ? "" : ` named ${listOf(resourceNames ?? [], 5)}`;
  return {
    verbs: verbs.join(", "),
    on: resources === undefined ? (nonResourceURLs ?? []).join(", ") : `${resources.join(", ")}${suffix}${names}`,
  };
}
