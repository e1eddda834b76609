import type { ImageProblem } from "../image-problem.ts";
import { TunnelError } from "../proxy/tunnel.ts";
import type { RegistryAuth } from "../registry-auth.ts";

/** Why one request to one registry failed: an `ImageProblem` before it knows its image. Holds no secret and no query of a URL. */
export interface RegistryFailure {
  readonly kind: ImageProblem["kind"];
  /** A sentence that begins with the host. */
  readonly text: string;
  readonly remedy: string;
  readonly httpStatus?: number;
  /** Milliseconds that the registry asked to wait. */
  readonly retryAfterMs?: number;
  /** The same request may succeed in a moment. */
  readonly isPassing: boolean;
  /** The certificate cannot be verified with the authorities in use. */
  readonly isUntrusted?: boolean;
}

/** What a request for a token is called in a failure. */
export const tokenRequest = "a request for a token";

/** The first request to a registry, whose answer says how it authenticates. */
export const registryRequest = "GET /v2/";

/** The failure that an answer other than 2xx stands for. `code` is that of the registry's JSON error, if it sent one. */
export function failureOfStatus(
  status: number,
  request: { readonly host: string; readonly what: string; readonly code?: string; readonly retryAfterMs?: number },
): RegistryFailure {
  const { host, what, code, retryAfterMs } = request;
  const text = `${host} answered ${status}${code === undefined ? "" : ` (${code})`} to ${what}`;
  const facts = { text, httpStatus: status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (status === 401 || status === 403)
    return {
      ...facts,
      kind: "unauthorized",
      remedy: `provide credentials for ${host} that allow it: a pull secret, or an entry in an auth file`,
      isPassing: false,
    };
  if (status === 404 && what === tokenRequest)
    return {
      ...facts,
      kind: "invalid",
      remedy: `check the registry: it names ${host} as its token server, which does not issue tokens at this address`,
      isPassing: false,
    };
  if (status === 404 && what !== registryRequest)
    return { ...facts, kind: "notFound", remedy: whereMissing(what, host), isPassing: false };
  if (status === 429)
    return {
      ...facts,
      kind: "unreachable",
      remedy: `wait, or provide credentials for ${host} with a higher rate limit`,
      isPassing: true,
    };
  if (status === 408 || status >= 500)
    return { ...facts, kind: "unreachable", remedy: `check the state of ${host}`, isPassing: true };
  return {
    ...facts,
    kind: "invalid",
    remedy: `check that ${host} is a registry of the OCI distribution API`,
    isPassing: false,
  };
}

const whereMissing = (what: string, host: string): string =>
  /\/blobs\/sha256:|^GET of blob /.test(what)
    ? `push the image to ${host} again: a part of it is missing there`
    : "check registry, repository, and tag or digest";

/** A 401 or 403 with a remedy that names the refused credentials by their source, or says that none were found; others as they are. */
export function refusedCredentials(
  failure: RegistryFailure,
  host: string,
  auth: Pick<RegistryAuth, "source"> | undefined,
): RegistryFailure {
  if (failure.kind !== "unauthorized") return failure;
  const remedy =
    auth === undefined
      ? `no credentials for ${host} were found: provide some in a pull secret or an auth file`
      : `the credentials for ${host}${auth.source === undefined ? "" : ` come from ${auth.source}`}: correct them there, or provide others that allow it`;
  return { ...failure, remedy };
}

/** An answer that breaks the protocol or has other content than it should. */
export function invalidAnswer(text: string, host: string, httpStatus?: number): RegistryFailure {
  return {
    kind: "invalid",
    text,
    remedy: `check that ${host} is a registry, that no proxy changes its answers, and that the image was pushed completely`,
    ...(httpStatus !== undefined && { httpStatus }),
    isPassing: false,
  };
}

/** The registry, or the way to it, is too slow. */
export function tooSlow(text: string, host: string): RegistryFailure {
  return {
    kind: "unreachable",
    text,
    remedy: `check the state of ${host} and the network path to it`,
    isPassing: true,
  };
}

const certificateCodes = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** A connection did not come about. To a host behind a proxy it is the proxy that has none: for the host it answers a status. */
const connectCodes = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * The failure of a connection. Texts of errors are not repeated: they may hold URLs with user information.
 * @param proxy host and port of the proxy that was to be used
 */
export function failureOfError(error: unknown, host: string, proxy?: string): RegistryFailure {
  const code = errorCode(error);
  if (proxy !== undefined && connectCodes.has(code))
    return {
      kind: "unreachable",
      text: `the connection to ${proxy}, the proxy for ${host}, failed (${code})`,
      remedy: "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the state of the proxy",
      isPassing: code !== "ENOTFOUND",
    };
  if (error instanceof TunnelError) return failureOfProxy(error, code, host, proxy ?? "");
  if (certificateCodes.has(code))
    return {
      kind: "unreachable",
      text: `the TLS certificate of ${host} cannot be verified (${code})`,
      remedy: `put the certificate of its authority into certs.d/${host}/ca.crt below /etc/containers or /etc/docker, or correct the certificate`,
      isPassing: false,
      isUntrusted: true,
    };
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return {
      kind: "unreachable",
      text: `the TLS handshake with ${host} failed (${code})`,
      remedy: `check that ${host} serves TLS 1.2 or later; plain HTTP must be allowed by "insecure = true" in registries.conf`,
      isPassing: false,
    };
  if (code === "ENOTFOUND")
    return {
      kind: "unreachable",
      text: `host ${host} does not exist (${code})`,
      remedy: "check the name and the DNS",
      isPassing: false,
    };
  return {
    kind: "unreachable",
    text: `the connection to ${host} failed (${code})`,
    remedy: `check the state of ${host}, the network path and the proxy settings`,
    isPassing: true,
  };
}

function failureOfProxy(error: TunnelError, code: string, host: string, proxy: string): RegistryFailure {
  if (certificateCodes.has(code))
    return {
      kind: "unreachable",
      text: `the TLS certificate of ${proxy}, the proxy for ${host}, cannot be verified (${code})`,
      remedy: `put the certificate of its authority into certs.d/${proxy}/ca.crt below /etc/containers or /etc/docker, or correct the certificate`,
      isPassing: false,
    };
  return {
    kind: "unreachable",
    text: `${host} cannot be reached: the proxy ${proxy} ${error.message}`,
    remedy: "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the rules of the proxy",
    isPassing: error.isPassing,
  };
}

function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("cause" in error && error.cause !== undefined) return errorCode(error.cause);
  return "name" in error && typeof error.name === "string" ? error.name : "unknown";
}
