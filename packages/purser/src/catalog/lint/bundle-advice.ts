import { uncoveredRules, type PolicyRule } from "@purser/kubernetes/object/rbac";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { parseImageReference } from "../../image-reference.ts";
import { embeddedObjects } from "../embedded-objects.ts";
import { type BundleView, documentOf, type PackageView, placeIn } from "../catalog-view.ts";
import { journeysOf } from "../journey.ts";
import type { Finding } from "./finding.ts";
import { count, listed, quoted } from "./finding-words.ts";

/** Images and permissions of bundles. */
export function bundleAdvice(one: PackageView): readonly Finding[] {
  const csvs = new Map<string, JsonObject>();
  for (const { name, blob, content } of one.bundles.values()) {
    const csv =
      content.objects === 0
        ? undefined
        : (embeddedObjects(blob.json, "ClusterServiceVersion").next().value ?? undefined);
    if (csv !== undefined) csvs.set(name, csv);
  }
  return [
    ...mutableImages(one),
    ...[...one.bundles.values()].flatMap((bundle) => unlistedImages(bundle, csvs.get(bundle.name))),
    ...permissionGrowth(one, csvs),
  ];
}

/** Reported once per package, at the first head that has some: published bundles cannot be changed any more. */
function mutableImages(one: PackageView): readonly Finding[] {
  const found = [...one.bundles.values()].flatMap((bundle) => {
    const images = imagesWithoutDigest(bundle);
    return images.length === 0 ? [] : [{ bundle, images }];
  });
  const heads = new Set(one.channels.map((channel) => journeysOf(one, channel).head?.name));
  const shown = found.find(({ bundle }) => heads.has(bundle.name)) ?? found[0];
  const [image] = shown?.images ?? [];
  if (shown === undefined || image === undefined) return [];
  const others = found.length - 1;
  return [
    {
      rule: "PBN101",
      message: `bundle ${quoted(shown.bundle.name)}${others === 0 ? "" : ` and ${count(others, "other")}`} of package ${quoted(one.name)} ${others === 0 ? "names" : "name"} images by tag`,
      why: listed([...new Set(shown.images.map((each) => each.image))], 3),
      place: placeIn(shown.bundle.blob, image.pointer),
      bundle: shown.bundle.name,
    },
  ];
}

function imagesWithoutDigest({ content }: BundleView): readonly { readonly image: string; readonly pointer: string }[] {
  return [
    ...(content.image === "" ? [] : [{ image: content.image, pointer: "/image" }]),
    ...content.relatedImages.map(({ image }, index) => ({ image, pointer: `/relatedImages/${index}/image` })),
  ].filter(({ image }) => {
    const reference = image === "" ? undefined : parseImageReference(image);
    return reference?.ok === true && reference.value.digest === undefined;
  });
}

function unlistedImages({ name, blob, content }: BundleView, csv: JsonObject | undefined): readonly Finding[] {
  const known = new Set(content.relatedImages.map(({ image }) => image));
  const used = [
    ...(content.image === "" || content.relatedImages.length === 0 ? [] : [content.image]),
    ...(csv === undefined ? [] : deploymentImages(csv)),
  ];
  const missing = [...new Set(used)].filter((image) => image !== "" && !known.has(image));
  if (missing.length === 0) return [];
  return [
    {
      rule: "PBN102",
      message: `bundle ${quoted(name)} uses ${count(missing.length, "image")} that relatedImages does not list: ${listed(missing, 3)}`,
      place: placeIn(blob, content.relatedImages.length === 0 ? "" : "/relatedImages"),
      bundle: name,
      fix: missing.map((image) => ({
        kind: "appendItem",
        ...documentOf(blob),
        pointer: "",
        key: "relatedImages",
        value: { name: "", image },
        after: "image",
      })),
    },
  ];
}

const at = (value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined =>
  keys.reduce<JsonValue | undefined>((held, key) => (isJsonObject(held) ? member(held, key) : undefined), value);

const listAt = (value: JsonValue | undefined, ...keys: readonly string[]): readonly JsonValue[] => {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
};

function deploymentImages(csv: JsonObject): readonly string[] {
  return listAt(csv, "spec", "install", "spec", "deployments").flatMap((deployment) =>
    ["initContainers", "containers"].flatMap((key) =>
      listAt(deployment, "spec", "template", "spec", key).flatMap((container) => {
        const image = at(container, "image");
        return typeof image === "string" ? [image] : [];
      }),
    ),
  );
}

/** Rights of every service account, cluster-wide ones counting for both. */
function rightsOf(
  csv: JsonObject,
): ReadonlyMap<string, { readonly cluster: PolicyRule[]; readonly own: PolicyRule[] }> {
  const accounts = new Map<string, { cluster: PolicyRule[]; own: PolicyRule[] }>();
  for (const [key, scope] of [
    ["permissions", "own"],
    ["clusterPermissions", "cluster"],
  ] as const)
    for (const permission of listAt(csv, "spec", "install", "spec", key)) {
      const account = at(permission, "serviceAccountName");
      if (typeof account !== "string") continue;
      const rights = accounts.get(account) ?? { cluster: [], own: [] };
      rights[scope].push(...listAt(permission, "rules").flatMap((rule) => (isJsonObject(rule) ? [ruleOf(rule)] : [])));
      accounts.set(account, rights);
    }
  return accounts;
}

const texts = (rule: JsonObject, key: string): readonly string[] =>
  listAt(rule, key).filter((item) => typeof item === "string");

function ruleOf(rule: JsonObject): PolicyRule {
  return Object.fromEntries(
    ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"].map((key) => [key, texts(rule, key)]),
  );
}

/** Permissions that a bundle has and the one that it replaces does not have; reported once per pair. */
function permissionGrowth(one: PackageView, csvs: ReadonlyMap<string, JsonObject>): readonly Finding[] {
  const reported = new Set<string>();
  const findings: Finding[] = [];
  for (const channel of one.channels)
    for (const { name, replaces, bundle } of channel.entries) {
      const [before, after] = [csvs.get(replaces), csvs.get(name)];
      if (before === undefined || after === undefined || bundle === undefined || reported.has(`${replaces} ${name}`))
        continue;
      reported.add(`${replaces} ${name}`);
      const added = addedRights(before, after);
      if (added.length > 0)
        findings.push({
          rule: "PBN103",
          message: `bundle ${quoted(name)} may do more than ${quoted(replaces)}: ${listed(added, 2)}`,
          place: placeIn(bundle.blob),
          bundle: name,
        });
    }
  return findings;
}

function addedRights(before: JsonObject, after: JsonObject): readonly string[] {
  const old = rightsOf(before);
  return [...rightsOf(after)].flatMap(([account, { cluster, own }]) => {
    const held = old.get(account) ?? { cluster: [], own: [] };
    return [
      ...uncoveredRules(held.cluster, cluster).map((rule) => `${account}: ${ruleText(rule)} in the cluster`),
      ...uncoveredRules([...held.cluster, ...held.own], own).map((rule) => `${account}: ${ruleText(rule)}`),
    ];
  });
}

function ruleText({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  if (nonResourceURLs.length > 0) return `${verbs.join("/")} ${listed(nonResourceURLs, 3)}`;
  const group = apiGroups[0] ?? "";
  const of = `${listed(resources, 3)}${group === "" ? "" : `.${group}`}`;
  return `${verbs.join("/")} ${of}${resourceNames.length === 0 ? "" : ` ${listed(resourceNames, 2)}`}`;
}
