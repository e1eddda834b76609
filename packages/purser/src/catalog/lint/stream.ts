import type { Place } from "@purser/kubernetes/place";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { documentsOf, looksLikeJson, type PlacedDocument, type TextProblem } from "@purser/kubernetes/text/documents";

/**
 * The documents of a catalog file, empty ones as null. After a YAML document that cannot be read it continues with the
 * next one, so that one run reports everything; a broken JSON stream ends.
 */
export function* documentsOfStream(text: string, file: string): Generator<Result<PlacedDocument, TextProblem>> {
  const isJson = looksLikeJson(text);
  let from = 0;
  let lines = 0;
  let documents = 0;
  for (;;) {
    const part = from === 0 ? text : text.slice(from);
    let broken: TextProblem | undefined;
    let read = 0;
    for (const document of documentsOf(part, { file, keepEmpty: true })) {
      read++;
      if (document.ok) {
        yield done(shifted(document.value, lines, documents));
        continue;
      }
      broken = { ...document.problem, place: shiftedPlace(document.problem.place, lines, documents) };
      yield failed(broken);
    }
    const line = broken?.place.line;
    if (line === undefined || isJson) return;
    documents += read;
    const next = separatorBehind(text, line, from);
    if (next === undefined) return;
    from = next.offset;
    lines = next.line - 1;
  }
}

function shifted(document: PlacedDocument, lines: number, documents: number): PlacedDocument {
  if (lines === 0 && documents === 0) return document;
  const move = (place: Place): Place => shiftedPlace(place, lines, documents);
  return {
    ...document,
    place: move(document.place),
    locate: (pointer) => move(document.locate(pointer)),
    locateAll: (pointers) => document.locateAll(pointers).map(move),
    duplicateKeys: () => document.duplicateKeys().map(move),
  };
}

function shiftedPlace(place: Place, lines: number, documents: number): Place {
  return { ...place, line: (place.line ?? 1) + lines, document: (place.document ?? 0) + documents };
}

/** The first separator on or below a line that can be read itself, and behind an offset, so that reading goes on. */
function separatorBehind(
  text: string,
  line: number,
  offset: number,
): { readonly offset: number; readonly line: number } | undefined {
  let at = 0;
  for (let current = 1; at < text.length; current++) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline;
    if (current >= line && at > offset && /^---[ \t]*(?:#.*)?\r?$/.test(text.slice(at, end)))
      return { offset: at, line: current };
    if (newline === -1) return undefined;
    at = newline + 1;
  }
  return undefined;
}
