import type { ConfigMap } from "@purser/kubernetes/apis/core";
import type { UserInfo } from "@purser/kubernetes/kube/transport";

/**
 * Whom the API server tells extension servers to believe about the user of a request: ConfigMap
 * `kube-system/extension-apiserver-authentication`.
 */
export interface FrontProxyTrust {
  /** PEM of the authorities of the proxy's client certificate. */
  readonly authorities: string;
  /** Common names that the certificate may have; empty: any. */
  readonly names: readonly string[];
  /** Lower case; the first header that is sent counts. */
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Where the API server publishes {@link FrontProxyTrust}. */
export const trustKey = { namespace: "kube-system", name: "extension-apiserver-authentication" } as const;

/** Reads the ConfigMap; undefined when the API server has no front proxy, so that no user can be believed. */
export function frontProxyTrust({ data = {} }: ConfigMap): FrontProxyTrust | undefined {
  const authorities = data["requestheader-client-ca-file"] ?? "";
  const userHeaders = headerNames(data["requestheader-username-headers"]);
  if (authorities === "" || userHeaders.length === 0) return undefined;
  return {
    authorities,
    names: texts(data["requestheader-allowed-names"]),
    userHeaders,
    uidHeaders: headerNames(data["requestheader-uid-headers"]),
    groupHeaders: headerNames(data["requestheader-group-headers"]),
    extraPrefixes: headerNames(data["requestheader-extra-headers-prefix"]),
  };
}

/** The certificate of a connection's client. */
export interface ClientPeer {
  /** One of the front proxy's authorities issued it, and it is valid now. */
  readonly isVerified: boolean;
  readonly commonName: string | undefined;
}

/** A request without a user that can be believed. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/**
 * The user that the front proxy names in the headers of a request; {@link anonymous} when the connection is not the
 * proxy's. Headers of anybody else have no effect.
 * @param headers by name in lower case, all values
 */
export function requestingUser(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  peer: ClientPeer,
  trust: FrontProxyTrust | undefined,
): UserInfo {
  if (trust === undefined || !peer.isVerified) return anonymous;
  if (trust.names.length > 0 && !trust.names.includes(peer.commonName ?? "")) return anonymous;
  const valuesOf = (names: readonly string[]): readonly string[] => names.flatMap((name) => headers[name] ?? []);
  const name = valuesOf(trust.userHeaders).find((value) => value !== "");
  if (name === undefined) return anonymous;
  const uid = valuesOf(trust.uidHeaders).find((value) => value !== "");
  const groups = valuesOf(trust.groupHeaders).filter((value) => value !== "");
  const authenticated = groups.includes("system:unauthenticated") ? [] : ["system:authenticated"];
  const extra = extraOf(headers, trust.extraPrefixes);
  return {
    name,
    groups: [...new Set([...groups, ...authenticated])],
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function extraOf(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extra = Object.entries(headers).flatMap(([name, values]) => {
    const prefix = prefixes.find((candidate) => name.startsWith(candidate));
    return prefix === undefined || values === undefined ? [] : [[decoded(name.slice(prefix.length)), values] as const];
  });
  return Object.fromEntries(extra);
}

/** As client-go: a key that is not percent-encoded properly is taken as it is. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function headerNames(json: string | undefined): readonly string[] {
  return texts(json).map((name) => name.toLowerCase());
}

function texts(json: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
