import { convertToTemplate, type ConvertibleKind } from "../../catalog/template/convert.ts";
import { formatBlob } from "../../catalog/opm/write-blobs.ts";
import { readCatalog } from "../../catalog-store/read-catalog.ts";
import { formatPlace, type Place } from "@purser/kubernetes/place";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { readText } from "../read-text.ts";
import { refuseReference } from "./catalog-reference.ts";

/** Converts the catalog that the first argument names (default: standard input) to a template and prints it. */
export function convertCatalog(invocation: Invocation, kind: ConvertibleKind): Outcome {
  const [reference = "-"] = invocation.arguments;
  const refusal = reference === "-" ? undefined : refuseReference(reference);
  if (refusal !== undefined) return { explanation: refusal };
  const text = reference === "-" ? textOf(reference) : blobsOf(reference);
  if (typeof text !== "string") return text;
  const converted = convertToTemplate({ file: reference, text }, kind);
  if (!converted.ok) return invalid(reference, converted.problem.message, converted.problem.place);
  const formatted = formatBlob(converted.value, textOption(invocation, "output") === "json" ? "json" : "yaml");
  return formatted.ok
    ? { exitCode: exitCodes.done, verbatim: formatted.value }
    : invalid(reference, formatted.problem, { file: reference });
}

function textOf(path: string): string {
  const read = readText(path);
  if ("problem" in read) throw new UsageError(`cannot read ${path}: ${read.problem}`);
  return read.text;
}

/** All blobs of a catalog as one stream, or the outcome for the first that cannot be read. */
function blobsOf(reference: string): string | Outcome {
  const texts: string[] = [];
  for (const blob of readCatalog(reference)) {
    if (!blob.ok) return invalid(reference, blob.problem.message, blob.problem.place ?? { file: reference });
    texts.push(canonicalJson(blob.value.json));
  }
  return texts.join("\n");
}

function invalid(reference: string, message: string, place: Place): Outcome {
  return {
    explanation: {
      code: "CatalogInvalid",
      summary: `${formatPlace(place)}: ${message}`.slice(0, 200),
      facts: { catalog: reference },
      derivation: [{ relation: "fact", subject: reference, text: message, upstream: message }],
      remedies: [{ summary: "see all findings", command: `purser catalog validate ${reference}` }],
    },
  };
}
