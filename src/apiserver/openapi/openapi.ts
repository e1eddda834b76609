import { createHash } from "node:crypto";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { JsonObject } from "../../json.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { Machinery } from "../machinery.ts";
import type { Registry } from "../registry/registry.ts";
import type { Answer } from "../request/answer.ts";
import { answerObject } from "../request/answer.ts";
import { versionDocument } from "./version-document.ts";

interface Document {
  readonly object: JsonObject;
  readonly hash: string;
}

/** Documents of one registry, made when they are first asked for. */
const documents = new WeakMap<Registry, Map<string, Document>>();

function documentOf(registry: Registry, group: string, version: string): Document | undefined {
  const served = registry.group(group)?.versions.find((candidate) => candidate.version === version);
  if (served === undefined) return undefined;
  let known = documents.get(registry);
  if (known === undefined) documents.set(registry, (known = new Map()));
  const key = `${group}/${version}`;
  let document = known.get(key);
  if (document === undefined) {
    const object = versionDocument(served);
    const hash = createHash("sha512").update(JSON.stringify(object)).digest("hex").toUpperCase();
    known.set(key, (document = { object, hash }));
  }
  return document;
}

const missing: Answer = { kind: "text", code: 404, contentType: "text/plain; charset=utf-8", text: "" };

/** `/openapi/v3` and one document per group and version; `/openapi/v2` is not offered. */
export function openApiAnswer(machinery: Machinery, request: ApiRequest, path: string): Result<Answer, ApiStatus> {
  const registry = machinery.registry();
  const [, api, ...rest] = path.split("/").slice(1);
  if (api !== "v3") return done(missing);
  if (rest.length === 0) return done(answerObject(200, { paths: index(registry) }));
  const [root, ...place] = rest;
  const [group = "", version = ""] = root === "api" ? ["", ...place] : place;
  const document = documentOf(registry, group, version);
  if (document === undefined) return done(missing);
  const asked = request.query?.get("hash");
  const current = `${path}?hash=${document.hash}`;
  if (asked !== undefined && asked !== null && asked !== document.hash)
    return done({ kind: "document", code: 301, headers: { location: current } });
  const headers = {
    "content-type": "application/json",
    vary: "Accept",
    etag: `"${document.hash}"`,
    ...(asked === document.hash
      ? {
          "cache-control": "public, immutable",
          expires: new Date(machinery.clock.now() + 365 * 86_400_000).toUTCString(),
        }
      : {}),
  };
  return request.headers?.["if-none-match"] === headers.etag
    ? done({ kind: "document", code: 304, headers })
    : done({ kind: "document", code: 200, headers, object: document.object });
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
