import { convertToTemplate, type ConvertibleKind } from "../../catalog/template/convert.ts";
import { formatBlob } from "../../catalog/opm/write-blobs.ts";
import { readCatalog } from "../../catalog-store/read/read-catalog.ts";
import { formatPlace, type Place } from "@purser/kubernetes/place";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { readText } from "../read-text.ts";
import { type LocalContent, withLocalContent } from "../image/local-content.ts";
import { problemInContent } from "./catalog-reference.ts";

/** Converts the catalog that the first argument names (default: standard input) to a template and prints it. */
export async function convertCatalog(invocation: Invocation, kind: ConvertibleKind): Promise<Outcome> {
  const [reference = "-"] = invocation.arguments;
  if (reference === "-") return converted(invocation, reference, textOf(reference), kind);
  return withLocalContent(invocation, [reference], "catalog", (catalog) =>
    converted(invocation, reference, blobsOf(catalog), kind),
  );
}

function converted(invocation: Invocation, reference: string, text: string | Outcome, kind: ConvertibleKind): Outcome {
  if (typeof text !== "string") return text;
  const template = convertToTemplate({ file: reference, text }, kind);
  if (!template.ok) return invalid(reference, template.problem.message, template.problem.place);
  const formatted = formatBlob(template.value, textOption(invocation, "output") === "json" ? "json" : "yaml");
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
function blobsOf(catalog: LocalContent): string | Outcome {
  const { reference } = catalog;
  const texts: string[] = [];
  for (const blob of readCatalog(catalog.path)) {
    if (!blob.ok) {
      const { message, place = { file: reference } } = problemInContent(catalog, blob.problem);
      return invalid(reference, message, place);
    }
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
