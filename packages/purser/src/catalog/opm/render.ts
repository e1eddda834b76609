import type { BundleFiles } from "../../bundle/bundle-files.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, type Result } from "@purser/kubernetes/result";
import type { CatalogBlob } from "../model.ts";
import { logged, logRecord, type OpmAnswer } from "./answer.ts";
import { blobValue, encodeBlob, type MigrationLevel, migrationLevels } from "./encode-blob.ts";
import type { ImageTemplate } from "./image-template.ts";
import { upstreamText } from "../problem.ts";
import { inReference, readSources, type RenderSource } from "./read-sources.ts";
import { renderBundle } from "./render-bundle.ts";
import { blobsInOrder, formatBlob, formatValue, type OrderedBlob, type OutputFormat } from "./write-blobs.ts";

/** The level of `--migrate-level`; the problem is upstream's text. */
export function parseMigrationLevel(text: string): Result<MigrationLevel, string> {
  const level = text === "" ? "none" : migrationLevels.find((known) => known === text);
  if (level === undefined) return { ok: false, problem: `unknown migration level ${goQuote(text)}` };
  return { ok: true, value: level };
}

/** A blob with the compact JSON that is written of it. */
export interface RenderedBlob {
  readonly blob: CatalogBlob;
  readonly json: string;
}

/** A blob as it is written, with what its place depends on. Its texts do not keep the text of its document alive. */
interface WrittenBlob extends OrderedBlob {
  /** In UTF-8; the problem is upstream's text. */
  readonly written: Result<readonly Uint8Array[], string>;
}

/** `opm render`: all blobs of all references in upstream's order; what was written before a failure stays written. */
export function opmRender(
  sources: readonly RenderSource[],
  format: OutputFormat,
  level: MigrationLevel,
  imageTemplate?: ImageTemplate,
): OpmAnswer {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const out: string[] = [];
  const write = (bytes: Uint8Array): void => void out.push(decoder.decode(bytes));
  const answer = opmRenderTo(write, sources, format, level, imageTemplate);
  return { ...answer, stdout: out.join("") };
}

/** As {@link opmRender}, stdout in pieces: memory holds the output as bytes, and one document of the catalog at a time. */
export function opmRenderTo(
  write: (bytes: Uint8Array) => void,
  sources: readonly RenderSource[],
  format: OutputFormat,
  level: MigrationLevel,
  imageTemplate?: ImageTemplate,
): OpmAnswer {
  const written: WrittenBlob[] = [];
  for (const source of sources) {
    const problem =
      source.bundle === undefined
        ? writeCatalog(source, format, level, written)
        : writeBundle(source, source.bundle(), format, level, imageTemplate, written);
    if (problem !== undefined) return logged(problem);
  }
  for (const { blobs } of blobsInOrder(written)) {
    for (const { written: bytes } of blobs) {
      if (!bytes.ok) return logged(bytes.problem);
      for (const piece of bytes.value) write(piece);
    }
  }
  return { exit: 0, stdout: "", stderr: "" };
}

/** Read errors come before encoding errors, also those of later blobs: upstream reads a whole source first. */
function writeCatalog(
  source: RenderSource,
  format: OutputFormat,
  level: MigrationLevel,
  written: WrittenBlob[],
): string | undefined {
  let problem: string | undefined;
  for (const blob of source.read(format === "json" && level === "none")) {
    if (!blob.ok) return inReference(source, upstreamText(blob.problem));
    if (problem !== undefined) continue;
    const text = formatted(blob.value, level, format);
    if (text.ok) written.push(writtenBlob(blob.value, text.value));
    else problem = text.problem;
  }
  return problem;
}

function writeBundle(
  source: RenderSource,
  files: Result<BundleFiles, string>,
  format: OutputFormat,
  level: MigrationLevel,
  imageTemplate: ImageTemplate | undefined,
  written: WrittenBlob[],
): string | undefined {
  if (!files.ok) return inReference(source, files.problem);
  const { image } = source;
  const options = {
    level,
    ...(imageTemplate === undefined ? {} : { imageTemplate }),
    ...(image === undefined ? {} : { image }),
  };
  const bundle = renderBundle(files.value, source.reference, options);
  if (!bundle.ok)
    return bundle.problem.migrating ? bundle.problem.message : inReference(source, bundle.problem.message);
  written.push(writtenBlob(bundle.value.blob, encoded(formatBlob(bundle.value.json, format))));
  return undefined;
}

