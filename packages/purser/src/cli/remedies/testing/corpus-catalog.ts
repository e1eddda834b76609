import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@purser/kubernetes/json";

/** One version of a package of the corpus; what is absent is unobtrusive. */
export interface CorpusVersion {
  readonly version: string;
  readonly channel?: string;
  readonly replaces?: string;
  readonly properties?: readonly JsonObject[];
  readonly minKubeVersion?: string;
  readonly modes?: readonly string[];
  /** Properties of the spec of its custom resource; `none`: the bundle owns no CRD. */
  readonly fields?: JsonObject | "none";
  readonly required?: readonly string[];
  /** Version of its API; by default `v1`. */
  readonly api?: string;
  /** Plural of its CRD, of the group `corpus.purser.dev`; by default the package's name. */
  readonly plural?: string;
  readonly permissions?: readonly JsonObject[];
  /** Manifests beside CSV and CRD. */
  readonly manifests?: readonly JsonObject[];
  /** `absent`: the catalog names an image that nothing serves; `broken`: its CSV cannot be used. */
  readonly bundle?: "absent" | "broken";
  /** The image of its container. */
  readonly image?: string;
}

export const corpusGroup = "corpus.purser.dev";

const requires = (packageName: string, versionRange: string): readonly JsonObject[] => [
  { type: "olm.package.required", value: { packageName, versionRange } },
];

/** Packages with one thing each that stands in the way of an installation or upgrade. */
export const corpusPackages: Readonly<Record<string, readonly CorpusVersion[]>> = {
  kiln: [
    { version: "1.0.0", fields: { size: { type: "integer" }, glaze: { type: "string" } } },
    { version: "1.1.0", replaces: "1.0.0", fields: { size: { type: "integer", maximum: 5 } } },
    { version: "1.1.0", channel: "slow" },
    { version: "0.9.0", channel: "old" },
  ],
  modern: [{ version: "1.0.0" }, { version: "2.0.0", channel: "future", minKubeVersion: "9.0.0" }],
  needy: [{ version: "1.0.0", properties: requires("nowhere", ">=1.0.0") }],
  lean: [{ version: "1.0.0", properties: requires("kiln", ">=1.0.0") }],
  leaning: [{ version: "1.0.0", properties: requires("pulled", ">=1.0.0") }],
  upper: [{ version: "1.0.0", properties: requires("greedy", ">=1.1.0") }],
  hen: [{ version: "1.0.0", properties: requires("egg", ">=1.0.0") }],
  egg: [{ version: "1.0.0", properties: requires("hen", ">=1.0.0") }],
  pulled: [{ version: "1.0.0", bundle: "absent" }],
  broken: [{ version: "1.0.0", bundle: "broken" }],
  homely: [{ version: "1.0.0", modes: ["OwnNamespace"] }],
  worldly: [{ version: "1.0.0", modes: ["AllNamespaces"] }],
  moved: [
    { version: "1.0.0", api: "v1alpha1" },
    { version: "1.1.0", replaces: "1.0.0" },
  ],
  // Its CRD keeps the objects of kiln valid: only the owner is in the way.
  twin: [{ version: "1.0.0", plural: "kilns", fields: { size: { type: "integer", maximum: 5 } } }],
  // Like twin by its name alone.
  twine: [{ version: "1.0.0" }],
  // The catalog keeps its version twice.
  warped: [
    { version: "1.0.0", properties: [{ type: "olm.package", value: { packageName: "warped", version: "1.0.0" } }] },
  ],
  settings: [
    {
      version: "1.0.0",
      manifests: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "corpus-settings" }, data: { colour: "red" } },
      ],
    },
  ],
  // Its next version brings an object of settings.
  annex: [
    { version: "1.0.0" },
    {
      version: "1.1.0",
      replaces: "1.0.0",
      manifests: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "corpus-settings" }, data: { colour: "blue" } },
      ],
    },
  ],
  alerts: [
    {
      version: "1.0.0",
      manifests: [
        { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata: { name: "alerts" }, spec: {} },
      ],
    },
  ],
  greedy: [
    { version: "1.0.0" },
    { version: "1.1.0", replaces: "1.0.0", permissions: [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }] },
  ],
};

