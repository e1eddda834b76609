import assert from "node:assert/strict";
import { test } from "node:test";
import { type Environment, grpcProxyFor, parseServerAddress } from "./grpc-proxy.ts";

function proxyFor(address: string, environment: Environment): string {
  const server = parseServerAddress(address);
  assert.ok(server.ok, address);
  const proxy = grpcProxyFor(server.value, environment);
  if (!proxy.ok) return proxy.problem;
  if (proxy.value === undefined) return "none";
  const { kind, host, port, credentials } = proxy.value;
  return `${kind} ${host}:${port}${credentials === undefined ? "" : ` as ${credentials.user}/${credentials.password}`}`;
}

const svc = "registry.olm.svc:50051";
const socks = "socks5://proxy:1080";

const table: readonly (readonly [address: string, environment: Environment, proxy: string])[] = [
  [svc, {}, "none"],
  [svc, { GRPC_PROXY: socks }, "socks5 proxy:1080"],
  [svc, { grpc_proxy: "socks5h://proxy" }, "socks5 proxy:1080"],
  [svc, { GRPC_PROXY: "http://proxy:3128" }, "http proxy:3128"],
  [svc, { GRPC_PROXY: "proxy:3128" }, "http proxy:3128"],
  [svc, { GRPC_PROXY: "http://[fd00::1]" }, "http fd00::1:80"],
  [svc, { GRPC_PROXY: "socks5://me:p%40ss@proxy:1" }, "socks5 proxy:1 as me/p@ss"],
  [svc, { HTTPS_PROXY: "http://proxy:3128" }, "none"],
  [svc, { GRPC_PROXY: "https://me:secret@proxy" }, "GRPC_PROXY must be a URL with the scheme http or socks5"],
  [
    svc,
    { GRPC_PROXY: "socks5://%zz:secret@proxy" },
    "GRPC_PROXY must be a URL whose user and password are percent-encoded",
  ],
  ["localhost:1", { GRPC_PROXY: socks }, "none"],
  ["127.0.0.9:1", { GRPC_PROXY: socks }, "none"],
  ["[::1]:1", { GRPC_PROXY: socks }, "none"],
  ["[::2]:1", { GRPC_PROXY: socks }, "socks5 proxy:1080"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: "*" }, "none"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: "example.com, .svc" }, "none"],
  [svc, { GRPC_PROXY: socks, no_proxy: "svc" }, "none"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: "*.olm.svc" }, "none"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: "REGISTRY.olm.svc:50051" }, "none"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: "registry.olm.svc:50052" }, "socks5 proxy:1080"],
  [svc, { GRPC_PROXY: socks, NO_PROXY: ".registry.olm.svc,vc,olm" }, "socks5 proxy:1080"],
  ["10.1.2.3:1", { GRPC_PROXY: socks, NO_PROXY: "10.0.0.0/8" }, "none"],
  ["10.1.2.3:1", { GRPC_PROXY: socks, NO_PROXY: "11.0.0.0/8,10.1.2.3/33" }, "socks5 proxy:1080"],
  ["10.1.2.3:1", { GRPC_PROXY: socks, NO_PROXY: "10.1.2.3:1" }, "none"],
  ["10.1.2.3:1", { GRPC_PROXY: socks, NO_PROXY: "3,2.3,fd00::/8" }, "socks5 proxy:1080"],
  ["[fd00::5]:1", { GRPC_PROXY: socks, NO_PROXY: "fd00::/8" }, "none"],
  ["[fd00::5]:1", { GRPC_PROXY: socks, NO_PROXY: "fd00::5" }, "none"],
];

for (const [address, environment, proxy] of table)
  test(`the proxy for ${address} with ${JSON.stringify(environment)} is: ${proxy}`, () =>
    assert.equal(proxyFor(address, environment), proxy));
