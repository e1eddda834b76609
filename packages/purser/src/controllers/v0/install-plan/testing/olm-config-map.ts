import { gzipSync } from "node:zlib";
import type { ConfigMap } from "@purser/kubernetes/apis/core";

/** A ConfigMap as OLM v0 fills it from a bundle's files, owned by CatalogSource `cat` of its namespace `olm`. */
export function olmConfigMap(files: Readonly<Record<string, string | Uint8Array>>, name = "abc123"): ConfigMap {
  const packed = Object.entries(files).map(([key, content]) => {
    const text = gzipSync(content).toString("base64");
    return [key, Buffer.from(text).toString("base64")];
  });
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "olm",
      name,
      labels: { "olm.managed": "true" },
      annotations: { "olm.contentEncoding": "gzip+base64", "olm.sourceImage": "example.com/kiln:v1.0.0" },
      ownerReferences: [{ apiVersion: "operators.coreos.com/v1alpha1", kind: "CatalogSource", name: "cat", uid: "1" }],
    },
    binaryData: Object.fromEntries(packed) as Readonly<Record<string, string>>,
  };
}
