import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { done, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import { failureOfError } from "../registry/registry-failure.ts";
import { registrySource } from "../registry/registry-source.ts";
import { FaultRegistry } from "../testing/fault-registry.ts";
import { freePort } from "../testing/free-port.ts";
import { testImage } from "../testing/test-image.ts";
import { parsedReference, sourceOptions, testConnections } from "../testing/test-source.ts";
import { TestProxy, type TestProxyOptions } from "./testing/test-proxy.ts";

const directory = mkdtempSync(join(tmpdir(), "proxied-test-"));
after(() => rmSync(directory, { recursive: true }));
const signal = new AbortController().signal;
const image = await testImage([{ "a.yaml": "a" }]);
const entropy = new SeededEntropy(11);
const issuing = { now: Date.now() - 3_600_000, validityMs: 86_400_000, entropy };
const authority = await issueAuthority({ ...issuing, commonName: "of registries" });
const serving = await issueServing({ ...issuing, authority, hosts: ["registry.example"] });
const tls = { cert: serving.certificatePem, key: serving.privateKeyPem };
const proxyAuthority = await issueAuthority({ ...issuing, commonName: "of proxies" });
const proxyServing = await issueServing({ ...issuing, authority: proxyAuthority, hosts: ["localhost"] });
const proxyTls = { cert: proxyServing.certificatePem, key: proxyServing.privateKeyPem };
const secret = "pla:nted@1";
const login = `ann:${secret}`;
const user = `ann:${encodeURIComponent(secret)}@`;

/** Only proxies know this registry. */
const reference = "registry.example/operators/etcd:1";

interface Pull {
  readonly proxy: Omit<TestProxyOptions, "port">;
  /** Scheme, and user and password with `@`. */
  readonly scheme: string;
  readonly user?: string;
  readonly isPlain?: boolean;
  /** Whether certs.d has the authority of the proxy. */
  readonly isTrusted?: boolean;
}

let worlds = 0;

/** What a pull through a proxy of the environment finds, and what the proxy has seen. */
async function pulled({ proxy, scheme, user: sent = "", isPlain = false, isTrusted = true }: Pull) {
  await using registry = await FaultRegistry.start(isPlain ? {} : { tls });
  registry.push("operators/etcd:1", image);
  await using server = await TestProxy.start({ ...proxy, port: Number(registry.host.split(":")[1]) });
  const certificates = join(directory, String(worlds++));
  for (const [host, of] of [
    ["registry.example", authority],
    ...(isTrusted ? [[server.host, proxyAuthority] as const] : []),
  ] as const) {
    mkdirSync(join(certificates, host), { recursive: true });
    writeFileSync(join(certificates, host, "ca.crt"), of.certificatePem);
  }
  const environment = { [isPlain ? "HTTP_PROXY" : "HTTPS_PROXY"]: `${scheme}://${sent}${server.host}` };
  const connections = testConnections({ environment, hostRoots: [certificates] });
  return { result: await resolvedBy(connections, isPlain), seen: server.seen, proxyHost: server.host };
}

async function resolvedBy(
  connections: ReturnType<typeof testConnections>,
  isInsecure: boolean,
): Promise<Result<string, ImageProblem>> {
  const places = () => done([{ reference: parsedReference(reference), isInsecure, isMirror: false }]);
  const source = registrySource(parsedReference(reference), sourceOptions(reference, { connections, places }));
  const result = await source.resolve(signal);
  await connections.close();
  return result;
}

const ways: readonly (Pull & { readonly way: string; readonly sees: string })[] = [
  { way: "an HTTP proxy", proxy: { kind: "http" }, scheme: "http", sees: "CONNECT registry.example:443" },
  {
    way: "an HTTP proxy with a login",
    proxy: { kind: "http", login },
    scheme: "http",
    user,
    sees: `CONNECT registry.example:443 ${login}`,
  },
  {
    way: "an HTTP proxy that is reached by TLS",
    proxy: { kind: "http", tls: proxyTls, login },
    scheme: "https",
    user,
    sees: `CONNECT registry.example:443 ${login}`,
  },
  {
    way: "an HTTP proxy that forwards requests to a registry without TLS",
    proxy: { kind: "http", login },
    scheme: "http",
    user,
    isPlain: true,
    sees: `GET http://registry.example/v2/ ${login}`,
  },
  {
    way: "an HTTP proxy that is reached by TLS and forwards requests to a registry without TLS",
    proxy: { kind: "http", tls: proxyTls },
    scheme: "https",
    isPlain: true,
    sees: "GET http://registry.example/v2/",
  },
  { way: "a SOCKS proxy", proxy: { kind: "socks5" }, scheme: "socks5", sees: "SOCKS registry.example:443" },
  { way: "a SOCKS proxy as socks5h", proxy: { kind: "socks5" }, scheme: "socks5h", sees: "SOCKS registry.example:443" },
  {
    way: "a SOCKS proxy with a login",
    proxy: { kind: "socks5", login },
    scheme: "socks5",
    user,
    sees: `SOCKS registry.example:443 ${login}`,
  },
  {
    way: "a SOCKS proxy to a registry without TLS",
    proxy: { kind: "socks5" },
    scheme: "socks5",
    isPlain: true,
    sees: "SOCKS registry.example:80",
  },
];
for (const { way, sees, ...pull } of ways)
  test(`a registry whose name only the proxy knows is reached through ${way}`, async () => {
    const { result, seen } = await pulled(pull);
    assert.deepEqual(result, done(image.manifest.digest));
    assert.equal(seen[0], sees);
  });

const remedy = "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the rules of the proxy";
const refusals: readonly (Pull & {
  readonly why: string;
  readonly text: string;
  readonly remedy?: string;
  readonly tries: number;
})[] = [
  {
    why: "an HTTP proxy that refuses the login",
    proxy: { kind: "http", login: "ben:x" },
    scheme: "http",
    user,
    text: "registry.example cannot be reached: the proxy HOST refuses to connect to registry.example:443: HTTP status 407",
    tries: 1,
  },
  {
    why: "an HTTP proxy that refuses the login of a forwarded request",
    proxy: { kind: "http", login: "ben:x" },
    scheme: "http",
    user,
    isPlain: true,
    text: "registry.example cannot be reached: the proxy HOST refuses to forward requests: HTTP status 407",
    tries: 1,
  },
  {
    why: "an HTTP proxy that cannot reach the registry",
    proxy: { kind: "http", refuses: 502 },
    scheme: "http",
    text: "registry.example cannot be reached: the proxy HOST refuses to connect to registry.example:443: HTTP status 502",
    tries: 4,
  },
  {
    why: "a SOCKS proxy that refuses the login",
    proxy: { kind: "socks5", login: "ben:x" },
    scheme: "socks5",
    user,
    text: "registry.example cannot be reached: the proxy HOST refuses the user and password",
    tries: 0,
  },
  {
    why: "a SOCKS proxy that wants a login",
    proxy: { kind: "socks5", login },
    scheme: "socks5",
    text: "registry.example cannot be reached: the proxy HOST requires a user and password, and its URL has none",
    tries: 0,
  },
  {
    why: "a SOCKS proxy that cannot reach the registry",
    proxy: { kind: "socks5", refuses: 4 },
    scheme: "socks5",
    text: "registry.example cannot be reached: the proxy HOST refuses to connect to registry.example:443: host unreachable",
    tries: 4,
  },
  {
    why: "an HTTP proxy that is named as a SOCKS proxy",
    proxy: { kind: "http" },
    scheme: "socks5",
    text: "registry.example cannot be reached: the proxy HOST does not speak SOCKS 5",
    tries: 0,
  },
  ...[false, true].map((isPlain) => ({
    why: `a proxy with a certificate of an unknown authority, to a registry ${isPlain ? "without" : "with"} TLS`,
    proxy: { kind: "http", tls: proxyTls } as const,
    scheme: "https",
    isTrusted: false,
    isPlain,
    text: "the TLS certificate of HOST, the proxy for registry.example, cannot be verified (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
    tries: 0,
    remedy:
      "put the certificate of its authority into certs.d/HOST/ca.crt below /etc/containers or /etc/docker, or correct the certificate",
  })),
];
for (const { why, text, tries, remedy: expected = remedy, ...pull } of refusals)
  test(`${why} is named as the cause, without its password`, async () => {
    const { result, seen, proxyHost } = await pulled(pull);
    assert.ok(!result.ok);
    const { kind, cause, remedy: found } = result.problem;
    assert.deepEqual(
      { kind, cause, found },
      {
        kind: "unreachable",
        cause: `image ${reference} cannot be pulled: ${text.replace("HOST", proxyHost)}`,
        found: expected.replace("HOST", proxyHost),
      },
    );
    assert.doesNotMatch(JSON.stringify(result.problem), /pla(:|%3A)nted/);
    assert.equal(seen.length, tries);
  });

for (const scheme of ["http", "https", "socks5"])
  test(`a proxy by ${scheme} that cannot be reached is named, without its user and password`, async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const connections = testConnections({ environment: { HTTPS_PROXY: `${scheme}://${user}${dead}` } });
    const result = await resolvedBy(connections, false);
    assert.ok(!result.ok);
    const { kind, cause, remedy: found } = result.problem;
    assert.deepEqual(
      { kind, cause, found },
      {
        kind: "unreachable",
        cause: `image ${reference} cannot be pulled: the connection to ${dead}, the proxy for registry.example, failed (ECONNREFUSED)`,
        found: "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the state of the proxy",
      },
    );
  });

test("a proxy whose name does not exist is named, a connection that breaks behind it is the registry's", () => {
  const missing = failureOfError(Object.assign(new Error(), { code: "ENOTFOUND" }), "registry.example", "proxy:3128");
  assert.equal(missing.text, "the connection to proxy:3128, the proxy for registry.example, failed (ENOTFOUND)");
  const broken = failureOfError(Object.assign(new Error(), { code: "ECONNRESET" }), "registry.example", "proxy:3128");
  assert.equal(broken.text, "the connection to registry.example failed (ECONNRESET)");
});
