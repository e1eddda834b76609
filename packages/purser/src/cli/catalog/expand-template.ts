import type { CatalogBlob } from "../../catalog/model.ts";
import type { ImageTemplate } from "../../catalog/opm/image-template.ts";
import { renderBundle } from "../../catalog/opm/render-bundle.ts";
import { parseMigrationLevel } from "../../catalog/opm/render.ts";
import { expand } from "../../catalog/template/expand.ts";
import type { RenderReference, TemplateProblem } from "../../catalog/template/template.ts";
import { writeExpanded } from "../../catalog/template/write-expanded.ts";
import { validateCatalog } from "../../catalog/validate.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatPlace } from "@purser/kubernetes/place";
import { done, failed } from "@purser/kubernetes/result";
import { isBundleDirectory, readBundleDirectory } from "../bundle-directory.ts";
import { type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import {
  imageOfBundle,
  type LocalContent,
  type ReadContent,
  withContentReader,
  withImagePaths,
} from "../image/local-content.ts";
import { readText } from "../read-text.ts";
import { expandWithImages } from "./expand-with-images.ts";
import { imageTemplateOf, warnWithoutImage } from "./image-template-option.ts";

/** Expands the template that the first argument names and prints the catalog; prints no catalog when it is invalid. */
export function expandTemplate(invocation: Invocation): Promise<Outcome> {
  return withContentReader(invocation, (read) => expandReading(invocation, read));
}

async function expandReading(invocation: Invocation, readContent: ReadContent): Promise<Outcome> {
  const [file = "-"] = invocation.arguments;
  const read = readText(file);
  if ("problem" in read) throw new UsageError(`cannot read ${file}: ${read.problem}`);
  const level = parseMigrationLevel(textOption(invocation, "migrate-level") ?? "");
  if (!level.ok) throw new UsageError(level.problem);
  const directories = new Map<string, JsonObject>();
  const template = imageTemplateOf(textOption(invocation, "image-template"));
  let withoutBundle: Outcome | undefined;
  const expanded = await expandWithImages(
    (render) => expand({ file, text: read.text }, render, textOption(invocation, "type")),
    async (reference) => {
      const content = await readContent(reference, "bundle");
      if (content.ok) return renderContent(content.value, template, directories);
      withoutBundle ??= content.problem;
      return failed(`render reference ${goQuote(reference)}: ${content.problem.explanation?.summary ?? ""}`);
    },
  );
  if (withoutBundle !== undefined) return withoutBundle;
  if (!expanded.ok) return { explanation: templateRefusal(file, expanded.problem) };
  warnWithoutImage(invocation.terminal, directories);
  const [first, ...others] = invocation.options["validate"] === false ? [] : validateCatalog(expanded.value.blobs);
  if (first !== undefined) {
    const messages = [first, ...others].map(({ message }) => message);
    const problem: TemplateProblem = { kind: "invalidCatalog", message: first.message, place: { file } };
    return { explanation: templateRefusal(file, problem, messages) };
  }
  const output = textOption(invocation, "output");
  const format = output === "json" || output === "mermaid" ? output : "yaml";
  const { text, warnings, problem } = writeExpanded(expanded.value, format, level.value);
  for (const warning of warnings) invocation.terminal.err(warning);
  if (problem === undefined) return { exitCode: exitCodes.done, verbatim: text };
  const refused: TemplateProblem = { kind: "refused", message: problem, place: { file } };
  return { explanation: templateRefusal(file, refused) };
}

/** Renders a bundle; bundles that get no image are recorded in `directories`. */
function renderContent(
  content: LocalContent,
  template: ImageTemplate | undefined,
  directories: Map<string, JsonObject>,
): ReturnType<RenderReference> {
  const { reference, path } = content;
  const refuse = (problem: string): ReturnType<RenderReference> =>
    failed(`render reference ${goQuote(reference)}: ${withImagePaths(content, problem)}`);
  if (content.image === undefined && !isBundleDirectory(path))
    return refuse("it is not a bundle directory: manifests/ and metadata/ are missing");
  const files = readBundleDirectory(path);
  if (!files.ok) return refuse(files.problem);
  const image = imageOfBundle(content);
  // The whole catalog is migrated when it is written: until then templates read descriptions from the manifests.
  const options = {
    level: "none",
    ...(template === undefined ? {} : { imageTemplate: template }),
    ...(image === undefined ? {} : { image }),
  } as const;
  const bundle = renderBundle(files.value, reference, options);
  if (!bundle.ok) return refuse(bundle.problem.message);
  directories.set(reference, bundle.value.blob.json);
  const blobs: readonly CatalogBlob[] = [bundle.value.blob];
  return done(blobs);
}

function templateRefusal(
  file: string,
  { kind, message, place }: TemplateProblem,
  all: readonly string[] = [],
): Explanation {
  const remedies: Readonly<Record<TemplateProblem["kind"], string>> = {
    unreadable: "correct the template at the place named",
    unknownSchema: "begin the template with schema: olm.template.basic, olm.semver or olm.template.substitutes",
    refused: "correct the template at the place named",
    reference: "name the image or the directory of a bundle",
    invalidCatalog: "correct the template, or look at the catalog with --no-validate",
  };
  const where = formatPlace(place);
  return {
    code: "CatalogInvalid",
    summary: `${where === "" ? file : where}: ${message.split("\n", 1)[0] ?? ""}`.slice(0, 200),
    facts: { template: file },
    derivation: (all.length === 0 ? [message] : all).map((text) => ({
      relation: "fact",
      subject: file,
      text,
      upstream: text,
    })),
    remedies: [{ summary: remedies[kind] }],
  };
}
