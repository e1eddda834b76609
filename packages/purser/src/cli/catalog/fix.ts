import type { CatalogText } from "../../catalog/loading/load.ts";
import { editWords, fixFiles } from "../../catalog/lint/fix-catalog.ts";
import { done } from "@purser/kubernetes/result";
import type { CatalogTexts, JudgedCatalog, Judging } from "./judged-catalog.ts";
import { judgeCatalog } from "./judged-catalog.ts";

export interface FixedCatalog {
  /** The findings that remain; the original findings when there is nothing to write. */
  readonly report: JudgedCatalog;
  /** New texts by file; empty when nothing is to be written. */
  readonly files: ReadonlyMap<string, string>;
  /** One line per change, or why nothing is changed. */
  readonly lines: readonly string[];
}

/** A repair can uncover another finding, so repairs run in rounds, at most this many. */
const mostRounds = 10;

/** Applies the automatic fixes in memory, although other errors remain or become visible by them. */
export function fixCatalog(texts: CatalogTexts, judging: Judging): FixedCatalog {
  const first = judgeCatalog(texts, judging);
  const changed = new Map<string, string>();
  const lines: string[] = [];
  const current: CatalogTexts = function* () {
    for (const text of texts()) {
      const replaced = text.ok ? changed.get(text.value.file) : undefined;
      yield text.ok && replaced !== undefined ? done({ file: text.value.file, text: replaced }) : text;
    }
  };
  let report = first;
  for (let round = 0; round < mostRounds; round++) {
    const touched = new Set(report.findings.flatMap(({ fix }) => (fix ?? []).map(({ file }) => file)));
    const files: CatalogText[] = [];
    for (const text of current()) if (text.ok && touched.has(text.value.file)) files.push(text.value);
    const fixed = fixFiles(files, report.findings);
    if (fixed.length === 0) break;
    for (const { file, text, edits } of fixed) {
      changed.set(file, text);
      lines.push(
        ...edits.toReversed().map((edit) => `fixed  ${file}  document ${edit.document + 1}: ${editWords(edit)}`),
      );
    }
    report = judgeCatalog(current, judging);
  }
  if (changed.size === 0) return { report: first, files: changed, lines: ["no finding can be fixed by --fix"] };
  return { report, files: changed, lines };
}
