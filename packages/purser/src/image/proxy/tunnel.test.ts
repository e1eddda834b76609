// What the tunnel says to a proxy and makes of its answers, byte by byte.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { openTunnel, TunnelError, type TunnelProxy } from "./tunnel.ts";

/** A connection to a proxy that gives its answers in turn, one for each write. */
function proxyWith(answers: readonly Buffer[]): { readonly socket: Socket; readonly sent: Buffer[] } {
  const [sent, left] = [[] as Buffer[], [...answers]];
  const duplex = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, written) {
      sent.push(chunk);
      const answer = left.shift();
      if (answer === undefined) this.push(null);
      else this.push(answer);
      written();
    },
  });
  const socket = Object.assign(duplex, { setTimeout: () => duplex }) as unknown as Socket;
  setImmediate(() => socket.emit("connect"));
  return { socket, sent };
}

const socks: TunnelProxy = { kind: "socks5", host: "proxy", port: 1080 };
const http: TunnelProxy = { ...socks, kind: "http" };
const bytes = (...numbers: readonly number[]): Buffer => Buffer.of(...numbers);
const method = bytes(5, 0);

for (const [host, address] of [
  ["name.example", bytes(3, 12, ...Buffer.from("name.example"))],
  ["10.0.0.255", bytes(1, 10, 0, 0, 255)],
  ["::1", bytes(4, ...Array.from({ length: 15 }, () => 0), 1)],
  ["fd00::12:3", bytes(4, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 3)],
  ["1:2:3:4:5:6:7:8", bytes(4, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8)],
  ["fe80::", bytes(4, 0xfe, 0x80, ...Array.from({ length: 14 }, () => 0))],
] as const)
  for (const [kind, bound] of [
    ["IPv4 address", bytes(1, 9, 9, 9, 9)],
    ["IPv6 address", bytes(4, ...Array.from({ length: 16 }, () => 9))],
    ["name", bytes(3, 2, 9, 9)],
  ] as const)
    test(`SOCKS asks for ${host}, and the ${kind} of the answer is skipped`, async () => {
      const reply = Buffer.concat([bytes(5, 0, 0), bound, bytes(1, 2), Buffer.from("first bytes")]);
      const { socket, sent } = proxyWith([method, reply]);
      await openTunnel(socket, socks, { host, port: 443 });
      assert.deepEqual(sent, [bytes(5, 1, 0), Buffer.concat([bytes(5, 1, 0), address, bytes(1, 187)])]);
      assert.equal(String(socket.read()), "first bytes");
    });

test("SOCKS sends user and password when the proxy asks for them", async () => {
  const { socket, sent } = proxyWith([bytes(5, 2), bytes(1, 0), bytes(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)]);
  await openTunnel(socket, { ...socks, credentials: { user: "ann", password: "pw" } }, { host: "a", port: 1 });
  assert.deepEqual(sent.slice(0, 2), [
    bytes(5, 2, 0, 2),
    Buffer.concat([bytes(1, 3), Buffer.from("ann"), bytes(2), Buffer.from("pw")]),
  ]);
});

test("CONNECT names the server, an IPv6 address in brackets, and the user", async () => {
  const first = proxyWith([Buffer.from("HTTP/1.1 200 OK\r\nA: b\r\n\r\nrest")]);
  await openTunnel(first.socket, http, { host: "fd00::1", port: 443 });
  assert.equal(String(first.sent[0]), "CONNECT [fd00::1]:443 HTTP/1.1\r\nHost: [fd00::1]:443\r\n\r\n");
  assert.equal(String(first.socket.read()), "rest");
  const second = proxyWith([Buffer.from("HTTP/1.0 204 \r\n\r\n")]);
  const credentials = { user: "ann", password: "p:w" };
  await openTunnel(second.socket, { ...http, credentials }, { host: "a.example", port: 80 });
  assert.equal(
    String(second.sent[0]),
    `CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\nProxy-Authorization: Basic ${btoa("ann:p:w")}\r\n\r\n`,
  );
});

