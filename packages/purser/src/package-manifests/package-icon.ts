import { describe } from "./head-csv.ts";
import type { OfferedPackage } from "./package-manifest.ts";
import { primaryHead } from "./package-manifest.ts";

/** The answer of the subresource `icon`. */
export interface PackageIcon {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** With its quotes. */
  readonly etag: string;
}

/** Shown for packages without an icon: a grey circle. */
const blank = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18" fill="#8a8d90"/></svg>\n`;

/** The first icon of the package's default channel; a grey circle when it has none. Undefined when no channel can be read. */
export function packageIcon(offered: OfferedPackage): PackageIcon | undefined {
  const primary = primaryHead(offered);
  if (primary === undefined) return undefined;
  const { channel, csv } = primary;
  const [icon] = describe(csv).icon ?? [];
  if (icon === undefined || (icon.base64data ?? "") === "")
    return { mediaType: "image/svg+xml", bytes: new TextEncoder().encode(blank), etag: `"purser-no-icon"` };
  return {
    mediaType: icon.mediatype ?? "",
    bytes: decodedPrefix(icon.base64data),
    etag: `"${offered.summary.name}.${channel.name}.${csv.name}"`,
  };
}

/** As much of a base64 text as can be decoded, like Go's decoder. */
function decodedPrefix(encoded: string): Uint8Array {
  const plain = encoded.replaceAll(/[\r\n]/g, "");
  const [letters = ""] = /^[A-Za-z0-9+/]*/.exec(plain) ?? [];
  const isWhole = /^={0,2}$/.test(plain.slice(letters.length)) && plain.length % 4 === 0;
  const usable = isWhole ? letters : letters.slice(0, letters.length - (letters.length % 4));
  return Uint8Array.from(atob(usable), (character) => character.charCodeAt(0));
}
