import { withoutColours } from "./shown.ts";

/** Made when it is needed: it takes some milliseconds of a start. */
let segmenter: Intl.Segmenter | undefined;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** What a reader sees as one character each. */
export const graphemesOf = (text: string): readonly string[] =>
  Array.from((segmenter ??= new Intl.Segmenter()).segment(text), ({ segment }) => segment);

/** Terminal columns of one grapheme: two for wide East Asian ones. */
export const cellsOf = (grapheme: string): number => (wide.test(grapheme) ? 2 : 1);

/** Display width of `text` in terminal columns, without purser's colour codes. */
export function displayWidth(text: string): number {
  const plain = withoutColours(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  let cells = 0;
  for (const grapheme of graphemesOf(plain)) cells += cellsOf(grapheme);
  return cells;
}
