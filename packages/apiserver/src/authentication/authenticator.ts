import type { UserInfo } from "@purser/kubernetes/kube/transport";
import { anonymousUser, authenticatedGroup } from "../authorization/attributes.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

/** The client certificate of a connection. */
export type ClientCertificate =
  | {
      /** Signed by the server's client authority and not expired. */
      readonly kind: "valid";
      readonly commonName: string;
      readonly organizations: readonly string[];
      /** SHA-256 of the certificate, lower-case hex. */
      readonly fingerprint: string;
      /** Milliseconds since the epoch; checked on each request because a connection may outlive the certificate. */
      readonly validUntil: number;
    }
  | { readonly kind: "invalid" };

export type Authenticated =
  | { readonly kind: "user"; readonly user: UserInfo; readonly warning?: string }
  /** Credentials were presented and none is valid. */
  | { readonly kind: "refused" };

interface Credentials {
  readonly certificate: ClientCertificate | undefined;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const ignoredToken = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/**
 * Authenticates a connection and its `Authorization` header like kube-apiserver's union of authenticators: the first
 * valid credential counts; invalid credentials without a valid one are refused, not treated as anonymous.
 */
export async function authenticate(
  tokens: ServiceAccountTokens,
  staticTokens: ReadonlyMap<string, UserInfo>,
  { certificate, authorization = "", now }: Credentials,
): Promise<Authenticated> {
  const isValid = certificate?.kind === "valid" && certificate.validUntil >= now;
  if (isValid && certificate.commonName !== "")
    return {
      kind: "user",
      user: {
        name: certificate.commonName,
        groups: [...certificate.organizations, authenticatedGroup],
        extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${certificate.fingerprint}`] },
      },
    };
  const [scheme = "", bearer = "", ...more] = authorization.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer" || bearer === "") {
    if (certificate !== undefined && !isValid) return { kind: "refused" };
    const isIgnored = scheme.toLowerCase() === "bearer" && more.length > 0;
    return { kind: "user", user: anonymousUser, ...(isIgnored ? { warning: ignoredToken } : {}) };
  }
  const known = staticTokens.get(bearer);
  if (known !== undefined)
    return { kind: "user", user: { ...known, groups: [...new Set([...known.groups, authenticatedGroup])] } };
  const found = await tokens.authenticate(bearer);
  return typeof found === "string" ? { kind: "refused" } : { kind: "user", user: found.user };
}