/** The outer result is whether the blob can be encoded, the inner one whether the format can hold it. */
function formatted(
  blob: CatalogBlob,
  level: MigrationLevel,
  format: OutputFormat,
): Result<Result<readonly Uint8Array[], string>, string> {
  const value = blobValue(blob, level);
  if (!value.ok) return value;
  const bytes = value.value === undefined ? undefined : formatValue(value.value, format, blob.kept?.items);
  if (bytes !== undefined) return done(done(bytes));
  if (blob.kept !== undefined) return formatted(blob.kept.whole(), level, format);
  const json = encodeBlob(blob, level);
  return json.ok ? done(encoded(formatBlob(json.value, format))) : json;
}

const encoder = new TextEncoder();

function encoded(text: Result<string, string>): Result<readonly Uint8Array[], string> {
  return text.ok ? done([encoder.encode(text.value)]) : text;
}

function writtenBlob(blob: CatalogBlob, written: Result<readonly Uint8Array[], string>): WrittenBlob {
  const [schema, packageName, name] = JSON.parse(JSON.stringify([blob.schema, blob.packageName, blob.name])) as [
    string,
    string,
    string,
  ];
  return { schema, packageName, name, content: { kind: blob.content.kind }, written };
}

function readAllOf(source: RenderSource, level: MigrationLevel): Result<readonly RenderedBlob[], string> {
  const blobs = readSources([source]);
  if (!blobs.ok) return blobs;
  const rendered: RenderedBlob[] = [];
  for (const blob of blobs.value) {
    const json = encodeBlob(blob, level);
    if (!json.ok) return json;
    rendered.push({ blob, json: json.value });
  }
  return done(rendered);
}

/** Blobs as text in upstream's order; what was written before a problem is kept. */
export function formatAll(
  rendered: readonly RenderedBlob[],
  format: OutputFormat,
): { readonly text: string; readonly problem?: string } {
  const texts = new Map(rendered.map(({ blob, json }) => [blob, json]));
  const out: string[] = [];
  for (const { blobs } of blobsInOrder(rendered.map(({ blob }) => blob))) {
    for (const blob of blobs) {
      const formatted = formatBlob(texts.get(blob) ?? "{}", format);
      if (!formatted.ok) return { text: out.join(""), problem: formatted.problem };
      out.push(formatted.value);
    }
  }
  return { text: out.join("") };
}

/** What `opm migrate` prints, and the files it writes below the output directory. */
export interface MigrateAnswer extends OpmAnswer {
  readonly files: ReadonlyMap<string, string>;
}

/** What `opm migrate` logs before anything else. */
export function migrationStarted({ reference }: RenderSource): string {
  return logRecord("info", `rendering catalog ${goQuote(reference)} as file-based catalog`);
}

/** `opm migrate`: one file per package, blobs of no package in one at the top. Files before a faulty one are written. */
export function opmMigrate(
  source: RenderSource,
  output: string,
  format: OutputFormat,
  level: MigrationLevel,
): MigrateAnswer {
  const started = migrationStarted(source);
  const files = new Map<string, string>();
  const fail = (message: string): MigrateAnswer => ({
    exit: 1,
    stdout: "",
    stderr: started + logRecord("fatal", message),
    files,
  });
  const rendered = readAllOf(source, level);
  if (!rendered.ok) {
    const isReference = rendered.problem.startsWith("render reference");
    return fail(isReference ? `render catalog image: ${rendered.problem}` : rendered.problem);
  }
  for (const { packageName, blobs } of blobsInOrder(rendered.value.map(({ blob }) => blob))) {
    const path = packageName === "" ? `catalog.${format}` : `${packageName}/catalog.${format}`;
    if (!isLocalPath(packageName))
      return fail(`invalid package name ${goQuote(packageName)}: must be a single local path element`);
    const members = new Set(blobs);
    const { text, problem } = formatAll(
      rendered.value.filter(({ blob }) => members.has(blob)),
      format,
    );
    if (problem !== undefined) return fail(`write to buffer for ${goQuote(`${output}/${path}`)}: ${problem}`);
    files.set(path, text);
  }
  const finished = logRecord("info", `wrote rendered file-based catalog to ${goQuote(output)}\n`);
  return { exit: 0, stdout: "", stderr: started + finished, files };
}

/** Whether a relative path stays below its directory, as in Go's `filepath.IsLocal`. */
function isLocalPath(path: string): boolean {
  if (path === "") return true;
  if (path.startsWith("/") || path.includes("\0")) return false;
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return false;
  }
  return true;
}
