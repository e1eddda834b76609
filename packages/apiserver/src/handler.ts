import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest, UserInfo } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { forward } from "./aggregation/forward.ts";
import { accessDenied } from "./authorization/refusals.ts";
import { impersonated } from "./authentication/impersonation.ts";
import type { Call } from "./call.ts";
import type { HandlerParts } from "./handler-parts.ts";
import { nonResource } from "./non-resource.ts";
import { remoteService } from "./registry/remote-service.ts";
import { accessOf } from "./request-access.ts";
import type { Answer } from "./request/answer.ts";
import { pageNotFound } from "./request/answer.ts";
import { flag, requestTimeout } from "./request/query.ts";
import { badRequest, unexplained, unrouted } from "./request/refusal.ts";
import type { ResourcePath } from "./request/request-path.ts";
import { nameProblem, parseRequestPath } from "./request/request-path.ts";
import { answerResource } from "./resource-endpoints.ts";
import { WriteRefused } from "./storage/journal.ts";
import { RequestWork, turns } from "./turns.ts";

export interface Handled {
  readonly result: Result<Answer, ApiStatus>;
  readonly warnings: readonly string[];
}

/** From request to answer: everything between authentication and bytes. */
export async function handle(
  parts: HandlerParts,
  request: ApiRequest,
  caller: UserInfo,
  signal: AbortSignal,
): Promise<Handled> {
  for (let attempt = 1; ; attempt++) {
    const warnings = new Set<string>();
    const { storage } = parts.machinery;
    const refusals = storage.refusals();
    const result = await answer(parts, request, caller, signal, warnings);
    try {
      // The answer may rest on changes that are not durable yet: wait for the disk first.
      await storage.durable(refusals);
      return { result, warnings: [...warnings] };
    } catch (problem) {
      if (!(problem instanceof WriteRefused)) throw problem;
      // The changes that a read may have seen were rolled back: read again.
      if (request.method !== "GET" || attempt === readAttempts)
        return { result: storageRefused(problem), warnings: [...warnings] };
    }
  }
}

/** Bounds how often a read is repeated while the disk refuses writes. */
const readAttempts = 20;

/**
 * kube-apiserver passes on etcd's message. A change that was stored beside refused ones may get this answer too: as
 * after every 500, the client has to read the object.
 */
function storageRefused({ message, isFull }: WriteRefused): Result<never, ApiStatus> {
  return unexplained(
    isFull
      ? `etcdserver: mvcc: database space exceeded: changes are not kept; free space on the disk of the data directory (${message})`
      : `the data file cannot be written: changes are not kept (${message})`,
  );
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
  if (path.kind === "malformed") return done(malformed);
  if (path.kind === "undetermined") return done(undetermined(request.path));
  const acting = impersonated(parts.authorizer, headers, caller);
  if (!acting.ok) return acting;
  const query = request.query ?? new URLSearchParams();
  const call: Call = { user: acting.value, query, headers, signal, warnings, work: new RequestWork(turns) };
  const access = accessOf(path, request, call);
  const decision = parts.authorizer.decide({ user: call.user, ...access });
  if (!decision.allowed) return accessDenied({ user: call.user, ...access }, decision.reason);
  const [group, version] = path.kind === "resource" ? [path.group, path.version] : groupVersionOf(path.path);
  const remote = remoteService(parts.machinery, group, version);
  if (remote !== undefined) return forward(parts, remote, request, call);
  if (path.kind === "nonResource") return nonResource(parts, request, path.path, call);
  if (headers["upgrade"]?.toLowerCase() === "websocket")
    return badRequest("embedded server: WebSocket connections are not supported (a watch is plain HTTP)");
  const timeout = requestTimeout(query);
  if (!timeout.ok) return timeout;
  if (request.method === "GET" && path.name !== undefined && flag(query, "export") === true)
    return badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  const kind = parts.machinery.registry().at(path.group, path.version, path.plural);
  if (kind === undefined) return missingKind(parts, path);
  const problem = nameProblem(`/${kind.custom === undefined ? "" : `${path.group}/`}${kind.type.plural}`, path);
  if (problem !== undefined) return problem;
  return answerResource(parts, kind, path, request, call);
}

/** The answer of Go's HTTP server, which refuses such a path. */
const malformed: Answer = {
  kind: "text",
  code: 400,
  contentType: "text/plain; charset=utf-8",
  text: "400 Bad Request",
};

function undetermined(path: string): Answer {
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
  return {
    kind: "text",
    code: 500,
    contentType: "text/plain; charset=utf-8",
    text: `Internal Server Error: ${JSON.stringify(path)}: ${why}\n`,
    headers: { "x-content-type-options": "nosniff" },
  };
}

function missingKind({ machinery }: HandlerParts, { group }: ResourcePath): Result<Answer, ApiStatus> {
  // A group of CustomResourceDefinitions alone has no routes: an unserved resource is answered with a plain 404 page.
  const versions = machinery.registry().group(group)?.versions ?? [];
  const isBuiltIn = versions.some(({ kinds }) => kinds.some(({ custom }) => custom === undefined));
  return group === "" || isBuiltIn ? unrouted() : done(pageNotFound);
}

/** Group and version of `/apis/<group>/<version>` and what is below it. */
function groupVersionOf(path: string): readonly [string, string] {
  const [, first, group = "", version = ""] = path.split("/");
  return first === "apis" ? [group, version] : ["", ""];
}
