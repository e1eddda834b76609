import { ByteWindow } from "../byte-window.ts";
import { cutYaml, type DocumentBytes } from "../document-stream.ts";
import { decodeLenient } from "../utf8.ts";

/** The texts of the documents of a YAML stream that arrives in chunks of the given size. */
export function* documentTexts(
  stream: Uint8Array,
  pieceSize = stream.length,
): Generator<{ readonly text: string; readonly line: DocumentBytes["line"] }> {
  for (const { bytes, line } of cutYaml(new ByteWindow(pieces(stream, pieceSize), Infinity)))
    yield { text: decodeLenient(bytes), line };
}

/** A stream in chunks; each chunk is overwritten with zeros when the next is requested, like a reused file buffer. */
export function* pieces(stream: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < stream.length; at += Math.max(size, 1)) {
    const piece = stream.slice(at, at + Math.max(size, 1));
    yield piece;
    piece.fill(0);
  }
}
