import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoUrl } from "./go-url.ts";
import { cidrContains, formatIp, maskedIp, parseCidr, parseIp } from "./ip-address.ts";

const urls: readonly (readonly [text: string, parts: object | undefined])[] = [
  ["", undefined],
  ["a", undefined],
  ["/a", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a", query: [] }],
  ["/a b", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a%20b", query: [] }],
  ["/a%2", undefined],
  ["/a%zz", undefined],
  ["/a%20b", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a%20b", query: [] }],
  ["http:", { host: "", hostname: "", port: "", escapedPath: "", query: [], scheme: "http" }],
  ["http:opaque", { host: "", hostname: "", port: "", escapedPath: "", query: [], scheme: "http" }],
  ["mailto:a@b", { host: "", hostname: "", port: "", escapedPath: "", query: [], scheme: "mailto" }],
  ["HTTP://Ex.com", { scheme: "http", host: "Ex.com", hostname: "Ex.com", port: "", escapedPath: "", query: [] }],
  ["http://ex.com", { scheme: "http", host: "ex.com", hostname: "ex.com", port: "", escapedPath: "", query: [] }],
  ["http://ex.com/", { scheme: "http", host: "ex.com", hostname: "ex.com", port: "", escapedPath: "/", query: [] }],
  [
    "http://u:p@ex.com:80/p?q=1#f",
    { scheme: "http", host: "ex.com:80", hostname: "ex.com", port: "80", escapedPath: "/p", query: [["q", ["1"]]] },
  ],
  [
    "http://u@v@ex.com/p",
    { scheme: "http", host: "ex.com", hostname: "ex.com", port: "", escapedPath: "/p", query: [] },
  ],
  [
    "http://[::1]:8080/p",
    { scheme: "http", host: "[::1]:8080", hostname: "::1", port: "8080", escapedPath: "/p", query: [] },
  ],
  ["http://[::1]/p", { scheme: "http", host: "[::1]", hostname: "::1", port: "", escapedPath: "/p", query: [] }],
  ["http://[::1", undefined],
  ["http://[::1]x", undefined],
  ["http://a:b/", undefined],
  ["http://a:/", { scheme: "http", host: "a:", hostname: "a", port: "", escapedPath: "/", query: [] }],
  ["http://a:80x/", undefined],
  ["http://a b/", undefined],
  ["http://a<b/", undefined],
  ["http://a%b/", undefined],
  ["//ex.com/p", { scheme: "", host: "ex.com", hostname: "ex.com", port: "", escapedPath: "/p", query: [] }],
  ["///p", { scheme: "", host: "", hostname: "", port: "", escapedPath: "///p", query: [] }],
  ["http:///p", { scheme: "http", host: "", hostname: "", port: "", escapedPath: "/p", query: [] }],
  ["http:////p", { scheme: "http", host: "", hostname: "", port: "", escapedPath: "//p", query: [] }],
  ["/p//q", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/p//q", query: [] }],
  [
    "/p?a=1&a=2&b&=c&&d=%zz&%zz=1&e=x+y&f;g=1&h=1=2&i=",
    {
      scheme: "",
      host: "",
      hostname: "",
      port: "",
      escapedPath: "/p",
      query: [
        ["a", ["1", "2"]],
        ["b", [""]],
        ["", ["c"]],
        ["e", ["x y"]],
        ["h", ["1=2"]],
        ["i", [""]],
      ],
    },
  ],
  ["/p?", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/p", query: [] }],
  ["/é/ü?é=ü", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/%C3%A9/%C3%BC", query: [["é", ["ü"]]] }],
  ["/a\u0001", undefined],
  ["/a#b?c=d", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a", query: [] }],
  [
    "http://ex.com?x=1",
    { scheme: "http", host: "ex.com", hostname: "ex.com", port: "", escapedPath: "", query: [["x", ["1"]]] },
  ],
  ["1http://a", undefined],
  ["a+b-c.d://x/y", { scheme: "a+b-c.d", host: "x", hostname: "x", port: "", escapedPath: "/y", query: [] }],
  ["/a[b]", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a[b]", query: [] }],
  ['/a"b|c', { scheme: "", host: "", hostname: "", port: "", escapedPath: "/a%22b%7Cc", query: [] }],
  ["/~a!$&'()*+,;=:@", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/~a!$&'()*+,;=:@", query: [] }],
  ["/p?a=1?b", { scheme: "", host: "", hostname: "", port: "", escapedPath: "/p", query: [["a", ["1?b"]]] }],
];

for (const [text, parts] of urls)
  test(`${JSON.stringify(text)} is ${parts === undefined ? "no URL" : "a URL"}`, () => {
    const url = parseGoUrl(text);
    assert.deepEqual(url === undefined ? undefined : { ...url, query: [...url.query] }, parts);
  });

/** The canonical text of an address; sloppily leading zeros are accepted. */
const addresses: readonly (readonly [text: string, strict: string | undefined, sloppy: string | undefined])[] = [
  ["1.2.3.4", "1.2.3.4", "1.2.3.4"],
  ["01.2.3.4", undefined, "1.2.3.4"],
  ["0.0.0.0", "0.0.0.0", "0.0.0.0"],
  ["1.2.3", undefined, undefined],
  ["1.2.3.4.5", undefined, undefined],
  ["1.2.3.256", undefined, undefined],
  ["1.2.3.255", "1.2.3.255", "1.2.3.255"],
  ["1..3.4", undefined, undefined],
  ["a.2.3.4", undefined, undefined],
  ["", undefined, undefined],
  ["::", "::", "::"],
  ["::1", "::1", "::1"],
  ["1::", "1::", "1::"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ["1:2:3:4:5:6:7", undefined, undefined],
  ["1:2:3:4:5:6:7:8:9", undefined, undefined],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"],
  ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
  ["1:2:3:4:5:6:7:8::", undefined, undefined],
  ["1::2::3", undefined, undefined],
  ["1:::2", undefined, undefined],
  [":1", undefined, undefined],
  ["1:", undefined, undefined],
  ["::ffff:1.2.3.4", "::ffff:102:304", "::ffff:102:304"],
  ["::1.2.3.4", "::102:304", "::102:304"],
  ["::01.2.3.4", undefined, "::102:304"],
  ["::1.2.3", undefined, undefined],
  ["1.2.3.4::", undefined, undefined],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304", "1:2:3:4:5:6:102:304"],
  ["1:2:3:4:5:6:7:1.2.3.4", undefined, undefined],
  ["12345::", undefined, undefined],
  ["g::", undefined, undefined],
  ["2001:DB8::0:1", "2001:db8::1", "2001:db8::1"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3", "1:0:0:2::3"],
  ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4", "1::2:3:0:0:4"],
  ["0:0:1:0:0:0:0:0", "0:0:1::", "0:0:1::"],
  ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"],
  ["abcd:ef01::10", "abcd:ef01::10", "abcd:ef01::10"],
  ["fe80::1%eth0", undefined, undefined],
  ["::ffff:0:0", "::ffff:0:0", "::ffff:0:0"],
  ["0:1:0:0:0:0:0:0", "0:1::", "0:1::"],
];

test("an address is read strictly or sloppily, and written as RFC 5952 wants it", () => {
  const canonical = (text: string, mode: "strict" | "sloppy"): string | undefined => {
    const ip = parseIp(text, mode);
    return ip === undefined ? undefined : formatIp(ip);
  };
  assert.deepEqual(
    addresses.map(([text]) => [text, canonical(text, "strict"), canonical(text, "sloppy")]),
    addresses,
  );
});

/** The network of a prefix, and its length. */
const networks: readonly (readonly [text: string, network: string | undefined])[] = [
  ["10.1.2.3/8", "10.0.0.0 8"],
  ["10.1.2.3/12", "10.0.0.0 12"],
  ["10.1.2.3/0", "0.0.0.0 0"],
  ["10.1.2.3/32", "10.1.2.3 32"],
  ["10.1.2.3/33", undefined],
  ["10.1.2.3/08", undefined],
  ["10.1.2.3/-1", undefined],
  ["10.1.2.3/", undefined],
  ["10.1.2.3", undefined],
  ["1:2:3:4:5:6:7:8/64", "1:2:3:4:: 64"],
  ["1:2:3:4:5:6:7:ffff/121", "1:2:3:4:5:6:7:ff80 121"],
  ["::/128", ":: 128"],
  ["::/129", undefined],
  ["::/0", ":: 0"],
  ["1.2.3.4/1/2", undefined],
  ["x/8", undefined],
  ["::/1000", undefined],
];

test("a network has its host bits cleared", () => {
  const networkOf = (text: string): string | undefined => {
    const cidr = parseCidr(text, "strict");
    return cidr === undefined ? undefined : `${formatIp(maskedIp(cidr))} ${cidr.prefix}`;
  };
  assert.deepEqual(
    networks.map(([text]) => [text, networkOf(text)]),
    networks,
  );
  assert.equal(parseCidr("010.0.0.0/8", "sloppy")?.prefix, 8);
});

test("a network contains the addresses of its family with the same prefix", () => {
  const contains = (network: string, address: string): boolean => {
    const [cidr, ip] = [parseCidr(network, "strict"), parseIp(address, "strict")];
    assert.ok(cidr !== undefined && ip !== undefined);
    return cidrContains(cidr, ip);
  };
  assert.equal(contains("10.0.0.0/9", "10.127.255.255"), true);
  assert.equal(contains("10.0.0.0/9", "10.128.0.0"), false);
  assert.equal(contains("::/0", "1.2.3.4"), false);
  assert.equal(contains("0.0.0.0/0", "::1"), false);
  assert.equal(contains("::/0", "ffff::"), true);
});
