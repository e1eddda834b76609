import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { HandlerParts } from "./handler-parts.ts";
import type { Call } from "./call.ts";
import type { ServedKind } from "./registry/served-kind.ts";
import { isWatch } from "./request-access.ts";
import type { Answer } from "./request/answer.ts";
import { pageNotFound } from "./request/answer.ts";
import { readBody } from "./request/body.ts";
import { negotiate } from "./request/negotiation.ts";
import { listOptions } from "./request/query.ts";
import { methodNotAllowed, notFound, notImplemented, unrouted, verbNotSupported } from "./request/refusal.ts";
import type { ResourcePath } from "./request/request-path.ts";
import { outputOf } from "./resource/output.ts";
import { patchTypeOf } from "./resource/patches/patch-body.ts";
import { readDeletion } from "./resource/deletion-request.ts";
import { deprecationOf } from "./custom-resources/deprecation.ts";
import { getObject, listObjects, storageKey } from "./resource/read.ts";
import { removalAnswer, removeCollection, removeObject } from "./resource/remove.ts";
import { getScale, patchScale, putScale } from "./resource/subresources/scale-endpoint.ts";
import { selection } from "./resource/selection.ts";
import { watchObjects } from "./resource/watches/watch.ts";
import type { ObjectRequest, ResourceRequest } from "./resource/resource-request.ts";
import { create, patch, replace } from "./write-endpoint.ts";

/** Everything below the path of a kind that is served. */
export async function answerResource(
  parts: HandlerParts,
  kind: ServedKind,
  path: ResourcePath,
  sent: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const { namespaced } = kind.type;
  const inScope = namespaced ? path.name === undefined || path.namespace !== undefined : path.namespace === undefined;
  if (!inScope) return kind.custom === undefined ? unrouted() : done(pageNotFound);
  const deprecation = kind.deprecation ?? deprecationOf(kind);
  // A patch of a type that a built-in kind does not take never gets as far as its handler.
  const isRouted = kind.custom !== undefined || sent.method !== "PATCH" || patchTypeOf(sent, kind).ok;
  if (deprecation !== undefined && isRouted) call.warnings.add(deprecation);
  const { machinery, protobuf } = parts;
  const request = { machinery, protobuf, kind, namespace: path.namespace, call, sent };
  if (path.name === undefined) return collection(parts, request, path);
  const ofObject: ObjectRequest = { ...request, name: path.name, endpoint: "main" };
  return path.subresource === undefined
    ? single(parts, ofObject, path.watchPrefix)
    : subresource(parts, ofObject, path.subresource);
}

async function collection(
  parts: HandlerParts,
  request: ResourceRequest,
  path: ResourcePath,
): Promise<Result<Answer, ApiStatus>> {
  const { kind, call } = request;
  const everywhere = kind.type.namespaced && path.namespace === undefined;
  switch (request.sent.method) {
    case "GET":
      if (isWatch(path, call)) return kind.verbs.includes("watch") ? watchObjects(request) : methodNotAllowed();
      return kind.verbs.includes("list") ? listObjects(request) : methodNotAllowed();
    case "POST":
      if (everywhere || !kind.verbs.includes("create")) return methodNotAllowed();
      return create(parts, request);
    case "DELETE": {
      if (everywhere || !kind.verbs.includes("deletecollection")) return methodNotAllowed();
      const output = outputOf(request);
      if (!output.ok) return output;
      const list = listOptions(call.query, false);
      if (!list.ok) return list;
      const chosen = selection(kind, list.value);
      if (!chosen.ok) return chosen;
      const options = await readDeletion(request);
      if (!options.ok) return options;
      return removeCollection(request, list.value, options.value, output.value);
    }
    case "PUT":
    case "PATCH":
    case "HEAD":
    case "OPTIONS":
      return methodNotAllowed();
  }
}

async function single(
  parts: HandlerParts,
  request: ObjectRequest,
  watchPrefix: boolean,
): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, name } = request;
  switch (request.sent.method) {
    case "GET": {
      if (!kind.verbs.includes("get")) return kind.stored ? methodNotAllowed() : unrouted();
      if (!watchPrefix) return getObject(request);
      const query = new URLSearchParams(call.query);
      query.set("fieldSelector", `metadata.name=${name}`);
      return watchObjects({ ...request, call: { ...call, query } });
    }
    case "PUT":
      return replace(request);
    case "PATCH":
      return patch(parts, request);
    case "DELETE": {
      if (!kind.verbs.includes("delete")) return methodNotAllowed();
      const output = outputOf(request);
      if (!output.ok) return output;
      const options = await readDeletion(request);
      if (!options.ok) return options;
      const removed = await removeObject(request, options.value);
      if (!removed.ok) return removed;
      return removalAnswer(kind, name, removed.value, output.value, options.value.cascades);
    }
    case "POST":
    case "HEAD":
    case "OPTIONS":
      return methodNotAllowed();
  }
}

function isThere({ machinery, kind, namespace, name }: ObjectRequest): boolean {
  return machinery.storage.get(kind.table, storageKey(kind, namespace, name)) !== undefined;
}

/** What needs containers that run; a plain 404 would say that there is no such thing. */
const unsupported: ReadonlySet<string> = new Set([
  "log",
  "exec",
  "attach",
  "portforward",
  "proxy",
  "ephemeralcontainers",
  "resize",
]);

const noContainers = "this cluster runs no containers, its pods are simulated";

async function subresource(
  parts: HandlerParts,
  request: ObjectRequest,
  name: string,
): Promise<Result<Answer, ApiStatus>> {
  const { kind, call, sent } = request;
  const { method } = sent;
  const first = name.split("/")[0] ?? name;
  const known = kind.subresources.find((candidate) => candidate.name === name);
  if (known === undefined) {
    if (kind.table === "pods" && name === "log" && !isThere(request)) return notFound(kind.type, request.name);
    if (kind.custom === undefined && unsupported.has(first) && ["pods", "services", "nodes"].includes(kind.table))
      return notImplemented(`${kind.type.plural}/${first}`, noContainers, kind.type, request.name);
    return kind.custom === undefined ? unrouted() : notFound(kind.type, request.name);
  }
  if (kind.custom !== undefined && (method === "POST" || method === "DELETE"))
    return verbNotSupported(kind.type, method === "POST" ? "create" : "delete");
  if (name === "scale") {
    const ofScale = { ...request, endpoint: name } as const;
    if (method === "GET") return getScale(ofScale);
    if (method === "PUT") return putScale(ofScale);
    return method === "PATCH" ? patchScale(ofScale) : methodNotAllowed();
  }
  if (name === "status" || name === "finalize" || name === "approval") {
    const verb = { GET: "get", PUT: "update", PATCH: "patch" } as const;
    if (method !== "GET" && method !== "PUT" && method !== "PATCH") return methodNotAllowed();
    if (!known.verbs.includes(verb[method])) return methodNotAllowed();
    const ofEndpoint = { ...request, endpoint: name } as const;
    if (method === "GET") return getObject(ofEndpoint);
    return method === "PUT" ? replace(ofEndpoint) : patch(parts, ofEndpoint);
  }
  if (method === "POST" && known.verbs.includes("create")) {
    const representation = negotiate(call.headers["accept"], { routed: true, shapes: "metadata" });
    if (!representation.ok) return representation;
    const body = await readBody(sent, known.kind.kind, request.protobuf.decoderOfKind(known.kind), call.work);
    return body.ok ? parts.reviews.createSubresource(request, known.name, body.value) : body;
  }
  return methodNotAllowed();
}
