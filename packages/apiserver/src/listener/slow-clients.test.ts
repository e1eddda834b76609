import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:tls";
import { after, before, suite, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { ApiRequest, ApiResponse } from "@purser/kubernetes/kube/transport";
import { bodyBytes, bodyLimit } from "../request/body.ts";
import { memoryStorage } from "../storage/object-store.ts";
import { serverIdentity } from "./identity.ts";
import type { ListenerTimeouts, OpenListener } from "./listener.ts";
import { openListener } from "./listener.ts";
import { UnreadAnswers } from "./unread-answers.ts";

const chunk = new Uint8Array(64 * 1024);
/** Number of chunks written to watches, and of ended watches. */
let handedOut = 0;
let ended = 0;

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      handedOut++;
      yield await Promise.resolve(chunk);
    }
  } finally {
    ended++;
  }
}

const held = Promise.withResolvers<void>();

/** A few of these exceed a connection's buffers. */
const large = "x".repeat(8 * 2 ** 20);
/** Number of requests for the large response that reached the handler. */
let largeAsked = 0;
/** Paths used by single tests, in the order in which they reached the handler. */
const asked: string[] = [];

/** A handler with an endless watch, an upload, a large response, a response that waits for `held`, and others. */
async function handler(request: ApiRequest, _certificate: unknown, _signal: AbortSignal): Promise<ApiResponse> {
  const answer = (status: number, text: string): ApiResponse => ({
    status,
    headers: { "content-type": "text/plain" },
    body: { kind: "bytes", bytes: Buffer.from(text) },
  });
  if (request.path === "/watch") return { status: 200, headers: {}, body: { kind: "stream", chunks: endless() } };
  if (request.path === "/large") {
    largeAsked++;
    return answer(200, large);
  }
  if (/^\/(?:first|second|third|fourth)$/.test(request.path)) asked.push(request.path);
  if (request.path === "/held") await held.promise;
  if (request.path !== "/upload") return answer(200, "ok");
  const bytes = await bodyBytes(request);
  return bytes.ok ? answer(200, `${bytes.value.length}`) : answer(bytes.problem.code, bytes.problem.message);
}

/** Longer than any test run. */
const usual: ListenerTimeouts = { headersMs: 600_000, requestMs: 600_000, stalledMs: 600_000, lookEveryMs: 5000 };

async function listen(patience: ListenerTimeouts): Promise<OpenListener> {
  const identity = await serverIdentity(memoryStorage(), systemClock, systemEntropy);
  const uuid = (): string => systemEntropy.uuid();
  const unread = new UnreadAnswers(64 * 1024 * 1024);
  return openListener(identity, { host: "127.0.0.1", port: 0, clock: systemClock, uuid, patience, unread }, handler);
}

let patient: OpenListener;
/** Has short request timeouts; on a busy machine it also disconnects other clients. */
let hasty: OpenListener;
/** Disconnects readers that take nothing. */
let pushing: OpenListener;

before(async () => {
  patient = await listen(usual);
  hasty = await listen({ ...usual, headersMs: 1500, requestMs: 2000, lookEveryMs: 100 });
  pushing = await listen({ ...usual, stalledMs: 500, lookEveryMs: 100 });
});

after(() => Promise.all([patient, hasty, pushing].map((listener) => listener.close())));

const open = (listener: OpenListener): Socket => {
  const socket = connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => undefined);
  return socket;
};

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