/** Writes catalog and bundles below `directory`: `catalog/` and `bundles/PACKAGE/VERSION`. */
export function writeCorpus(
  directory: string,
  packages: Readonly<Record<string, readonly CorpusVersion[]>>,
): { readonly catalog: string; readonly bundles: string } {
  const place = { catalog: join(directory, "catalog"), bundles: join(directory, "bundles") };
  for (const [name, versions] of Object.entries(packages)) {
    const channels = Map.groupBy(versions, ({ channel = "stable" }) => channel);
    // Another channel may hold the same version: the first says what is in it.
    const once = [...new Map(versions.toReversed().map((one) => [one.version, one])).values()].toReversed();
    const documents: readonly JsonObject[] = [
      { schema: "olm.package", name, defaultChannel: [...channels.keys()][0] ?? "stable" },
      ...[...channels].map(([channel, entries]) => ({
        schema: "olm.channel",
        package: name,
        name: channel,
        entries: entries.map(({ version, replaces }) => ({
          name: `${name}.v${version}`,
          ...(replaces === undefined ? {} : { replaces: `${name}.v${replaces}` }),
        })),
      })),
      ...once.map((one) => catalogBundle(name, one)),
    ];
    mkdirSync(join(place.catalog, name), { recursive: true });
    writeFileSync(join(place.catalog, name, "catalog.json"), documents.map((one) => JSON.stringify(one)).join("\n"));
    for (const one of once) if (one.bundle !== "absent") writeBundle(join(place.bundles, name, one.version), name, one);
  }
  return place;
}

const kindOf = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;

/** The API that a version owns: none, or one. */
function ownedBy(name: string, { fields, plural = `${name}s` }: CorpusVersion) {
  return fields === "none" ? [] : [{ plural, kind: kindOf(plural.replace(/s$/, "")) }];
}

function catalogBundle(name: string, one: CorpusVersion): JsonObject {
  const { version, api = "v1", properties = [], bundle } = one;
  const host = bundle === "absent" ? "localhost:1" : "local.purser.dev";
  return {
    schema: "olm.bundle",
    package: name,
    name: `${name}.v${version}`,
    image: `${host}/corpus/${name}:${version}`,
    properties: [
      { type: "olm.package", value: { packageName: name, version } },
      ...ownedBy(name, one).map(({ kind }) => ({ type: "olm.gvk", value: { group: corpusGroup, version: api, kind } })),
      ...properties,
    ],
  };
}

function writeBundle(directory: string, name: string, one: CorpusVersion): void {
  const { version, replaces, minKubeVersion, modes, fields, api = "v1" } = one;
  const { permissions, manifests = [], bundle, image } = one;
  const supported = modes ?? ["OwnNamespace", "SingleNamespace", "AllNamespaces"];
  const labels = { app: name };
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `${name}.v${version}` },
    spec: {
      displayName: name,
      version,
      ...(replaces === undefined ? {} : { replaces: `${name}.v${replaces}` }),
      ...(minKubeVersion === undefined ? {} : { minKubeVersion }),
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: supported.includes(type),
      })),
      customresourcedefinitions: {
        owned: ownedBy(name, one).map(({ plural, kind }) => ({ name: `${plural}.${corpusGroup}`, version: api, kind })),
      },
      install: {
        strategy: bundle === "broken" ? "helm" : "deployment",
        spec: {
          permissions: [
            { serviceAccountName: name, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }] },
          ],
          ...(permissions === undefined
            ? {}
            : { clusterPermissions: [{ serviceAccountName: name, rules: permissions }] }),
          deployments: [
            {
              name,
              spec: {
                replicas: 1,
                selector: { matchLabels: labels },
                template: {
                  metadata: { labels },
                  spec: {
                    serviceAccountName: name,
                    containers: [
                      { name: "manager", image: image ?? `local.purser.dev/corpus/${name}-manager:${version}` },
                    ],
                  },
                },
              },
            },
          ],
        },
      },
    },
  };
  const crds = ownedBy(name, one).map(({ plural, kind }) =>
    crdOf(plural, kind, api, fields === "none" ? {} : (fields ?? {})),
  );
  for (const part of ["manifests", "metadata"]) mkdirSync(join(directory, part), { recursive: true });
  for (const [at, manifest] of [csv, ...crds, ...manifests].entries())
    writeFileSync(join(directory, "manifests", `${at}.json`), JSON.stringify(manifest));
  const prefix = "operators.operatorframework.io.bundle";
  const annotations = {
    [`${prefix}.mediatype.v1`]: "registry+v1",
    [`${prefix}.manifests.v1`]: "manifests/",
    [`${prefix}.metadata.v1`]: "metadata/",
    [`${prefix}.package.v1`]: name,
    [`${prefix}.channels.v1`]: "stable",
  };
  writeFileSync(join(directory, "metadata", "annotations.yaml"), JSON.stringify({ annotations }));
}

/** The definition that a bundle of the corpus brings. */
export function crdOf(plural: string, kind: string, version: string, properties: JsonObject): JsonObject {
  const spec = { type: "object", properties };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${corpusGroup}` },
    spec: {
      group: corpusGroup,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}
