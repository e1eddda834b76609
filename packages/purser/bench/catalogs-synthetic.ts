// A catalog of any size that is the same at every run: packages of ten bundles, written as renderers write YAML.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const bundlesPerPackage = 10;
const channels = ["alpha", "stable"];

/** Writes `packages` packages of ten bundles below `root`, a file each, and returns the bytes written. */
export function writeSyntheticCatalog(root: string, packages: number): number {
  let bytes = 0;
  for (let index = 0; index < packages; index++) {
    const name = `package-${String(index).padStart(4, "0")}`;
    const text = packageText(name, index);
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, "catalog.yaml"), text);
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}

function packageText(name: string, index: number): string {
  const versions = Array.from({ length: bundlesPerPackage }, (_, minor) => `1.${minor}.0`);
  const entries = versions.map((version, minor) => {
    const replaces = minor === 0 ? "" : `\n  replaces: ${name}.v1.${minor - 1}.0`;
    return `- name: ${name}.v${version}${replaces}\n  skipRange: '>=1.0.0 <${version}'`;
  });
  return [
    `---\ndefaultChannel: stable\nname: ${name}\nschema: olm.package\n`,
    ...channels.map((channel) => {
      return `---\nentries:\n${entries.join("\n")}\nname: ${channel}\npackage: ${name}\nschema: olm.channel\n`;
    }),
    ...versions.map((version) => bundleText(name, index, version)),
  ].join("");
}

function bundleText(name: string, index: number, version: string): string {
  const digest = (part: number): string => ((index + 1) * 7919 + part * 104729).toString(16).padStart(64, "a");
  const kinds = Array.from({ length: 3 + (index % 5) }, (_, kind) => `Kind${kind}`);
  const examples = kinds.map((kind) => {
    const spec = `{\n              "size": ${index % 9},\n              "pools": [{"name": "first", "replicas": 3}]\n            }`;
    return `          {\n            "apiVersion": "${name}.example/v1",\n            "kind": "${kind}",\n            "spec": ${spec}\n          }`;
  });
  const images = Array.from({ length: 2 + (index % 6) }, (_, part) => {
    return `- image: registry.example/${name}/part${part}@sha256:${digest(part)}\n  name: ${part % 2 === 0 ? `part${part}` : '""'}`;
  });
  const described = kinds.map((kind) => {
    return `      - description: ${kind} is what ${name} keeps for its users, in as many\n          replicas as they want\n        displayName: ${kind}\n        kind: ${kind}\n        name: ${kind.toLowerCase()}s.${name}.example\n        version: v1`;
  });
  return `---
image: registry.example/${name}/bundle@sha256:${digest(99)}
name: ${name}.v${version}
package: ${name}
properties:
${kinds.map((kind) => `- type: olm.gvk\n  value:\n    group: ${name}.example\n    kind: ${kind}\n    version: v1`).join("\n")}
- type: olm.package
  value:
    packageName: ${name}
    version: ${version}
- type: olm.csv.metadata
  value:
    annotations:
      alm-examples: |-
        [
${examples.join(",\n")}
        ]
      capabilities: Basic Install
      createdAt: "2026-01-0${1 + (index % 9)}T00:00:00Z"
      description: ${"An operator that does one thing and does it well. ".repeat(1 + (index % 4)).trim()}
    apiServiceDefinitions: {}
    crdDescriptions:
      owned:
${described.join("\n")}
    description: |
      ## ${name}

      ${"It is installed, upgraded and removed like every other one.\n      ".repeat(8 + (index % 7)).trim()}
    displayName: Package ${index}
    installModes:
    - supported: true
      type: AllNamespaces
    provider:
      name: Example
relatedImages:
${images.join("\n")}
schema: olm.bundle
`;
}