const openPlain = (listener: OpenListener): Socket => {
  const socket = connectPlain({ port: listener.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  return socket;
};

/** All data until the server closes or resets the connection. */
function read(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (data: Buffer) => chunks.push(data));
  socket.once("end", () => socket.end());
  // Not `once` of node:events: it rejects with the socket's error, which would lose the received data.
  return new Promise((done) => void socket.once("close", () => done(Buffer.concat(chunks).toString())));
}

const lines = (...head: readonly string[]): string => `${head.join("\r\n")}\r\n\r\n`;

async function answersOthers(listener: OpenListener): Promise<void> {
  const socket = open(listener);
  socket.write(lines("GET / HTTP/1.1", "Host: x", "Connection: close"));
  assert.match(await read(socket), /^HTTP\/1\.1 200 OK[^]*\r\n\r\nok$/);
}

suite("slow and hostile clients", { concurrency: true }, () => {
  test("a silent connection is closed, before and during its handshake", async () => {
    const silent = openPlain(hasty);
    const halfway = openPlain(hasty);
    halfway.write(Buffer.from([0x16, 0x03, 0x01, 0x02]));
    const stranger = openPlain(hasty);
    stranger.write("SSH-2.0-x\r\n");
    assert.deepEqual(await Promise.all([silent, halfway, stranger].map(read)), ["", "", ""]);
    await answersOthers(patient);
  });

  test("plain HTTP gets a 400 response, even when sent slowly", async () => {
    const socket = openPlain(patient);
    // On a busy machine the connection may have ended before the last character is written.
    const said = read(socket);
    socket.setNoDelay(true);
    for (const character of "GET / HTTP/1.1\r\n") {
      socket.write(character);
      await new Promise((next) => setImmediate(next));
    }
    assert.equal(await said, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  });

  const requestsWithoutEnd = [
    { what: "headers", first: "GET / HTTP/1.1\r\nHost: x\r\n", rest: "X-A: b\r\n" },
    { what: "a body", first: lines("POST /upload HTTP/1.1", "Host: x", "Content-Length: 1000000"), rest: "x" },
  ];

  /** Writes `first`, then `rest` repeatedly. */
  function drip(listener: OpenListener, first: string, rest: string): Socket {
    const socket = open(listener);
    socket.write(first);
    const timer = setInterval(() => socket.writable && socket.write(rest), 100);
    for (const event of ["end", "close"]) socket.once(event, () => clearInterval(timer));
    return socket;
  }

  for (const { what, first, rest } of requestsWithoutEnd) {
    test(`a client that sends ${what} without end gets 408 and is disconnected`, async () => {
      let said = "";
      // On a busy machine the handshake may time out, and then there is no response.
      for (let attempt = 0; said === "" && attempt < 50; attempt++) said = await read(drip(hasty, first, rest));
      assert.match(said, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    });

    test(`others are answered while twenty clients send ${what} without end`, async () => {
      const slow = Array.from({ length: 20 }, () => drip(patient, first, rest));
      await Promise.all(slow.map((socket) => once(socket, "secureConnect")));
      await answersOthers(patient);
      for (const socket of slow) socket.destroy();
    });
  }

  test("an endless body is read little beyond the limit, and the client receives the refusal", async () => {
    const socket = open(patient);
    const said = read(socket);
    socket.write(lines("POST /upload HTTP/1.1", "Host: x", "Transfer-Encoding: chunked"));
    const piece = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    let written = 0;
    while (!socket.destroyed && socket.writable) {
      written += piece.length;
      assert.ok(written < 200 * bodyLimit, "it is read without end");
      if (socket.write(piece)) continue;
      const { signal, abort } = abortable();
      const happening = ["drain", "close"].map((event) => once(socket, event, { signal }));
      await Promise.race(happening).catch(() => undefined);
      abort();
      await Promise.allSettled(happening);
    }
    assert.match(await said, /^HTTP\/1\.1 413 Request Entity Too Large[^]*limit is 3145728$/);
  });

  test("a Content-Length of 100 MB is refused before the body is sent", async () => {
    const socket = open(patient);
    socket.write(lines("POST /upload HTTP/1.1", "Host: x", "Content-Length: 104857600"));
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("a body of exactly the limit is accepted", async () => {
    const socket = open(patient);
    const said = read(socket);
    socket.write(lines("POST /upload HTTP/1.1", "Host: x", "Connection: close", `Content-Length: ${bodyLimit}`));
    socket.write(Buffer.alloc(bodyLimit, "x"));
    assert.match(await said, /\r\n\r\n3145728$/);
  });

  test("a watcher that never reads is disconnected, and its pending bytes are bounded", async () => {
    const before = { handedOut, ended };
    const sockets = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = open(pushing);
        await once(socket, "secureConnect");
        socket.pause();
        socket.write(lines("GET /watch HTTP/1.1", "Host: x"));
        return socket;
      }),
    );
    while (ended < before.ended + sockets.length) await new Promise((next) => setTimeout(next, 10));
    const bytes = (handedOut - before.handedOut) * chunk.length;
    // The kernel buffers some megabytes per connection, the server a chunk or two.
    assert.ok(bytes < sockets.length * 16 * 1024 * 1024, `${bytes} bytes were handed out`);
    for (const socket of sockets) socket.destroy();
    await answersOthers(pushing);
  });

  test("connections that are reset in the middle of an upload or an answer do not affect other clients", async () => {
    const upstream: Socket[] = [];
    // Resetting the socket below a TLS client in the same process would end the process.
    const between = createServer((client) => {
      const server = openPlain(patient);
      upstream.push(server);
      client.on("error", () => undefined);
      client.pipe(server);
      server.pipe(client);
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    const { port } = between.address() as AddressInfo;
    for (let round = 0; round < 20; round++) {
      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
      socket.on("error", () => undefined);
      await once(socket, "secureConnect");
      socket.write(
        round % 2 === 0
          ? lines("POST /upload HTTP/1.1", "Host: x", "Content-Length: 1000")
          : lines("GET /watch HTTP/1.1", "Host: x"),
      );
      if (round % 2 === 1) await once(socket, "data");
      upstream.at(-1)?.resetAndDestroy();
      socket.destroy();
    }
    between.close();
    await answersOthers(patient);
  });

  test("a thousand idle connections do not block other clients", async () => {
    const idle: Socket[] = [];
    try {
      // In batches: the kernel resets connections beyond its accept queue of 511.
      while (idle.length < 1000) {
        const some = Array.from({ length: 20 }, (_, index) => (index % 10 === 0 ? open(patient) : openPlain(patient)));
        idle.push(...some);
        await Promise.all(some.map((socket, index) => once(socket, index % 10 === 0 ? "secureConnect" : "connect")));
      }
      await answersOthers(patient);
      await answersOthers(patient);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  test("pipelined requests are answered in order, whatever follows them", async () => {
    const socket = open(patient);
    const said = read(socket);
    socket.write(`${lines("GET /a HTTP/1.1", "Host: x")}${lines("GET /b HTTP/1.1", "Host: x")}\u0000nonsense\r\n\r\n`);
    const answers = (await said).split("HTTP/1.1 ").slice(1);
    assert.deepEqual(
      answers.map((answer) => answer.slice(0, 3)),
      ["200", "200", "400"],
    );
  });

  test("invalid data after an unanswered request is one error, however much of it follows", async () => {
    const warned: string[] = [];
    const warn = ({ name }: Error): void => void warned.push(name);
    process.on("warning", warn);
    const socket = open(patient);
    const said = read(socket);
    socket.write(lines("GET /held HTTP/1.1", "Host: x"));
    for (let count = 0; count < 50; count++) {
      socket.write("\u0000nonsense\r\n\r\n");
      await answersOthers(patient);
    }
    held.resolve();
    assert.deepEqual((await said).match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 400"]);
    process.removeListener("warning", warn);
    assert.deepEqual(warned, []);
  });

  test("requests that arrive while responses are pending are all answered", async () => {
    const socket = open(patient);
    await once(socket, "secureConnect");
    socket.setNoDelay(true);
    const ask = (path: string, ...more: readonly string[]): Promise<void> =>
      new Promise((written) => socket.write(lines(`GET ${path} HTTP/1.1`, "Host: x", ...more), () => written()));
    let sent = 0;
    do {
      await ask("/large");
      sent++;
      // Both reach the server after the request, and are answered after it has been read.
      for (let other = 0; other < 2; other++) await answersOthers(patient);
    } while (largeAsked === sent);
    // Each arrives in its own packet while the server's parser is paused.
    for (const path of ["/first", "/second", "/third"]) {
      await ask(path);
      for (let other = 0; other < 2; other++) await answersOthers(patient);
    }
    assert.equal(asked.length, 0, "they wait until the client reads");
    const said = read(socket);
    await ask("/fourth", "Connection: close");
    const answers = (await said).match(/HTTP\/1\.1 \d+/g);
    assert.deepEqual(answers, Array<string>(sent + 4).fill("HTTP/1.1 200"));
    assert.deepEqual(asked, ["/first", "/second", "/third", "/fourth"]);
  });

  test("a listener closes with connections in every state", async () => {
    const other = await listen(usual);
    const at = { port: other.port, host: "127.0.0.1", rejectUnauthorized: false };
    const sockets: Socket[] = [connectPlain(at), connectPlain(at), connect(at), connect(at)];
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.resume();
    }
    sockets[1]?.write(Buffer.from([0x16, 0x03]));
    await Promise.all(sockets.slice(2).map((socket) => once(socket, "secureConnect")));
    sockets[3]?.write("GET / HTTP/1.1\r\n");
    const closed = sockets.map((socket) => once(socket, "close"));
    await other.close();
    await Promise.all(closed);
  });
});
