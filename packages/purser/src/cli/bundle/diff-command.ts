import type { SubcommandSpec } from "../command.ts";

export const bundleDiffCommand: SubcommandSpec = {
  name: "diff",
  summary: "What changes from one bundle to the next: permissions, APIs, objects, images",
  description: [
    "Permissions are compared verb by verb, APIs also by whether stored objects stay valid (!), images by repository.",
  ].join("\n"),
  arguments: [
    { name: "old", summary: "directory or image of the older bundle", required: true },
    { name: "new", summary: "directory or image of the newer one", required: true },
  ],
  options: [
    {
      flags: "--only PART",
      summary: "this part alone",
      repeatable: true,
      choices: ["permissions", "crds", "objects", "images"],
    },
    { flags: "--exit-code", summary: "end with 3 when there are changes" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml", "markdown"] },
  ],
  examples: [
    ["purser bundle diff ./1.0.0 ./1.1.0", "everything that changes"],
    [
      "purser bundle diff ./1.0.0 ./1.1.0 --only permissions -o markdown",
      "new rights, as a comment for a pull request",
    ],
  ],
  async run(invocation) {
    const { diffLocalBundles } = await import("./diff.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    const [old = "", next = ""] = invocation.arguments;
    return withLocalContent(invocation, [old, next], "bundle", (older, newer) =>
      diffLocalBundles(invocation, older, newer),
    );
  },
};
