import { goQuote } from "@purser/kubernetes/go-quote";
import type { Place } from "@purser/kubernetes/place";

const pointerOf = ({ pointer = "" }: Place): string => pointer;

/**
 * What Go's YAML reader says of keys that a mapping holds twice: each with the line of its value, those inside of a value
 * before the key of that value.
 * @param linesBefore of `text` that the file does not have
 */
export function repeatedKeys(text: string, places: readonly Place[], linesBefore: number): string {
  const lines = text.split("\n");
  const ordered: Place[] = [];
  for (const place of places) {
    const around = ordered.findIndex((other) => pointerOf(place).startsWith(`${pointerOf(other)}/`));
    ordered.splice(around === -1 ? ordered.length : around, 0, place);
  }
  const found = ordered.map((place) => {
    const key = (pointerOf(place).split("/").at(-1) ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
    return `  line ${valueLine(lines, place.line ?? 1) - linesBefore}: key ${goQuote(key)} already set in map`;
  });
  return ["yaml: unmarshal errors:", ...found].join("\n");
}

/** The line on which the value of a key on line `keyLine` starts, both from 1 on; a value of nothing is on the key's line. */
function valueLine(lines: readonly string[], keyLine: number): number {
  const keyText = lines[keyLine - 1] ?? "";
  if (!/:\s*(?:#.*)?\r?$/u.test(keyText)) return keyLine;
  const depth = /^(?:\s|-\s)*/u.exec(keyText)?.[0].length ?? 0;
  for (let at = keyLine; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^\s*(?:#.*)?\r?$/u.test(line)) continue;
    const indent = line.search(/\S/u);
    return indent > depth || (indent === depth && line.startsWith("-", indent)) ? at + 1 : keyLine;
  }
  return keyLine;
}
