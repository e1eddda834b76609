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
import { create, patch, replace, type Target } from "./write-endpoint.ts";

/** Everything below the path of a kind that is served. */
export async function answerResource(
  parts: HandlerParts,
  kind: ServedKind,
  path: ResourcePath,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const { namespaced } = kind.type;
  const inScope = namespaced ? path.name === undefined || path.namespace !== undefined : path.namespace === undefined;
  if (!inScope) return kind.custom === undefined ? unrouted() : done(pageNotFound);
  const deprecation = kind.deprecation ?? deprecationOf(kind);
  // A patch of a type that a built-in kind does not take never gets as far as its handler.
  const isRouted = kind.custom !== undefined || request.method !== "PATCH" || patchTypeOf(request, kind).ok;
  if (deprecation !== undefined && isRouted) call.warnings.add(deprecation);
  if (path.name === undefined) return collection(parts, kind, path, request, call);
  const target = { namespace: path.namespace, name: path.name };
  return path.subresource === undefined
    ? single(parts, kind, target, request, call, path.watchPrefix)
    : subresource(parts, kind, target, path.subresource, request, call);
}

async function collection(
  parts: HandlerParts,
  kind: ServedKind,
  path: ResourcePath,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const { machinery } = parts;
  const everywhere = kind.type.namespaced && path.namespace === undefined;
  switch (request.method) {
    case "GET":
      if (isWatch(path, call))
        return kind.verbs.includes("watch") ? watchObjects(machinery, kind, call, path.namespace) : methodNotAllowed();
      return kind.verbs.includes("list") ? listObjects(machinery, kind, call, path.namespace) : methodNotAllowed();
    case "POST":
      if (everywhere || !kind.verbs.includes("create")) return methodNotAllowed();
      return create(parts, kind, path.namespace, request, call);
    case "DELETE": {
      if (everywhere || !kind.verbs.includes("deletecollection")) return methodNotAllowed();
      const output = outputOf(machinery, kind, call);
      if (!output.ok) return output;
      const list = listOptions(call.query, false);
      if (!list.ok) return list;
      const chosen = selection(kind, list.value);
      if (!chosen.ok) return chosen;
      const options = await readDeletion(parts.protobuf, request, call);
      if (!options.ok) return options;
      return removeCollection(machinery, kind, call, path.namespace, list.value, options.value, output.value);
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
  kind: ServedKind,
  target: Target,
  request: ApiRequest,
  call: Call,
  watchPrefix: boolean,
): Promise<Result<Answer, ApiStatus>> {
  const { machinery } = parts;
  switch (request.method) {
    case "GET": {
      if (!kind.verbs.includes("get")) return kind.stored ? methodNotAllowed() : unrouted();
      if (!watchPrefix) return getObject(machinery, kind, call, target.namespace, target.name);
      const query = new URLSearchParams(call.query);
      query.set("fieldSelector", `metadata.name=${target.name}`);
      return watchObjects(machinery, kind, { ...call, query }, target.namespace);
    }
    case "PUT":
      return replace(parts, kind, target, "main", request, call);
    case "PATCH":
      return patch(parts, kind, target, "main", request, call);
    case "DELETE": {
      if (!kind.verbs.includes("delete")) return methodNotAllowed();
      const output = outputOf(machinery, kind, call);
      if (!output.ok) return output;
      const options = await readDeletion(parts.protobuf, request, call);
      if (!options.ok) return options;
      const removed = await removeObject(machinery, kind, call, target, options.value);
      if (!removed.ok) return removed;
      return removalAnswer(kind, target.name, removed.value, output.value, options.value.cascades);
    }
    case "POST":
    case "HEAD":
    case "OPTIONS":
      return methodNotAllowed();
  }
}

function isThere({ storage }: HandlerParts["machinery"], kind: ServedKind, { namespace, name }: Target): boolean {
  return storage.get(kind.table, storageKey(kind, namespace, name)) !== undefined;
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
  kind: ServedKind,
  target: Target,
  name: string,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const { machinery } = parts;
  const first = name.split("/")[0] ?? name;
  const known = kind.subresources.find((candidate) => candidate.name === name);
  if (known === undefined) {
    if (kind.table === "pods" && name === "log" && !isThere(machinery, kind, target))
      return notFound(kind.type, target.name);
    if (kind.custom === undefined && unsupported.has(first) && ["pods", "services", "nodes"].includes(kind.table))
      return notImplemented(`${kind.type.plural}/${first}`, noContainers, kind.type, target.name);
    return kind.custom === undefined ? unrouted() : notFound(kind.type, target.name);
  }
  if (kind.custom !== undefined && (request.method === "POST" || request.method === "DELETE"))
    return verbNotSupported(kind.type, request.method === "POST" ? "create" : "delete");
  if (name === "scale") {
    if (request.method === "GET") return getScale(machinery, kind, call, target);
    if (request.method === "PUT") return putScale(machinery, kind, call, target, request, parts.protobuf);
    return request.method === "PATCH" ? patchScale(machinery, kind, call, target, request) : methodNotAllowed();
  }
  if (name === "status" || name === "finalize" || name === "approval") {
    const verb = { GET: "get", PUT: "update", PATCH: "patch" } as const;
    const { method } = request;
    if (method !== "GET" && method !== "PUT" && method !== "PATCH") return methodNotAllowed();
    if (!known.verbs.includes(verb[method])) return methodNotAllowed();
    if (method === "GET") return getObject(machinery, kind, call, target.namespace, target.name);
    return method === "PUT"
      ? replace(parts, kind, target, name, request, call)
      : patch(parts, kind, target, name, request, call);
  }
  if (request.method === "POST" && known.verbs.includes("create")) {
    const representation = negotiate(call.headers["accept"], { routed: true, shapes: "metadata" });
    if (!representation.ok) return representation;
    const body = await readBody(request, known.kind.kind, parts.protobuf.decoderOfKind(known.kind), call.work);
    return body.ok ? parts.reviews.createSubresource(kind, known.name, call, target, body.value) : body;
  }
  return methodNotAllowed();
}
