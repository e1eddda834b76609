import { logged, type OpmAnswer } from "../../catalog/opm/answer.ts";
import { readSource } from "../../catalog/opm/read-sources.ts";
import { parseMigrationLevel } from "../../catalog/opm/render.ts";
import { renderBundle } from "../../catalog/opm/render-bundle.ts";
import { convertToTemplate, type ConvertibleKind, formatTemplate } from "../../catalog/template/convert.ts";
import { expand } from "../../catalog/template/expand.ts";
import { type Expansion, type RenderReference, templateKinds } from "../../catalog/template/template.ts";
import { type TemplateOutput, writeExpanded } from "../../catalog/template/write-expanded.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../../image/image-problem.ts";
import type { PulledImage } from "../../image/pulled-image.ts";
import { isDirectory } from "../bundle-directory.ts";
import { expandWithImages } from "../catalog/expand-with-images.ts";
import { readText } from "../read-text.ts";
import { badFormat, formatOf, levelFlag, outputFlag } from "./catalog-commands.ts";
import { notAllowed, sourceOf } from "./catalog-source.ts";
import { isWholeImage } from "./fetched-images.ts";
import { isInsecure } from "./pulling-first.ts";
import type { ParsedFlags } from "./flags.ts";
import {
  flagText,
  type LongOpmCommand,
  type OpmCommand,
  refuse,
  type RunningWorld,
  transportProblem,
} from "./opm-command.ts";

/** Renders the image of a bundle; upstream's templates accept nothing else. */
function renderImage(
  reference: string,
  pulled: Result<PulledImage, ImageProblem> | undefined,
): ReturnType<RenderReference> {
  const inReference = (problem: string): ReturnType<RenderReference> =>
    failed(`render reference ${goQuote(reference)}: ${problem}`);
  const source = sourceOf(reference, new Map(pulled === undefined ? [] : [[reference, pulled]]));
  if (source.bundle === undefined) {
    const isCatalog = pulled === undefined ? isDirectory(reference) : pulled.ok;
    const blobs = isCatalog ? failed(notAllowed(catalogWords(pulled))) : readSource(source);
    return inReference(blobs.ok ? "it holds no bundle" : blobs.problem);
  }
  if (pulled === undefined) return inReference(notAllowed(`bundle directory ${goQuote(reference)}`));
  const files = source.bundle();
  if (!files.ok) return inReference(files.problem);
  const bundle = renderBundle(files.value, reference, {
    level: "none",
    ...(source.image === undefined ? {} : { image: source.image }),
  });
  return bundle.ok ? done([bundle.value.blob]) : inReference(bundle.problem.message);
}

const catalogWords = (pulled: unknown): string => `declarative config ${pulled === undefined ? "directory" : "image"}`;

const renderTemplate: LongOpmCommand = {
  path: "alpha render-template",
  usage: "[TYPE] [FILE]",
  summary: "expand a template of type basic, semver or substitutes to a catalog",
  flags: [{ ...outputFlag, value: "json|yaml|mermaid" }, levelFlag],
  words: [0, 2],
  async run(parsed, world) {
    const [first = "-", second] = parsed.words;
    const isKind = (word: string): boolean => templateKinds.some((kind) => kind === word);
    const kind = second !== undefined || isKind(first) ? first : undefined;
    const file = second ?? (kind === undefined ? first : "-");
    if (kind !== undefined && !isKind(kind))
      return refuse(`invalid template type ${goQuote(kind)}, must be one of: [${templateKinds.join(" ")}]`);
    const read = readText(file);
    if ("problem" in read && read.problem.startsWith("open "))
      return refuse(`unable to open ${goQuote(file)}: ${read.problem}`);
    const output = flagText(parsed, "output", "json");
    if (!isTemplateOutput(output))
      return refuse(`invalid --output value ${goQuote(output)}, expected (json|yaml|mermaid)`);
    const transport = transportProblem(parsed);
    if (transport !== undefined) return refuse(`creating containerd registry: ${transport}`);
    const level = parseMigrationLevel(flagText(parsed, "migrate-level"));
    if (!level.ok) return refuse(level.problem);
    if ("problem" in read) {
      const doing =
        kind === undefined
          ? "auto-detecting template type: decoding template input"
          : `rendering template: ${kind === "semver" ? "render: unable to read file" : "decoding template schema"}`;
      return refuse(`${doing}: ${read.problem}`);
    }
    const expandWith = (render: RenderReference): Expansion => expand({ file, text: read.text }, render, kind);
    const expanded = await expandPulling(expandWith, parsed, world);
    if (!expanded.ok) return refuse(expanded.problem.message);
    const { text, warnings, problem } = writeExpanded(expanded.value, output, level.value);
    const stderr = warnings.map((line) => `${line}\n`).join("");
    if (problem === undefined) return { exit: 0, stdout: text, stderr };
    return { exit: 1, stdout: text, stderr: `${stderr}Error: writing output: ${problem}\n` };
  },
};

/** Opens the image store when the template names the first image. */
async function expandPulling(
  expandWith: (render: RenderReference) => Expansion,
  parsed: ParsedFlags,
  world: RunningWorld,
): Promise<Expansion> {
  let namesImage = false;
  const local = expandWith((reference) => {
    namesImage ||= isWholeImage(reference);
    return renderImage(reference, undefined);
  });
  if (!namesImage) return local;
  const { withImagePuller } = await import("./pull-each.ts");
  return withImagePuller({ wanted: "any", isInsecure: isInsecure(parsed) }, world, (pull) =>
    expandWithImages(expandWith, async (reference) =>
      renderImage(reference, isWholeImage(reference) ? await pull(reference) : undefined),
    ),
  );
}

function isTemplateOutput(text: string): text is TemplateOutput {
  return text === "json" || text === "yaml" || text === "mermaid";
}

function convertTemplate(kind: ConvertibleKind): OpmCommand {
  return {
    path: `alpha convert-template ${kind}`,
    usage: "[<fbc-file> | -]",
    summary: `turn a catalog into a ${kind} template`,
    flags: [outputFlag],
    words: { atMost: 1 },
    run(parsed): OpmAnswer {
      const format = formatOf(parsed);
      if (format === undefined) return logged(badFormat(parsed));
      const [file = "-"] = parsed.words;
      const read = readText(file);
      if ("problem" in read)
        return refuse(
          read.problem.startsWith("open ") ? `unable to open input: ${goQuote(file)}` : `converting: ${read.problem}`,
        );
      const converted = convertToTemplate({ file, text: read.text }, kind);
      if (!converted.ok) return refuse(`converting: ${converted.problem.message}`);
      const text = formatTemplate(converted.value, format);
      return text.ok ? { exit: 0, stdout: text.value, stderr: "" } : refuse(`converting: ${text.problem}`);
    },
  };
}

/** The commands that convert catalogs to templates. */
export const templateCommands: readonly OpmCommand[] = [convertTemplate("basic"), convertTemplate("substitutes")];

/** The command that expands templates. */
export const longTemplateCommands: readonly LongOpmCommand[] = [renderTemplate];
