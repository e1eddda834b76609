import type { APIService } from "../apis/apiregistration.ts";
import type { KubeObject } from "../apis/object.ts";
import type { ApiStatus } from "../apis/object-write.ts";
import type { ApiRequest, UserInfo } from "../kube/transport.ts";
import type { RuleRequest } from "../object/rbac.ts";
import type { Result } from "../result.ts";
import { done } from "../result.ts";
import { accessDenied } from "./authorization/refusals.ts";
import { impersonated } from "./authentication/impersonation.ts";
import type { WriteEndpoint } from "./kinds/built-in-kind.ts";
import type { Call } from "./machinery.ts";
import type { HandlerParts } from "./handler-parts.ts";
import { nonResource } from "./non-resource.ts";
import { isAvailable } from "./aggregation/remote-groups.ts";
import { remoteService } from "./registry/remote-service.ts";
import type { ServedKind } from "./registry/served-kind.ts";
import type { Answer } from "./request/answer.ts";
import { answerObject, pageNotFound } from "./request/answer.ts";
import type { Body } from "./request/body.ts";
import { bodyBytes, readBody } from "./request/body.ts";
import type { Representation } from "./request/negotiation.ts";
import { negotiate } from "./request/negotiation.ts";
import { flag, listOptions, requestTimeout, writeOptions } from "./request/query.ts";
import { badRequest, methodNotAllowed, notFound, notImplemented, unrouted } from "./request/refusal.ts";
import type { RequestPath } from "./request/request-path.ts";
import { parseRequestPath } from "./request/request-path.ts";
import { deleteOptions } from "./resource/delete-options.ts";
import { patchObject } from "./resource/patch.ts";
import { post, put } from "./resource/put.ts";
import { getObject, listObjects } from "./resource/read.ts";
import { removalAnswer, removeCollection, removeObject } from "./resource/remove.ts";
import { getScale, patchScale, putScale } from "./resource/scale-endpoint.ts";
import { shapeObject, shaping } from "./resource/shape.ts";
import { watchObjects } from "./resource/watch.ts";

export interface Handled {
  readonly result: Result<Answer, ApiStatus>;
  readonly warnings: readonly string[];
}

type ResourcePath = Extract<RequestPath, { readonly kind: "resource" }>;

/** From request to answer: everything between authentication and bytes. */
export async function handle(
  parts: HandlerParts,
  request: ApiRequest,
  caller: UserInfo,
  signal: AbortSignal,
): Promise<Handled> {
  const warnings = new Set<string>();
  const result = await answer(parts, request, caller, signal, warnings);
  // What was read or written may be told only when it cannot be lost any more.
  await parts.machinery.storage.durable();
  return { result, warnings: [...warnings] };
}

async function answer(
  parts: HandlerParts,
  request: ApiRequest,
  caller: UserInfo,
  signal: AbortSignal,
  warnings: Set<string>,
): Promise<Result<Answer, ApiStatus>> {
  const headers = request.headers ?? {};
  const path = parseRequestPath(request.path);
  if (path.kind === "malformed") return badRequest("the path is not percent-encoded as it should be");
  const acting = impersonated(parts.authorizer, headers, caller);
  if (!acting.ok) return acting;
  const query = request.query ?? new URLSearchParams();
  const call: Call = { user: acting.value, query, headers, signal, warnings };
  const access = accessOf(path, request, call);
  const decision = parts.authorizer.decide({ user: call.user, ...access });
  if (!decision.allowed) return accessDenied({ user: call.user, ...access }, decision.reason);
  const [group, version] = path.kind === "resource" ? [path.group, path.version] : groupVersionOf(path.path);
  const remote = remoteService(parts.machinery, group, version);
  if (remote !== undefined) return forward(parts, remote, request, call);
  if (path.kind === "nonResource") return nonResource(parts, request, path.path);
  const timeout = requestTimeout(query);
  if (!timeout.ok) return timeout;
  if (query.has("export")) return badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  const kind = parts.machinery.registry().at(path.group, path.version, path.plural);
  if (kind === undefined) return missingKind(parts, path);
  return resource(parts, kind, path, request, call);
}

function missingKind({ machinery }: HandlerParts, { group }: ResourcePath): Result<Answer, ApiStatus> {
  // Groups of definitions have no routes of their own: what no definition serves, nobody serves.
  const versions = machinery.registry().group(group)?.versions ?? [];
  const isBuiltIn = versions.some(({ kinds }) => kinds.some(({ custom }) => custom === undefined));
  return group === "" || isBuiltIn ? unrouted() : done(pageNotFound);
}

/** Group and version of `/apis/<group>/<version>` and what is below it. */
function groupVersionOf(path: string): readonly [string, string] {
  const [, first, group = "", version = ""] = path.split("/");
  return first === "apis" ? [group, version] : ["", ""];
}

