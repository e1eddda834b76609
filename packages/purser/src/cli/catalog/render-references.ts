import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogBlob } from "../../catalog/model.ts";
import { encodeBlob } from "../../catalog/opm/encode-blob.ts";
import type { ImageTemplate } from "../../catalog/opm/image-template.ts";
import { formatAll, type RenderedBlob } from "../../catalog/opm/render.ts";
import { renderBundle } from "../../catalog/opm/render-bundle.ts";
import type { OutputFormat } from "../../catalog/opm/write-blobs.ts";
import { madeBlob } from "../../catalog/template/read-template.ts";
import { readCatalog } from "../../catalog-store/read/read-catalog.ts";
import { digestOf } from "@purser/kubernetes/digest";
import type { Explanation } from "../../explanation/explanation.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { formatPlace, type Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseJson } from "@purser/kubernetes/text/documents";
import { isBundleDirectory, readBundleDirectory } from "../bundle-directory.ts";
import { cacheDirectoryOf } from "../cache-directory.ts";
import type { Invocation, Outcome } from "../command.ts";
import { ownVersion } from "../own-version.ts";
import { exitCodes } from "../exit-code.ts";
import { labelledContent } from "../../image/layers/wanted-directories.ts";
import { imageOfBundle, type LocalContent, withImagePaths, withLocalContent } from "../image/local-content.ts";
import { placeInContent, problemInContent } from "./catalog-reference.ts";
import { imageTemplateOf, warnWithoutImage } from "./image-template-option.ts";

type Rendered = Result<readonly RenderedBlob[], Explanation>;

/** Renders all references into one catalog in canonical order; the problem is the first reference that cannot be rendered. */
export async function renderReferences(
  invocation: Invocation,
  format: OutputFormat,
  templateText: string | undefined,
): Promise<Outcome> {
  const template = imageTemplateOf(templateText);
  return withLocalContent(invocation, invocation.arguments, "any", (...contents) =>
    renderContents(invocation, contents, format, templateText, template),
  );
}

async function renderContents(
  { arguments: references, terminal }: Invocation,
  contents: readonly LocalContent[],
  format: OutputFormat,
  templateText: string | undefined,
  template: ImageTemplate | undefined,
): Promise<Outcome> {
  const directories = new Map<string, JsonObject>();
  const rendered: RenderedBlob[] = [];
  const cache = contents.some(isBundle) ? await cacheDirectoryOf(terminal) : undefined;
  try {
    for (const content of contents) {
      const { reference } = content;
      terminal.progress(`rendering ${reference}`);
      const isDirectory = isBundle(content);
      const read =
        cache !== undefined && isDirectory
          ? renderDirectory(content, cache.path, templateText ?? "", template)
          : renderCatalog(content);
      if (!read.ok) return { explanation: read.problem };
      for (const blob of read.value) {
        rendered.push(blob);
        if (isDirectory) directories.set(reference, blob.blob.json);
      }
    }
  } finally {
    terminal.progress("");
    await cache?.close();
  }
  warnWithoutImage(terminal, directories);
  const { text, problem } = formatAll(rendered, format);
  if (problem !== undefined) return { explanation: invalid("CatalogInvalid", references.join(", "), problem) };
  return { exitCode: exitCodes.done, verbatim: text };
}

/** The labels of an image decide, not its directories. */
const isBundle = ({ path, image }: LocalContent): boolean =>
  image === undefined ? isBundleDirectory(path) : labelledContent(image.labels) === "bundle";

function renderCatalog(catalog: LocalContent): Rendered {
  const { reference } = catalog;
  const rendered: RenderedBlob[] = [];
  for (const blob of readCatalog(catalog.path)) {
    if (!blob.ok) {
      const { message, place } = problemInContent(catalog, blob.problem);
      return failed(invalid("CatalogInvalid", reference, message, place));
    }
    const json = encodeBlob(blob.value, "none");
    if (!json.ok)
      return failed(invalid("CatalogInvalid", reference, json.problem, placeInContent(catalog, blob.value.place)));
    rendered.push({ blob: blob.value, json: json.value });
  }
  return done(rendered);
}

function renderDirectory(
  content: LocalContent,
  cacheDirectory: string,
  templateText: string,
  imageTemplate: ImageTemplate | undefined,
): Rendered {
  const { reference, path } = content;
  const files = readBundleDirectory(path);
  if (!files.ok) return failed(invalid("BundleInvalid", reference, withImagePaths(content, files.problem)));
  const image = imageOfBundle(content);
  // The result depends on purser's version, on the image and on the image template too.
  const key = digestOf(
    JSON.stringify([ownVersion(), files.value.digest, templateText, ...(image === undefined ? [] : [image])]),
  ).slice("sha256:".length);
  const cached = new RenderedCache(join(cacheDirectory, "rendered-bundles"), key);
  const known = cached.read();
  if (known !== undefined) return done([known]);
  const options = {
    level: "none",
    ...(imageTemplate === undefined ? {} : { imageTemplate }),
    ...(image === undefined ? {} : { image }),
  } as const;
  const bundle = renderBundle(files.value, reference, options);
  if (!bundle.ok) return failed(invalid("BundleInvalid", reference, bundle.problem.message));
  cached.write(bundle.value);
  return done([bundle.value]);
}

/** A cache of rendered bundles by the digest of their input. A bundle whose entry is damaged is rendered again. */
class RenderedCache {
  readonly #file: string;
  readonly #directory: string;

  constructor(directory: string, key: string) {
    this.#directory = directory;
    this.#file = join(directory, `${key}.json`);
  }

  read(): RenderedBlob | undefined {
    try {
      const text = readFileSync(this.#file, "utf8");
      const end = text.indexOf("\n");
      const json = text.slice(end + 1);
      if (end < 0 || text.slice(0, end) !== digestOf(json)) return undefined;
      const value = parseJson(json);
      return { blob: blobOf(isJsonObject(value) ? value : {}), json };
    } catch {
      return undefined;
    }
  }

  write({ json }: RenderedBlob): void {
    const temporary = `${this.#file}.${process.pid}.new`;
    try {
      mkdirSync(this.#directory, { recursive: true });
      writeFileSync(temporary, `${digestOf(json)}\n${json}`);
      renameSync(temporary, this.#file);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

const blobOf = (json: Parameters<typeof madeBlob>[0]): CatalogBlob => madeBlob(json, {});

function invalid(
  code: "CatalogInvalid" | "BundleInvalid",
  reference: string,
  message: string,
  place?: Place,
): Explanation {
  const where = place === undefined ? "" : formatPlace(place);
  const word = code === "CatalogInvalid" ? "catalog" : "bundle";
  return {
    code,
    summary: `the ${word} ${JSON.stringify(reference)} cannot be rendered`,
    facts: { reference },
    derivation: [{ relation: "fact", subject: reference, text: `${where === "" ? "" : `${where}: `}${message}` }],
    remedies: [{ summary: "shows everything that is wrong", command: `purser ${word} validate ${reference}` }],
  };
}
