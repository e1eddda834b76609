import type { Readable } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Dispatcher } from "undici";
import { forwardingError } from "../proxy/proxied-dispatcher.ts";
import { TunnelError } from "../proxy/tunnel.ts";
import { startTimeLimit } from "../time-limit.ts";
import { type Answer, seconds } from "./answer.ts";
import { discard } from "./bounded-body.ts";
import { countedBody, watchProgress } from "./counted-body.ts";
import type { RegistryConnections } from "./registry-connections.ts";
import { failureOfError, invalidAnswer, type RegistryFailure, tooSlow } from "./registry-failure.ts";
import type { RegistryLimits } from "./registry-limits.ts";

export interface ExchangeParts {
  readonly connections: RegistryConnections;
  readonly clock: Clock;
  readonly limits: RegistryLimits;
}

export interface ExchangeRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | Readable;
  /** False accepts every certificate. */
  readonly verify: boolean;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Sends one request and follows redirects of GET and HEAD: never from https to http, and credentials go only to the
 * scheme, host and port that the request names. Any status is an answer. Rejects when the signal aborts.
 */
export async function exchange(
  parts: ExchangeParts,
  request: ExchangeRequest,
  signal: AbortSignal,
): Promise<Result<Answer, RegistryFailure>> {
  let { url, headers } = request;
  for (let followed = 0; ; followed++) {
    const sent = { ...request, url, headers };
    let answer = await exchangeOnce(parts, sent, signal);
    if (!answer.ok && answer.problem.isUntrusted === true && !isStream(request.body) && parts.connections.widen(url))
      answer = await exchangeOnce(parts, sent, signal);
    if (!answer.ok) return answer;
    const { status, host } = answer.value;
    if (!redirects.has(status)) return answer;
    await discard(answer.value, parts, signal);
    const target = URL.parse(answer.value.header("location") ?? "", url.href);
    if (target === null || !/^https?:$/.test(target.protocol) || target.username !== "" || target.password !== "")
      return failed(invalidAnswer(`${host} redirects to something that is not a usable URL`, host, status));
    if (request.method !== "GET" && request.method !== "HEAD")
      return failed(invalidAnswer(`${host} redirects a ${request.method} request`, host, status));
    if (followed >= parts.limits.redirects)
      return failed(
        invalidAnswer(
          `${request.url.host} redirects ${request.method} ${request.url.pathname} more than ${parts.limits.redirects} times`,
          host,
          status,
        ),
      );
    if (url.protocol === "https:" && target.protocol === "http:")
      return failed(invalidAnswer(`${host} redirects from https to http (${target.host})`, host, status));
    if (target.origin !== url.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization"));
    url = target;
  }
}

async function exchangeOnce(
  { connections, clock, limits }: ExchangeParts,
  { method, url, headers, body, verify }: ExchangeRequest,
  signal: AbortSignal,
): Promise<Result<Answer, RegistryFailure>> {
  signal.throwIfAborted();
  const dispatcher = connections.dispatcher(url, verify);
  if (!dispatcher.ok) return dispatcher;
  const control = new AbortController();
  const abort = (): void => control.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const release = (): void => signal.removeEventListener("abort", abort);
  let isLate = false;
  const onLate = (): void => {
    isLate = true;
    control.abort();
  };
  // An upload may take long, as long as the host goes on taking it.
  const counted = isStream(body) ? countedBody(body) : undefined;
  const stopLimit =
    counted === undefined
      ? startTimeLimit(clock, limits.answerMs, onLate)
      : watchProgress(clock, limits.uploadMs, counted.taken, onLate);
  const sent = counted?.body ?? body;
  try {
    const response = await dispatcher.value.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      // Undici ends the connection after HEAD otherwise; a body that a registry sends by mistake breaks it anyway.
      reset: false,
      headers: { "user-agent": "purser", "accept-encoding": "identity", ...headers },
      ...(sent !== undefined && { body: sent }),
      signal: control.signal,
    });
    response.body.on("close", release);
    // A body that nobody reads to its end may still fail later.
    response.body.on("error", () => undefined);
    return done(answerOf(response, url));
  } catch (error) {
    release();
    signal.throwIfAborted();
    const proxy = connections.proxyHost(url);
    const isForwarded = proxy !== undefined && url.protocol === "http:" && !(error instanceof TunnelError);
    return failed(
      isLate
        ? tooSlow(
            counted === undefined
              ? `${url.host} sent no answer within ${seconds(limits.answerMs)}`
              : `${url.host} neither received more of an upload nor answered it for ${seconds(limits.uploadMs)}`,
            url.host,
          )
        : failureOfError(isForwarded ? forwardingError(error) : error, url.host, proxy),
    );
  } finally {
    stopLimit();
  }
}

const isStream = (body: Uint8Array | Readable | undefined): body is Readable =>
  body !== undefined && !(body instanceof Uint8Array);

function answerOf(response: Dispatcher.ResponseData, url: URL): Answer {
  const { statusCode, headers, body } = response;
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : value?.[0];
  };
  return { status: statusCode, header, challenges: headers["www-authenticate"], body, host: url.host, url };
}
