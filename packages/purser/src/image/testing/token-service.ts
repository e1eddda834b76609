import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./fault.ts";
import { answerWithFault } from "./faulty-answer.ts";

export interface TokenServiceOptions {
  /** Absent: everybody gets a token. */
  readonly username?: string;
  readonly password?: string;
  /** Accepted as `refresh_token` by POST. */
  readonly identityToken?: string;
  /** Each refresh token is accepted once, and a token comes with the next one. */
  readonly rotates?: boolean;
  /** The only method that it knows; it answers 405 to others. */
  readonly only?: "GET" | "POST";
  /** `expires_in` of the tokens that are given out. */
  readonly expiresInSeconds?: number;
  /** How far the clock of the service, which writes `issued_at`, is ahead of ours. */
  readonly clockAheadMs?: number;
}

/** Gives out bearer tokens by GET with basic authentication and by POST with a refresh token. */
export class TokenService {
  readonly #options: TokenServiceOptions;
  /** Scopes by token. */
  readonly #tokens = new Map<string, readonly string[]>();
  #given = 0;
  #refreshToken: string | undefined;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#refreshToken = options.identityToken;
  }

  /** Tokens that were given out so far are refused from now on. */
  expireAll(): void {
    this.#tokens.clear();
  }

  /** Whether the header carries a token for the scope. */
  accepts(authorization: string | undefined, scope: string | undefined): boolean {
    const scopes = this.#tokens.get(authorization?.replace(/^Bearer /, "") ?? "");
    return scopes !== undefined && (scope === undefined || scopes.some((given) => covers(given, scope)));
  }

  answer(request: IncomingMessage, url: URL, body: string, response: ServerResponse, fault: Fault | undefined): void {
    const form = request.method === "POST" ? new URLSearchParams(body) : url.searchParams;
    const { only, rotates } = this.#options;
    if (only !== undefined && request.method !== only) {
      answerWithFault(response, { kind: "status", status: 405 }, request, Buffer.alloc(0));
      return;
    }
    if (fault === undefined && !this.#isKnown(request, form)) {
      answerWithFault(response, { kind: "status", status: 401 }, request, Buffer.alloc(0));
      return;
    }
    const token = `token-${++this.#given}`;
    if (rotates === true) this.#refreshToken = `refresh-${this.#given}`;
    this.#tokens.set(
      token,
      form.getAll("scope").flatMap((scope) => scope.split(" ")),
    );
    const { expiresInSeconds = 300, clockAheadMs = 0 } = this.#options;
    const answer = Buffer.from(
      JSON.stringify({
        [request.method === "POST" ? "access_token" : "token"]: token,
        expires_in: expiresInSeconds,
        ...(rotates === true && { refresh_token: this.#refreshToken }),
        issued_at: new Date(Date.now() + clockAheadMs).toISOString(),
      }),
    );
    response.setHeader("Content-Type", "application/json");
    if (fault === undefined) response.end(answer);
    else answerWithFault(response, fault, request, answer);
  }

  #isKnown(request: IncomingMessage, form: URLSearchParams): boolean {
    const { username = "", password, identityToken } = this.#options;
    if (password === undefined && identityToken === undefined) return true;
    const basics = [password, this.#refreshToken].flatMap((secret) =>
      secret === undefined ? [] : `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`,
    );
    if (request.method !== "POST") return basics.includes(request.headers.authorization ?? "");
    return form.get("grant_type") === "password"
      ? form.get("username") === username && form.get("password") === password
      : form.get("grant_type") === "refresh_token" && form.get("refresh_token") === this.#refreshToken;
  }
}

function covers(given: string, wanted: string): boolean {
  const [name, actions] = [given.slice(0, given.lastIndexOf(":")), given.slice(given.lastIndexOf(":") + 1)];
  const wantedActions = wanted.slice(wanted.lastIndexOf(":") + 1).split(",");
  return wanted.startsWith(`${name}:`) && wantedActions.every((action) => actions.split(",").includes(action));
}
