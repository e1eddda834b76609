import type { SubcommandFamily, SubcommandSpec } from "../command.ts";
import { textOption } from "../command.ts";

const expandCommand: SubcommandSpec = {
  name: "expand",
  summary: "The catalog that a template stands for",
  description: [
    "Templates are basic, semver or substitutes, distinguished by their schema. A template names a bundle by its image or,",
    "beyond opm, as the directory of its bundle directory. The catalog is validated before it is printed.",
  ].join("\n"),
  arguments: [{ name: "file", summary: "the template, or - for stdin", required: true }],
  options: [
    { flags: "--type TYPE", summary: "kind of template", choices: ["basic", "semver", "substitutes"] },
    {
      flags: "--migrate-level LEVEL",
      summary: "how far bundles are rewritten",
      choices: ["none", "bundle-object-to-csv-metadata", "all"],
    },
    {
      flags: "--image-template TEMPLATE",
      summary: "image of a bundle directory, with {{.Package}}, {{.Name}} and {{.Version}}",
    },
    { flags: "--no-validate", summary: "print the catalog even when it is not valid" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json", "mermaid"] },
  ],
  examples: [
    ["purser catalog template expand semver.yaml", "channels and edges from versions"],
    ["purser catalog template expand semver.yaml -o mermaid", "the graph that they make"],
  ],
  async run(invocation) {
    const { expandTemplate } = await import("./expand-template.ts");
    return expandTemplate(invocation);
  },
};

const convertCommand: SubcommandSpec = {
  name: "convert",
  summary: "A catalog as a template",
  description: "A basic template keeps the image of each bundle only; a substitutes template keeps all.",
  arguments: [{ name: "reference", summary: "file, directory or image of a catalog, or - for stdin", required: true }],
  options: [
    { flags: "--type TYPE", summary: "kind of template", choices: ["basic", "substitutes"] },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json"] },
  ],
  examples: [["purser catalog template convert ./catalog", "a basic template of a whole catalog"]],
  async run(invocation) {
    const { convertCatalog } = await import("./convert-catalog.ts");
    return convertCatalog(invocation, textOption(invocation, "type") === "substitutes" ? "substitutes" : "basic");
  },
};

export const templateCommand: SubcommandFamily = {
  name: "template",
  summary: "Expand templates to catalogs, and turn catalogs into templates",
  members: [expandCommand, convertCommand],
};
