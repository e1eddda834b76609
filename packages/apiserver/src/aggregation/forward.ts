import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { HandlerParts } from "../handler-parts.ts";
import type { Call } from "../call.ts";
import type { Answer } from "../request/answer.ts";
import { isAvailable } from "./remote-groups.ts";

/** Forwards a request to the server of an APIService; connection failures become an error response. */
export async function forward(
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
