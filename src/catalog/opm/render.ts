import type { BundleFiles } from "../../bundle/bundle-files.ts";
import { goQuote } from "../../go-quote.ts";
import { done, failed, type Result } from "../../result.ts";
import type { CatalogBlob } from "../model.ts";
import { logged, logRecord, type OpmAnswer } from "./answer.ts";
import { encodeBlob, type MigrationLevel, migrationLevels } from "./encode-blob.ts";
import type { ImageTemplate } from "./image-template.ts";
import { inReference, readSources, type RenderSource } from "./read-sources.ts";
import { renderBundle } from "./render-bundle.ts";
import { blobsInOrder, formatBlob, type OutputFormat } from "./write-blobs.ts";

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

function readAll(
  sources: readonly RenderSource[],
  level: MigrationLevel,
  imageTemplate?: ImageTemplate,
): Result<readonly RenderedBlob[], string> {
  const rendered: RenderedBlob[] = [];
  for (const source of sources) {
    const read =
      source.bundle === undefined ? readOne(source, level) : readBundle(source, source.bundle(), level, imageTemplate);
    if (!read.ok) return read;
    for (const blob of read.value) rendered.push(blob);
  }
  return done(rendered);
}

function readOne(source: RenderSource, level: MigrationLevel): Result<readonly RenderedBlob[], string> {
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

function readBundle(
  source: RenderSource,
  files: Result<BundleFiles, string>,
  level: MigrationLevel,
  imageTemplate: ImageTemplate | undefined,
): Result<readonly RenderedBlob[], string> {
  if (!files.ok) return failed(inReference(source, files.problem));
  const options = { level, ...(imageTemplate === undefined ? {} : { imageTemplate }) };
  const bundle = renderBundle(files.value, source.reference, options);
  if (bundle.ok) return done([bundle.value]);
  return failed(bundle.problem.migrating ? bundle.problem.message : inReference(source, bundle.problem.message));
}

/** `opm render`: all blobs of all references in upstream's order; what was written before a failure stays written. */
export function opmRender(
  sources: readonly RenderSource[],
  format: OutputFormat,
  level: MigrationLevel,
  imageTemplate?: ImageTemplate,
): OpmAnswer {
  const rendered = readAll(sources, level, imageTemplate);
  if (!rendered.ok) return logged(rendered.problem);
  const { text, problem } = formatAll(rendered.value, format);
  return problem === undefined ? { exit: 0, stdout: text, stderr: "" } : logged(problem, text);
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

/** What `opm migrate` prints, and the files it writes below the output folder. */
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
  const rendered = readOne(source, level);
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

/** Go's notion of a path that stays below its folder. */
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
