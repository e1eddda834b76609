import { serviceAccounts } from "../../apis/resources.ts";
import { resourcePath } from "../../apis/resource-type.ts";
import type { Clock } from "../../clock.ts";
import { isJsonObject } from "../../json.ts";
import { createClient, type KubeClient } from "../client.ts";
import type { Identities, ObjectWriter } from "../object-writer.ts";
import type { Transport, UserInfo } from "../transport.ts";

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/**
 * No token for a service account: it does not exist, or we may not request one. `cause` is the API server's refusal.
 */
export class TokenUnavailableError extends Error {
  override readonly name = "TokenUnavailableError";
  readonly serviceAccount: ServiceAccountRef;
  constructor(serviceAccount: ServiceAccountRef, cause: unknown) {
    const { namespace, name } = serviceAccount;
    const why = cause instanceof Error ? cause.message : String(cause);
    // The message of OLM v0, which users see in an InstallPlan's status.
    super(`creating service account token from TokenRequest API for sa=${namespace}/${name}; ${why}`, { cause });
    this.serviceAccount = serviceAccount;
  }
}

export interface TokenIdentitiesOptions {
  /** Requests the tokens; also our own identity. */
  readonly client: KubeClient;
  /** The same server with a bearer token, which is requested before each request. */
  readonly withToken: (token: () => Promise<string>) => Transport;
  readonly clock: Clock;
  /** Lifetime of a token; default 3600000, at least 600000. */
  readonly lifetimeMs?: number;
  readonly userAgent?: string;
}

/** Service accounts use tokens from TokenRequest, cached and renewed after four fifths of their lifetime. */
export function tokenIdentities(options: TokenIdentitiesOptions): Identities {
  const { client, withToken, clock, lifetimeMs = 3_600_000, userAgent = "purser" } = options;
  const writers = new Map<string, ObjectWriter>();
  return {
    own: () => client,
    serviceAccount(ref) {
      const name = `${ref.namespace}/${ref.name}`;
      let writer = writers.get(name);
      if (writer === undefined) {
        const token = cachedToken(() => requestToken(client, ref, lifetimeMs, clock), clock);
        const acting = createClient(withToken(token.current), { userAgent });
        writer = {
          async write(write, signal) {
            const first = await acting.write(write, signal);
            // The service account was created again, or the signing key has changed: the cached token is invalid.
            if (first.ok || first.problem.status.code !== 401) return first;
            token.forget();
            return acting.write(write, signal);
          },
        };
        writers.set(name, writer);
      }
      return writer;
    },
  };
}

export interface UserIdentitiesOptions {
  readonly client: KubeClient;
  /** The same server as another user, without authentication (in process). */
  readonly asUser: (user: UserInfo) => Transport;
  readonly userAgent?: string;
}

/** Service accounts are identified by name. They must exist nevertheless, as with a token. */
export function userIdentities({ client, asUser, userAgent = "purser" }: UserIdentitiesOptions): Identities {
  return {
    own: () => client,
    serviceAccount: (ref) => ({
      async write(write, signal) {
        const account = await client.get(serviceAccounts, ref);
        if (account === undefined)
          throw new TokenUnavailableError(ref, new Error(`serviceaccounts "${ref.name}" not found`));
        const uid = account.metadata.uid;
        const user = serviceAccountUser(ref, uid);
        return createClient(asUser(user), { userAgent }).write(write, signal);
      },
    }),
  };
}

/** The user name and groups of a service account. */
function serviceAccountUser({ namespace, name }: ServiceAccountRef, uid?: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    ...(uid === undefined ? {} : { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

interface Token {
  readonly text: string;
  /** Wall time in ms from which a new token is requested. */
  readonly renewAt: number;
}

async function requestToken(
  client: KubeClient,
  ref: ServiceAccountRef,
  lifetimeMs: number,
  clock: Clock,
): Promise<Token> {
  const now = clock.now();
  try {
    const answer = await client.requestJson(
      {
        method: "POST",
        path: resourcePath(serviceAccounts, ref, "token"),
        headers: { "content-type": "application/json" },
        body: {
          kind: "object",
          value: {
            apiVersion: "authentication.k8s.io/v1",
            kind: "TokenRequest",
            spec: { expirationSeconds: Math.ceil(lifetimeMs / 1000) },
          },
        },
      },
      new AbortController().signal,
    );
    const status = isJsonObject(answer) ? answer["status"] : undefined;
    if (!isJsonObject(status) || typeof status["token"] !== "string") throw new Error("the answer holds no token");
    const expires = Date.parse(typeof status["expirationTimestamp"] === "string" ? status["expirationTimestamp"] : "");
    const end = Number.isNaN(expires) ? now + lifetimeMs : expires;
    return { text: status["token"], renewAt: now + (end - now) * 0.8 };
  } catch (error) {
    throw new TokenUnavailableError(ref, error);
  }
}

/** At most one request at a time; the token is cached until its renewal. */
function cachedToken(
  request: () => Promise<Token>,
  clock: Clock,
): { readonly current: () => Promise<string>; readonly forget: () => void } {
  let held: Token | undefined;
  let asking: Promise<Token> | undefined;
  return {
    async current() {
      if (held !== undefined && clock.now() < held.renewAt) return held.text;
      asking ??= request().finally(() => {
        asking = undefined;
      });
      held = await asking;
      return held.text;
    },
    forget() {
      held = undefined;
    },
  };
}
