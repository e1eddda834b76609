import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { goQuote } from "@purser/kubernetes/go-quote";
import { parseImageReference } from "../../image-reference.ts";
import { readTyped } from "../api-types/read-typed.ts";
import { gzipSize, type Sizes } from "./bundle-size.ts";
import { kindOf, listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import { objectsIn } from "./csv.ts";
import { type BundleIssue, resultOf, type ValidatorResult, valueIssue } from "./issue.ts";
import { deploymentsOf, formatKind, type LoadedBundle, type LoadedCrd } from "./loaded-bundle.ts";

/** What the parts of a bundle say of each other. @param sizes of the manifests; unknown ones are findings */
export function validateBundle(bundle: LoadedBundle, sizes: Sizes): ValidatorResult {
  const spec = objectMember(bundle.csv, "spec");
  return resultOf(textMember(spec, "version") || "0.0.0", [
    ...crdIssues(bundle),
    ...accountIssues(bundle),
    ...gzipSize(bundle.name, sizes),
    ...releaseIssues(bundle, spec),
    ...imageIssues(bundle, spec),
  ]);
}

interface CrdKey {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly crd?: LoadedCrd;
}

const text = ({ group, version, kind }: CrdKey): string => formatKind(group, version, kind);

function keysOf(crd: LoadedCrd): readonly CrdKey[] {
  const spec = objectMember(crd.object, "spec");
  const versions = objectsIn(spec, "versions").map((version) => textMember(version, "name"));
  const old = crd.version === "v1beta1" && versions.length === 0 ? [textMember(spec, "version")] : versions;
  const kind = textMember(objectMember(spec, "names"), "kind");
  return old.map((version) => ({ group: textMember(spec, "group"), version, kind, crd }));
}

function crdIssues({ name, csv, csvManifest, crds }: LoadedBundle): readonly BundleIssue[] {
  const held = [...crds.filter(({ version }) => version === "v1"), ...crds.filter(({ version }) => version !== "v1")];
  const issues: BundleIssue[] = [];
  const add = (rule: string, key: CrdKey, detail: string, pointer: string): void => {
    const place = key.crd?.place ?? csvManifest.locate(pointer);
    const value = { text: text(key), type: "schema.GroupVersionKind" };
    issues.push(valueIssue(rule, "Error", "BundleNotValid", detail, value, place));
  };
  const left = new Map<string, CrdKey>();
  for (const key of held.flatMap(keysOf)) {
    if (left.has(text(key)))
      add("bundle-duplicate-crd", key, `duplicate CRD ${goQuote(text(key))} in bundle ${goQuote(name)}`, "");
    left.set(text(key), key);
  }
  const found = new Set<string>();
  for (const [index, owned] of ownedKeys(csv).entries()) {
    if (left.delete(text(owned))) found.add(`${owned.group}/${owned.kind}`);
    else
      add(
        "bundle-missing-crd",
        owned,
        `owned CRD ${goQuote(text(owned))} not found in bundle ${goQuote(name)}`,
        `/spec/customresourcedefinitions/owned/${index}`,
      );
  }
  for (const key of left.values()) {
    // Further versions of an owned CRD are fine.
    if (found.has(`${key.group}/${key.kind}`)) continue;
    const detail = `CRD ${goQuote(text(key))} is present in bundle ${goQuote(name)} but not defined in CSV`;
    add("bundle-extra-crd", key, detail, "");
  }
  return issues;
}

function ownedKeys(csv: JsonObject): readonly CrdKey[] {
  const owned = objectsIn(objectMember(objectMember(csv, "spec"), "customresourcedefinitions"), "owned");
  return owned.map((item) => {
    const name = textMember(item, "name");
    const dot = name.indexOf(".");
    return {
      group: dot === -1 ? name : name.slice(dot + 1),
      version: textMember(item, "version"),
      kind: textMember(item, "kind"),
    };
  });
}

function accountIssues({ csv, objects }: LoadedBundle): readonly BundleIssue[] {
  const used = deploymentsOf(csv).map((deployment) => {
    const pod = objectMember(objectMember(objectMember(deployment, "spec"), "template"), "spec");
    return textMember(pod, "serviceAccountName");
  });
  return objects.flatMap(({ object, place }) => {
    const { group, version, kind } = kindOf(object);
    const name = nameOf(object);
    if (group !== "" || version !== "v1" || kind !== "ServiceAccount" || !used.includes(name)) return [];
    if (!readTyped("ServiceAccount", object).ok) return [];
    const detail = `invalid service account found in bundle. This service account ${name} in your bundle is not valid, because a service account with the same name was already specified in your CSV. If this was unintentional, please remove the service account manifest from your bundle. If it was intentional to specify a separate service account, please rename the SA in either the bundle manifest or the CSV.`;
    return [valueIssue("bundle-service-account", "Error", "BundleNotValid", detail, { text: name }, place)];
  });
}

function releaseIssues({ name, packageName, csvManifest }: LoadedBundle, spec: JsonObject): readonly BundleIssue[] {
  const release = textMember(spec, "release");
  const expected = `${packageName}-v${textMember(spec, "version")}-${release}`;
  if (release === "" || name === expected) return [];
  const detail = `bundle name with release versioning ${goQuote(name)} does not match expected name ${goQuote(expected)}`;
  const place = csvManifest.locate("/metadata/name");
  return [valueIssue("bundle-release-name", "Error", "BundleNotValid", detail, { text: name }, place)];
}

function imageIssues({ csvManifest }: LoadedBundle, spec: JsonObject): readonly BundleIssue[] {
  return listMember(spec, "relatedImages").flatMap((item, index) => {
    const image = isJsonObject(item) ? textMember(item, "image") : "";
    const reference = image === "" ? undefined : parseImageReference(image);
    if (reference?.ok === true) return [];
    const detail =
      reference === undefined
        ? `relatedImages[${index}] has an empty image field`
        : `relatedImages[${index}] has an invalid image pullspec ${goQuote(image)}: ${reference.problem}`;
    const place = csvManifest.locate(`/spec/relatedImages/${index}/image`);
    const value = { text: `spec.relatedImages[${index}].image` };
    return [valueIssue("bundle-related-image", "Error", "BundleNotValid", detail, value, place)];
  });
}
