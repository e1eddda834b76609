/** A valid catalog text for tests: `versions` in one channel, each replacing the one before. */
export function smallCatalog(name: string, versions: readonly string[], extra = ""): string {
  const entries = versions.map((version, index) => {
    const before = versions[index - 1];
    return `- name: ${name}.v${version}\n${before === undefined ? "" : `  replaces: ${name}.v${before}\n`}`;
  });
  const bundles = versions.map(
    (version) => `---
schema: olm.bundle
package: ${name}
name: ${name}.v${version}
image: example.com/${name}:v${version}
properties:
- type: olm.package
  value:
    packageName: ${name}
    version: ${version}
- type: olm.gvk
  value: {group: ${name}.example.com, kind: Thing, version: v1}
`,
  );
  return `---
schema: olm.package
name: ${name}
defaultChannel: stable
---
schema: olm.channel
package: ${name}
name: stable
entries:
${entries.join("")}${bundles.join("")}${extra}`;
}
