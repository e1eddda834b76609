import type { Readable } from "node:stream";
import type { Clock } from "@purser/kubernetes/clock";
import type { AccessReviews } from "../callers/access-reviews.ts";
import type { TokenReviews } from "../callers/token-reviews.ts";
import { answerExplain, isExplainPath } from "../explain/explain-answer.ts";
import type { ExplainPort } from "../explain/explain-port.ts";
import { cpuProfile, heapSnapshot, profileSeconds } from "./debug-pages.ts";
import type { MetricsText } from "./metrics-page.ts";
import { type ReadyCheck, readiness } from "./readiness.ts";

/** What an instance shows of itself. */
export interface Inside {
  /** Conditions of `/readyz`. */
  checks(): readonly ReadyCheck[];
  metrics(): Promise<MetricsText>;
  /** Queues with their keys, and other states, as JSON. */
  queues(): unknown;
  readonly explain: ExplainPort;
}

/** Who may see what. */
export type DoorAccess =
  /** Without TLS: everything but the debug pages, which need `debug`. */
  | { readonly kind: "open"; readonly debug: boolean }
  /** With TLS: metrics for whom the cluster lets `get /metrics`, debug pages for a verified client certificate. */
  | { readonly kind: "reviewed"; readonly tokens: TokenReviews; readonly reviews: AccessReviews };

export interface DoorOptions {
  readonly inside: Inside;
  readonly access: DoorAccess;
  readonly clock: Clock;
}

export interface DoorRequest {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly accept: string;
  /** The client showed a certificate of one of the authorities that were given for clients. */
  readonly isVerified: boolean;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

const plain = (status: number, body: string, headers: DoorAnswer["headers"] = {}): DoorAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...headers },
  body,
});
const json = (body: string): DoorAnswer => ({ status: 200, headers: { "content-type": "application/json" }, body });

/** Answers health, readiness, metrics and debug pages. @throws when the API server does not answer who may see them */
export async function answerDoor(request: DoorRequest, options: DoorOptions, signal: AbortSignal): Promise<DoorAnswer> {
  const { pathname, searchParams } = new URL(request.target, "http://door");
  if (request.method !== "GET" && request.method !== "HEAD")
    return plain(405, "only GET is supported\n", { allow: "GET, HEAD" });
  switch (pathname) {
    case "/healthz":
    case "/livez":
      return plain(200, "ok");
    case "/readyz": {
      const excluded = new Set(searchParams.getAll("exclude"));
      const { status, text } = readiness(options.inside.checks(), excluded, searchParams.has("verbose"));
      return plain(status, text);
    }
    case "/metrics": {
      const refusal = await metricsRefusal(request, options.access, signal);
      if (refusal !== undefined) return refusal;
      const { contentType, text } = await options.inside.metrics();
      return { status: 200, headers: { "content-type": contentType }, body: text };
    }
    default:
      if (isExplainPath(pathname)) return explainPage(request, options, signal);
      return pathname.startsWith("/debug")
        ? debugPage(pathname, searchParams, request, options, signal)
        : plain(404, "this address serves /healthz, /livez, /readyz, /metrics, /explain, /tenancy and /debug\n");
  }
}

async function explainPage(
  { authorization, target, accept }: DoorRequest,
  { access, inside }: DoorOptions,
  signal: AbortSignal,
): Promise<DoorAnswer> {
  if (access.kind === "open")
    return plain(
      403,
      "explanations require TLS, which shows who asks: add --tls-cert and --tls-key, or use the address of the package API\n",
    );
  const user = await access.tokens.bearer(authorization, signal);
  if (user === undefined) return plain(401, "Unauthorized\n", { "www-authenticate": "Bearer" });
  return answerExplain({ target, accept, user }, { port: inside.explain, reviews: access.reviews }, signal);
}

async function metricsRefusal(
  { authorization, method }: DoorRequest,
  access: DoorAccess,
  signal: AbortSignal,
): Promise<DoorAnswer | undefined> {
  if (access.kind === "open") return undefined;
  const user = await access.tokens.bearer(authorization, signal);
  if (user === undefined) return plain(401, "Unauthorized\n", { "www-authenticate": "Bearer" });
  const asked = { kind: "path", path: "/metrics", verb: method === "HEAD" ? "head" : "get" } as const;
  if (await access.reviews.allows(user, asked, signal)) return undefined;
  return plain(403, `${user.name} may not get /metrics: bind a ClusterRole with nonResourceURLs ["/metrics"]\n`);
}

async function debugPage(
  path: string,
  query: URLSearchParams,
  { isVerified }: DoorRequest,
  { inside, access, clock }: DoorOptions,
  signal: AbortSignal,
): Promise<DoorAnswer> {
  if (access.kind === "open" && !access.debug) return plain(403, "debug pages require --debug-pages\n");
  if (access.kind === "reviewed" && !isVerified)
    return plain(403, "debug pages require a client certificate of --client-ca\n");
  switch (path) {
    case "/debug":
    case "/debug/":
      return plain(200, "/debug/queues\n/debug/profile?seconds=10\n/debug/heap  (holds Secrets)\n");
    case "/debug/queues":
      return json(`${JSON.stringify(inside.queues(), undefined, 2)}\n`);
    case "/debug/profile": {
      const seconds = profileSeconds(query.get("seconds"));
      return seconds.ok ? json(await cpuProfile(seconds.value, clock, signal)) : plain(400, `${seconds.problem}\n`);
    }
    case "/debug/heap":
      return { status: 200, headers: { "content-type": "application/json" }, body: heapSnapshot() };
    default:
      return plain(404, "the debug pages are /debug/queues, /debug/profile and /debug/heap\n");
  }
}
