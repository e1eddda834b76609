import type { SubcommandSpec } from "../command.ts";
import { textOption } from "../command.ts";

export const initCommand: SubcommandSpec = {
  name: "init",
  summary: "Begin a catalog: package, template, README, settings and schemas for editors",
  description: [
    "Writes a directory of the package's name: catalog/catalog.yaml with the olm.package blob, a template to keep versions in,",
    "README.md with the commands, .purser.yaml, and JSON Schemas for catalogs and templates that editors check against.",
    "A directory that has something in it is left alone.",
  ].join("\n"),
  arguments: [{ name: "name", summary: "of the package", required: true }],
  options: [
    { flags: "--template KIND", summary: "what versions are kept in (default basic)", choices: ["basic", "semver"] },
    { flags: "--description FILE", summary: "Markdown text that describes the package" },
    { flags: "--icon FILE", summary: "image of the package: SVG, PNG, JPEG or GIF" },
  ],
  examples: [
    ["purser catalog init etcd --template semver", "a directory etcd to fill in"],
    ["purser catalog init etcd --description about.md --icon etcd.svg", "with what consoles show"],
  ],
  async run(invocation) {
    const { initCatalog } = await import("./init-catalog.ts");
    return initCatalog(invocation.arguments[0] ?? "", {
      template: textOption(invocation, "template") === "semver" ? "semver" : "basic",
      description: textOption(invocation, "description"),
      icon: textOption(invocation, "icon"),
    });
  },
};
