// What commands print about catalogs and bundles in directories, whole: testing/file-screens.txt. PURSER_SCREENS=write writes that file anew.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runPurser } from "./testing/run-purser.ts";
import { assertScreens, screensOf } from "./testing/screens.ts";

const product = join(import.meta.dirname, "../..");
const file = join(import.meta.dirname, "testing/file-screens.txt");
const directory = mkdtempSync(join(tmpdir(), "purser-screens-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const bundle = (name: string, version: string, ...properties: readonly string[]): string =>
  [
    `---\nschema: olm.bundle\npackage: kiln\nname: ${name}\nimage: registry.example/kiln:${version}`,
    `properties:\n- type: olm.package\n  value: { packageName: kiln, version: ${version} }`,
    ...properties.map((property) => `- ${property}`),
  ].join("\n");
const gvk = "{ type: olm.gvk, value: { group: kiln.example, kind: Kiln, version: v1 } }";
const required = "{ type: olm.package.required, value: { packageName: clay, versionRange: '>=1.0.0 <2.0.0' } }";
const constraint = "{ type: olm.constraint, value: { failureMessage: needs a chimney, cel: { rule: 'false' } } }";
const kiln = `schema: olm.package
name: kiln
defaultChannel: stable
description: Burns clay.
---
schema: olm.channel
package: kiln
name: stable
entries:
- { name: kiln.v1.0.0 }
- { name: kiln.v1.1.0, replaces: kiln.v1.0.0 }
- { name: kiln.v1.2.0, replaces: kiln.v1.1.0, skips: [kiln.v1.1.1], skipRange: '>=1.0.0 <1.2.0' }
---
schema: olm.channel
package: kiln
name: fast
entries:
- { name: kiln.v1.2.0 }
- { name: kiln.v2.0.0, replaces: kiln.v1.2.0 }
---
schema: olm.channel
package: kiln
name: old
entries:
- { name: kiln.v0.9.0 }
---
schema: olm.deprecations
package: kiln
entries:
- { reference: { schema: olm.channel, name: old }, message: old ends }
- { reference: { schema: olm.bundle, name: kiln.v1.0.0 }, message: '1.0.0 leaks' }
${bundle("kiln.v0.9.0", "0.9.0")}
${bundle("kiln.v1.0.0", "1.0.0", gvk)}
${bundle("kiln.v1.1.0", "1.1.0", gvk)}
${bundle("kiln.v1.2.0", "1.2.0", gvk, required)}
${bundle("kiln.v2.0.0", "2.0.0", gvk, required, constraint)}
`;

/** Catalogs by name. */
const catalogs = {
  kiln,
  older: kiln
    .replace("- { name: kiln.v2.0.0, replaces: kiln.v1.2.0 }\n", "")
    .replace(/---\nschema: olm.bundle\npackage: kiln\nname: kiln.v2[^]*$/, ""),
  cut: kiln.replace(
    "replaces: kiln.v1.1.0, skips: [kiln.v1.1.1], skipRange: '>=1.0.0 <1.2.0'",
    "replaces: kiln.v1.1.5",
  ),
  broken: kiln
    .replace("defaultChannel: stable", "defaultChannel: stabel")
    .replace("name: kiln.v0.9.0\nimage", "name: kiln.v0.9.1\nimage")
    .replace("replaces: kiln.v1.0.0 }", "replaces: kiln.v1.1.0 }"),
  text: "schema: [olm.package\n",
  empty: "",
};
for (const [name, text] of Object.entries(catalogs)) {
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, "catalog.yaml"), text);
}
const logbook = "logbook-db";
for (const version of ["1.0.0", "1.1.0"])
  cpSync(join(product, "demo/default/bundles", logbook, version), join(directory, version), { recursive: true });
