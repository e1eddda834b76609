import type { RequestListener, Server, ServerOptions } from "node:http";

/** PEM texts of a TLS server. */
export interface ServerCertificates {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of client certificates, which are then asked for and not required. */
  readonly clientAuthorities?: string;
}

export interface RenewableServer {
  readonly server: Server;
  /** New connections get this certificate; without effect on plain HTTP. @throws when they do not fit together */
  readonly renew: (certificates: ServerCertificates) => void;
}

/** An HTTP/1.1 server, with TLS 1.2 or newer where certificates are given. @throws when they do not fit together */
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

function secureContext({ certificate, key, clientAuthorities }: ServerCertificates): {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.2";
  readonly ca?: string;
} {
  const authorities = clientAuthorities === undefined ? {} : { ca: clientAuthorities };
  return { cert: certificate, key, minVersion: "TLSv1.2", ...authorities };
}
