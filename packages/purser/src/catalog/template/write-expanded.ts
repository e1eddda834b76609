import { done, failed, type Result } from "@purser/kubernetes/result";
import { bundleShape } from "../schemas/blob-shapes.ts";
import { encodeGo } from "../schemas/go-encode.ts";
import type { CatalogBlob } from "../model.ts";
import { encodeBlob, type MigrationLevel } from "../opm/encode-blob.ts";
import { mermaidOf } from "../opm/render-graph.ts";
import { formatAll, type RenderedBlob } from "../opm/render.ts";
import type { OutputFormat } from "../opm/write-blobs.ts";
import type { ExpandedTemplate } from "./template.ts";

export type TemplateOutput = OutputFormat | "mermaid";

/** What was written, also before a failure. */
export interface WrittenTemplate {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly problem?: string;
}

/** An expanded template as upstream writes it; only bundles that came from references are migrated. */
export function writeExpanded(
  expanded: ExpandedTemplate,
  output: TemplateOutput,
  level: MigrationLevel,
): WrittenTemplate {
  if (output === "mermaid") {
    const drawn = mermaidOf(expanded.blobs, { drawV0Semantics: true });
    return drawn.ok ? drawn.value : { text: "", warnings: [], problem: drawn.problem };
  }
  const encoded = encodeExpanded(expanded, level);
  if (!encoded.ok) return { text: "", warnings: [], problem: encoded.problem };
  return { warnings: [], ...formatAll(encoded.value, output) };
}

/** Compact JSON of every blob. */
function encodeExpanded(
  { blobs, rendered }: ExpandedTemplate,
  level: MigrationLevel,
): Result<readonly RenderedBlob[], string> {
  const encoded: RenderedBlob[] = [];
  for (const blob of blobs) {
    const json = rendered.has(blob) || blob.content.kind !== "bundle" ? encodeBlob(blob, level) : asGiven(blob);
    if (!json.ok) return failed(json.problem);
    encoded.push({ blob, json: json.value });
  }
  return done(encoded);
}

/** Bundles of the template's own keep the order of their properties and images. */
function asGiven({ json }: CatalogBlob): Result<string, string> {
  return done(encodeGo(json, bundleShape));
}
