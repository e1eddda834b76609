import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { hostAndPort } from "./host-and-port.ts";

for (const [text, expected] of [
  ["localhost:80", ["localhost", 80]],
  ["[::1]:443", ["::1", 443]],
  ["0.0.0.0:1", ["0.0.0.0", 1]],
  ["::1:443", ["", undefined]],
  ["localhost", ["", undefined]],
  ["localhost:65536", ["localhost", undefined]],
] as const)
  test(`${text} is read as ${expected.join(" ")}`, () => {
    assert.deepEqual(hostAndPort(text), expected);
  });

const loopbacks = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .filter(({ internal }) => internal)
  .map(({ address }) => address);

test(`a port alone is served on every address of the machine: ${loopbacks.join(", ")}`, async () => {
  const [host] = hostAndPort(":0");
  const server = createServer((socket) => socket.end()).listen(0, host);
  await once(server, "listening");
  try {
    const bound = server.address();
    assert.ok(typeof bound === "object" && bound !== null);
    for (const address of loopbacks) {
      const socket = connect(bound.port, address);
      await once(socket, "connect");
      socket.destroy();
    }
  } finally {
    server.close();
  }
});
