import { goQuote } from "@purser/kubernetes/go-quote";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { packageShape } from "../schemas/blob-shapes.ts";
import { encodeGo } from "../schemas/go-encode.ts";
import { formatBlob, type OutputFormat } from "./write-blobs.ts";

export interface NewPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description?: string;
  readonly icon?: Uint8Array;
}

/** `opm init`: one `olm.package` blob as text, "" for a package without a name; the problem is upstream's text. */
export function opmInit(pack: NewPackage, format: OutputFormat): Result<string, string> {
  const icon = pack.icon === undefined ? done(undefined) : iconOf(pack.icon);
  if (!icon.ok) return icon;
  // The writer of catalogs passes over packages without a name.
  if (pack.name === "") return done("");
  const blob: JsonObject = {
    schema: "olm.package",
    name: pack.name,
    defaultChannel: pack.defaultChannel,
    icon: icon.value,
    description: pack.description,
  };
  return formatBlob(encodeGo(blob, packageShape), format);
}

function iconOf(bytes: Uint8Array): Result<JsonObject, string> {
  if (bytes.length === 0) return failed("detect icon mediatype: Empty buffer");
  const mediatype = imageTypeOf(bytes);
  if (mediatype === undefined) return failed(`detected invalid type ${goQuote("")}: not an image`);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return done({ base64data: btoa(binary), mediatype });
}

/** Media types by the bytes a file begins with, as ASCII; a dot stands for any byte. The first match counts. */
const magic: readonly (readonly [mediatype: string, ...starts: readonly string[]])[] = [
  ["image/jpeg", "\u00ff\u00d8\u00ff"],
  ["image/png", "\u0089PNG"],
  ["image/gif", "GIF"],
  ["image/webp", "........WEBP"],
  ["image/x-canon-cr2", "II*\0....CR", "MM\0*....CR"],
  ["image/tiff", "II*\0", "MM\0*"],
  ["image/bmp", "BM"],
  ["image/vnd.ms-photo", "II\u00bc"],
  ["image/vnd.adobe.photoshop", "8BPS"],
  ["image/vnd.microsoft.icon", "\0\0\u0001\0"],
];

/** What kind of image the bytes are; undefined when they are none that upstream knows. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const matches = (start: string): boolean =>
    bytes.length >= start.length &&
    Array.from(start).every((letter, index) => letter === "." || letter.charCodeAt(0) === bytes[index]);
  const found = magic.find(([, ...starts]) => starts.some(matches));
  if (found !== undefined) return found[0];
  const text = new TextDecoder().decode(bytes).replaceAll(/<!--[\s\S]*?-->/g, "");
  return svg.test(text) ? "image/svg+xml" : undefined;
}

const svg = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype svg[^>]*>\s*)?<svg[^>]*>[\s\S]*<\/svg>\s*$/i;