async function forward(
  { frontProxy }: HandlerParts,
  service: APIService,
  request: ApiRequest,
  { user, signal }: Call,
): Promise<Result<Answer, ApiStatus>> {
  if (!isAvailable(service)) return done(unavailable);
  try {
    const answer = await frontProxy.forward(service, request, user, signal);
    if (answer.ok) return done({ kind: "proxied", response: answer.value });
    return done({ ...unavailable, text: `${answer.problem}\n` });
  } catch (problem) {
    if (signal.aborted) throw problem;
    const why = problem instanceof Error ? problem.message : String(problem);
    return done({ ...unavailable, text: `error trying to reach service: ${why}\n` });
  }
}

const unavailable: Extract<Answer, { kind: "text" }> = {
  kind: "text",
  code: 503,
  contentType: "text/plain; charset=utf-8",
  text: "service unavailable\n",
};

function isWatch(path: ResourcePath, call: Call): boolean {
  return path.watchPrefix || (path.name === undefined && flag(call.query, "watch") === true);
}

function verbOf(path: ResourcePath, method: ApiRequest["method"], call: Call): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return path.name === undefined ? "deletecollection" : "delete";
    case "GET":
    case "HEAD":
    case "OPTIONS":
      if (isWatch(path, call)) return "watch";
      return path.name === undefined ? "list" : "get";
  }
}

function accessOf(
  path: Exclude<RequestPath, { readonly kind: "malformed" }>,
  { method }: ApiRequest,
  call: Call,
): { readonly request: RuleRequest; readonly namespace: string | undefined } {
  if (path.kind === "nonResource")
    return { request: { kind: "path", verb: method.toLowerCase(), path: path.path }, namespace: undefined };
  const named = path.name ?? /^metadata\.name==?([^,]+)$/.exec(call.query.get("fieldSelector") ?? "")?.[1];
  // A namespace is requested within itself, so that roles in it may speak about it.
  const namespace = path.namespace ?? (path.group === "" && path.plural === "namespaces" ? path.name : undefined);
  return {
    request: {
      kind: "resource",
      verb: verbOf(path, method, call),
      group: path.group,
      resource: path.plural,
      ...(path.subresource === undefined ? {} : { subresource: path.subresource }),
      ...(named === undefined ? {} : { name: named }),
    },
    namespace,
  };
}

async function resource(
  parts: HandlerParts,
  kind: ServedKind,
  path: ResourcePath,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  const { namespaced } = kind.type;
  const inScope = namespaced ? path.name === undefined || path.namespace !== undefined : path.namespace === undefined;
  if (!inScope) return kind.custom === undefined ? unrouted() : done(pageNotFound);
  if (kind.custom?.version.deprecated === true)
    call.warnings.add(
      kind.custom.version.deprecationWarning ??
        `${kind.type.group}/${kind.type.version} ${kind.type.kind} is deprecated`,
    );
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
    case "POST": {
      if (everywhere || !kind.verbs.includes("create")) return methodNotAllowed();
      const shape = outputShape(kind, call);
      if (!shape.ok) return shape;
      const body = await readBody(request, kind.type.kind, parts.protobuf.decoderOf(kind));
      if (!body.ok && body.problem.code === 415) return body;
      const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
      if (!options.ok) return options;
      if (!body.ok) return body;
      if (!kind.stored) return parts.reviews.create(kind, call, path.namespace, body.value);
      const created = await post(machinery, kind, call, path.namespace, body.value);
      return created.ok ? shape.value(created.value, 201) : created;
    }
    case "DELETE": {
      if (everywhere || !kind.verbs.includes("deletecollection")) return methodNotAllowed();
      const list = listOptions(call.query, false);
      if (!list.ok) return list;
      const options = await deletion(parts, kind, request, call);
      return options.ok ? removeCollection(machinery, kind, call, path.namespace, list.value, options.value) : options;
    }
    case "PUT":
    case "PATCH":
    case "HEAD":
    case "OPTIONS":
      return methodNotAllowed();
  }
}

/** Checked before the body is read: how the written object will be shown. */
function outputShape(
  kind: ServedKind,
  call: Call,
): Result<(object: KubeObject, code: number) => Result<Answer, ApiStatus>, ApiStatus> {
  const representation = negotiate(call.headers["accept"]);
  if (!representation.ok) return representation;
  return shaper(kind, call, representation.value);
}

function shaper(
  kind: ServedKind,
  call: Call,
  representation: Representation,
): Result<(object: KubeObject, code: number) => Result<Answer, ApiStatus>, ApiStatus> {
  const shapes = shaping(representation, call.query);
  if (!shapes.ok) return shapes;
  return done((object, code) => {
    const shaped = shapeObject(kind, object, shapes.value, 0);
    return shaped.ok ? done(answerObject(code, shaped.value, representation.encoding)) : shaped;
  });
}

