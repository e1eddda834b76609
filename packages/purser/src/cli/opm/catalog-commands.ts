import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fatal, logged, type OpmAnswer } from "../../catalog/opm/answer.ts";
import { parseImageTemplate } from "../../catalog/opm/image-template.ts";
import { type Listed, opmList } from "../../catalog/opm/list.ts";
import { opmRenderGraph } from "../../catalog/opm/render-graph.ts";
import { migrationStarted, opmMigrate, opmRender, opmRenderTo, parseMigrationLevel } from "../../catalog/opm/render.ts";
import { opmValidate, type OpmValidateOutput } from "../../catalog/opm/validate.ts";
import type { OutputFormat } from "../../catalog/opm/write-blobs.ts";
import { readCatalogEntries } from "../../catalog-store/read/read-catalog.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { sourceOf, upstreamReading } from "./catalog-source.ts";
import type { FetchedImages } from "./fetched-images.ts";
import { pullingFirst, withFetchedImages } from "./pulling-first.ts";
import type { FlagSpec, ParsedFlags } from "./flags.ts";
import { readEntriesOnAllCores } from "../../catalog-store/read/read-on-all-cores.ts";
import { goFileError, goSystemError } from "../../catalog-store/read/go-file-error.ts";
import { writeFilesAtomically } from "../catalog/write-files.ts";
import {
  flagSet,
  flagText,
  type LongOpmCommand,
  type OpmCommand,
  type OpmCommandLine,
  refuse,
  transportProblem,
} from "./opm-command.ts";

export const outputFlag: FlagSpec = {
  name: "output",
  short: "o",
  value: "json|yaml",
  initial: "json",
  summary: "output format",
};
export const levelFlag: FlagSpec = {
  name: "migrate-level",
  value: "LEVEL",
  summary: "none, bundle-object-to-csv-metadata or all",
};

/** The value of `--output` (default `json`); undefined for a format that upstream does not support. */
export function formatOf(parsed: ParsedFlags): OutputFormat | undefined {
  const text = flagText(parsed, "output", "json");
  return text === "json" || text === "yaml" ? text : undefined;
}

export function badFormat(parsed: ParsedFlags): string {
  return `invalid --output value ${goQuote(flagText(parsed, "output"))}, expected (json|yaml)`;
}

const validateLine: OpmCommandLine = {
  path: "validate",
  usage: "<directory>",
  summary: "validate a file-based catalog",
  flags: [{ name: "output", short: "o", value: "json|yaml", summary: "format of the answer; none: errors only" }],
  words: [1, 1],
};

/** The directory and the format of `opm validate`. @throws FlagError when the path is not a directory */
function validateRequest(parsed: ParsedFlags): { readonly root: string; readonly format: OpmValidateOutput } {
  const [root = ""] = parsed.words;
  let isDirectory: boolean;
  try {
    isDirectory = statSync(root).isDirectory();
  } catch (error) {
    return refuse(goFileError("stat", root, error));
  }
  if (!isDirectory) return refuse(`${goQuote(root)} is not a directory`);
  const output = flagText(parsed, "output");
  const format = output === "" ? "text" : formatOf(parsed);
  // Upstream checks the format only after it has read the catalog; the output is the same.
  return format === undefined ? refuse(badFormat(parsed)) : { root, format };
}

const validate: OpmCommand = {
  ...validateLine,
  run(parsed) {
    const { root, format } = validateRequest(parsed);
    return opmValidate(readCatalogEntries(root, upstreamReading), format);
  },
};

/** `opm validate` on all CPU cores, asynchronous. */
export const validateOnAllCores: LongOpmCommand = {
  ...validateLine,
  async run(parsed) {
    const { root, format } = validateRequest(parsed);
    return opmValidate(await readEntriesOnAllCores(root, upstreamReading), format);
  },
};

const renderLine: OpmCommandLine = {
  path: "render",
  usage: "[catalog-image | catalog-directory | bundle-image | bundle-directory]...",
  summary: "write catalogs and bundles as one stream of blobs",
  flags: [
    outputFlag,
    levelFlag,
    { name: "migrate", summary: "all migrations" },
    {
      name: "alpha-image-ref-template",
      value: "TEMPLATE",
      summary: "image of bundle directories, such as registry/{{.Package}}:{{.Version}}",
    },
  ],
  words: [1, Infinity],
  exclusive: ["migrate", "migrate-level"],
  alphaHelp:
    "With --alpha-image-ref-template bundle directories get the image that the template makes of {{.Package}}, {{.Name}}\nand {{.Version}}, as if that image had been rendered; without it their image stays empty.",
};

/** The arguments of {@link opmRender} from the command line; for invalid ones the answer to print. */
function renderRequest(parsed: ParsedFlags, images: FetchedImages): Result<Parameters<typeof opmRender>, OpmAnswer> {
  const format = formatOf(parsed);
  if (format === undefined) return failed(logged(badFormat(parsed)));
  const transport = transportProblem(parsed);
  if (transport !== undefined) return failed(logged(transport));
  const level = parseMigrationLevel(flagSet(parsed, "migrate") ? "all" : flagText(parsed, "migrate-level"));
  if (!level.ok) return failed(logged(level.problem));
  const template = flagText(parsed, "alpha-image-ref-template");
  const image = template === "" ? undefined : parseImageTemplate(template);
  if (image?.ok === false) return failed(logged(`invalid image reference template: ${image.problem}`));
  return done([parsed.words.map((word) => sourceOf(word, images)), format, level.value, image?.value]);
}

