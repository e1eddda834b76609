import type { Readable } from "node:stream";
import type { Entropy } from "@purser/kubernetes/entropy";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { RegistryAuth } from "../registry-auth.ts";
import type { Answer } from "./answer.ts";
import { basic, type BearerToken, fetchToken } from "./bearer-token.ts";
import { discard } from "./bounded-body.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";
import { exchange, type ExchangeParts } from "./exchange.ts";
import { failureOfAnswer } from "./failure-of-answer.ts";
import type { Endpoint } from "./registry-connections.ts";
import { type RegistryFailure, refusedCredentials, registryRequest } from "./registry-failure.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";

/** A repository of one registry and how that may be reached. */
export interface RepositoryPlace {
  /** As references name it: `docker.io`, `registry.example:5000`. */
  readonly registry: string;
  readonly repository: string;
  /** Certificates are not verified, and plain HTTP is tried where HTTPS is not served. */
  readonly isInsecure: boolean;
}

export interface ClientParts extends ExchangeParts {
  readonly entropy: Entropy;
  readonly retry: RetryPolicy;
  /** Asked once, when the registry wants credentials. */
  readonly credentials: (signal: AbortSignal) => Promise<Result<RegistryAuth | undefined, RegistryFailure>>;
  /** `pull` or `pull,push`. */
  readonly actions: string;
}

export interface RepositoryRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  /** Below `/v2/REPOSITORY/`, or a whole URL that the registry gave. */
  readonly path: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** A body that can be sent again from its beginning. */
  readonly openBody?: () => Readable;
  /** Scopes beside that of the repository. */
  readonly scopes?: readonly string[];
}

const endpointMs = 300_000;

/** Requests to one repository: finds out how the registry authenticates, obtains tokens, sends again what failed in passing. */
export class RegistryClient {
  readonly place: RepositoryPlace;
  readonly #parts: ClientParts;
  readonly #tokens = new Map<string, Promise<Result<BearerToken, RegistryFailure>>>();
  #auth: Promise<Result<RegistryAuth | undefined, RegistryFailure>> | undefined;
  #refreshToken: string | undefined;

  constructor(place: RepositoryPlace, parts: ClientParts) {
    this.place = place;
    this.#parts = parts;
  }

  /** The host that requests go to. */
  get host(): string {
    return this.place.registry === "docker.io" ? "registry-1.docker.io" : this.place.registry;
  }

  /**
   * What `read` makes of an answer with a status of 2xx. Sends again what failed in passing, while it was sent or read, as
   * often as the policy allows. Rejects when the signal aborts.
   */
  send<Value>(
    request: RepositoryRequest,
    read: (answer: Answer) => Promise<Result<Value, RegistryFailure>>,
    signal: AbortSignal,
  ): Promise<Result<Value, RegistryFailure>> {
    const { clock, entropy, retry } = this.#parts;
    const attempt = async (): Promise<Result<Value, RegistryFailure>> => {
      const answer = await this.#sendOnce(request, signal);
      return answer.ok ? read(answer.value) : answer;
    };
    return withRetries(attempt, { clock, entropy, policy: retry, signal });
  }

  /** Twice when a token has expired. */
  async #sendOnce(request: RepositoryRequest, signal: AbortSignal): Promise<Result<Answer, RegistryFailure>> {
    const endpoint = await this.#endpoint(signal);
    if (!endpoint.ok) return endpoint;
    const { origin, challenges } = endpoint.value;
    const path = typeof request.path === "string" ? `/v2/${this.place.repository}/${request.path}` : request.path;
    const url = new URL(path, origin);
    const scopes = [`repository:${this.place.repository}:${this.#parts.actions}`, ...(request.scopes ?? [])];
    const first = await this.#authorized(request, { url, origin, challenges, scopes }, signal);
    if (!first.ok || first.value.status !== 401) return this.#successful(first, request, url, signal);
    // The token has expired or lacks a scope, or the registry asks for credentials here and not at `/v2/`.
    const offered = parseChallenges(first.value.challenges);
    const wanted = offered.flatMap(({ parameters }) => parameters["scope"]?.split(" ") ?? []);
    const isRefused = isBasic(challenges) && !hasBearer(challenges) && !hasBearer(offered);
    if (offered.length === 0 || isRefused) return this.#successful(first, request, url, signal);
    await discard(first.value, this.#parts, signal);
    this.#tokens.clear();
    const renewed = { url, origin, challenges: offered, scopes: [...new Set([...scopes, ...wanted])] };
    return this.#successful(await this.#authorized(request, renewed, signal), request, url, signal);
  }

