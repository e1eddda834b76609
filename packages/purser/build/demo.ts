// Writes the demo world `default` below demo/default: catalog/<package>/catalog.yaml and bundles/<package>/<version>.
// usage: node build/demo.ts [--check]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { dump } from "js-yaml";
import { csvMetadata } from "../src/catalog/opm/csv-metadata.ts";
import type { DemoOperator, DemoVersion } from "./demo-world.ts";
import { demoOperators } from "./demo-world.ts";

const yaml = (...documents: readonly object[]): string =>
  documents.map((document) => `---\n${dump(document, { lineWidth: -1 })}`).join("");
const image = (name: string, version: string): string => `local.purser.dev/demo/${name}:${version}`;
const bundleName = (operator: DemoOperator, version: string): string => `${operator.name}.v${version}`;

function customResourceDefinition(operator: DemoOperator): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${operator.plural}.${operator.group}` },
    spec: {
      group: operator.group,
      names: {
        kind: operator.kind,
        listKind: `${operator.kind}List`,
        plural: operator.plural,
        singular: operator.kind.toLowerCase(),
      },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: operator.description,
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: { type: "object", properties: operator.fields },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
    },
  };
}

function clusterServiceVersion(operator: DemoOperator, release: DemoVersion): object {
  const account = `${operator.name}-controller`;
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: bundleName(operator, release.version),
      annotations: {
        capabilities: "Basic Install",
        "alm-examples": JSON.stringify([
          {
            apiVersion: `${operator.group}/v1`,
            kind: operator.kind,
            metadata: { name: `example-${operator.kind.toLowerCase()}` },
            spec: operator.example,
          },
        ]),
      },
    },
    spec: {
      displayName: operator.displayName,
      description: operator.description,
      version: release.version,
      ...(release.replaces === undefined ? {} : { replaces: bundleName(operator, release.replaces) }),
      minKubeVersion: "1.25.0",
      maturity: "stable",
      provider: { name: "Purser demo" },
      keywords: ["demo"],
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: true,
      })),
      customresourcedefinitions: {
        owned: [
          {
            name: `${operator.plural}.${operator.group}`,
            version: "v1",
            kind: operator.kind,
            displayName: operator.kind,
            description: operator.description,
          },
        ],
        ...(operator.requires === undefined
          ? {}
          : {
              required: [
                {
                  name: "caches.ballast.demo.purser.dev",
                  version: operator.requires.version,
                  kind: operator.requires.kind,
                },
              ],
            }),
      },
      install: {
        strategy: "deployment",
        spec: {
          permissions: [{ serviceAccountName: account, rules: release.rules }],
          clusterPermissions: [
            {
              serviceAccountName: account,
              rules: [
                {
                  apiGroups: [operator.group],
                  resources: [operator.plural, `${operator.plural}/status`],
                  verbs: ["get", "list", "watch", "update", "patch"],
                },
              ],
            },
          ],
          deployments: [
            {
              name: account,
              spec: {
                replicas: release.replicas,
                selector: { matchLabels: { app: account } },
                template: {
                  metadata: { labels: { app: account } },
                  spec: {
                    serviceAccountName: account,
                    containers: [
                      {
                        name: "controller",
                        image: image(account, release.version),
                        env: [
                          {
                            name: "WATCH_NAMESPACE",
                            valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
                          },
                        ],
                        resources: { requests: { cpu: "10m", memory: "32Mi" } },
                      },
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
}

/** What the catalog itself shows of a version, as `opm render` writes it. */
function csvMetadataProperty(operator: DemoOperator, release: DemoVersion): object {
  const metadata = csvMetadata(clusterServiceVersion(operator, release) as Parameters<typeof csvMetadata>[0]);
  if (!metadata.ok) throw new Error(metadata.problem);
  return { type: "olm.csv.metadata", value: JSON.parse(metadata.value) as object };
}

/** The operator's initial on a disc. */
function icon(operator: DemoOperator): object {
  const [initial = ""] = operator.displayName;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="20" fill="#2b5b84"/>`,
    `<text x="20" y="27" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">${initial}</text></svg>`,
  ].join("");
  return { base64data: Buffer.from(svg).toString("base64"), mediatype: "image/svg+xml" };
}

function catalogBlobs(operator: DemoOperator): readonly object[] {
  const version = (text: string): DemoVersion => {
    const found = operator.versions.find((candidate) => candidate.version === text);
    if (found === undefined) throw new Error(`${operator.name} has no version ${text}`);
    return found;
  };
  return [
    {
      schema: "olm.package",
      name: operator.name,
      defaultChannel: operator.defaultChannel,
      description: operator.description,
      icon: icon(operator),
    },
    ...Object.entries(operator.channels).map(([name, members]) => ({
      schema: "olm.channel",
      package: operator.name,
      name,
      entries: members.map((member) => {
        const { replaces } = version(member);
        return {
          name: bundleName(operator, member),
          ...(replaces !== undefined && members.includes(replaces) ? { replaces: bundleName(operator, replaces) } : {}),
        };
      }),
    })),
    ...(operator.deprecations === undefined
      ? []
      : [{ schema: "olm.deprecations", package: operator.name, entries: operator.deprecations }]),
    ...operator.versions.map((release) => ({
      schema: "olm.bundle",
      package: operator.name,
      name: bundleName(operator, release.version),
      image: image(operator.name, release.version),
      properties: [
        { type: "olm.package", value: { packageName: operator.name, version: release.version } },
        { type: "olm.gvk", value: { group: operator.group, version: "v1", kind: operator.kind } },
        ...(operator.requires === undefined ? [] : [{ type: "olm.gvk.required", value: operator.requires }]),
        csvMetadataProperty(operator, release),
      ],
      relatedImages: [{ name: "controller", image: image(`${operator.name}-controller`, release.version) }],
    })),
  ];
}

function annotations(operator: DemoOperator): object {
  const prefix = "operators.operatorframework.io.bundle";
  return {
    annotations: {
      [`${prefix}.mediatype.v1`]: "registry+v1",
      [`${prefix}.manifests.v1`]: "manifests/",
      [`${prefix}.metadata.v1`]: "metadata/",
      [`${prefix}.package.v1`]: operator.name,
      [`${prefix}.channels.v1`]: Object.keys(operator.channels).join(","),
      [`${prefix}.channel.default.v1`]: operator.defaultChannel,
    },
  };
}

const files = new Map<string, string>();
for (const operator of demoOperators) {
  files.set(`catalog/${operator.name}/catalog.yaml`, yaml(...catalogBlobs(operator)));
  for (const release of operator.versions) {
    const directory = `bundles/${operator.name}/${release.version}`;
    files.set(`${directory}/metadata/annotations.yaml`, yaml(annotations(operator)));
    files.set(
      `${directory}/manifests/${operator.name}.clusterserviceversion.yaml`,
      yaml(clusterServiceVersion(operator, release)),
    );
    files.set(`${directory}/manifests/${operator.plural}.crd.yaml`, yaml(customResourceDefinition(operator)));
  }
}

const into = join(resolve(import.meta.dirname, ".."), "demo/default");
const check = process.argv.includes("--check");
let stale = 0;
for (const [name, text] of files) {
  const path = join(into, name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  stale++;
  if (check) console.error(`stale: demo/default/${name}`);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
console.log(check ? `${files.size} files, ${stale} stale` : `${files.size} files, ${stale} written`);
process.exit(check && stale > 0 ? 1 : 0);
