import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import { test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { memoryStorage } from "../storage/object-store.ts";
import { serverIdentity } from "./identity.ts";
import { openListener } from "./listener.ts";
import { UnreadAnswers } from "./unread-answers.ts";

const unreadLimit = 1024 * 1024;

test("clients that do not read are disconnected above the limit, and one that reads is kept", async () => {
  const unread = new UnreadAnswers(unreadLimit);
  let most = 0;
  let cutOff = 0;
  const large = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        most = Math.max(most, unread.size);
        yield await Promise.resolve(new Uint8Array(256 * 1024));
      }
    } finally {
      cutOff++;
    }
  };
  const small = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      await new Promise((next) => setTimeout(next, 5));
      yield new Uint8Array(10);
    }
  };
  const other = await openListener(
    await serverIdentity(memoryStorage(), systemClock, systemEntropy),
    // Default timeouts: no client is disconnected just for being slow.
    { host: "127.0.0.1", port: 0, clock: systemClock, uuid: () => systemEntropy.uuid(), unread },
    ({ path }) =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: { kind: "stream", chunks: path === "/small" ? small() : large() },
      }),
  );
  const watching = async (path: string): Promise<Socket> => {
    const socket = connect({ port: other.port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("error", () => undefined);
    await once(socket, "secureConnect");
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  const reader = await watching("/small");
  reader.resume();
  const sockets = await Promise.all(Array.from({ length: 8 }, () => watching("/large")));
  // Each stuck client holds a chunk and one or two pieces of it: the limit has room for three.
  while (cutOff < 5) await new Promise((next) => setTimeout(next, 10));
  await once(reader, "data");
  assert.ok(most <= unreadLimit, `${most} bytes were kept`);
  for (const socket of [reader, ...sockets]) socket.destroy();
  await other.close();
  assert.equal(unread.size, 0);
});
