import type { CatalogAnswer, CatalogRequest } from "./answer-request.ts";

/** Responses below this number of bytes are not compressed. */
const leastSize = 1024;

/** A response with its content encoding. */
export interface EncodedAnswer extends CatalogAnswer {
  /** Whether the sender has to compress the body; the headers already declare it. */
  readonly gzip: boolean;
}

/** Selects gzip when the client accepts it and the response is large enough; always sets `Vary`. */
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
