import type { UserInfo } from "../../kube/transport.ts";
import { anonymousUser, authenticatedGroup } from "../authorization/attributes.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

/** The subject of a client certificate that the server's authority signed. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
}

export type Authenticated =
  | { readonly kind: "user"; readonly user: UserInfo }
  /** Credentials were presented and are not valid. */
  | { readonly kind: "refused" };

/** Who a connection and its `Authorization` header speak for. */
export async function authenticate(
  tokens: ServiceAccountTokens,
  staticTokens: ReadonlyMap<string, UserInfo>,
  certificate: ClientCertificate | undefined,
  authorization: string | undefined,
): Promise<Authenticated> {
  const bearer = /^bearer\s+(.*)$/i.exec(authorization ?? "")?.[1]?.trim();
  if (certificate !== undefined && certificate.commonName !== "")
    return {
      kind: "user",
      user: {
        name: certificate.commonName,
        groups: [...certificate.organizations, authenticatedGroup],
        extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${certificate.fingerprint}`] },
      },
    };
  if (bearer === undefined || bearer === "") return { kind: "user", user: anonymousUser };
  const known = staticTokens.get(bearer);
  if (known !== undefined)
    return { kind: "user", user: { ...known, groups: [...new Set([...known.groups, authenticatedGroup])] } };
  const found = await tokens.authenticate(bearer);
  return typeof found === "string" ? { kind: "refused" } : { kind: "user", user: found.user };
}
