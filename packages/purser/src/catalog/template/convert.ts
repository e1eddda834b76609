import { isJsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { documentsOf, doubleJson, indentJson } from "@purser/kubernetes/text/documents";
import { bundleShape } from "../schemas/blob-shapes.ts";
import { decodeMeta } from "../loading/decode.ts";
import { upstreamText } from "../problem.ts";
import { misfit, textOf } from "../schemas/go-shape.ts";
import { formatBlob, type OutputFormat } from "../opm/write-blobs.ts";
import { type TemplateKind, type TemplateProblem, templateSchemas, type TemplateText } from "./template.ts";

/** Kinds of templates that a catalog can be converted to; a semver template cannot express every catalog. */
export type ConvertibleKind = Exclude<TemplateKind, "semver">;

/**
 * A catalog's stream of blobs as a template, compact JSON: for `basic` every bundle becomes its image, for
 * `substitutes` all blobs stay and nothing is substituted yet.
 */
export function convertToTemplate(
  { file, text }: TemplateText,
  kind: ConvertibleKind,
): Result<string, TemplateProblem> {
  const entries: string[] = [];
  const refuse = (message: string, place: TemplateProblem["place"]): Result<never, TemplateProblem> =>
    failed({ kind: "unreadable", message, place });
  for (const document of documentsOf(text, { ...(file === undefined ? {} : { file }), keepEmpty: true })) {
    if (!document.ok) return refuse(document.problem.goText ?? document.problem.message, document.problem.place);
    const { value: read } = document;
    if (read.value === null)
      return refuse("json: error calling MarshalJSON for type *declcfg.Meta: unexpected end of JSON input", read.place);
    const meta = decodeMeta(read);
    if (!meta.ok) return refuse(read.jsonProblem ?? upstreamText(meta.problem), meta.problem.place ?? read.place);
    const { schema, json } = meta.value;
    if (kind !== "basic" || schema !== "olm.bundle") {
      entries.push(escaped(doubleJson(json)));
      continue;
    }
    const complaint = misfit(json, bundleShape);
    if (complaint !== undefined) return refuse(`parse bundle: ${complaint}`, document.value.place);
    const image = isJsonObject(json) ? textOf(json, "image") : "";
    entries.push(`{"schema":"olm.bundle","image":${escaped(doubleJson(image))}}`);
  }
  const listed = entries.length === 0 ? "null" : `[${entries.join(",")}]`;
  const substitutions = kind === "substitutes" ? ',"substitutions":[]' : "";
  return done(`{"schema":"${templateSchemas[kind]}","entries":${listed}${substitutions}}`);
}

/** Upstream marshals a template with Go's encoder, which escapes these. */
function escaped(json: string): string {
  return json.replaceAll(/[<>&]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
}

/** A template as `opm alpha convert-template` prints it: YAML ends with an empty line. */
export function formatTemplate(json: string, format: OutputFormat): Result<string, string> {
  if (format === "json") return done(`${indentJson(json, "    ")}\n`);
  const yaml = formatBlob(json, "yaml");
  return yaml.ok ? done(`${yaml.value}\n`) : yaml;
}
