import { escapeControls, escapeControlsExcept } from "@purser/kubernetes/text/control-characters";

declare const isShown: unique symbol;

/** Text in which control characters of values are escaped. Only {@link shown} makes it, so the compiler finds unescaped text. */
export type Shown = string & { readonly [isShown]: true };

/** Random placeholder for ESC in purser's own colour codes until they are written: values cannot contain it. */
let mark: string | undefined;

function newMark(): string {
  // Most runs colour nothing: that module takes 5 ms of a start.
  return `<${process.getBuiltinModule("node:crypto").randomBytes(12).toString("hex")}>`;
}

/** Joins lines. Line breaks and all other control characters inside an argument come from values and are escaped. */
export function shown(...lines: readonly string[]): Shown {
  return lines.map((line) => escapeControls(line)).join("\n") as Shown;
}

/** Puts `text` between two colour codes (`ESC [ NUMBER m`), which survive {@link shown}. */
export function coloured(text: string, on: number, off: number): string {
  mark ??= newMark();
  return `${mark}[${on}m${escapeControls(text)}${mark}[${off}m`;
}

/** `text` without purser's colour codes. */
export function withoutColours(text: string): string {
  return mark !== undefined && text.includes(mark) ? text.replaceAll(new RegExp(`${mark}\\[\\d+m`, "g"), "") : text;
}

/** The final form of text output: escapes all control characters except line breaks and purser's own colour codes. */
export function written(text: string): string {
  const escaped = escapeControlsExcept(text, "\n");
  return mark === undefined ? escaped : escaped.replaceAll(mark, "\u001b");
}

/**
 * Escapes control characters of data that is written to a terminal, and of the errors of `purser opm`; data for pipes and
 * files is not escaped. Escaped JSON has the same value.
 */
export function writtenData(text: string): string {
  return escapeControlsExcept(text, "\n\t");
}

/** {@link writtenData} for data in pieces of UTF-8: a character that is split over two pieces is written with the second. */
export function writtenPieces(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (bytes) => writtenData(decoder.decode(bytes, { stream: true }));
}
