import { randomBytes } from "node:crypto";
import { escapeControls, escapeControlsExcept } from "@purser/kubernetes/text/control-characters";

declare const isShown: unique symbol;

/** Lines for people in which nothing of others can steer a terminal; made by {@link shown} only, so that none is forgotten. */
export type Shown = string & { readonly [isShown]: true };

/** Stands for ESC in colour codes of ours until the writer puts them out: nobody else can write one. */
const mark = `<${randomBytes(12).toString("hex")}>`;

/** Every argument is one line: a line break inside of it is a value's and is escaped, as are all other control characters. */
export function shown(...lines: readonly string[]): Shown {
  return lines.map((line) => escapeControls(line)).join("\n") as Shown;
}

/** Puts `text` between two colour codes (`ESC [ NUMBER m`), which survive {@link shown}. */
export function coloured(text: string, on: number, off: number): string {
  return `${mark}[${on}m${escapeControls(text)}${mark}[${off}m`;
}

/** `text` as it appears: without colour codes of ours. */
export function withoutColours(text: string): string {
  return text.includes(mark) ? text.replaceAll(new RegExp(`${mark}\\[\\d+m`, "g"), "") : text;
}

/** What is written to a terminal, a pipe or a file for people: all but line breaks and our colours is escaped again. */
export function written(text: string): string {
  return escapeControlsExcept(text, "\n").replaceAll(mark, "\u001b");
}

/** Data on its way to a terminal, and the errors of `purser opm`: elsewhere data keeps its bytes. JSON stays the same JSON. */
export function writtenData(text: string): string {
  return escapeControlsExcept(text, "\n\t");
}

/** {@link writtenData} for data that comes as pieces of UTF-8: a character that two pieces share is written with the second. */
export function writtenPieces(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (bytes) => writtenData(decoder.decode(bytes, { stream: true }));
}
