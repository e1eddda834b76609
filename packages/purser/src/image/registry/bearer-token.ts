import { done, failed, type Result } from "@purser/kubernetes/result";
import { decodeUtf8 } from "@purser/kubernetes/text/utf8";
import type { RegistryAuth } from "../registry-auth.ts";
import { discard, readBounded } from "./bounded-body.ts";
import { isWebPage } from "./answer.ts";
import type { Challenge } from "./challenge.ts";
import { exchange, type ExchangeParts } from "./exchange.ts";
import { failureOfAnswer } from "./failure-of-answer.ts";
import { invalidAnswer, type RegistryFailure, tokenRequest } from "./registry-failure.ts";

export interface BearerToken {
  readonly value: string;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
  /** Replaces the identity token that it was obtained with. */
  readonly refreshToken?: string;
}

export interface TokenRequest {
  readonly challenge: Challenge;
  readonly scopes: readonly string[];
  readonly auth: RegistryAuth | undefined;
  /** Of the registry that sent the challenge. */
  readonly origin: string;
  readonly verify: boolean;
}

/** What the token specification says where the service gives no lifetime. */
const defaultLifetimeSeconds = 60;

/** A service that does not know how a token was asked for. */
const isUnknownFlow = (status: number): boolean => status === 404 || status === 405;

/**
 * A token from the service that a challenge names: by POST with an identity token (OAuth2), else by GET, with basic
 * authentication when there is a password; by the other of both where the service has only that. Its lifetime counts from the request on our own clock, because the clock of the
 * service (`issued_at`) may be wrong. Rejects when the signal aborts.
 */
export async function fetchToken(
  parts: ExchangeParts,
  { challenge, scopes, auth, origin, verify }: TokenRequest,
  signal: AbortSignal,
): Promise<Result<BearerToken, RegistryFailure>> {
  const host = new URL(origin).host;
  const realm = URL.parse(challenge.parameters["realm"] ?? "");
  if (realm === null || !/^https?:$/.test(realm.protocol) || realm.username !== "" || realm.password !== "")
    return failed(invalidAnswer(`${host} names no usable token service`, host));
  if (origin.startsWith("https:") && realm.protocol === "http:")
    return failed(invalidAnswer(`${host} wants credentials to be sent to ${realm.host} without TLS`, host));
  const started = parts.clock.monotonic();
  const [usual, other] = requestsOf({ realm, service: challenge.parameters["service"], scopes }, auth);
  let answer = await exchange(parts, { ...usual, verify }, signal);
  if (!answer.ok) return answer;
  if (other !== undefined && isUnknownFlow(answer.value.status)) {
    await discard(answer.value, parts, signal);
    answer = await exchange(parts, { ...other, verify }, signal);
    if (!answer.ok) return answer;
  }
  if (answer.value.status !== 200) return failed(await failureOfAnswer(answer.value, tokenRequest, parts, signal));
  const bounds = { maxBytes: parts.limits.tokenBytes, maxMs: parts.limits.bodyMs, what: "a token" };
  const bytes = await readBounded(answer.value, bounds, parts.clock, signal);
  if (!bytes.ok) return bytes;
  const read = readToken(bytes.value);
  if (read === undefined) {
    const sent = isWebPage(answer.value) ? "a web page" : "an answer that is not a JSON token";
    return failed(invalidAnswer(`${realm.host} answered ${tokenRequest} with ${sent}`, realm.host, 200));
  }
  return done({ ...read, expiresAt: started + read.lifetimeMs });
}

interface Wanted {
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scopes: readonly string[];
}

type FlowRequest = Pick<Parameters<typeof exchange>[1], "method" | "url" | "headers" | "body">;

/** The usual request, and the one for services that do not know it; no credential is ever part of a URL. */
function requestsOf(wanted: Wanted, auth: RegistryAuth | undefined): readonly [FlowRequest, FlowRequest?] {
  if (auth === undefined) return [byGet(wanted, undefined)];
  const { username, password, identityToken } = auth;
  if (identityToken === undefined)
    return [byGet(wanted, auth), byPost(wanted, { grant_type: "password", username, password })];
  return [
    byPost(wanted, { grant_type: "refresh_token", refresh_token: identityToken }),
    byGet(wanted, { username, password: identityToken }),
  ];
}

function byPost({ realm, service, scopes }: Wanted, grant: Readonly<Record<string, string>>): FlowRequest {
  const form = new URLSearchParams({
    ...grant,
    client_id: "purser",
    ...(service !== undefined && { service }),
    scope: scopes.join(" "),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", url: realm, headers, body: Buffer.from(form.toString()) };
}

function byGet(
  { realm, service, scopes }: Wanted,
  auth: Pick<RegistryAuth, "username" | "password"> | undefined,
): FlowRequest {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  if (auth === undefined) return { method: "GET", url, headers: {} };
  url.searchParams.set("account", auth.username);
  return { method: "GET", url, headers: { authorization: basic(auth) } };
}

export function basic({ username, password }: Pick<RegistryAuth, "username" | "password">): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function readToken(
  bytes: Uint8Array,
): { readonly value: string; readonly lifetimeMs: number; readonly refreshToken?: string } | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(decodeUtf8(bytes) ?? "");
  } catch {
    return undefined;
  }
  if (typeof answer !== "object" || answer === null) return undefined;
  const { token, access_token, expires_in, refresh_token } = answer as Readonly<Record<string, unknown>>;
  const value = [token, access_token].find((one) => typeof one === "string" && /^[\x21-\x7e]+$/.test(one));
  if (typeof value !== "string") return undefined;
  const seconds = typeof expires_in === "number" && expires_in > 0 ? expires_in : defaultLifetimeSeconds;
  return {
    value,
    // The last tenth is not used: the request has to arrive before the end.
    lifetimeMs: seconds * 900,
    ...(typeof refresh_token === "string" && { refreshToken: refresh_token }),
  };
}
