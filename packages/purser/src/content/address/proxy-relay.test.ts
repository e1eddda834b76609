// Registries behind proxies that alone know their names: small proxies of our own, real servers behind them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { catalogAddress } from "./catalog-address.ts";
import { openProxyRelay } from "./proxy-relay.ts";
import { indexOf, serveIndex } from "../testing/registry-under-test.ts";

const never = new AbortController().signal;
const secret = "p@ss";
/** Only the proxies know this name. */
const address = "registry.olm.svc:50051";

/** Answers the requests of a client in order; then the connection is a tunnel to the port. */
type Handshake = (request: Buffer, step: number) => Buffer | { readonly answer: Buffer; readonly opens: boolean };

async function proxy(context: TestContext, port: number, handshake: Handshake): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on("error", () => {});
    let step = 0;
    const onData = (request: Buffer): void => {
      const reply = handshake(request, step++);
      if (Buffer.isBuffer(reply)) return void near.write(reply);
      if (!reply.opens) return void near.end(reply.answer);
      near.off("data", onData);
      const far = connect(port, "127.0.0.1");
      sockets.add(far);
      far.on("error", () => near.destroy());
      near.write(reply.answer);
      near.pipe(far).pipe(near);
    };
    near.on("data", onData);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const bound = server.address();
  assert.ok(typeof bound === "object" && bound !== null);
  return bound.port;
}

/** What a look through the proxy finds: the packages, or the cause. */
async function through(context: TestContext, url: (port: number) => string, handshake: Handshake): Promise<string> {
  const index = await indexOf(smallCatalog("a", ["1.0.0"]));
  const server = await serveIndex(() => index);
  const indexes = await mkdtemp(join(tmpdir(), "purser-proxied-"));
  const environment = { GRPC_PROXY: url(await proxy(context, server.port, handshake)) };
  const reader = catalogAddress({ address, indexes, clock: systemClock, environment });
  try {
    const look = await reader.look({ mark: undefined, hasContent: false }, never);
    if (look?.found?.ok !== true) return look?.found?.problem.cause ?? "nothing";
    const names = look.found.value.packages().join();
    look.found.value.close();
    return names;
  } finally {
    reader.close?.();
    await server.stop(0);
    index.close();
    await rm(indexes, { recursive: true });
  }
}

const name = Buffer.from("registry.olm.svc");
const request = Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), name, Buffer.of(50_051 >> 8, 50_051 & 255)]);
const granted = { answer: Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0), opens: true };

test("a registry behind a SOCKS proxy is read, its name resolved by the proxy", async (context) => {
  const seen: Buffer[] = [];
  const found = await through(
    context,
    (port) => `socks5://localhost:${port}`,
    (bytes, step) => {
      seen.push(bytes);
      return step === 0 ? Buffer.of(5, 0) : granted;
    },
  );
  assert.equal(found, "a");
  assert.deepEqual(seen, [Buffer.of(5, 1, 0), request]);
});

test("a SOCKS proxy that asks for a login gets that of the URL", async (context) => {
  const login = Buffer.concat([Buffer.of(1, 2), Buffer.from("me"), Buffer.of(4), Buffer.from(secret)]);
  const found = await through(
    context,
    (port) => `socks5://me:${encodeURIComponent(secret)}@localhost:${port}`,
    (bytes, step) => {
      if (step === 0) return Buffer.of(5, 2);
      if (step === 1) return bytes.equals(login) ? Buffer.of(1, 0) : { answer: Buffer.of(1, 1), opens: false };
      return granted;
    },
  );
  assert.equal(found, "a");
});

test("a user and a password of 255 bytes go to a SOCKS proxy, longer ones are refused", async (context) => {
  const withLogin = (user: number, password: number): Promise<string> =>
    through(
      context,
      (port) => `socks5://${"u".repeat(user)}:${"p".repeat(password)}@localhost:${port}`,
      (_, step) => (step === 0 ? Buffer.of(5, 2) : step === 1 ? Buffer.of(1, 0) : granted),
    );
  assert.equal(await withLogin(255, 255), "a");
  const refused = /does not accept a user or password of more than 255 bytes$/;
  assert.match(await withLogin(256, 1), refused);
  assert.match(await withLogin(1, 256), refused);
});

