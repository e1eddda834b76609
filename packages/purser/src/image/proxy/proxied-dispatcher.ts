import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { Agent as UndiciAgent, buildConnector as Connectors, Dispatcher } from "undici";
import { Agent, buildConnector, ProxyAgent } from "../registry/undici-parts.ts";
import { openTunnel, TunnelError, type TunnelProxy } from "./tunnel.ts";

/** How certificates of a registry are verified. */
export interface RegistryTls {
  /** Made once: it is the costly part of a connection. */
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
}

export interface ProxiedOptions {
  readonly proxy: URL;
  /** Of the registries behind the proxy. */
  readonly scheme: "http:" | "https:";
  readonly tls: RegistryTls & { readonly timeout: number };
  /** Verifies the certificate of an `https` proxy. */
  readonly proxyContext: () => SecureContext;
  readonly agent: UndiciAgent.Options;
}

/**
 * Sends requests as Go's `http.Transport` does: through SOCKS 5 proxies by connections that they open, through HTTP proxies
 * by CONNECT, except for registries without TLS, whose requests an HTTP proxy forwards. The proxy resolves the names.
 */
export function proxiedDispatcher({ proxy, scheme, tls, proxyContext, agent }: ProxiedOptions): Dispatcher {
  const isSecure = proxy.protocol === "https:";
  if (proxy.protocol.startsWith("socks5") || scheme === "https:") {
    const tunnel = tunnelProxy(proxy);
    const context = isSecure ? proxyContext() : undefined;
    return new Agent({ ...agent, connect: throughTunnel(tunnel, context, buildConnector({ ...tls, allowH2: false })) });
  }
  return new ProxyAgent({
    ...agent,
    uri: proxy.href,
    ...(isSecure && { proxyTls: { secureContext: proxyContext(), timeout: tls.timeout } }),
  });
}

/** An error of a request that a proxy was to forward: the connection was one with the proxy. */
export function forwardingError(error: unknown): TunnelError {
  const message = error instanceof Error ? error.message : String(error);
  return /\(407\)/.test(message)
    ? new TunnelError("refuses to forward requests: HTTP status 407")
    : new TunnelError(`fails: ${message}`, { isPassing: true, cause: error });
}

function throughTunnel(
  proxy: TunnelProxy,
  proxyContext: SecureContext | undefined,
  secure: Connectors.connector,
): Connectors.connector {
  return (options, connected) => {
    const { hostname, protocol, port } = options;
    const socket = proxyContext === undefined ? connect(proxy.port, proxy.host) : secureSocket(proxy, proxyContext);
    // During the handshake `openTunnel` reports it, afterwards undici.
    socket.on("error", () => {});
    const server = { host: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) };
    openTunnel(socket, proxy, server).then(
      () => {
        socket.setNoDelay(true);
        if (protocol === "https:") secure({ ...options, httpSocket: socket }, connected);
        else connected(null, socket);
      },
      (error: unknown) => {
        socket.destroy();
        connected(error instanceof Error ? error : new Error(String(error)), null);
      },
    );
  };
}

function secureSocket({ host, port }: TunnelProxy, secureContext: SecureContext): Socket {
  return connectTls({ host, port, secureContext, ...(isIP(host) === 0 && { servername: host }) });
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Throws when user or password are not percent-encoded. */
function tunnelProxy({ protocol, hostname, port, username, password }: URL): TunnelProxy {
  return {
    kind: protocol.startsWith("socks5") ? "socks5" : "http",
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (defaultPorts[protocol] ?? 1080) : Number(port),
    ...(username !== "" && {
      credentials: { user: decodeURIComponent(username), password: decodeURIComponent(password) },
    }),
  };
}
