// Runs of `opm` commands on the catalog of a golden case, answered by our functions, in the shape of the golden files.
import { createHash } from "node:crypto";
import type { OpmAnswer } from "../../src/catalog/opm/answer.ts";
import { parseImageTemplate } from "../../src/catalog/opm/image-template.ts";
import { opmList } from "../../src/catalog/opm/list.ts";
import { opmRenderGraph } from "../../src/catalog/opm/render-graph.ts";
import type { RenderSource } from "../../src/catalog/opm/read-sources.ts";
import { parseMigrationLevel, opmMigrate, opmRender } from "../../src/catalog/opm/render.ts";
import { opmValidate } from "../../src/catalog/opm/validate.ts";
import { readCatalog } from "../../src/catalog-store/read/read-catalog.ts";
import { sourceOf, upstreamReading } from "../../src/cli/opm/catalog-source.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";

export interface Ran extends OpmAnswer {
  readonly files?: ReadonlyMap<string, string>;
}

/** What a command is given for a reference. */
type SourceAt = (reference: string) => RenderSource;

const freshSource: SourceAt = (reference) => sourceOf(reference, new Map());

/** For many runs on a large catalog that none of them changes: it is read from the disk in the first. */
export function readingOnce(): SourceAt {
  const sources = new Map<string, RenderSource>();
  return (reference) => {
    const known = sources.get(reference);
    if (known !== undefined) return known;
    const source = freshSource(reference);
    let blobs: ReturnType<typeof source.read> | undefined;
    const kept = { ...source, read: () => (blobs ??= [...source.read()]) };
    sources.set(reference, kept);
    return kept;
  };
}

/** Options of one run; `-o` and the like take the next word. */
function parseRun(args: readonly string[]): {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
} {
  const words: string[] = [];
  const options = new Map<string, string>();
  const flags = new Set(["--migrate", "--draw-v0-semantics"]);
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    if (flags.has(word)) options.set(word, "true");
    else if (word.startsWith("-")) options.set(word, args[++index] ?? "");
    else words.push(word);
  }
  return { words, options };
}

/** `render`, `migrate` and `validate` as the command line will call them. */
export function runCatalogCommand(args: readonly string[]): Ran {
  const { words, options } = parseRun(args);
  const [command, ...references] = words;
  const output = options.get("-o") ?? (command === "validate" ? "text" : "json");
  if (command === "validate") return opmValidate(readCatalog(references[0] ?? "", upstreamReading), "text");
  if (output !== "json" && output !== "yaml")
    return { exit: 1, stdout: "", stderr: `invalid --output value ${goQuote(output)}, expected (json|yaml)\n` };
  const level = parseMigrationLevel(options.has("--migrate") ? "all" : (options.get("--migrate-level") ?? "none"));
  if (!level.ok) return { exit: 1, stdout: "", stderr: `${level.problem}\n` };
  if (command === "migrate")
    return opmMigrate(freshSource(references[0] ?? ""), references[1] ?? "", output, level.value);
  const template = options.get("--alpha-image-ref-template");
  const image = template === undefined ? undefined : parseImageTemplate(template);
  if (image?.ok === false) return { exit: 1, stdout: "", stderr: `${image.problem}\n` };
  return opmRender(references.map(freshSource), output, level.value, image?.value);
}

/** `alpha list` and `alpha render-graph`. */
export function runAlphaCommand(args: readonly string[], sourceAt = freshSource): Ran {
  const { words, options } = parseRun(args.slice(1));
  if (words[0] === "list") {
    const [, listed, reference = "", packageName] = words;
    if (listed !== "packages" && listed !== "channels" && listed !== "bundles")
      throw new Error(`alpha list ${listed ?? ""}`);
    return opmList(sourceAt(reference), listed, packageName);
  }
  const minimumEdge = options.get("--minimum-edge");
  const packageName = options.get("-p");
  return opmRenderGraph(words.slice(1).map(sourceAt), {
    ...(minimumEdge === undefined ? {} : { minimumEdge }),
    ...(packageName === undefined ? {} : { packageName }),
    drawV0Semantics: options.has("--draw-v0-semantics"),
  });
}

const shortText = 4096;
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A text, or what the golden files say of a long one; `each` adds a hash per line, `blobs` one per blob. */
export function shapeOf(text: string, extra: "none" | "each" | "blobs" = "none"): JsonObject {
  const bytes = Buffer.byteLength(text);
  if (bytes < shortText) return { text };
  const lines = text.split("\n");
  const base = { sha256: sha(text), bytes, lines: text.endsWith("\n") ? lines.length - 1 : lines.length };
  if (extra === "each") return { ...base, each: lines.slice(0, -1).map((line) => sha(line).slice(0, 8)) };
  if (!text.startsWith("{") && !text.startsWith("---")) return base;
  const blobs = blobsOf(text);
  const schemas: Record<string, number> = {};
  for (const { json } of blobs) {
    const schema = textIn(json, "schema");
    schemas[schema] = (schemas[schema] ?? 0) + 1;
  }
  const listed = blobs.map(({ json, text: own }): JsonValue => [
    textIn(json, "schema"),
    textIn(json, "package"),
    textIn(json, "name"),
    sha(own).slice(0, 16),
  ]);
  return { ...base, schemas, ...(extra === "blobs" ? { blobs: listed } : {}) };
}

function textIn(json: JsonObject, key: string): string {
  const value = json[key];
  return typeof value === "string" ? value : "";
}

/** Blobs of rendered output: from `{` to `}` in JSON, behind `---` in YAML. */
function blobsOf(text: string): readonly { readonly json: JsonObject; readonly text: string }[] {
  if (text.startsWith("---\n"))
    return text
      .slice(4)
      .split(/^---\n/m)
      .map((own) => ({ json: topLevel(own), text: own }));
  return text
    .slice(0, -1)
    .split(/\n(?=\{)/)
    .map((own) => ({ json: JSON.parse(own) as JsonObject, text: own }));
}

/** The three texts that name a blob, read off its lines. */
function topLevel(yaml: string): JsonObject {
  const found: Record<string, string> = {};
  for (const [, key = "", value = ""] of yaml.matchAll(/^(schema|package|name): (.*)$/gm))
    found[key] = value.replaceAll(/^["']|["']$/g, "");
  return found;
}
