import assert from "node:assert/strict";
import { test } from "node:test";
import { failed } from "@purser/kubernetes/result";
import { proxyFor } from "./proxy-rule.ts";

const proxy = "http://proxy.example:3128/";

const noProxy: readonly { readonly list: string; readonly url: string; readonly isProxied: boolean }[] = [
  { list: "", url: "https://registry.example", isProxied: true },
  { list: "*", url: "https://registry.example", isProxied: false },
  { list: "registry.example", url: "https://registry.example", isProxied: false },
  { list: "REGISTRY.example", url: "https://registry.example", isProxied: false },
  { list: "registry.example", url: "https://a.registry.example", isProxied: false },
  { list: "registry.example", url: "https://otherregistry.example", isProxied: true },
  { list: ".registry.example", url: "https://registry.example", isProxied: true },
  { list: ".registry.example", url: "https://a.registry.example", isProxied: false },
  { list: "*.registry.example", url: "https://a.registry.example", isProxied: false },
  { list: "*.registry.example", url: "https://registry.example", isProxied: true },
  { list: "a.example, registry.example", url: "https://registry.example", isProxied: false },
  { list: "registry.example:5000", url: "https://registry.example", isProxied: true },
  { list: "registry.example:5000", url: "https://registry.example:5000", isProxied: false },
  { list: "registry.example:443", url: "https://registry.example", isProxied: false },
  { list: "10.0.0.0/8", url: "https://10.1.2.3:5000", isProxied: false },
  { list: "10.0.0.0/8", url: "https://11.1.2.3", isProxied: true },
  { list: "10.1.2.3", url: "https://10.1.2.3", isProxied: false },
  { list: "10.1.2.3:80", url: "https://10.1.2.3", isProxied: true },
  { list: "fd00::/8", url: "https://[fd00::1]:5000", isProxied: false },
  { list: "[fd00::1]:5000", url: "https://[fd00::1]:5000", isProxied: false },
  { list: "10.0.0.0/99", url: "https://10.1.2.3", isProxied: true },
  { list: "", url: "https://localhost:5000", isProxied: false },
  { list: "", url: "https://127.0.0.1:5000", isProxied: false },
  { list: "", url: "https://127.9.9.9:5000", isProxied: false },
  { list: "", url: "https://[::1]:5000", isProxied: false },
];
for (const { list, url, isProxied } of noProxy)
  test(`with NO_PROXY "${list}" ${url} is ${isProxied ? "" : "not "}asked through the proxy`, () => {
    const found = proxyFor(new URL(url), { HTTPS_PROXY: proxy, NO_PROXY: list });
    assert.ok(found.ok);
    assert.equal(found.value?.href, isProxied ? proxy : undefined);
  });

const variables: readonly {
  readonly rule: string;
  readonly environment: Record<string, string>;
  readonly url: string;
  readonly proxy: string | undefined;
}[] = [
  { rule: "lower case counts", environment: { https_proxy: proxy }, url: "https://a.example", proxy },
  {
    rule: "upper case goes first",
    environment: { https_proxy: "http://lower.example", HTTPS_PROXY: proxy },
    url: "https://a.example",
    proxy,
  },
  {
    rule: "no_proxy in lower case counts",
    environment: { HTTPS_PROXY: proxy, no_proxy: "a.example" },
    url: "https://a.example",
    proxy: undefined,
  },
  {
    rule: "HTTP_PROXY is not for https",
    environment: { HTTP_PROXY: proxy },
    url: "https://a.example",
    proxy: undefined,
  },
  { rule: "HTTP_PROXY is for http", environment: { HTTP_PROXY: proxy }, url: "http://a.example", proxy },
  {
    rule: "HTTP_PROXY may come from a client of a CGI program",
    environment: { HTTP_PROXY: proxy, REQUEST_METHOD: "GET" },
    url: "http://a.example",
    proxy: undefined,
  },
  {
    rule: "the scheme of a proxy may be left out",
    environment: { HTTPS_PROXY: "proxy.example:3128" },
    url: "https://a.example",
    proxy,
  },
];
for (const { rule, environment, url, proxy: expected } of variables)
  test(`proxies of the environment: ${rule}`, () => {
    const found = proxyFor(new URL(url), environment);
    assert.ok(found.ok);
    assert.equal(found.value?.href, expected);
  });

for (const [value, problem] of [
  ["ftp://ann:secret@proxy.example", "HTTPS_PROXY is not the URL of a http, https or socks5 proxy"],
  ["socks4://ann:secret@proxy.example", "HTTPS_PROXY is not the URL of a http, https or socks5 proxy"],
  ["socks5://", "HTTPS_PROXY is not the URL of a http, https or socks5 proxy"],
  ["http://ann:%secret@proxy.example", "user and password in HTTPS_PROXY are not percent-encoded"],
  ["http://%ann:secret@proxy.example", "user and password in HTTPS_PROXY are not percent-encoded"],
] as const)
  test(`a proxy that cannot be used (${value.split(":")[0]}) is a problem that does not repeat its password`, () =>
    assert.deepEqual(proxyFor(new URL("https://a.example"), { HTTPS_PROXY: value }), failed(problem)));