const render: OpmCommand = {
  ...renderLine,
  run(parsed, _log, images) {
    const request = renderRequest(parsed, images);
    return request.ok ? opmRender(...request.value) : request.problem;
  },
};

/** `opm render` that writes piece by piece, for catalogs that exceed the maximum length of a string. */
export const renderInPieces: LongOpmCommand = {
  ...renderLine,
  run(parsed, world) {
    const wrong = renderRequest(parsed, new Map());
    if (!wrong.ok) return Promise.resolve(wrong.problem);
    return withFetchedImages(parsed.words, "any", parsed, world, (images) => {
      const request = renderRequest(parsed, images);
      return request.ok ? opmRenderTo(world.out, ...request.value) : request.problem;
    });
  },
};

const migrate: OpmCommand = {
  path: "migrate",
  usage: "<catalog-image | catalog-directory> <output-directory>",
  summary: "write a catalog into a directory, one file per package",
  flags: [outputFlag, levelFlag],
  words: [2, 2],
  run(parsed, _log, images) {
    const [reference = "", output = ""] = parsed.words;
    const format = formatOf(parsed);
    if (format === undefined) return logged(badFormat(parsed));
    const level = parseMigrationLevel(flagText(parsed, "migrate-level"));
    if (!level.ok) return logged(level.problem);
    const transport = transportProblem(parsed);
    if (transport !== undefined) return fatal(transport);
    const occupied = occupiedBy(output);
    const source = sourceOf(reference, images);
    if (occupied !== undefined) {
      const refused = fatal(occupied);
      return { ...refused, stderr: migrationStarted(source) + refused.stderr };
    }
    const { files, ...answer } = opmMigrate(source, output, format, level.value);
    try {
      writeFilesAtomically(new Map([...files].map(([path, text]) => [join(output, path), text])));
    } catch (error) {
      return fatal(goSystemError(error) ?? String(error));
    }
    return answer;
  },
};

/** Why the output directory cannot be used; undefined when it is empty or does not exist. */
function occupiedBy(directory: string): string | undefined {
  try {
    return readdirSync(directory).length === 0 ? undefined : `output dir ${goQuote(directory)} must be empty`;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    return goFileError("open", directory, error);
  }
}

function list(listed: Listed): OpmCommand {
  return {
    path: `alpha list ${listed}`,
    usage: `<catalog-image | catalog-directory>${listed === "packages" ? "" : " [package]"}`,
    summary: `a table of the ${listed} of a catalog`,
    flags: [],
    words: [1, listed === "packages" ? 1 : 2],
    run(parsed, _log, images): OpmAnswer {
      const transport = transportProblem(parsed);
      if (transport !== undefined) return fatal(transport);
      const [reference = "", packageName] = parsed.words;
      return opmList(sourceOf(reference, images), listed, packageName === "" ? undefined : packageName);
    },
  };
}

const renderGraph: OpmCommand = {
  path: "alpha render-graph",
  usage: "<catalog-image | catalog-directory>...",
  summary: "draw upgrade graphs in mermaid's language",
  flags: [
    { name: "minimum-edge", value: "BUNDLE", summary: "draw nothing below this bundle" },
    { name: "package-name", short: "p", value: "PACKAGE", summary: "draw this package only" },
    { name: "draw-v0-semantics", summary: "mark what OLM v0 skips" },
  ],
  words: [1, Infinity],
  run(parsed, _log, images) {
    const transport = transportProblem(parsed);
    if (transport !== undefined) return logged(transport);
    const minimumEdge = flagText(parsed, "minimum-edge");
    const packageName = flagText(parsed, "package-name");
    return opmRenderGraph(
      parsed.words.map((word) => sourceOf(word, images)),
      {
        ...(minimumEdge === "" ? {} : { minimumEdge }),
        ...(packageName === "" ? {} : { packageName }),
        drawV0Semantics: flagSet(parsed, "draw-v0-semantics"),
      },
    );
  },
};

const lists: readonly OpmCommand[] = [list("packages"), list("channels"), list("bundles")];

/** The commands that read a catalog. */
export const catalogCommands: readonly OpmCommand[] = [validate, render, migrate, ...lists, renderGraph];

const migrateFrom = (parsed: ParsedFlags): readonly string[] => {
  const [reference = "", output = ""] = parsed.words;
  const isRefused = formatOf(parsed) === undefined || !parseMigrationLevel(flagText(parsed, "migrate-level")).ok;
  return isRefused || occupiedBy(output) !== undefined ? [] : [reference];
};
const unlessRefused =
  (words: (parsed: ParsedFlags) => readonly string[]) =>
  (parsed: ParsedFlags): readonly string[] =>
    transportProblem(parsed) === undefined ? words(parsed) : [];

/** The same where images may be named. */
export const catalogCommandsOnImages: readonly LongOpmCommand[] = [
  pullingFirst(migrate, unlessRefused(migrateFrom)),
  ...lists.map((command) =>
    pullingFirst(
      command,
      unlessRefused(({ words }) => words.slice(0, 1)),
    ),
  ),
  pullingFirst(
    renderGraph,
    unlessRefused(({ words }) => words),
  ),
];
