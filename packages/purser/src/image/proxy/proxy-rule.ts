import { BlockList, isIP } from "node:net";
import { done, failed, type Result } from "@purser/kubernetes/result";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` or their names in lower case, by the rules of Go's
 * `golang.org/x/net/http/httpproxy`: `NO_PROXY` lists hosts with their subdomains (`example.com`), subdomains alone
 * (`.example.com`, `*.example.com`), addresses, CIDR ranges, each with an optional port, or `*`; this machine is never
 * reached through a proxy. Undefined: none. The problem never repeats the proxy's URL, which may hold a password.
 */
export function proxyFor(url: URL, environment: Environment): Result<URL | undefined, string> {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  // A CGI program would take HTTP_PROXY from a header `Proxy` of its client.
  if (name === "HTTP_PROXY" && environment["REQUEST_METHOD"] !== undefined) return done(undefined);
  const text = environment[name] || environment[name.toLowerCase()];
  if (!text || !usesProxy(url, environment["NO_PROXY"] || environment["no_proxy"] || "")) return done(undefined);
  const proxy = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (proxy === null || !schemes.has(proxy.protocol) || proxy.hostname === "")
    return failed(`${name} is not the URL of a http, https or socks5 proxy`);
  if (!isEncoded(proxy.username) || !isEncoded(proxy.password))
    return failed(`user and password in ${name} are not percent-encoded`);
  return done(proxy);
}

/** As Go; both SOCKS schemes leave names to the proxy. */
const schemes: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks5h:"]);

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function usesProxy(url: URL, noProxy: string): boolean {
  const host = url.hostname
    .replace(/^\[|\]$/g, "")
    .toLowerCase()
    .replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || (isIP(host) !== 0 && isInRange(host, "127.0.0.0/8", "::1/128"))) return false;
  return !noProxy.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return isIP(host) !== 0 && isInRange(host, entry);
  const { name, port: wantedPort } = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && isInRange(host, `${name}/${isIP(name) === 4 ? 32 : 128}`);
  if (name.startsWith("*.") || name.startsWith(".")) return host.endsWith(name.replace(/^\*/, ""));
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  if (isIP(entry) !== 0) return { name: entry };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, ""), ...(port !== undefined && { port }) };
}

function isInRange(address: string, ...ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix = ""] = range.split("/");
    const family = isIP(network);
    const bits = Number(prefix);
    if (family === 0 || !/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128)) continue;
    list.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
  }
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}