test("a registry behind an HTTP proxy is read through CONNECT, with the login of the URL", async (context) => {
  const seen: string[] = [];
  const found = await through(
    context,
    (port) => `http://me:${encodeURIComponent(secret)}@localhost:${port}`,
    (bytes) => {
      seen.push(bytes.toString());
      return { answer: Buffer.from("HTTP/1.1 200 Connection established\r\nX-A: b\r\n\r\n"), opens: true };
    },
  );
  assert.equal(found, "a");
  const token = Buffer.from(`me:${secret}`).toString("base64");
  assert.deepEqual(seen, [
    `CONNECT ${address} HTTP/1.1\r\nHost: ${address}\r\nProxy-Authorization: Basic ${token}\r\n\r\n`,
  ]);
});

const end = (answer: Buffer | string): ReturnType<Handshake> => ({ answer: Buffer.from(answer), opens: false });

const failures: readonly (readonly [claim: string, scheme: string, handshake: Handshake, cause: RegExp])[] = [
  [
    "refuses the name",
    "socks5",
    (_, step) => (step === 0 ? Buffer.of(5, 0) : end(Buffer.of(5, 4, 0, 1))),
    /refuses to connect to registry\.olm\.svc:50051: host unreachable$/,
  ],
  [
    "refuses the login",
    "socks5",
    (_, step) => (step === 0 ? Buffer.of(5, 2) : end(Buffer.of(1, 1))),
    /refuses the user and password$/,
  ],
  ["speaks something else", "socks5", () => end("HTTP/1.1 400 Bad Request\r\n\r\n"), /does not speak SOCKS 5$/],
  ["closes the connection", "socks5", () => end(""), /closes the connection$/],
  [
    "answers CONNECT with 407",
    "http",
    () => end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
    /refuses to connect to registry\.olm\.svc:50051: HTTP status 407$/,
  ],
  ["answers with headers that hold no status", "http", () => end("\r\n\r\n"), /does not speak HTTP$/],
  [
    "refuses for a reason that is not in the protocol",
    "socks5",
    (_, step) => (step === 0 ? Buffer.of(5, 0) : end(Buffer.of(5, 9, 0, 1))),
    /refuses to connect to registry\.olm\.svc:50051: SOCKS reply 9$/,
  ],
  [
    "accepts none of the logins that are offered",
    "socks5",
    () => end(Buffer.of(5, 255)),
    /requires a user and password, and its URL has none$/,
  ],
  ["sends headers without an end", "http", () => Buffer.alloc(20_000, "a"), /answers with too many headers$/],
];

for (const [claim, scheme, handshake, cause] of failures)
  test(`a proxy that ${claim} is the cause, without the password`, async (context) => {
    const found = await through(
      context,
      (port) => `${scheme}://me:${encodeURIComponent(secret)}@localhost:${port}`,
      handshake,
    );
    assert.match(found, /^couldn't connect to registry - registry\.olm\.svc:50051: the proxy localhost:\d+ /);
    assert.match(found, cause);
    assert.ok(!found.includes(secret));
  });

test("a relay that is closed leaves no directory behind, and its directory may be gone before", async () => {
  const proxy = { kind: "http", host: "127.0.0.1", port: 1 } as const;
  const open = () => openProxyRelay(proxy, { host: "registry.olm.svc", port: 50_051 });
  const [kept, lost] = [await open(), await open()];
  await kept.close();
  assert.equal(existsSync(dirname(kept.path)), false);
  await rm(dirname(lost.path), { recursive: true });
  await lost.close();
});

test("a proxy that cannot be reached is the cause", async (context) => {
  const found = await through(
    context,
    () => "socks5://localhost:1",
    () => end(""),
  );
  assert.match(found, /the proxy localhost:1 cannot be reached: /);
});
