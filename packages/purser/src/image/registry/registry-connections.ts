import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from "node:tls";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Dispatcher } from "undici";
import type { Challenge } from "./challenge.ts";
import { type CertificateDirectories, type HostCertificates, hostCertificates } from "./host-certificates.ts";
import { proxiedDispatcher, type RegistryTls } from "../proxy/proxied-dispatcher.ts";
import { proxyFor } from "../proxy/proxy-rule.ts";
import type { RegistryFailure } from "./registry-failure.ts";
import { Agent } from "./undici-parts.ts";

export interface ConnectionSettings extends CertificateDirectories {
  /** `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, read anew for each request. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How a host answered `/v2/`. */
export interface Endpoint {
  readonly origin: string;
  readonly challenges: readonly Challenge[];
  /** Monotonic milliseconds until which this counts. */
  readonly until: number;
}

/** Different combinations of certificates and proxies in use; the oldest is closed when there are more. */
const mostAgents = 16;
const connectMs = 10_000;

/**
 * Connections to registries, kept open between the requests of all pulls of a process. Certificate directories are looked at
 * before each request, so that changed files count at once. Holds no credentials.
 */
export class RegistryConnections {
  readonly #settings: ConnectionSettings;
  readonly #agents = new Map<string, Dispatcher>();
  readonly #certificates = new Map<string, HostCertificates>();
  readonly #endpoints = new Map<string, Endpoint>();
  /** Hosts whose certificates the narrow authorities do not verify. */
  readonly #wide = new Set<string>();
  #systemAuthorities: readonly string[] | undefined;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** What sends a request for this URL. `verify: false` accepts every certificate. */
  dispatcher(url: URL, verify: boolean): Result<Dispatcher, RegistryFailure> {
    const proxy = proxyFor(url, this.#settings.environment);
    if (!proxy.ok) return failed(misconfigured(`requests to ${url.host} have no usable proxy: ${proxy.problem}`));
    const certificates =
      url.protocol === "https:"
        ? hostCertificates(url.host, this.#settings, this.#certificates.get(url.host))
        : done(undefined);
    if (!certificates.ok) return failed(misconfigured(`${url.host} cannot be reached: ${certificates.problem}`));
    if (certificates.value !== undefined) this.#certificates.set(url.host, certificates.value);
    const trust = verify ? (this.#wide.has(url.host) ? "wide" : "narrow") : "any";
    const way = proxy.value === undefined ? "" : `${url.protocol} ${proxy.value.href}`;
    const key = `${trust} ${way} ${certificates.value?.fingerprint ?? ""}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return done(known);
    let tls: RegistryTls;
    try {
      tls = this.#tls(certificates.value, trust);
    } catch (error) {
      return failed(misconfigured(`${url.host} cannot be reached: ${unusable(certificates.value, error)}`));
    }
    try {
      return done(this.#open(key, url, proxy.value, tls));
    } catch (error) {
      const reason = error instanceof UnusableCertificates ? `: ${error.message}` : "";
      return failed(misconfigured(`the proxy for ${url.host} cannot be used${reason}`));
    }
  }

  /** Host and port of the proxy for a URL; undefined when there is none. */
  proxyHost(url: URL): string | undefined {
    const proxy = proxyFor(url, this.#settings.environment);
    return proxy.ok ? proxy.value?.host : undefined;
  }

  /**
   * From now on the host is verified with all authorities. The first handshake uses few (the host's own, else Node's list),
   * because reading those of the machine takes longer than most pulls. False when all are in use already.
   */
  widen(url: URL): boolean {
    if (url.protocol !== "https:" || this.#wide.has(url.host)) return false;
    this.#wide.add(url.host);
    return true;
  }

  /** What is known of a host; `key` names the host and how it may be reached. */
  endpoint(key: string, now: number): Endpoint | undefined {
    const known = this.#endpoints.get(key);
    return known === undefined || known.until <= now ? undefined : known;
  }

  rememberEndpoint(key: string, endpoint: Endpoint): void {
    this.#endpoints.set(key, endpoint);
  }

  /** Breaks all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
    this.#agents.clear();
  }

  #open(key: string, { protocol }: URL, proxy: URL | undefined, registryTls: RegistryTls): Dispatcher {
    const options = { allowH2: false, connections: 32, headersTimeout: 0, bodyTimeout: 0 };
    const tls = { ...registryTls, timeout: connectMs };
    const agent =
      proxy === undefined
        ? new Agent({ ...options, connect: tls })
        : proxiedDispatcher({
            proxy,
            scheme: protocol === "https:" ? "https:" : "http:",
            tls,
            proxyContext: () => this.#proxyContext(proxy),
            agent: options,
          });
    this.#agents.set(key, agent);
    const [oldest] = this.#agents;
    if (this.#agents.size > mostAgents && oldest !== undefined) {
      this.#agents.delete(oldest[0]);
      // Ends when its running requests have ended.
      void oldest[1].close();
    }
    return agent;
  }

  /** Verifies an `https` proxy as a registry of that name, with all authorities. Throws `UnusableCertificates`. */
  #proxyContext(proxy: URL): SecureContext {
    const certificates = hostCertificates(proxy.host, this.#settings, undefined);
    if (!certificates.ok) throw new UnusableCertificates(certificates.problem);
    return this.#tls(certificates.value, "wide").secureContext;
  }

  #tls(certificates: HostCertificates | undefined, trust: Trust): RegistryTls {
    const { authorities = [], client } = certificates ?? {};
    const ca = trust === "wide" ? [...new Set([...authorities, ...this.#allAuthorities()])] : [...authorities];
    const secureContext = createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca.length > 0 && { ca }),
      ...(client !== undefined && { cert: client.certificate, key: client.key }),
    });
    return { secureContext, rejectUnauthorized: trust !== "any" };
  }

  /** Those of the machine (`SSL_CERT_FILE`, `SSL_CERT_DIR`), of `NODE_EXTRA_CA_CERTS`, and Node's own. */
  #allAuthorities(): readonly string[] {
    this.#systemAuthorities ??= [...getCACertificates("system"), ...getCACertificates("extra"), ...rootCertificates];
    return this.#systemAuthorities;
  }
}

/** Who may have signed a certificate: the host's own authorities or else Node's; all of both and the machine's; anybody. */
type Trust = "narrow" | "wide" | "any";

class UnusableCertificates extends Error {}

/** With OpenSSL's reason, which holds nothing of a key. Only a client certificate is refused: an authority that cannot be read counts for nothing. */
function unusable(certificates: HostCertificates | undefined, error: unknown): string {
  const reason = error instanceof Error && "reason" in error ? ` (${String(error.reason)})` : "";
  const path = certificates?.client?.path;
  return path === undefined
    ? `its certificates cannot be used${reason}`
    : `the client certificate ${path} and the key beside it cannot be used${reason}`;
}

function misconfigured(text: string): RegistryFailure {
  return { kind: "configuration", text, remedy: "correct these settings", isPassing: false };
}