async function deletion(
  parts: HandlerParts,
  kind: ServedKind,
  request: ApiRequest,
  call: Call,
): ReturnType<typeof readDeletion> {
  return readDeletion(parts, kind, request, call);
}

async function readDeletion(
  parts: HandlerParts,
  kind: ServedKind,
  request: ApiRequest,
  call: Call,
): Promise<ReturnType<typeof deleteOptions>> {
  let body: Body | undefined;
  if (request.body?.kind === "object") body = { value: request.body.value, duplicates: [] };
  else if (request.body !== undefined) {
    const bytes = await bodyBytes(request);
    if (!bytes.ok) return bytes;
    if (bytes.value.length > 0) {
      const read = await readBody(
        { ...request, body: { kind: "bytes", bytes: bytes.value } },
        "DeleteOptions",
        parts.protobuf.deleteOptions,
      );
      if (!read.ok) {
        const [, why] =
          /^the object provided is unrecognized \(must be of type DeleteOptions\): (.*) \(.*\)$/s.exec(
            read.problem.message,
          ) ?? [];
        return why === undefined ? read : badRequest(why);
      }
      body = read.value;
    }
  }
  if (kind.table === "jobs.batch" && body === undefined && !call.query.has("propagationPolicy"))
    call.warnings.add(
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    );
  return deleteOptions(call.query, body);
}

interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
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
      if (!kind.verbs.includes("get")) return methodNotAllowed();
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
      const options = await deletion(parts, kind, request, call);
      if (!options.ok) return options;
      const removed = await removeObject(machinery, kind, call, target, options.value);
      return removed.ok ? done(removalAnswer(kind, target.name, removed.value, options.value.cascades)) : removed;
    }
    case "POST":
    case "HEAD":
    case "OPTIONS":
      return methodNotAllowed();
  }
}

async function replace(
  parts: HandlerParts,
  kind: ServedKind,
  target: Target,
  endpoint: WriteEndpoint,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  if (endpoint === "main" && !kind.verbs.includes("update")) return methodNotAllowed();
  const shape = outputShape(kind, call);
  if (!shape.ok) return shape;
  const options = writeOptions(call.query, call.headers["user-agent"], "UpdateOptions");
  if (!options.ok) return options;
  const body = await readBody(request, kind.type.kind, parts.protobuf.decoderOf(kind));
  if (!body.ok) return body;
  const written = await put(parts.machinery, kind, call, { ...target, endpoint }, body.value);
  return written.ok ? shape.value(written.value.object, written.value.created ? 201 : 200) : written;
}

async function patch(
  parts: HandlerParts,
  kind: ServedKind,
  target: Target,
  endpoint: WriteEndpoint,
  request: ApiRequest,
  call: Call,
): Promise<Result<Answer, ApiStatus>> {
  if (endpoint === "main" && !kind.verbs.includes("patch")) return methodNotAllowed();
  const shape = outputShape(kind, call);
  if (!shape.ok) return shape;
  const mayCreate = (): Result<undefined, ApiStatus> => {
    const { group, plural } = kind.type;
    const access = {
      user: call.user,
      request: { kind: "resource", verb: "create", group, resource: plural, name: target.name },
      namespace: target.namespace,
    } as const;
    const decision = parts.authorizer.decide(access);
    return decision.allowed ? done(undefined) : accessDenied(access, decision.reason);
  };
  const written = await patchObject(parts.machinery, kind, call, { ...target, endpoint, mayCreate }, request);
  return written.ok ? shape.value(written.value.object, written.value.created ? 201 : 200) : written;
}

const unsupported: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "portforward",
  "proxy",
  "ephemeralcontainers",
  "resize",
]);

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
    if (kind.custom === undefined && unsupported.has(first) && ["pods", "services", "nodes"].includes(kind.table))
      return notImplemented(`${kind.type.plural}/${first}`, "workloads are simulated");
    return kind.custom !== undefined && (name === "status" || name === "scale")
      ? notFound(kind.type, target.name)
      : unrouted();
  }
  if (name === "scale") {
    const mayRead = request.method === "GET";
    if (mayRead) return getScale(machinery, kind, call, target);
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
    const body = await readBody(request, known.kind.kind, parts.protobuf.decoderOfKind(known.kind));
    return body.ok ? parts.reviews.createSubresource(kind, known.name, call, target, body.value) : body;
  }
  if (name === "log" && request.method === "GET") return notImplemented("pods/log", "workloads are simulated");
  return methodNotAllowed();
}
