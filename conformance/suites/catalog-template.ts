import { blobsOf } from "../../src/catalog/load.ts";
import type { CatalogBlob } from "../../src/catalog/model.ts";
import { expand } from "../../src/catalog/template/expand.ts";
import type { ExpandedTemplate, RenderReference } from "../../src/catalog/template/template.ts";
import { writeExpanded } from "../../src/catalog/template/write-expanded.ts";
import { goQuote } from "../../src/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../../src/json.ts";
import { done, failed } from "../../src/result.ts";
import { canonicalJson, documentsOf } from "../../src/text/documents.ts";
import { compareExactly, compareLoosely } from "../compare.ts";
import { answer, type Suite } from "../suite.ts";

const textIn = (input: JsonObject, key: string): string => {
  const value = member(input, key);
  return typeof value === "string" ? value : "";
};

/** The table of a case: reference to blobs, or to the error that rendering it gives. */
function renderer(table: JsonValue | undefined): RenderReference {
  return (reference) => {
    const found = isJsonObject(table) ? member(table, reference) : undefined;
    if (Array.isArray(found)) {
      const blobs: CatalogBlob[] = [];
      for (const blob of blobsOf({
        file: reference,
        text: found.map((item: JsonValue) => canonicalJson(item)).join("\n"),
      })) {
        if (!blob.ok) return failed(blob.problem.message);
        blobs.push(blob.value);
      }
      return done(blobs);
    }
    const error = isJsonObject(found) ? member(found, "error") : undefined;
    return failed(typeof error === "string" ? error : `render reference ${goQuote(reference)}: not given`);
  };
}

/** The table's bundles are written as they stand in it: upstream's own rendering puts them in order, the table's did not. */
function written(expanded: ExpandedTemplate): readonly JsonValue[] {
  const { text } = writeExpanded({ ...expanded, rendered: new Set() }, "json", "none");
  return [...documentsOf(text)].map((document) => (document.ok ? document.value.value : null));
}

export const suite: Suite = {
  name: "catalog-template",
  compare: compareLoosely(compareExactly(), ["error"]),
  run({ input }) {
    const kind = textIn(input, "kind");
    const expanded = expand(
      { text: textIn(input, "template") },
      renderer(member(input, "bundles")),
      kind === "" ? undefined : kind,
    );
    if (!expanded.ok) return answer({ error: expanded.problem.message });
    const blobs = written(expanded.value);
    if (member(input, "mermaid") !== true) return answer({ blobs });
    const { text, problem } = writeExpanded(expanded.value, "mermaid", "none");
    return answer(problem === undefined ? { blobs, mermaid: text } : { error: problem });
  },
};
