import type { RequestListener, Server, ServerOptions } from "node:http";
import type { SecureContextOptions } from "node:tls";
import { intermediate, tls13Suites, type TlsSettings } from "./tls-profile.ts";

/** PEM texts of a TLS server. */
export interface ServerCertificates {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of client certificates, which are then asked for and not required. */
  readonly clientAuthorities?: string;
  /** Absent: {@link intermediate}. */
  readonly settings?: TlsSettings;
}

export interface RenewableServer {
  readonly server: Server;
  /** New connections get this certificate; without effect on plain HTTP. @throws when they do not fit together */
  readonly renew: (certificates: ServerCertificates) => void;
}

/** An HTTP/1.1 server, with TLS where certificates are given. @throws when they do not fit together, or a curve is not known */
export function renewableServer(
  limits: ServerOptions & { readonly handshakeTimeout: number },
  certificates: ServerCertificates | undefined,
  serve: RequestListener,
): RenewableServer {
  // Not imported: an import would evaluate all exports of the module, and one of them loads undici (10 MB).
  if (certificates === undefined)
    return { server: process.getBuiltinModule("node:http").createServer(limits, serve), renew: () => undefined };
  const server = process.getBuiltinModule("node:https").createServer(
    {
      ...limits,
      ...secureContext(certificates),
      requestCert: certificates.clientAuthorities !== undefined,
      rejectUnauthorized: false,
    },
    serve,
  );
  // Whoever breaks off the handshake needs no answer.
  server.on("tlsClientError", () => undefined);
  return { server, renew: (renewed) => server.setSecureContext(secureContext(renewed)) };
}

function secureContext({
  certificate,
  key,
  clientAuthorities,
  settings = intermediate,
}: ServerCertificates): SecureContextOptions {
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  const isKnown = (curve: string): boolean => {
    try {
      createSecureContext({ ecdhCurve: curve });
      return true;
    } catch {
      return false;
    }
  };
  const { minVersion, ciphers, curves, skipsUnknownCurves } = settings;
  const groups = skipsUnknownCurves ? curves?.filter(isKnown) : curves;
  // OpenSSL 3 refuses TLS 1.0 and 1.1 above this level.
  const level = minVersion === "TLSv1" || minVersion === "TLSv1.1" ? ["@SECLEVEL=0"] : [];
  return {
    cert: certificate,
    key,
    minVersion,
    ...(ciphers === undefined && level.length === 0
      ? {}
      : { ciphers: [...tls13Suites, ...(ciphers ?? ["DEFAULT"]), ...level].join(":") }),
    ...(groups === undefined ? {} : { ecdhCurve: groups.join(":") }),
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
  };
}
