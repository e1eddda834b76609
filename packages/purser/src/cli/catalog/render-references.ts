import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CatalogBlob } from "../../catalog/model.ts";
import { encodeBlob } from "../../catalog/opm/encode-blob.ts";
import type { ImageTemplate } from "../../catalog/opm/image-template.ts";
import { formatAll, type RenderedBlob } from "../../catalog/opm/render.ts";
import { renderBundle } from "../../catalog/opm/render-bundle.ts";
import type { OutputFormat } from "../../catalog/opm/write-blobs.ts";
import { madeBlob } from "../../catalog/template/read-template.ts";
import { readCatalog } from "../../catalog-store/read-catalog.ts";
import { digestOf } from "@purser/kubernetes/digest";
import type { Explanation } from "../../explanation/explanation.ts";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { formatPlace, type Place } from "@purser/kubernetes/place";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parseJson } from "@purser/kubernetes/text/documents";
import { isBundleDirectory, readBundleDirectory } from "../bundle-directory.ts";
import { cacheFolderOf } from "../cache-folder.ts";
import type { Invocation, Outcome } from "../command.ts";
import { ownVersion } from "../own-version.ts";
import { exitCodes } from "../exit-code.ts";
import { refuseReference } from "./catalog-reference.ts";
import { imageTemplateOf, warnWithoutImage } from "./image-template-option.ts";

type Rendered = Result<readonly RenderedBlob[], Explanation>;

/** Renders all references into one catalog in canonical order; the problem is the first reference that cannot be rendered. */
export async function renderReferences(
  { arguments: references, terminal }: Invocation,
  format: OutputFormat,
  templateText: string | undefined,
): Promise<Outcome> {
  const template = imageTemplateOf(templateText);
  const directories = new Map<string, JsonObject>();
  const rendered: RenderedBlob[] = [];
  const cache = references.some(isBundleDirectory) ? await cacheFolderOf(terminal) : undefined;
  try {
    for (const reference of references) {
      terminal.progress(`rendering ${reference}`);
      const refusal = refuseReference(reference);
      if (refusal !== undefined) return { explanation: refusal };
      const isDirectory = isBundleDirectory(reference);
      const read =
        cache !== undefined && isDirectory
          ? renderDirectory(reference, cache.path, templateText ?? "", template)
          : renderCatalog(reference);
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

function renderCatalog(reference: string): Rendered {
  const rendered: RenderedBlob[] = [];
  for (const blob of readCatalog(reference)) {
    if (!blob.ok) return failed(invalid("CatalogInvalid", reference, blob.problem.message, blob.problem.place));
    const json = encodeBlob(blob.value, "none");
    if (!json.ok) return failed(invalid("CatalogInvalid", reference, json.problem, blob.value.place));
    rendered.push({ blob: blob.value, json: json.value });
  }
  return done(rendered);
}

function renderDirectory(
  reference: string,
  cacheFolder: string,
  templateText: string,
  imageTemplate: ImageTemplate | undefined,
): Rendered {
  const files = readBundleDirectory(reference);
  if (!files.ok) return failed(invalid("BundleInvalid", reference, files.problem));
  // The result depends on purser's version and on the image template too.
  const key = digestOf(JSON.stringify([ownVersion(), files.value.digest, templateText])).slice("sha256:".length);
  const cached = new RenderedCache(join(cacheFolder, "rendered-bundles"), key);
  const known = cached.read();
  if (known !== undefined) return done([known]);
  const options = { level: "none", ...(imageTemplate === undefined ? {} : { imageTemplate }) } as const;
  const bundle = renderBundle(files.value, reference, options);
  if (!bundle.ok) return failed(invalid("BundleInvalid", reference, bundle.problem.message));
  cached.write(bundle.value);
  return done([bundle.value]);
}

/** A cache of rendered bundles by the digest of their input. A bundle whose entry is damaged is rendered again. */
class RenderedCache {
  readonly #file: string;
  readonly #folder: string;

  constructor(folder: string, key: string) {
    this.#folder = folder;
    this.#file = join(folder, `${key}.json`);
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
      mkdirSync(this.#folder, { recursive: true });
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
