import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { digestOf } from "@purser/kubernetes/digest";
import type { BundleDirectory } from "../bundle-files.ts";

const prefix = "operators.operatorframework.io.bundle";

/** Annotations of the bundle; `without` leaves parts out. */
export function smallAnnotations(changes: Readonly<Record<string, JsonValue | undefined>> = {}): string {
  const parts = {
    mediatype: "registry+v1",
    manifests: "manifests/",
    metadata: "metadata/",
    package: "kiln",
    channels: "stable",
    ...changes,
  };
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return JSON.stringify({
    annotations: Object.fromEntries(entries.map(([key, value]) => [`${prefix}.${key}.v1`, value])),
  });
}

export const smallCrd: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pots.kiln.example.com" },
  spec: {
    group: "kiln.example.com",
    scope: "Namespaced",
    names: { kind: "Pot", listKind: "PotList", plural: "pots", singular: "pot" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** A CSV without any finding; `spec` and `metadata` replace whole members. */
export function smallCsv(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const example = [{ apiVersion: "kiln.example.com/v1", kind: "Pot", metadata: { name: "a" } }];
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: "kiln.v1.0.0",
      annotations: { "alm-examples": JSON.stringify(example), capabilities: "Basic Install" },
      ...metadata,
    },
    spec: {
      displayName: "Kiln",
      description: "Bakes.",
      version: "1.0.0",
      minKubeVersion: "1.28.0",
      provider: { name: "Acme" },
      icon: [{ base64data: "PHN2Zz48L3N2Zz4=", mediatype: "image/svg+xml" }],
      installModes: [{ type: "AllNamespaces", supported: true }],
      customresourcedefinitions: {
        owned: [{ name: "pots.kiln.example.com", version: "v1", kind: "Pot", description: "A pot" }],
      },
      install: { strategy: "deployment", spec: { deployments: [smallDeployment] } },
      relatedImages: [{ name: "kiln", image: "example.com/kiln:1" }],
      ...spec,
    },
  };
}

const smallDeployment: JsonObject = {
  name: "kiln",
  spec: {
    selector: { matchLabels: { app: "kiln" } },
    template: {
      metadata: { labels: { app: "kiln" } },
      spec: {
        serviceAccountName: "kiln",
        containers: [
          { name: "manager", image: "example.com/kiln:1", resources: { requests: { cpu: "1m", memory: "1Mi" } } },
        ],
        initContainers: [{ name: "first", image: "example.com/first:1" }],
      },
    },
  },
};

/** A bundle directory: valid but for what the arguments change. A file of `undefined` is left out. */
export function smallBundle(
  files: Readonly<Record<string, JsonObject | string | undefined>> = {},
  directories: readonly string[] = ["manifests", "metadata"],
): BundleDirectory {
  const all: Readonly<Record<string, JsonObject | string | undefined>> = {
    "manifests/csv.json": smallCsv(),
    "manifests/crd.json": smallCrd,
    "metadata/annotations.yaml": smallAnnotations(),
    ...files,
  };
  const encoder = new TextEncoder();
  return {
    digest: digestOf(""),
    directories,
    files: Object.keys(all)
      .toSorted()
      .flatMap((path) => {
        const content = all[path];
        if (content === undefined) return [];
        return [{ path, bytes: encoder.encode(typeof content === "string" ? content : JSON.stringify(content)) }];
      }),
  };
}
