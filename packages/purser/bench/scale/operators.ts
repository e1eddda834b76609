// Operators of any number as catalogs and bundle directories: each brings one definition, one Deployment and permissions.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SyntheticOperators {
  /** Arguments of `purser run` for the catalogs and bundles. */
  readonly args: readonly string[];
  readonly packages: readonly { readonly name: string; readonly catalog: string; readonly csv: string }[];
}

/**
 * Writes `operators` packages with one version each, spread over `catalogs` catalogs, below `root`.
 * @param hasNamespaceRights whether they ask for permissions in their namespaces beside those in the cluster
 */
export function writeOperators(
  root: string,
  operators: number,
  catalogs: number,
  hasNamespaceRights = true,
): SyntheticOperators {
  const bundles = join(root, "bundles");
  const texts = new Map<string, string[]>();
  const packages = Array.from({ length: operators }, (_, index) => {
    const name = `op-${String(index).padStart(4, "0")}`;
    const catalog = `catalog-${String(index % catalogs).padStart(2, "0")}`;
    const documents = texts.get(catalog) ?? [];
    texts.set(catalog, [...documents, ...catalogDocuments(name)]);
    writeBundle(join(bundles, name, "1.0.0"), name, hasNamespaceRights);
    return { name, catalog, csv: csvName(name) };
  });
  const args = [...texts].flatMap(([catalog, documents]) => {
    const directory = join(root, "catalogs", catalog);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "catalog.json"), documents.join("\n"));
    return ["--catalog", `${catalog}=${directory}`];
  });
  return { args: [...args, "--bundles", bundles], packages };
}

const csvName = (name: string): string => `${name}.v1.0.0`;
const group = (name: string): string => `${name}.scale.purser.dev`;

function catalogDocuments(name: string): readonly string[] {
  return [
    { schema: "olm.package", name, defaultChannel: "stable" },
    { schema: "olm.channel", package: name, name: "stable", entries: [{ name: csvName(name) }] },
    {
      schema: "olm.bundle",
      package: name,
      name: csvName(name),
      image: `local.purser.dev/scale/${name}:1.0.0`,
      properties: [
        { type: "olm.package", value: { packageName: name, version: "1.0.0" } },
        { type: "olm.gvk", value: { group: group(name), kind: "Thing", version: "v1" } },
      ],
    },
  ].map((document) => JSON.stringify(document));
}

function writeBundle(directory: string, name: string, hasNamespaceRights: boolean): void {
  const write = (path: string, content: object): void => {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), JSON.stringify(content));
  };
  const labels = { app: name };
  const serviceAccountName = name;
  const rule = (apiGroup: string, resource: string): object => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs: ["get", "list", "watch", "update"],
  });
  const container = { name: "controller", image: `local.purser.dev/scale/${name}-controller:1.0.0` };
  write("manifests/csv.json", {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: csvName(name) },
    spec: {
      displayName: name,
      version: "1.0.0",
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: true,
      })),
      customresourcedefinitions: {
        owned: [
          { name: `things.${group(name)}`, version: "v1", kind: "Thing", displayName: "Thing", description: "t" },
        ],
      },
      install: {
        strategy: "deployment",
        spec: {
          ...(hasNamespaceRights ? { permissions: [{ serviceAccountName, rules: [rule("", "configmaps")] }] } : {}),
          clusterPermissions: [{ serviceAccountName, rules: [rule(group(name), "things")] }],
          deployments: [
            {
              name,
              spec: {
                replicas: 1,
                selector: { matchLabels: labels },
                template: { metadata: { labels }, spec: { serviceAccountName, containers: [container] } },
              },
            },
          ],
        },
      },
    },
  });
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  write("manifests/crd.json", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group(name)}` },
    spec: {
      group: group(name),
      scope: "Namespaced",
      names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const annotation = "operators.operatorframework.io.bundle";
  write("metadata/annotations.yaml", {
    annotations: {
      [`${annotation}.mediatype.v1`]: "registry+v1",
      [`${annotation}.manifests.v1`]: "manifests/",
      [`${annotation}.metadata.v1`]: "metadata/",
      [`${annotation}.package.v1`]: name,
      [`${annotation}.channels.v1`]: "stable",
      [`${annotation}.channel.default.v1`]: "stable",
    },
  });
}
