import { createHash } from "node:crypto";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Machinery } from "../machinery.ts";
import type { Registry, ServedVersion } from "../registry/registry.ts";
import type { Answer } from "../request/answer.ts";
import { pageNotFound } from "../request/answer.ts";
import { acceptsJson } from "../request/negotiation.ts";
import { methodNotAllowed } from "../request/refusal.ts";
import { protobufDocument } from "./protobuf-document.ts";
import { swaggerDocument } from "./swagger-document.ts";
import { versionDocument } from "./version-document.ts";

/** A document with what every answer needs of its text. */
export interface HashedDocument {
  readonly object: JsonObject;
  readonly hash: string;
  /** Characters of its JSON text. */
  readonly size: number;
}

/** Documents, created on first request; a new registry has the same versions for groups that did not change. */
const documents = new WeakMap<ServedVersion, HashedDocument>();

function documentOf(registry: Registry, group: string, version: string): HashedDocument | undefined {
  const served = registry.group(group)?.versions.find((candidate) => candidate.version === version);
  if (served === undefined) return undefined;
  let document = documents.get(served);
  if (document === undefined) documents.set(served, (document = hashed(versionDocument(served))));
  return document;
}

const missing: Answer = { kind: "document", code: 404, headers: {} };

const notAcceptable: Answer = { kind: "document", code: 406, headers: {} };

/** `/openapi/v3`, one document per group and version, and `/openapi/v2` with everything in one; in JSON. */
export function openApiAnswer(machinery: Machinery, request: ApiRequest, path: string): Result<Answer, ApiStatus> {
  const registry = machinery.registry();
  const [, api, ...rest] = path.split("/").slice(1);
  if (api === "v2" && rest.length === 0) return done(whole(registry, request));
  if (api !== "v3") return done(pageNotFound);
  if (rest.length === 0) return request.method === "GET" ? done(indexAnswer(registry)) : methodNotAllowed();
  const [root, ...place] = rest;
  const [group = "", version = ""] = root === "api" ? ["", ...place] : place;
  const document = documentOf(registry, group, version);
  if (document === undefined) return done(missing);
  if (!acceptsJson(request.headers?.["accept"])) return done(notAcceptable);
  const asked = request.query?.get("hash");
  const current = `${path}?hash=${document.hash}`;
  if (asked !== undefined && asked !== null && asked !== document.hash)
    return done({ kind: "document", code: 301, headers: { location: current } });
  return done(
    unlessKnown(
      request,
      document,
      asked === document.hash
        ? {
            "cache-control": "public, immutable",
            expires: new Date(machinery.clock.now() + 365 * 86_400_000).toUTCString(),
          }
        : {},
    ),
  );
}

/** The document, or 304 when the caller's etag matches. */
export function unlessKnown(
  { headers }: ApiRequest,
  { object, hash, size }: HashedDocument,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const etag = `"${hash}"`;
  const all = { "content-type": "application/json", vary: "Accept", etag, ...more };
  return headers?.["if-none-match"] === etag
    ? { kind: "document", code: 304, headers: all }
    : { kind: "document", code: 200, headers: all, object, size };
}

const wholes = new WeakMap<Registry, HashedDocument>();

function whole(registry: Registry, request: ApiRequest): Answer {
  const accept = request.headers?.["accept"];
  if (!acceptsJson(accept)) return protobufDocument(accept) ?? notAcceptable;
  let document = wholes.get(registry);
  if (document === undefined) {
    const all = registry.groups.flatMap(({ name, versions }) =>
      versions.flatMap(({ version }) => {
        const document = documentOf(registry, name, version);
        return document === undefined ? [] : [document.object];
      }),
    );
    wholes.set(registry, (document = hashed(swaggerDocument(all))));
  }
  return unlessKnown(request, document);
}

export function hashed(object: JsonObject): HashedDocument {
  const text = JSON.stringify(object);
  return { object, hash: createHash("sha512").update(text).digest("hex").toUpperCase(), size: text.length };
}

/** kube-apiserver serves the index with content type text/plain. */
function indexAnswer(registry: Registry): Answer {
  const contentType = "text/plain; charset=utf-8";
  return { kind: "text", code: 200, contentType, text: `${JSON.stringify({ paths: index(registry) })}\n` };
}

function index(registry: Registry): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { name, versions } of registry.groups)
    for (const { version } of versions) {
      const key = name === "" ? `api/${version}` : `apis/${name}/${version}`;
      const hash = documentOf(registry, name, version)?.hash ?? "";
      paths[key] = { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` };
    }
  return paths;
}
