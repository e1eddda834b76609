import { namespaces } from "@purser/kubernetes/apis/resources";
import { clusterExtensions } from "../../../apis/olm-resources.ts";
import { crdOf } from "./corpus-catalog.ts";
import {
  changes,
  clusterCatalog,
  creates,
  deletes,
  extension,
  extensionAlone,
  type LiveWorld,
  policy,
  runs,
  space,
  steps,
  tenant,
  until,
} from "./live-world.ts";

const asked = (name: string) => ["explain", `ext/${name}`];
const isUp = (name: string) => until(["status", `ext/${name}`], /Ready|Update|Up to date|Held|Approve/);
const moves = (name: string, spec: object) => runs("set", `ext/${name}`, ...Object.entries(spec).flat());
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "kilns.corpus.purser.dev" },
  spec: {
    group: "corpus.purser.dev",
    scope: "Namespaced",
    names: { kind: "Kiln", listKind: "KilnList", plural: "kilns", singular: "kiln" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const ofDemo = { matchLabels: { "olm.operatorframework.io/metadata.name": "demo" } };
const ownNamespace = { config: { configType: "Inline", inline: { watchNamespace: "homely-system" } } };
const first = { version: "1.0.0" };
const held = (name: string, spec: object, says: RegExp, pkg = "kiln"): LiveWorld => ({
  name,
  objects: [policy("rules", spec), ...extension(pkg, first)],
  next: steps(isUp(pkg), moves(pkg, { "--version": "any" })),
  asked: asked(pkg),
  says,
});

export const v1Worlds: readonly LiveWorld[] = [
  {
    name: "a ClusterExtension whose bundle requires a package that no catalog has",
    objects: extension("needy"),
    asked: asked("needy"),
    says: /DependencyMissing/,
  },
  {
    name: "a ClusterExtension whose bundle requires another package",
    objects: extension("lean"),
    asked: asked("lean"),
    says: /Dependency/,
  },
  {
    name: "a ClusterExtension whose bundle image cannot be pulled",
    objects: extension("pulled"),
    asked: asked("pulled"),
    says: /localhost:1/,
  },
  {
    name: "a ClusterExtension of an operator that watches its own namespace only",
    objects: extension("homely"),
    asked: asked("homely"),
    says: /ConfigurationInvalid|watchNamespace/,
  },
  {
    name: "a ClusterExtension with an unknown setting",
    objects: extension("kiln", {}, { config: { configType: "Inline", inline: { colour: 1 } } }),
    asked: asked("kiln"),
    says: /colour/,
  },
  {
    name: "a ClusterExtension of a version for a newer Kubernetes",
    objects: extension("modern", { channels: ["future"] }),
    asked: asked("modern"),
    says: /9\.0\.0/,
  },
  {
    name: "a ClusterExtension whose CustomResourceDefinition another one owns",
    objects: extension("kiln"),
    next: steps(isUp("kiln"), creates(...extension("twin"))),
    asked: asked("twin"),
    says: /belongs? to/,
  },
  {
    name: "a ClusterExtension whose CustomResourceDefinition a Subscription of the corpus owns",
    objects: tenant("kiln"),
    next: steps(until(["status", "sub/tenant/kiln"], /1\.1\.0/), creates(...extension("twin"))),
    asked: asked("twin"),
    says: /belongs? to/,
  },
  {
    name: "a ClusterExtension whose CustomResourceDefinition nobody owns",
    objects: [crd, ...extension("kiln")],
    asked: asked("kiln"),
    says: /exists already|CrdUnsafe/,
  },
  {
    name: "a ClusterExtension whose ConfigMap exists already",
    objects: [
      space("settings-system"),
      { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "settings-system", name: "corpus-settings" } },
      extensionAlone("settings"),
    ],
    asked: asked("settings"),
    says: /exists already/,
  },
  {
    name: "a ClusterCatalog whose image cannot be pulled",
    objects: [
      clusterCatalog("far", "localhost:1/far:1"),
      ...extension("kiln", { selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "far" } } }),
    ],
    asked: asked("kiln"),
    says: /CatalogUnavailable/,
    leaves: { "kubectl patch": /is switched off/ },
  },
  {
    name: "two ClusterCatalogs with the same package",
    objects: [clusterCatalog("corpus-again", "local.purser.dev/catalogs/corpus:latest"), ...extension("kiln")],
    asked: asked("kiln"),
    says: /AmbiguousCatalog/,
  },
  {
    name: "a ClusterExtension whose selector takes no catalog",
    objects: extension("kiln", { selector: { matchLabels: { nobody: "has" } } }),
    asked: asked("kiln"),
    says: /selector/,
  },
  {
    name: "an upgrade of a ClusterExtension whose schema loses a field",
    objects: extension("kiln", first),
    next: steps(isUp("kiln"), moves("kiln", { "--version": "any" })),
    asked: asked("kiln"),
    says: /CrdUnsafe/,
  },
  {
    name: "an upgrade of a ClusterExtension whose schema refuses an object that is stored",
    objects: extension("kiln", first),
    next: steps(
      isUp("kiln"),
      creates({
        apiVersion: "corpus.purser.dev/v1",
        kind: "Kiln",
        metadata: { namespace: "kiln-system", name: "large" },
        spec: { size: 9 },
      }),
      moves("kiln", { "--version": "any" }),
      until(["plan", "ext/kiln"], /the new schema refuses 1 stored object: kiln-system\/large: spec.size: /),
    ),
    asked: asked("kiln"),
    says: /CrdUnsafe/,
  },
  held("an extension's upgrade that a policy denies", { level: "none" }, /VersionHeld/),
  held("an extension's upgrade that needs approval", { approval: { minor: "Manual" } }, /ApprovalRequired/),
  held(
    "an extension's upgrade outside its windows",
    { windows: [{ schedule: "0 3 29 2 *", duration: "1m", timeZone: "UTC" }] },
    /OutsideWindow/,
  ),
  held("an extension's upgrade that soaks", { soak: "999h" }, /Soaking/),
  held("an extension's upgrade whose permissions a policy denies", { permissionIncrease: "Deny" }, /is Held/, "greedy"),
  held(
    "an extension's upgrade whose permissions need approval",
    { permissionIncrease: "RequireApproval" },
    /purser approve ext/,
    "greedy",
  ),
  {
    name: "a ClusterExtension with an object whose API the cluster does not serve",
    objects: extension("alerts"),
    asked: asked("alerts"),
    says: /does not serve/,
  },
  {
    name: "a ClusterExtension pinned below what is installed",
    objects: extension("kiln", { version: "1.1.0" }),
    next: steps(isUp("kiln"), moves("kiln", { "--version": "1.0.0" })),
    asked: asked("kiln"),
    says: /NoUpgradePath/,
  },
  {
    name: "a ClusterExtension with a version that does not exist",
    objects: extension("kiln", { version: "3.0.0" }),
    asked: asked("kiln"),
    says: /VersionNotFound/,
  },
  {
    name: "a ClusterExtension whose version is in another channel",
    objects: extension("kiln", { version: "0.9.0", channels: ["stable"] }),
    asked: asked("kiln"),
    says: /VersionNotFound/,
  },
  {
    name: "a ClusterExtension of a package that no catalog has",
    objects: extension("zz-nothing"),
    asked: asked("zz-nothing"),
    says: /asks for package zz-nothing/,
  },
  {
    name: "a ClusterExtension of a package that its catalog cannot use",
    objects: extension("warped"),
    asked: asked("warped"),
    says: /CatalogInvalid/,
  },
  {
    name: "an installed ClusterExtension whose selector leaves its catalog out",
    objects: extension("twin"),
    next: steps(
      isUp("twin"),
      changes(clusterExtensions, { name: "twin" }, { spec: { source: { catalog: { selector: ofDemo } } } }),
    ),
    asked: asked("twin"),
    says: /PackageNotFound/,
    leaves: { "purser install": /PackageNotFound/ },
  },
  {
    name: "an installed ClusterExtension whose namespace was deleted",
    objects: extension("settings"),
    next: steps(
      isUp("settings"),
      deletes(namespaces, { name: "settings-system" }),
      until(asked("settings"), /its objects were deleted with it/),
    ),
    asked: asked("settings"),
    says: /Namespace settings-system, which/,
  },
  {
    name: "an upgrade of a ClusterExtension that brings an object of another one",
    objects: [...extension("settings"), extensionAlone("annex", first, { namespace: "settings-system" })],
    next: steps(isUp("settings"), isUp("annex"), moves("annex", { "--version": "any" })),
    asked: asked("annex"),
    says: /belongs? to/,
  },
  {
    name: "a ClusterExtension whose CustomResourceDefinition exists already as it brings it",
    objects: [crdOf("homelys", "Homely", "v1", {}), ...extension("homely", {}, ownNamespace)],
    asked: asked("homely"),
    says: /exists already/,
  },
  ...(["crash", "image-error", "pending", "never-ready"] as const).map((result): LiveWorld => ({
    name: `a ClusterExtension whose pods fail: ${result}`,
    objects: [space("kiln-system", { "sim/result": result }), extensionAlone("kiln")],
    asked: asked("kiln"),
    says: new RegExp(`sim/result=${result}`),
  })),
];
