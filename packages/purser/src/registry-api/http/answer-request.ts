import { type Body, joinedBodies, noBody, partOf, textBody } from "./body.ts";
import { type ByteRange, parseRanges } from "./byte-ranges.ts";
import { formatHttpDate } from "./http-date.ts";
import { checkPreconditions, rangeApplies, type RequestHeaders } from "./preconditions.ts";
import { queryOf } from "../graphql/query-request.ts";
import { catalogNameProblem, cleanPath, percentDecoded, queryParameters } from "./request-path.ts";
import { matching, type ServedCatalog } from "./served-catalog.ts";

export interface CatalogRequest {
  readonly method: string;
  /** The target of the request line: escaped, with the query. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Reads the body, which only `/graphql` has; undefined when it is larger than such a request may be. */
  readonly body?: () => Promise<string | undefined>;
}

/** The JSON of the response to a GraphQL query, or that too many queries wait already. */
export type QueryReply = { readonly kind: "answered"; readonly response: string } | { readonly kind: "busy" };

export interface CatalogAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface CatalogServer {
  catalog(name: string): ServedCatalog | undefined;
  /** Whether `/metas` is served. */
  readonly metas: boolean;
  /** Answers a GraphQL query about a catalog; absent: `/graphql` is not served. Rejects when the catalog cannot be queried. */
  readonly query?: (catalog: ServedCatalog, query: string) => Promise<QueryReply>;
  /** Returns a boundary for multipart responses that does not occur in any content. */
  boundary(): string;
}

const jsonLines = "application/jsonl";
const route = /^\/catalogs\/([^/]+)\/api\/v1\/(all|metas|graphql)$/;

/**
 * The catalog API of OLM v1: `/catalogs/NAME/api/v1/all`, `/metas` and `/graphql`. Answers are not compressed yet and, for
 * HEAD, have no body. Rejects when content cannot be read.
 */
export async function answerCatalogRequest(request: CatalogRequest, server: CatalogServer): Promise<CatalogAnswer> {
  const answer = await routed(request, server);
  return request.method === "HEAD" ? { ...answer, body: noBody } : answer;
}

function routed(request: CatalogRequest, server: CatalogServer): CatalogAnswer | Promise<CatalogAnswer> {
  const { method, target, headers } = request;
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  const clean = cleanPath(path);
  if (clean !== path) return redirect(method, mark === -1 ? clean : `${clean}?${query}`);
  const [, segment = "", endpoint] = route.exec(path) ?? [];
  const isQuery = endpoint === "graphql";
  const isServed = isQuery ? server.query !== undefined : endpoint !== "metas" || server.metas;
  if (endpoint === undefined || !isServed) return refusal(404, "404 page not found");
  if (isQuery ? method !== "POST" : method !== "GET" && method !== "HEAD") return refusal(405, "Method Not Allowed");
  const name = percentDecoded(segment) ?? segment;
  const complaint = catalogNameProblem(name);
  if (complaint !== undefined) return refusal(400, `invalid catalog name: ${complaint}`);
  if (isQuery) return queried(request, name, server);
  const parameters = endpoint === "metas" ? queryParameters(query) : [];
  if (parameters.some(([key]) => key !== "schema" && key !== "package" && key !== "name"))
    return refusal(400, "400 Bad Request");
  const catalog = server.catalog(name);
  if (catalog === undefined) return refusal(404, "404 Not Found");
  if (endpoint === "all") return whole(headers, catalog, server);
  const first = (wanted: string): string => parameters.find(([key]) => key === wanted)?.[1] ?? "";
  const found = (): Body =>
    matching(catalog, { schema: first("schema"), package: first("package"), name: first("name") });
  return selection(method, headers, catalog, found);
}

async function queried({ body }: CatalogRequest, name: string, server: CatalogServer): Promise<CatalogAnswer> {
  const query = queryOf(await body?.());
  if (!query.ok) return refusal(400, query.problem);
  const catalog = server.catalog(name);
  if (catalog === undefined) return refusal(404, "404 Not Found");
  const reply = await server.query?.(catalog, query.value);
  if (reply?.kind !== "answered") return refusal(503, "too many queries are waiting", { "Retry-After": "5" });
  return withLength(200, { "Content-Type": "application/json" }, textBody(reply.response));
}

