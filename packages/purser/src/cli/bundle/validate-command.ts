import type { SubcommandSpec } from "../command.ts";

const suites =
  "csv, crd, bundle (the default), operatorhub, operatorhubv2, standard-capabilities, standard-categories, object, operatorgroup, community, alpha-deprecated-apis, good-practices, all";

export const bundleValidateCommand: SubcommandSpec = {
  name: "validate",
  summary: "Everything that is wrong with a bundle, with place, cause and remedy",
  description: [
    "Format and content are always checked; suites add the validators that catalogs ask for. Ends with 10 when there is an",
    "error; warnings alone are no failure.",
    `Suites: ${suites}.`,
  ].join("\n"),
  arguments: [{ name: "bundle", summary: "directory with manifests/ and metadata/, or an image", required: true }],
  options: [
    { flags: "--suite NAME", summary: "validators to run besides the default ones", repeatable: true },
    { flags: "--kubernetes VERSION", summary: "check removed APIs against this version" },
    { flags: "--dockerfile FILE", summary: "Dockerfile of the bundle's image, for its labels (suite community)" },
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml"] },
  ],
  examples: [
    ["purser bundle validate ./bundle", "format, content and the default validators"],
    ["purser bundle validate quay.io/acme/kiln-bundle:v1.0.0", "the same for an image"],
    [
      "purser bundle validate ./bundle --suite operatorhubv2 --suite good-practices",
      "what operatorhub.io asks for too",
    ],
    ["purser bundle validate ./bundle --suite all -o json", "every validator, as data"],
  ],
  async run(invocation) {
    const { validateLocalBundle } = await import("./validate.ts");
    const { withLocalContent } = await import("../image/local-content.ts");
    return withLocalContent(invocation, [invocation.arguments[0] ?? ""], "bundle", (bundle) =>
      validateLocalBundle(invocation, bundle),
    );
  },
};
