import { goQuote } from "@purser/kubernetes/go-quote";
import { parseGoUrl } from "@purser/kubernetes/cel/functions/go-url";

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const address = new RegExp(`^(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[[^\\]]*\\])$`, "u");
const phrase = new RegExp(`^(?:(?:${atom}|${quoted}|\\.)\\s*)*$`, "u");

/** What Go's mail parser says against an address; undefined for `ann@example.com` and `Ann <ann@example.com>`. */
export function emailFault(text: string): string | undefined {
  const given = text.trim();
  const angle = /^([^<]*)<([^<>]*)>$/.exec(given);
  if (angle !== null) {
    const [, name = "", inner = ""] = angle;
    return phrase.test(name.trim()) && address.test(inner.trim()) ? undefined : addressFault(inner.trim());
  }
  return address.test(given) ? undefined : addressFault(given);
}

function addressFault(text: string): string {
  if (text === "") return "mail: no address";
  if (!text.includes("@")) return text.includes(" ") ? "mail: no angle-addr" : "mail: missing '@' or angle-addr";
  if (text.startsWith("@")) return "mail: no angle-addr";
  if (text.endsWith("@")) return "mail: no angle-addr";
  return "mail: expected single address";
}

/** What Go says against an absolute URI or absolute path; undefined when it is one. */
export function urlFault(text: string): string | undefined {
  const parse = `parse ${goQuote(text)}: `;
  if (/[\p{Cc}]/u.test(text)) return `${parse}net/url: invalid control character in URL`;
  const host = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(text)?.[1];
  const odd = host === undefined ? undefined : /[ "<>\\^`{|}]/.exec(host)?.[0];
  if (odd !== undefined) return `${parse}invalid character ${goQuote(odd)} in host name`;
  if (text.startsWith(":")) return `${parse}missing protocol scheme`;
  const read = parseGoUrl(text);
  if (read === undefined) return `${parse}invalid URI for request`;
  return read.scheme !== "" || text.startsWith("/") ? undefined : `${parse}invalid URI for request`;
}
