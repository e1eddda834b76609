import type { BundleFiles } from "../../bundle/bundle-files.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogBlob } from "../model.ts";
import { type CatalogProblem, upstreamText } from "../problem.ts";

/** A catalog that a command was pointed at, read in walk order; the first problem ends it. */
export interface RenderSource {
  readonly reference: string;
  /** Present when the reference is a bundle: only `render` takes one, `read` refuses it. The problem is a text. */
  readonly bundle?: () => Result<BundleFiles, string>;
  /** The image that the bundle was unpacked from, as catalogs name it. */
  readonly image?: string;
  /** `keepProperties`: whether properties may stay bytes ({@link CatalogBlob.kept}). */
  read(keepProperties?: boolean): Iterable<Result<CatalogBlob, CatalogProblem>>;
}

/** All blobs of one reference; the problem is upstream's text without a prefix. */
export function readSource(source: RenderSource): Result<readonly CatalogBlob[], string> {
  const blobs: CatalogBlob[] = [];
  for (const blob of source.read()) {
    if (!blob.ok) return failed(upstreamText(blob.problem));
    blobs.push(blob.value);
  }
  return done(blobs);
}

/** All blobs of several references in the order given; the problem names the reference. */
export function readSources(sources: readonly RenderSource[]): Result<readonly CatalogBlob[], string> {
  const all: CatalogBlob[] = [];
  for (const source of sources) {
    const blobs = readSource(source);
    if (!blobs.ok) return failed(inReference(source, blobs.problem));
    for (const blob of blobs.value) all.push(blob);
  }
  return done(all);
}

/** A problem with the reference it came from. */
export function inReference({ reference }: RenderSource, problem: string): string {
  return `render reference ${goQuote(reference)}: ${problem}`;
}
