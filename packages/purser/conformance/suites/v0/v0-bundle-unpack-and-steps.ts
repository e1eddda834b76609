import type { Step } from "../../../src/apis/v0/install-plan.ts";
import type { Subscription } from "../../../src/apis/v0/subscription.ts";
import { unpackBundle } from "../../../src/bundle/unpack-bundle.ts";
import type { BlobId, BundleSummary } from "../../../src/catalog/catalog-index.ts";
import { loadCatalog } from "../../../src/catalog/loading/load.ts";
import { indexOf } from "../../../src/catalog/memory-index.ts";
import type { BundleName, ChannelName, PackageName } from "../../../src/catalog/names.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { CatalogKey, NamespaceCatalog } from "../../../src/resolver/v0/input.ts";
import { type KnownContent, contentKey } from "../../../src/resolver/v0/install-plan/known-content.ts";
import { referenceIn, referredManifest } from "../../../src/resolver/v0/install-plan/bundle-reference.ts";
import { planInstall } from "../../../src/resolver/v0/install-plan/plan-install.ts";
import type { ResolvedOperator } from "../../../src/resolver/v0/outcome.ts";
import { compareExactly, compareLoosely } from "../../compare.ts";
import type { Compare, Suite } from "../../suite.ts";
import { absent, answer } from "../../suite.ts";
import { bundleAt, contentHash, filesOf, listAt, objectAt, sha256, textAt } from "../bundle-directory.ts";

const catalogOf = (input: JsonObject): CatalogKey => {
  const catalog = objectAt(input, "catalog");
  return { name: textAt(catalog, "name"), namespace: textAt(catalog, "namespace") };
};

/** The steps of an InstallPlan that brings this bundle alone, as the file shows them; `fixed` is the number of steps before the derived RBAC. */
function planned(
  input: JsonObject,
  bundle: BundleSummary,
  { catalogs, content }: { readonly catalogs: readonly NamespaceCatalog[]; readonly content: KnownContent | undefined },
): JsonObject {
  const namespace = textAt(input, "namespace");
  const subscription: Subscription = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { namespace, name: "s", uid: "s" },
    spec: { name: bundle.package, source: "", sourceNamespace: "" },
  };
  const operator: ResolvedOperator = {
    bundle,
    catalog: catalogOf(input),
    defaultChannel: true,
    replaces: textAt(input, "replaces"),
    properties: [],
    propertiesText: textAt(input, "properties"),
    subscriptions: [subscription],
    upToDate: false,
  };
  const install = planInstall(
    {
      namespace,
      subscriptions: [subscription],
      installPlans: [],
      catalogs,
      contents: new Map(content === undefined ? [] : [[contentKey(bundle), content]]),
      reservedGroups: "accepted",
    },
    { operators: [operator], updated: [{ subscription, currentCSV: bundle.name }] },
  );
  switch (install.kind) {
    case "refused": {
      const { message, problem } = install.refusal;
      return { error: problem?.message ?? message, stage: problem?.stage ?? "steps" };
    }
    case "incomplete":
      throw new Error(`the plan of ${bundle.name} needs more than the case gives`);
    case "complete":
      return shown((install.plan?.status.plan ?? []).map((step) => withManifest(step, namespace, content)));
  }
}

/** A large bundle's step holds a reference, which is resolved as when the plan is executed. */
function withManifest(step: Step, namespace: string, content: KnownContent | undefined): Step {
  const reference = referenceIn(step.resource.manifest ?? "");
  if (!reference.ok || reference.value === undefined || content?.kind !== "present") return step;
  const manifest = referredManifest(step, reference.value, content.bundle, namespace);
  return { ...step, resource: { ...step.resource, manifest: manifest.ok ? manifest.value : manifest.problem } };
}

function shown(steps: readonly Step[]): JsonObject {
  const derived = new Set(["ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]);
  // Derived RBAC is written without a kind, objects of the bundle with one.
  const isDerived = ({ kind, manifest = "" }: Step["resource"]): boolean =>
    derived.has(kind) && !manifest.includes(`"kind":"${kind}"`);
  return {
    fixed: steps.filter(({ resource }) => !isDerived(resource)).length,
    steps: steps.map(({ resolving, resource: { kind, name, group, version, manifest = "" }, status }) => ({
      resolving,
      kind,
      name,
      group,
      version,
      status,
      manifest: sha256(manifest),
      object: contentHash(JSON.parse(manifest) as JsonValue),
    })),
  };
}

/** A bundle whose objects stand in the catalog itself. */
function fromCatalog(input: JsonObject): JsonObject {
  const text = listAt(input, "fbc")
    .map((blob) => JSON.stringify(blob))
    .join("\n");
  const index = indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs);
  const found = index
    .packages()
    .flatMap((name) => index.package(name)?.channels ?? [])
    .filter(({ name }) => name === textAt(input, "channel"))
    .flatMap(({ bundles }) => bundles)
    .find(({ name }) => name === textAt(input, "bundle"));
  if (found === undefined) throw new Error(`the catalog has no bundle ${textAt(input, "bundle")}`);
  const catalogs = [{ key: catalogOf(input), priority: 0, content: { kind: "present", index } as const }];
  return planned(input, found, { catalogs, content: undefined });
}

/** A bundle image that some catalog lists. */
function listed(name: string): BundleSummary {
  return {
    package: "p" as PackageName,
    channel: "c" as ChannelName,
    name: name as BundleName,
    image: "registry/p",
    version: "1.0.0",
    skips: [],
    properties: [],
    provides: [],
    requires: [],
    isChannelHead: true,
    blob: 0 as BlobId,
  };
}

const compareSteps: Compare = (golden, value) => {
  const sorted = (whole: JsonValue): JsonValue => {
    if (!isJsonObject(whole)) return whole;
    const fixed = Number(member(golden.expect, "fixed") ?? 0);
    const all = listAt(whole, "steps");
    const rbac = all.slice(fixed).toSorted((a, b) => (JSON.stringify(keyed(a)) < JSON.stringify(keyed(b)) ? -1 : 1));
    return member(whole, "steps") === undefined ? whole : { ...whole, steps: [...all.slice(0, fixed), ...rbac] };
  };
  const keyed = (step: JsonValue): JsonValue =>
    isJsonObject(step) ? [textAt(step, "kind"), textAt(step, "name"), textAt(step, "manifest")] : step;
  const expect = sorted(golden.expect);
  return compareExactly()(isJsonObject(expect) ? { ...golden, expect } : golden, sorted(value));
};

export const suite: Suite = {
  name: "v0-bundle-unpack-and-steps",
  compare: compareLoosely(compareSteps, ["error"]),
  run({ input }, { data }) {
    if (member(input, "fbc") !== undefined) return answer(fromCatalog(input));
    const dir = textAt(input, "dir");
    const files = dir === "" ? filesOf(objectAt(input, "files")) : bundleAt(data, dir);
    if (files === undefined) return absent(`bundle ${dir}`);
    const unpacked = unpackBundle(files);
    if (!unpacked.ok) {
      const { message, stage } = unpacked.problem;
      return answer({ error: message.replace(/^(open|read) /, "$1 $$ROOT/"), stage });
    }
    const { keys, annotations } = unpacked.value;
    const content = { kind: "present", digest: files.digest, bundle: unpacked.value, diagnosis: "" } as const;
    return answer({ keys, annotations, ...planned(input, listed("p.v1.0.0"), { catalogs: [], content }) });
  },
};
