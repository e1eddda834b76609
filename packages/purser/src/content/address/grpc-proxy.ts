import { BlockList, isIP } from "node:net";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { TunnelEnd, TunnelProxy } from "../../image/proxy/tunnel.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Splits `host:port` as Go's `net.SplitHostPort` does; the problem is Go's text. */
export function parseServerAddress(address: string): Result<TunnelEnd, string> {
  const complaint = (text: string): Result<never, string> => failed(`address ${address}: ${text}`);
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || digits === undefined)
    return complaint(
      /:/.test(address) && !address.endsWith("]") ? "too many colons in address" : "missing port in address",
    );
  const port = Number(digits);
  if (!/^[0-9]{1,5}$/.test(digits) || port < 1 || port > 65_535) return complaint("invalid port");
  if (host === "" || /[\s/@%]/.test(host)) return complaint("invalid host");
  return done({ host, port });
}

const schemes: Readonly<Record<string, { readonly kind: TunnelProxy["kind"]; readonly port: number }>> = {
  "http:": { kind: "http", port: 80 },
  "socks5:": { kind: "socks5", port: 1080 },
  "socks5h:": { kind: "socks5", port: 1080 },
};

/**
 * The proxy for connections to a server, by `GRPC_PROXY` and `NO_PROXY` in capital or small letters, read as Go's
 * `httpproxy` reads them; undefined: none. The problem never shows the value, which may hold a password.
 */
export function grpcProxyFor(server: TunnelEnd, environment: Environment): Result<TunnelProxy | undefined, string> {
  const named = environment["GRPC_PROXY"] || environment["grpc_proxy"] || "";
  if (named === "" || isExempt(server, environment["NO_PROXY"] || environment["no_proxy"] || ""))
    return done(undefined);
  const url = URL.parse(named.includes("://") ? named : `http://${named}`);
  const scheme = url === null ? undefined : schemes[url.protocol];
  if (url === null || scheme === undefined || url.hostname === "")
    return failed("GRPC_PROXY must be a URL with the scheme http or socks5");
  const { username, password } = url;
  try {
    return done({
      kind: scheme.kind,
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? scheme.port : Number(url.port),
      ...(username === ""
        ? {}
        : { credentials: { user: decodeURIComponent(username), password: decodeURIComponent(password) } }),
    });
  } catch {
    return failed("GRPC_PROXY must be a URL whose user and password are percent-encoded");
  }
}

/** Whether `NO_PROXY` names the server. This machine is never reached through a proxy. */
function isExempt({ host, port }: TunnelEnd, noProxy: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || isLoopback(name)) return true;
  return noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), name, port));
}

function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  const [, range = "", bits = ""] = /^([^/]+)\/([0-9]+)$/.exec(entry) ?? [];
  if (bits !== "") return isInRange(host, range, Number(bits));
  const [, bracketed, plain, ownPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]+))?$/.exec(entry) ?? [];
  const name = isIP(entry) === 6 ? entry : (bracketed ?? plain);
  if (name === undefined || (ownPort !== undefined && Number(ownPort) !== port)) return false;
  if (isIP(name) > 0) return name === host;
  if (isIP(host) > 0) return false;
  const domain = name.replace(/^\*\./, ".");
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isInRange(host: string, range: string, bits: number): boolean {
  const [family, of] = [isIP(host), isIP(range)];
  if (family === 0 || family !== of || bits > (of === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(range, bits, of === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}
