import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { suite, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Pipelined } from "./pipelined.ts";

function socket(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, taken) => taken() });
}

suite("requests that a connection sends ahead", () => {
  test("are served one after another, in their order", async () => {
    const pipelined = new Pipelined();
    const connection = socket();
    const begun: number[] = [];
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const served = gates.map(({ promise }, index) =>
      pipelined.serve(connection, () => {
        begun.push(index);
        return promise;
      }),
    );
    assert.deepEqual(begun, [0], "the first one begins at once");
    for (const [index, gate] of gates.entries()) {
      assert.equal(begun.length, index + 1);
      gate.resolve();
      await served[index];
      while (begun.length === index + 1 && index < 2) await setImmediate();
    }
    assert.deepEqual(begun, [0, 1, 2]);
  });

  test("leave a turn of the event loop to others between two of them", async () => {
    const pipelined = new Pipelined();
    const [greedy, modest] = [socket(), socket()];
    const order: string[] = [];
    const note = (name: string) => (): Promise<void> => Promise.resolve(void order.push(name));
    const backlog = Array.from({ length: 50 }, () => pipelined.serve(greedy, note("greedy")));
    await setImmediate();
    await pipelined.serve(modest, note("modest"));
    assert.ok(order.indexOf("modest") < 5, `after ${order.indexOf("modest")} of 50`);
    await Promise.all(backlog);
    assert.equal(order.length, 51);
  });

  test("never begin after the connection was closed", async () => {
    const pipelined = new Pipelined();
    const connection = socket();
    const gate = Promise.withResolvers<void>();
    const first = pipelined.serve(connection, () => gate.promise);
    const second = pipelined.serve(connection, () => assert.fail("the client cannot take the response"));
    connection.destroy();
    gate.resolve();
    await Promise.all([first, second]);
  });

  test("are no longer read beyond a hundred, until some of them were served", async () => {
    const pipelined = new Pipelined();
    const connection = socket().resume();
    const gate = Promise.withResolvers<void>();
    const served = Array.from({ length: 100 }, () => pipelined.serve(connection, () => gate.promise));
    assert.equal(connection.isPaused(), false);
    served.push(pipelined.serve(connection, () => gate.promise));
    assert.equal(connection.isPaused(), true);
    gate.resolve();
    await Promise.all(served);
    assert.equal(connection.isPaused(), false);
  });

  test("are read on only when the connection takes responses again", async () => {
    const pipelined = new Pipelined();
    const taken = Promise.withResolvers<() => void>();
    const connection = new Duplex({
      read: () => undefined,
      write: (_chunk, _encoding, callback) => taken.resolve(callback),
      writableHighWaterMark: 1,
    }).resume();
    const gate = Promise.withResolvers<void>();
    const served = Array.from({ length: 101 }, () => pipelined.serve(connection, () => gate.promise));
    connection.write("response");
    gate.resolve();
    await Promise.all(served);
    assert.equal(connection.isPaused(), true);
    (await taken.promise)();
    await setImmediate();
    assert.equal(connection.isPaused(), false);
  });
});
