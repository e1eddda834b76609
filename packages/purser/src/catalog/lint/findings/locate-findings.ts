import type { Place } from "@purser/kubernetes/place";
import type { Finding } from "../finding.ts";
import { documentsOfStream } from "../stream.ts";

/**
 * The findings with line and column of the values that they are about. Reads again, once each, the documents that have
 * findings; `textOf` gives a file's text, undefined where it cannot be had any more.
 */
export function locateFindings<One extends Finding>(
  findings: readonly One[],
  textOf: (file: string) => string | undefined,
): readonly One[] {
  const wanted = new Map<string, Map<number, One[]>>();
  for (const finding of findings) {
    const { file, document, pointer, column } = finding.place;
    if (file === undefined || document === undefined || pointer === undefined || column !== undefined) continue;
    const documents = wanted.get(file) ?? new Map<number, One[]>();
    wanted.set(file, documents.set(document, [...(documents.get(document) ?? []), finding]));
  }
  const places = new Map<One, Place>();
  for (const [file, documents] of wanted) {
    const text = textOf(file);
    if (text === undefined) continue;
    for (const read of documentsOfStream(text, file)) {
      const members = read.ok ? documents.get(read.value.place.document ?? 0) : undefined;
      if (!read.ok || members === undefined) continue;
      const found = read.value.locateAll(members.map(({ place }) => place.pointer ?? ""));
      for (const [index, finding] of members.entries()) {
        const place = found[index];
        if (place !== undefined) places.set(finding, place);
      }
    }
  }
  return findings.map((finding) => {
    const place = places.get(finding);
    return place === undefined ? finding : { ...finding, place };
  });
}