cpSync(join(directory, "1.0.0"), join(directory, "faulty"), { recursive: true });
const annotations = join(directory, "faulty/metadata/annotations.yaml");
writeFileSync(annotations, readFileSync(annotations, "utf8").replace(/channels\.v1: .*/, "channels.v1: ''"));
writeFileSync(join(directory, "faulty/manifests/extra.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n");

// How long versions are supported, and a second package that is deprecated in two lines.
writeFileSync(
  join(directory, "kiln/lifecycle.yaml"),
  `schema: io.openshift.operators.lifecycles.v1
package: kiln
versions:
- name: '1.0'
  phases: [{ name: Full, startDate: '2001-01-01', endDate: '2002-01-01' }]
  platformCompatibility: [{ name: openshift, versions: ['4.18', '4.19'] }]
- name: '1.1'
  phases:
  - { name: Full, startDate: '2001-01-01', endDate: '9998-01-01' }
  - { name: Maintenance, startDate: '9998-01-01', endDate: '9999-01-01' }
- { name: '1.2', phases: [{ name: Full, startDate: '9998-01-01' }] }
- { name: '2.0', phases: [] }
`,
);
mkdirSync(join(directory, "twice"));
writeFileSync(
  join(directory, "twice/catalog.yaml"),
  kiln
    .replaceAll("kiln", "mason")
    .replace("entries:\n- { reference: { schema: olm.channel", (entries) =>
      entries.replace("\n", '\n- { reference: { schema: olm.package }, message: "mason ends\\nuse kiln" }\n'),
    ),
);
for (const [name, text] of Object.entries({
  Dockerfile: "FROM scratch\nLABEL operators.operatorframework.io.bundle.package.v1=other\n",
  "config.yaml": "watchNamespace: ns\n",
  "list.yaml": "- 1\n",
  "broken.yaml": "a: [\n",
  "basic.yaml":
    "schema: olm.template.basic\nentries:\n- { schema: olm.package, name: kiln, defaultChannel: stable }\n- { schema: olm.bundle, image: 1.0.0 }\n",
  "semver.yaml": "schema: olm.semver\n",
  "nothing.yaml": "schema: other\n",
}))
  writeFileSync(join(directory, name), text);
cpSync(join(directory, "1.0.0"), join(directory, "garbled"), { recursive: true });
writeFileSync(join(directory, "garbled/manifests/extra.yaml"), "a: [\n");
cpSync(join(directory, "1.0.0"), join(directory, "linked"), { recursive: true });
mkdirSync(join(directory, "strict"));
cpSync(join(directory, "kiln"), join(directory, "strict/catalog"), { recursive: true });
writeFileSync(join(directory, "strict/.purser.yaml"), "rules: { PCH101: off, PCH102: loud }\n");

const offline = ["--catalog", "olm/kiln=kiln"];
const twice = [...offline, "--catalog", "olm/twice=twice", "--catalog", "other/older=older"];
const demo = ["--catalog", "demo=demo", "--bundles", join(product, "demo/default/bundles")];
const lines: readonly (readonly string[])[] = [
  ["catalog", "graph", "kiln"],
  ["catalog", "graph", "kiln", "--all", "--installed", "1.0.0"],
  ["catalog", "graph", "kiln", "--channel", "fast", "-o", "mermaid"],
  ["catalog", "graph", "kiln", "-o", "dot"],
  ["catalog", "graph", "kiln", "-o", "yaml"],
  ["catalog", "graph", "kiln", "--from", "1.0.0", "--to", "2.0.0"],
  ["catalog", "graph", "kiln", "--from", "0.9.0", "--to", "2.0.0"],
  ["catalog", "graph", "kiln", "--channel", "fats"],
  ["catalog", "graph", "kiln", "--package", "klin"],
  ["catalog", "graph", "empty"],
  ["catalog", "path", "kiln", "--from", "1.0.0"],
  ["catalog", "path", "kiln", "--from", "1.0.0", "--channel", "stable", "-o", "yaml"],
  ["catalog", "path", "kiln", "--from", "1.1.1"],
  ["catalog", "path", "kiln", "--from", "1.2.0", "--to", "2.0.0"],
  ["catalog", "path", "kiln", "--from", "1.0.0", "--to", "2.0.0", "--channel", "stable"],
  ["catalog", "path", "kiln", "--from", "2.0.0", "--to", "1.0.0", "--rules", "v0"],
  ["catalog", "path", "kiln", "--from", "1.x"],
  ["catalog", "path", "kiln", "--from", "7.0.0"],
  ["catalog", "path", "kiln", "--from", "0.9.0", "-o", "yaml"],
  ["catalog", "path", "kiln", "--from", "1.2.0", "--rules", "v1", "--channel", "stable"],
  ["catalog", "path", "kiln"],
  ["catalog", "validate", "kiln"],
  ["catalog", "validate", "broken"],
  ["catalog", "validate", "broken", "-o", "yaml"],
  ["catalog", "validate", "text"],
  ["catalog", "validate", "empty"],
  ["catalog", "validate", "nowhere"],
  ["catalog", "validate", "cut", "--strict"],
  ["catalog", "lint", "kiln"],
  ["catalog", "lint", "kiln", "--against", "older"],
  ["catalog", "lint", "older", "--against", "kiln", "-o", "yaml"],
  ["catalog", "lint", "kiln", "--rule", "nonsense=off"],
  ["catalog", "lint", "broken"],
  ["catalog", "diff", "older", "kiln"],
  ["catalog", "diff", "kiln", "older", "--exit-code"],
  ["catalog", "diff", "kiln", "cut", "-o", "markdown"],
  ["catalog", "diff", "kiln", "kiln", "--exit-code"],
  ["catalog", "diff", "kiln", "broken"],
  ["catalog", "diff", "older", "kiln", "-o", "yaml"],
  ["catalog", "prune", "kiln", "--keep", "kiln@<1.2.0", "--to", "pruned"],
  ["catalog", "prune", "kiln", "--keep", "klin", "--to", "other"],
  ["catalog", "prune", "kiln", "--keep", "kiln@>9", "--to", "other"],
  ["catalog", "prune", "kiln", "--to", "other"],
  ["catalog", "render", "pruned"],
  ["catalog", "render", "broken"],
  ["catalog", "render", "text"],
  ["catalog", "render", "1.0.0"],
  ["catalog", "render", "faulty"],
  ["catalog", "index", "broken", "--to", "index"],
  ["catalog", "template", "convert", "kiln"],
  ["bundle", "validate", "1.0.0"],
  ["bundle", "validate", "faulty"],
  ["bundle", "validate", "faulty", "-o", "yaml"],
  ["bundle", "validate", "1.0.0", "--suite", "nonsense"],
  ["bundle", "validate", "kiln"],
  ["bundle", "render", "1.0.0", "-n", "ns"],
  ["bundle", "render", "1.0.0", "-n", "ns", "--config", "nowhere.yaml"],
  ["bundle", "render", "faulty", "-n", "ns"],
  ["bundle", "rights", "1.1.0", "-n", "ns"],
  ["bundle", "rights", "1.1.0", "-n", "ns", "--tier", "namespace-bounded", "--account", "own"],
  ["bundle", "diff", "1.0.0", "1.1.0"],
  ["bundle", "diff", "1.0.0", "1.1.0", "-o", "markdown"],
  ["bundle", "diff", "1.0.0", "1.1.0", "--only", "images", "--exit-code", "-o", "yaml"],
  ["bundle", "diff", "1.0.0", "1.0.0", "--exit-code"],
  ["search", ...offline],
  ["search", "--kind", "Kiln", "--deprecated", ...offline],
  ["search", "kiln", "--list-versions", ...offline],
  ["show", "kiln", ...offline],
  ["show", "kiln@1.0.0", ...offline],
  ["show", "kiln", "--versions", ...offline],
  ["show", "kiln", "--graph", ...offline],
  ["show", "kiln@2.0.0", "--dependencies", ...offline],
  ["show", "kiln@3", ...offline],
  ["show", "kiln", "--channel", "fats", ...offline],
  ["plan", "kiln", "-n", "ns", ...offline],
  ["plan", "kiln@2.0.0", "-n", "ns", ...offline, "-o", "yaml"],
  ["explain", "kiln@1.1.0", "-n", "ns", ...offline],
  ["explain", "kiln", "-n", "ns", "--as-extension", ...offline],
  ["explain", "kiln", "-n", "ns", "--why", "kiln.v2.0.0", ...offline],
  ["explain", "kiln", "-n", "ns", "--candidates", ...offline],
  ["explain", "klin", "-n", "ns", ...offline],
  ["show", "kiln", "--lifecycle", ...offline],
  ["show", "kiln@1.2.0", ...offline],
  ["show", "kiln@1.1.0", ...offline, "-o", "yaml"],
  ["show", "kiln", "-o", "name", ...offline],
  ["show", "kiln", "--from-source", "nope", ...offline],
  ["show", "kiln", "--from-source", "olm/older", ...twice],
  ["show", "kiln", ...twice],
  ["show", "mason", ...twice],
  ["show", "mason", "--lifecycle", ...twice],
  ["search", ...twice],
  ["search", "-o", "name", ...twice],
  ["search", "--sort-by", "latest", "--limit", "1", ...twice],
  ["search", "--fields", "name,latest", "--no-headers", ...twice],
  ["search", "--source", "older", "kiln", ...twice],
  ["search", "--package", "mason", ...twice, "-o", "yaml"],
  ["search", "--as-catalog", "--source", "twice", ...twice],
  ["search", "--catalog", "broken=broken"],
  ["search", "--source", "broken", "--catalog", "broken=broken", ...offline],
  ["catalog", "graph", "broken"],
  ["catalog", "graph", "kiln", "--rules", "v1", "--from", "1.0.0"],
  ["catalog", "graph", "kiln", "--from", "1.0.0", "--to", "1.2.0", "-o", "yaml"],
  ["catalog", "graph", "kiln", "--from", "1.x", "--channel", "stable"],
  ["catalog", "graph", "kiln", "--to", "9.0.0", "--from", "1.0.0"],
  ["catalog", "graph", "kiln", "--installed", "9.0.0"],
  ["catalog", "path", "broken", "--from", "1.0.0"],
  ["catalog", "path", "kiln", "--from", "1.0.0", "--channel", "fats"],
  ["catalog", "path", "kiln", "--from", "1.0.0", "--to", "9.0.0"],
  ["catalog", "path", "kiln", "--from", "1.2.0", "--channel", "stable"],
  ["catalog", "lint", "strict/catalog"],
  ["catalog", "lint", "kiln", "--rule", "PCH101=off", "--rule", "PCH102"],
  ["catalog", "template", "expand", "basic.yaml"],
  ["catalog", "template", "expand", "semver.yaml"],
  ["catalog", "template", "expand", "nothing.yaml"],
  ["catalog", "template", "expand", "nowhere.yaml"],
  ["catalog", "template", "expand", "broken.yaml", "--migrate-level", "some"],
  ["catalog", "template", "convert", "older/catalog.yaml"],
  ["catalog", "template", "convert", "nowhere"],
  ["catalog", "template", "convert", "broken.yaml"],
  ["catalog", "index", "kiln", "--to", "index"],
  ["catalog", "index", "kiln"],
  ["catalog", "render", "kiln", "1.0.0", "-o", "json"],
  ["catalog", "render", "garbled"],
  ["catalog", "render", "nowhere"],
  ["catalog", "diff", "text", "kiln"],
  ["bundle", "validate", "garbled"],
  ["bundle", "validate", "nowhere"],
  ["bundle", "validate", "1.0.0", "--suite", "community", "--dockerfile", "Dockerfile"],
  ["bundle", "validate", "1.0.0", "--suite", "all", "--kubernetes", "1.25"],
  ["bundle", "render", "garbled", "-n", "ns"],
  ["bundle", "render", "1.0.0", "-n", "ns", "--config", "list.yaml"],
  ["bundle", "render", "1.0.0", "-n", "ns", "--config", "broken.yaml"],
  ["bundle", "render", "1.0.0", "-n", "ns", "--config", "config.yaml", "--watch", "ns"],
  ["bundle", "render", "1.0.0"],
  ["bundle", "rights", "garbled", "-n", "ns"],
  ["bundle", "rights", "nowhere", "-n", "ns"],
  ["bundle", "rights", "1.0.0"],
  ["bundle", "rights", "1.0.0", "-n", "ns", "--tier", "cluster-admin", "-o", "json"],
  ["bundle", "diff", "garbled", "1.0.0"],
  ["bundle", "diff", "1.0.0", "garbled"],
  ["bundle", "diff", "1.0.0", "nowhere"],
  ["permissions", "logbook-db", "-n", "ns", "--least", ...demo],
  ["permissions", "logbook-db", "--least", ...demo],
  ["permissions", "logbook-db@9.9.9", "-n", "ns", "--least", ...demo],
  ["permissions", "logbook-db", "-n", "ns", ...demo],
  ["compare", "logbook-db", "1.0.0", "1.1.0", ...demo, "--only", "permissions", "--only", "images"],
  ["compare", "logbook-db", "1.0.0", ...demo, "--exit-code", "--only", "crds"],
  ["compare", "logbook-db", "1.0.0", ...demo, "--exit-code", "--only", "images"],
  ["compare", "logbook-db", "9.0.0", ...demo],
  ["compare", "logbuk", "1.0.0", ...demo],
  ["plan", "logbook-db", "--from", "1.0.0", "--to", "1.1.0", "-n", "ns", ...demo],
  ["plan", "logbook-db", "--from", "1.2.0", "--to", "1.0.0", "-n", "ns", ...demo],
  ["plan", "logbook-db", "--from", "1.0.0", "--to", "9.9.9", "-n", "ns", ...demo],
  ["plan", "kiln", "--from", "1.0.0", "-n", "ns", ...twice],
  ["plan", "ballast-cache@0.4.x", "-n", "ns", "--as-extension", ...demo],
  ["explain", "logbook-db", "--from", "1.0.0", "-n", "ns", ...demo],
  ["explain", "kiln", "-n", "ns", "--as-extension", "--candidates", ...twice],
  ["explain", "mason", "-n", "ns", "--channel", "old", "--candidates", ...twice],
  ["explain", "mason@1.1.0", "-n", "ns", ...twice, "-o", "yaml"],
  ["plan", "kiln", "--catalog", "broken=broken"],
  ["plan", "kiln", "--catalog", "kiln"],
];

const made = "1.0.0 1.1.0 faulty garbled pruned other index twice strict/catalog older/catalog.yaml Dockerfile";
const texts = "config.yaml list.yaml broken.yaml basic.yaml semver.yaml nothing.yaml";
const written = new Set([...Object.keys(catalogs), ...made.split(" "), ...texts.split(" ")]);
const paths = new Set(["catalog", "bundle", "--catalog", "--to", "--against", "--config", "--dockerfile"]);

/** The words with the directories and files that are written here by their paths: those behind such a flag, and the operands of commands on files. */
function located(args: readonly string[]): readonly string[] {
  const onFiles = args[0] === "catalog" || args[0] === "bundle";
  const isPlan = args[0] === "plan";
  return args.map((word, at) => {
    const [, name = "", path = word] = /^([\w/]+=)?(.*)$/.exec(word) ?? [];
    const before = args[at - 1] ?? "";
    if (word === "demo=demo") return `demo=${join(product, "demo/default/catalog")}`;
    const isPath = before.startsWith("--")
      ? paths.has(before) && !(isPlan && before === "--to") && args[1] !== "path" && args[1] !== "graph"
      : onFiles && at > 1;
    return isPath && (written.has(path) || path.startsWith("nowhere")) ? `${name}${join(directory, path)}` : word;
  });
}

test("commands print what testing/file-screens.txt holds", async () => {
  const env = { PURSER_CACHE_DIR: join(directory, "cache"), HOME: directory };
  const settled = (text: string): string =>
    text
      // Columns depend on the length of its path.
      .replaceAll(/^.*$/gm, (line) => (line.includes(directory) ? line.replaceAll(/(?<=\S) {2,}/g, "  ") : line))
      .replaceAll(`${product}/`, "")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST")
      .replaceAll(`${directory}/`, "")
      .replaceAll(directory, "DIRECTORY")
      .replaceAll(/(indexMs|openMs|solveMs|variablesMs): [\d.]+/g, "$1: N")
      .replaceAll(/(?<= {2}|\()\d+\.\d s\b/g, "N s")
      .replaceAll(/\b20[0-8]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME");
  assertScreens(file, await screensOf(lines.map(located), (args) => runPurser(args, { env }), settled));
});
