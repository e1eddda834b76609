import type { SubcommandSpec } from "../command.ts";
import { textOption } from "../command.ts";

export const renderCommand: SubcommandSpec = {
  name: "render",
  summary: "Catalogs and bundles as one file-based catalog",
  description: [
    "Blobs come in canonical order; the result of a rendered catalog is the same again. A bundle directory that did not",
    "change is not rendered again: results are kept by content in the cache directory (PURSER_CACHE_DIR).",
    "Nothing is printed when any reference cannot be rendered.",
  ].join("\n"),
  arguments: [
    {
      name: "reference",
      summary: "directory, file or image of a catalog, or directory or image of a bundle",
      required: true,
      variadic: true,
    },
  ],
  options: [
    {
      flags: "--image-template TEMPLATE",
      summary: "image of a bundle directory, with {{.Package}}, {{.Name}} and {{.Version}}",
    },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["yaml", "json"] },
  ],
  examples: [
    ["purser catalog render ./catalog -o json", "a catalog in its canonical form"],
    ["purser catalog render ./bundle --image-template 'example.com/{{.Package}}:v{{.Version}}'", "a bundle directory"],
  ],
  async run(invocation) {
    const { renderReferences } = await import("./render-references.ts");
    const format = textOption(invocation, "output") === "json" ? "json" : "yaml";
    return renderReferences(invocation, format, textOption(invocation, "image-template"));
  },
};
