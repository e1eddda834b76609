import { gzipSync } from "node:zlib";
import type { CatalogAnswer, CatalogRequest } from "./answer-request.ts";

/** Answers below this many bytes are not worth the work. */
const leastSize = 1024;

/** The answer as it goes over the wire: compressed where the client takes gzip, with `Vary` in any case. */
export function compressed(request: CatalogRequest, answer: CatalogAnswer): CatalogAnswer {
  const varying = { ...answer.headers, Vary: "Accept-Encoding" };
  const isWhole = answer.status !== 206 && request.method !== "HEAD" && answer.body.length >= leastSize;
  if (!isWhole || !acceptsGzip(request.headers.get("accept-encoding") ?? "")) return { ...answer, headers: varying };
  const { "Content-Length": _length, "Accept-Ranges": _ranges, ...kept } = varying as Record<string, string>;
  return { ...answer, headers: { ...kept, "Content-Encoding": "gzip" }, body: gzipSync(answer.body) };
}

function acceptsGzip(header: string): boolean {
  return header.split(",").some((offer) => {
    const [coding = "", ...parameters] = offer.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return coding === "gzip" && (quality === undefined || Number(quality.slice(2)) > 0);
  });
}