  async #successful(
    answer: Result<Answer, RegistryFailure>,
    { method }: RepositoryRequest,
    url: URL,
    signal: AbortSignal,
  ): Promise<Result<Answer, RegistryFailure>> {
    if (!answer.ok || (answer.value.status >= 200 && answer.value.status < 300)) return answer;
    const failure = await failureOfAnswer(answer.value, `${method} ${url.pathname}`, this.#parts, signal);
    // Another host, after a redirect, has seen no credentials.
    return failed(answer.value.host === this.host ? await this.#withSource(failure) : failure);
  }

  /** A refusal after the registry asked for credentials names those that it refused. */
  async #withSource(failure: RegistryFailure): Promise<RegistryFailure> {
    const auth = await this.#auth;
    return auth?.ok === true ? refusedCredentials(failure, this.host, auth.value) : failure;
  }

  async #authorized(
    { method, headers, body, openBody }: RepositoryRequest,
    target: {
      readonly url: URL;
      readonly origin: string;
      readonly challenges: readonly Challenge[];
      readonly scopes: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<Result<Answer, RegistryFailure>> {
    const { url, origin, challenges, scopes } = target;
    // A registry may name another host for uploads; credentials are for the registry alone.
    const authorization =
      url.origin === origin ? await this.#authorization(challenges, scopes, origin, signal) : done(undefined);
    if (!authorization.ok) return authorization;
    const sent = openBody?.() ?? body;
    return exchange(
      this.#parts,
      {
        method,
        url,
        headers: { ...headers, ...(authorization.value !== undefined && { authorization: authorization.value }) },
        ...(sent !== undefined && { body: sent }),
        verify: !this.place.isInsecure,
      },
      signal,
    );
  }

  /** The value of the header; undefined when the registry asks for none or there are no credentials. */
  async #authorization(
    challenges: readonly Challenge[],
    scopes: readonly string[],
    origin: string,
    signal: AbortSignal,
  ): Promise<Result<string | undefined, RegistryFailure>> {
    const bearer = challenges.find(({ scheme }) => scheme === "bearer");
    if (bearer === undefined && !isBasic(challenges)) return done(undefined);
    this.#auth ??= this.#parts.credentials(signal);
    const auth = await this.#auth;
    if (!auth.ok) return auth;
    if (bearer === undefined) return done(auth.value && basic(auth.value));
    if (auth.value?.registryToken !== undefined) return done(`Bearer ${auth.value.registryToken}`);
    const token = await this.#token(bearer, scopes, origin, auth.value, signal);
    return token.ok ? done(`Bearer ${token.value.value}`) : failed(await this.#withSource(token.problem));
  }

  /** Requests that need the same scopes at the same time wait for one token. */
  async #token(
    challenge: Challenge,
    scopes: readonly string[],
    origin: string,
    auth: RegistryAuth | undefined,
    signal: AbortSignal,
  ): Promise<Result<BearerToken, RegistryFailure>> {
    const key = scopes.join(" ");
    for (let known = this.#tokens.get(key); known !== undefined; known = this.#tokens.get(key)) {
      const token = await known;
      if (!token.ok || token.value.expiresAt > this.#parts.clock.monotonic()) return token;
      if (this.#tokens.get(key) === known) this.#tokens.delete(key);
    }
    const identityToken = this.#refreshToken ?? auth?.identityToken;
    const request = {
      challenge,
      scopes,
      auth: auth && { ...auth, ...(identityToken !== undefined && { identityToken }) },
      origin,
      verify: !this.place.isInsecure,
    };
    const fetching = fetchToken(this.#parts, request, signal);
    this.#tokens.set(key, fetching);
    fetching.then(
      (token) => {
        if (!token.ok) this.#tokens.delete(key);
        else if (auth?.identityToken !== undefined) this.#refreshToken = token.value.refreshToken ?? this.#refreshToken;
      },
      () => this.#tokens.delete(key),
    );
    return fetching;
  }

  async #endpoint(signal: AbortSignal): Promise<Result<Endpoint, RegistryFailure>> {
    const { connections, clock } = this.#parts;
    const { isInsecure } = this.place;
    const key = `${this.host} ${isInsecure}`;
    const known = connections.endpoint(key, clock.monotonic());
    if (known !== undefined) return done(known);
    const secure = await this.#ping("https", signal);
    // As containers/image: an insecure registry that does not serve HTTPS is asked without it.
    const asked =
      !secure.ok && secure.problem.httpStatus === undefined && isInsecure ? await this.#ping("http", signal) : secure;
    if (asked.ok) connections.rememberEndpoint(key, asked.value);
    return asked;
  }

  async #ping(scheme: string, signal: AbortSignal): Promise<Result<Endpoint, RegistryFailure>> {
    const url = new URL(`${scheme}://${this.host}/v2/`);
    const request = { method: "GET", url, headers: {}, verify: !this.place.isInsecure } as const;
    const answer = await exchange(this.#parts, request, signal);
    if (!answer.ok) return answer;
    const { status, challenges } = answer.value;
    if (status !== 200 && status !== 401)
      return failed(await failureOfAnswer(answer.value, registryRequest, this.#parts, signal));
    await discard(answer.value, this.#parts, signal);
    const until = this.#parts.clock.monotonic() + endpointMs;
    return done({ origin: url.origin, challenges: parseChallenges(challenges), until });
  }
}

const isBasic = (challenges: readonly Challenge[]): boolean => challenges.some(({ scheme }) => scheme === "basic");
const hasBearer = (challenges: readonly Challenge[]): boolean => challenges.some(({ scheme }) => scheme === "bearer");
