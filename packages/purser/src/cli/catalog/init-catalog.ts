import { shown } from "../output/shown.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogSchema, templateSchema } from "../../catalog/schemas/editor-schemas.ts";
import { labelProblems } from "../../catalog/label-form.ts";
import { opmInit } from "../../catalog/opm/init.ts";
import { invariant } from "@purser/kubernetes/invariant";
import { type Outcome, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { settingsFileName } from "./author-settings.ts";
import { writeFilesAtomically } from "./write-files.ts";

export interface InitOptions {
  readonly template: "basic" | "semver";
  readonly description: string | undefined;
  readonly icon: string | undefined;
}

/** @throws UsageError for an invalid package name, input files that cannot be used and a directory that is not empty */
export function initCatalog(name: string, { template, description, icon }: InitOptions): Outcome {
  const complaints = labelProblems(name);
  if (complaints.length > 0) throw new UsageError(`"${name}" cannot be the name of a package`, complaints[0]);
  refuseOccupied(name);
  const defaultChannel = template === "semver" ? "stable-v1" : "stable";
  const blob = opmInit(
    {
      name,
      defaultChannel,
      ...(description === undefined ? {} : { description: inputFile("--description", description).toString("utf8") }),
      ...(icon === undefined ? {} : { icon: inputFile("--icon", icon) }),
    },
    "yaml",
  );
  if (!blob.ok) throw new UsageError(`--icon ${icon ?? ""}: ${blob.problem}`);
  const files = new Map<string, string>([
    [join(name, "catalog", "catalog.yaml"), withSchema("../.schemas/catalog.schema.json", blob.value)],
    [
      join(name, "template.yaml"),
      withSchema("./.schemas/template.schema.json", templateText(name, template, blob.value)),
    ],
    [join(name, "README.md"), readme(name, template)],
    [join(name, settingsFileName), settings],
    [join(name, ".indexignore"), ignored],
    [join(name, ".schemas", "catalog.schema.json"), jsonText(catalogSchema)],
    [join(name, ".schemas", "template.schema.json"), jsonText(templateSchema(template))],
  ]);
  writeFilesAtomically(files);
  const next = `Fill in ${join(name, "template.yaml")}, then follow ${join(name, "README.md")}.`;
  return {
    exitCode: exitCodes.done,
    data: { apiVersion: "purser.dev/v1alpha1", kind: "CatalogInit", name, template, files: [...files.keys()] },
    human: shown(...[...files.keys()].map((file) => `wrote ${file}`), next),
  };
}

function refuseOccupied(directory: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw new UsageError(`${directory} exists and is not a directory`, "choose another place to begin");
  }
  if (names.length > 0) throw new UsageError(`the directory ${directory} is not empty`, "nothing was written");
}

function inputFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${flag} ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Adds the schema comment that YAML language servers read; it has to be part of the first document. */
function withSchema(path: string, yaml: string): string {
  const text = yaml.replace(/^---\n/, "");
  invariant(!text.startsWith("---"), "one document begins with one separator");
  return `# yaml-language-server: $schema=${path}\n${text}`;
}

function templateText(name: string, kind: "basic" | "semver", packageBlob: string): string {
  if (kind === "semver")
    return [
      "schema: olm.semver",
      "# Bundles by how far they are tested; versions and edges follow from their versions.",
      ...howToNameBundles,
      "generateMajorChannels: true",
      "generateMinorChannels: false",
      "stable:",
      "  bundles:",
      `  - image: ../bundles/${name}/1.0.0`,
      "",
    ].join("\n");
  const blob = packageBlob.replace(/^---\n/, "").trimEnd();
  const item = blob.split("\n").map((line, index) => (index === 0 ? `- ${line}` : line === "" ? "" : `  ${line}`));
  return [
    "schema: olm.template.basic",
    "entries:",
    ...item,
    "- schema: olm.channel",
    `  package: ${name}`,
    "  name: stable",
    "  entries:",
    `  - name: ${name}.v1.0.0`,
    ...howToNameBundles,
    "- schema: olm.bundle",
    `  image: ../bundles/${name}/1.0.0`,
    "",
  ].join("\n");
}

const howToNameBundles = [
  "# A bundle is named by its directory, with manifests/ and metadata/ in it; all else is read from there. Images are not",
  "# pulled: --image-template of the expanding command says what the image of each bundle is called.",
];

/**
 * Content of the ignore file. OLM and purser read every file below a catalog directory; with this file the whole
 * directory, with its template and schemas, can be used as the catalog.
 */
const ignored = ["/README.md", "/template.yaml", `/${settingsFileName}`, "/.schemas/", ""].join("\n");

const settings = [
  '# Severities of the rules of purser catalog lint, by id or name: error, warn, "off".',
  "rules: {}",
  "#  PCH110: warn",
  "",
].join("\n");

function readme(name: string, template: string): string {
  return `# ${name}

The catalog of the operator package \`${name}\`. Versions are kept in \`template.yaml\` (${template} template).

| step | command |
| --- | --- |
| make the catalog from the template | \`purser catalog template expand template.yaml --image-template 'example.com/${name}-bundle:v{{.Version}}' > catalog/catalog.yaml\` |
| find everything that is wrong | \`purser catalog validate catalog\` |
| advice about upgrades, images and permissions | \`purser catalog lint catalog\` |
| what a change does to users | \`purser catalog diff OLD catalog\` |

Published bundles are never changed: a fix is a new version.
`;
}
