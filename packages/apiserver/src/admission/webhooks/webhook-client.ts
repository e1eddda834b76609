import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import type { WebhookClientConfig } from "@purser/kubernetes/apis/apiextensions";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { serviceTarget } from "../../aggregation/service-target.ts";
import type { Machinery } from "../../machinery.ts";

/** Maximum length of a webhook's response in bytes. */
const answerLimit = 16 * 1024 * 1024;

interface Target {
  readonly url: URL;
  readonly serverName: string | undefined;
}

/**
 * Posts a review to a webhook and reads its JSON response. The problem is the text of kube-apiserver after `failed to
 * call webhook: `. A Service is reachable only when its endpoints are outside this process: the embedded server runs no
 * containers.
 */
export async function callWebhook(
  machinery: Machinery,
  config: WebhookClientConfig,
  review: JsonObject,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Result<JsonValue, string>> {
  const target = targetOf(machinery, config);
  if (!target.ok) return target;
  const { url, serverName } = target.value;
  url.searchParams.set("timeout", `${Math.ceil(timeoutMs / 1000)}s`);
  const timer = new AbortController();
  const abort = AbortSignal.any([timer.signal, machinery.stopping, ...(signal === undefined ? [] : [signal])]);
  const expired = machinery.clock.sleep(timeoutMs, abort).then(
    () => "expired" as const,
    () => "expired" as const,
  );
  try {
    const posted = post(url, serverName, config.caBundle, JSON.stringify(review), abort);
    const first = await Promise.race([posted, expired]);
    if (first === "expired") {
      posted.catch(() => undefined);
      return failed(`Post "${url.href}": context deadline exceeded`);
    }
    return readAnswer(first.code, first.body);
  } catch (problem) {
    return failed(`Post "${url.href}": ${goNetworkError(problem, url)}`);
  } finally {
    timer.abort();
  }
}

function targetOf(machinery: Machinery, config: WebhookClientConfig): Result<Target, string> {
  if (config.url !== undefined) {
    if (!URL.canParse(config.url)) return failed(`invalid url ${JSON.stringify(config.url)}`);
    return done({ url: new URL(config.url), serverName: undefined });
  }
  const { service } = config;
  if (service === undefined) return failed("neither url nor service is set");
  const { namespace, name, path = "", port = 443 } = service;
  const target = serviceTarget(machinery.storage, { namespace, name, port });
  if (!target.ok) return failed(target.problem.message);
  const { host, serverName } = target.value;
  return done({ url: new URL(`https://${host}${path}`), serverName });
}

async function post(
  url: URL,
  serverName: string | undefined,
  caBundle: string | undefined,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly body: string }> {
  const secure = url.protocol === "https:";
  const agent = secure
    ? new Agent({
        keepAlive: false,
        ...(caBundle === undefined || caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64") }),
      })
    : undefined;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Importing node:http would load WebSocket and with it all of undici.
  const outgoing = (secure ? httpsRequest : process.getBuiltinModule("node:http").request)(
    url,
    {
      method: "POST",
      signal,
      ...(agent === undefined ? {} : { agent }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, */*",
        "user-agent": "kube-apiserver-admission",
        "content-length": Buffer.byteLength(body),
      },
    },
    resolve,
  );
  outgoing.on("error", reject);
  outgoing.end(body);
  const answer = await promise;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerLimit) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return { code: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
}

function readAnswer(code: number, body: string): Result<JsonValue, string> {
  if (code === 404) return failed("the server could not find the requested resource");
  if (code < 200 || code > 299)
    return failed(
      `an error on the server (${JSON.stringify(body.trim() || "unknown")}) has prevented the request from succeeding`,
    );
  try {
    const value = JSON.parse(body) as JsonValue;
    if (isJsonObject(value) && typeof value["kind"] === "string") return done(value);
    return failed("couldn't get version/kind; json parse error: no kind");
  } catch (problem) {
    return failed(`couldn't get version/kind; json parse error: ${problem instanceof Error ? problem.message : ""}`);
  }
}

const certificateProblems: ReadonlySet<string> = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** Go's error texts for the most common network failures. */
function goNetworkError(problem: unknown, url: URL): string {
  const code = problem instanceof Error && "code" in problem ? String(problem.code) : "";
  const address = `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port}`;
  if (code === "ECONNREFUSED") return `dial tcp ${address}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${url.hostname}: no such host`;
  if (certificateProblems.has(code))
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  return problem instanceof Error ? problem.message : String(problem);
}
