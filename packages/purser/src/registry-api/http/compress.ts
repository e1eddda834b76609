import type { CatalogAnswer, CatalogRequest } from "./answer-request.ts";

/** Answers below this many bytes are not worth the work. */
const leastSize = 1024;

/** An answer as it goes over the wire. */
export interface EncodedAnswer extends CatalogAnswer {
  /** Whether the body has to be compressed on its way; the headers say so already. */
  readonly gzip: boolean;
}

/** Compresses where the client takes gzip and there is enough of it; `Vary` is said in any case. */
export function encoded(request: CatalogRequest, answer: CatalogAnswer): EncodedAnswer {
  const varying = { ...answer.headers, Vary: "Accept-Encoding" };
  const isWhole = answer.status !== 206 && request.method !== "HEAD" && answer.body.length >= leastSize;
  if (!isWhole || !acceptsGzip(request.headers.get("accept-encoding") ?? ""))
    return { ...answer, headers: varying, gzip: false };
  const { "Content-Length": _length, "Accept-Ranges": _ranges, ...kept } = varying as Record<string, string>;
  return { ...answer, headers: { ...kept, "Content-Encoding": "gzip" }, gzip: true };
}

function acceptsGzip(header: string): boolean {
  return header.split(",").some((offer) => {
    const [coding = "", ...parameters] = offer.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return coding === "gzip" && (quality === undefined || Number(quality.slice(2)) > 0);
  });
}
