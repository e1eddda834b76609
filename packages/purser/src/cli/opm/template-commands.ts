import { existsSync } from "node:fs";
import { logged, type OpmAnswer } from "../../catalog/opm/answer.ts";
import { parseMigrationLevel } from "../../catalog/opm/render.ts";
import { convertToTemplate, type ConvertibleKind, formatTemplate } from "../../catalog/template/convert.ts";
import { expand } from "../../catalog/template/expand.ts";
import { type RenderReference, templateKinds } from "../../catalog/template/template.ts";
import { type TemplateOutput, writeExpanded } from "../../catalog/template/write-expanded.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { failed } from "@purser/kubernetes/result";
import { isBundleDirectory, isFolder } from "../bundle-directory.ts";
import { readText } from "../read-text.ts";
import { badFormat, formatOf, levelFlag, outputFlag } from "./catalog-commands.ts";
import { notAllowed } from "./catalog-source.ts";
import { flagText, type OpmCommand, refuse, transportProblem } from "./opm-command.ts";

/** Refuses every reference: upstream's templates accept bundle images only, and images cannot be read yet. */
const imagesOnly: RenderReference = (reference) => {
  const inReference = (problem: string): ReturnType<RenderReference> =>
    failed(`render reference ${goQuote(reference)}: ${problem}`);
  if (!existsSync(reference))
    return inReference("reading image references is not built yet; unpack its bundle and render the folder instead");
  if (!isFolder(reference)) return inReference(`ref ${goQuote(reference)} is not a directory: not allowed`);
  return inReference(
    notAllowed(
      isBundleDirectory(reference) ? `bundle directory ${goQuote(reference)}` : "declarative config directory",
    ),
  );
};

const renderTemplate: OpmCommand = {
  path: "alpha render-template",
  usage: "[TYPE] [FILE]",
  summary: "expand a template of type basic, semver or substitutes to a catalog",
  flags: [{ ...outputFlag, value: "json|yaml|mermaid" }, levelFlag],
  words: [0, 2],
  run(parsed) {
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
    const expanded = expand({ file, text: read.text }, imagesOnly, kind);
    if (!expanded.ok) return refuse(expanded.problem.message);
    const { text, warnings, problem } = writeExpanded(expanded.value, output, level.value);
    const stderr = warnings.map((line) => `${line}\n`).join("");
    if (problem === undefined) return { exit: 0, stdout: text, stderr };
    return { exit: 1, stdout: text, stderr: `${stderr}Error: writing output: ${problem}\n` };
  },
};

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

/** The commands that render templates and convert catalogs to templates. */
export const templateCommands: readonly OpmCommand[] = [
  renderTemplate,
  convertTemplate("basic"),
  convertTemplate("substitutes"),
];