const credentials = { user: "u".repeat(255), password: "p".repeat(255) };
const refusals: readonly (readonly [
  what: string,
  proxy: TunnelProxy,
  answers: readonly Buffer[],
  message: string,
  isPassing: boolean,
  host?: string,
])[] = [
  ["another version", socks, [bytes(4, 0)], "does not speak SOCKS 5", false],
  ["a user", socks, [bytes(5, 2)], "requires a user and password, and its URL has none", false],
  [
    "another way to log in",
    { ...socks, credentials },
    [bytes(5, 255)],
    "requires a user and password, and its URL has none",
    false,
  ],
  ["another user", { ...socks, credentials }, [bytes(5, 2), bytes(1, 1)], "refuses the user and password", false],
  [
    "a shorter user",
    { ...socks, credentials: { ...credentials, user: "u".repeat(256) } },
    [bytes(5, 2)],
    "does not accept a user or password of more than 255 bytes",
    false,
  ],
  [
    "a shorter password",
    { ...socks, credentials: { ...credentials, password: "p".repeat(256) } },
    [bytes(5, 2)],
    "does not accept a user or password of more than 255 bytes",
    false,
  ],
  ["a shorter name", socks, [method], "does not accept a host name of more than 255 bytes", false, "h".repeat(256)],
  ...(
    [
      [1, "general failure", true],
      [2, "not allowed by its rules", false],
      [3, "network unreachable", true],
      [4, "host unreachable", true],
      [5, "connection refused", true],
      [6, "TTL expired", true],
      [7, "command not supported", false],
      [8, "address type not supported", false],
      [9, "SOCKS reply 9", false],
    ] as const
  ).map(
    ([reply, words, isPassing]) =>
      [
        `reply ${reply}`,
        socks,
        [method, bytes(5, reply, 0, 1)],
        `refuses to connect to a:1: ${words}`,
        isPassing,
      ] as const,
  ),
  ["the end of the connection", socks, [], "closes the connection", true],
  ["no HTTP", http, [Buffer.from("SSH-2.0\r\n\r\n")], "does not speak HTTP", false],
  ["403", http, [Buffer.from("HTTP/1.1 403 No\r\n\r\n")], "refuses to connect to a:1: HTTP status 403", false],
  ["503", http, [Buffer.from("HTTP/1.1 503 No\r\n\r\n")], "refuses to connect to a:1: HTTP status 503", true],
  ["headers without an end", http, [Buffer.alloc(16 * 1024 + 1, 97)], "answers with too many headers", false],
];
for (const [what, proxy, answers, message, isPassing, host = "a"] of refusals)
  test(`a proxy that wants or gives ${what}: "${message}"`, async () => {
    const { socket } = proxyWith(answers);
    await assert.rejects(openTunnel(socket, proxy, { host, port: 1 }), (error: unknown) => {
      assert.ok(error instanceof TunnelError);
      assert.deepEqual([error.message, error.isPassing], [message, isPassing]);
      return true;
    });
  });

test("headers that just fit are waited for", async () => {
  const { socket } = proxyWith([Buffer.alloc(16 * 1024, 97)]);
  setImmediate(() => setImmediate(() => socket.push("\r\n\r\n")));
  await assert.rejects(openTunnel(socket, http, { host: "a", port: 1 }), /does not speak HTTP/);
});

test("a proxy that cannot be reached or that breaks the connection may be tried again", async () => {
  const unreached = new Duplex({ read: () => undefined });
  const socket = Object.assign(unreached, { setTimeout: () => unreached }) as unknown as Socket;
  setImmediate(() => socket.destroy(new Error("ECONNREFUSED")));
  await assert.rejects(openTunnel(socket, http, { host: "a", port: 1 }), {
    message: "cannot be reached: ECONNREFUSED",
    isPassing: true,
  });
  const broken = proxyWith([method, bytes(5)]);
  setImmediate(() => setImmediate(() => setImmediate(() => broken.socket.destroy(new Error("reset")))));
  await assert.rejects(openTunnel(broken.socket, socks, { host: "a", port: 1 }), {
    message: "breaks the connection: reset",
    isPassing: true,
  });
});