function whole(headers: RequestHeaders, catalog: ServedCatalog, server: CatalogServer): CatalogAnswer {
  const { modifiedMs, tag } = catalog;
  const dated = validators(catalog);
  const condition = checkPreconditions(headers, modifiedMs, tag);
  if (condition === "not modified") return { status: 304, headers: dated, body: noBody };
  const typed = { ...dated, "Content-Type": jsonLines };
  if (condition === "failed") return withLength(412, typed, noBody);
  const ranged = { ...typed, "Accept-Ranges": "bytes" };
  const content = matching(catalog, { schema: "", package: "", name: "" });
  const wanted = rangeApplies(headers, modifiedMs) ? (headers.get("range") ?? "") : "";
  if (wanted === "") return withLength(200, ranged, content);
  const ranges = parseRanges(wanted, content.length);
  if (!ranges.ok) {
    if (ranges.problem === "invalid range") return refusal(416, ranges.problem);
    if (content.length === 0) return withLength(200, ranged, content);
    return refusal(416, ranges.problem, { "Content-Range": `bytes */${content.length}` });
  }
  const [only, second] = ranges.value;
  const total = ranges.value.reduce((sum, { length }) => sum + length, 0);
  if (only === undefined || total > content.length) return withLength(200, ranged, content);
  if (second !== undefined) return multipart(ranges.value, content, ranged, server.boundary());
  return withLength(206, { ...ranged, "Content-Range": contentRange(only, content) }, slice(only, content));
}

/** The catalog that a request asks for, when its path is one of this API's. */
export function requestedCatalog(target: string): string | undefined {
  const [path = ""] = target.split("?", 1);
  const [, segment] = route.exec(path) ?? [];
  return segment === undefined ? undefined : (percentDecoded(segment) ?? segment);
}

/** `/metas`: no ranges. As in upstream, an invalid date in a conditional header is an error, unlike for `/all`. */
function selection(method: string, headers: RequestHeaders, catalog: ServedCatalog, found: () => Body): CatalogAnswer {
  const dated = validators(catalog);
  switch (checkPreconditions(headers, catalog.modifiedMs, catalog.tag)) {
    case "not modified":
      return { status: 304, headers: dated, body: noBody };
    case "failed":
      return withLength(412, dated, noBody);
    case "malformed date": {
      const refused = refusal(500, "500 Internal Server Error");
      return withLength(500, { ...refused.headers, ...dated }, joinedBodies([refused.body, found()]));
    }
    case "go on": {
      const typed = { ...dated, "Content-Type": jsonLines };
      return method === "HEAD" ? { status: 200, headers: typed, body: noBody } : withLength(200, typed, found());
    }
  }
}

/** The tag is weak, because the same content is sent compressed or not. */
const validators = ({ modifiedMs, tag }: ServedCatalog): Readonly<Record<string, string>> => ({
  "Last-Modified": formatHttpDate(modifiedMs),
  ...(tag === undefined ? {} : { ETag: `W/"${tag}"` }),
});

function multipart(
  ranges: readonly ByteRange[],
  content: Body,
  headers: Readonly<Record<string, string>>,
  boundary: string,
): CatalogAnswer {
  const parts = ranges.flatMap((range, index) => [
    textBody(
      `${index === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Range: ${contentRange(range, content)}\r\nContent-Type: ${jsonLines}\r\n\r\n`,
    ),
    slice(range, content),
  ]);
  const body = joinedBodies([...parts, textBody(`\r\n--${boundary}--\r\n`)]);
  return withLength(206, { ...headers, "Content-Type": `multipart/byteranges; boundary=${boundary}` }, body);
}

function contentRange({ start, length }: ByteRange, content: Body): string {
  return `bytes ${start}-${start + length - 1}/${content.length}`;
}

function slice({ start, length }: ByteRange, content: Body): Body {
  return partOf(content, start, length);
}

function withLength(status: number, headers: Readonly<Record<string, string>>, body: Body): CatalogAnswer {
  return { status, headers: { ...headers, "Content-Length": String(body.length) }, body };
}

function refusal(status: number, text: string, more: Readonly<Record<string, string>> = {}): CatalogAnswer {
  const headers = { ...more, "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  return withLength(status, headers, textBody(`${text}\n`));
}

function redirect(method: string, location: string): CatalogAnswer {
  if (method !== "GET" && method !== "HEAD") return withLength(307, { Location: location }, noBody);
  const shown = location
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");
  const body = textBody(`<a href="${shown}">Temporary Redirect</a>.\n\n`);
  return withLength(307, { Location: location, "Content-Type": "text/html; charset=utf-8" }, body);
}
