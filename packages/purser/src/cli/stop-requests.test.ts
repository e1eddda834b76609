import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { stopRequests } from "./stop-requests.ts";

class Process extends EventEmitter {
  ppid = 100;
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

test("the first signal requests the end, the second one ends the process", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const process = new Process();
    const requests = stopRequests(process, new VirtualClock(), false);
    assert.equal(requests.signal.aborted, false);
    process.emit(signal);
    assert.deepEqual([requests.signal.aborted, requests.first(), process.exits], [true, signal, []]);
    process.emit("SIGTERM");
    assert.deepEqual([requests.first(), process.exits], [signal, [130]]);
  }
});

test("under npm, which forwards what the process group got already, two signals are one request, closed or not", () => {
  const process = new Process();
  const requests = stopRequests(process, new VirtualClock(), true);
  process.emit("SIGINT");
  requests.close();
  process.emit("SIGINT");
  assert.deepEqual([requests.first(), process.exits], ["SIGINT", []]);
  process.emit("SIGINT");
  assert.deepEqual(process.exits, [130]);
});

test("the end of the parent is a request under npm only, and not once closed", async () => {
  const cases = [
    { startedByNpm: true, close: false, first: "npm ended" },
    { startedByNpm: true, close: true, first: undefined },
    { startedByNpm: false, close: false, first: undefined },
  ];
  for (const { startedByNpm, close, first } of cases) {
    const [process, clock] = [new Process(), new VirtualClock()];
    const requests = stopRequests(process, clock, startedByNpm);
    clock.advance(10_000);
    await nextTurn();
    assert.equal(requests.first(), undefined);
    if (close) requests.close();
    process.ppid = 1;
    clock.advance(10_000);
    await nextTurn();
    assert.equal(requests.first(), first);
    assert.equal(requests.signal.aborted, first !== undefined);
    requests.close();
  }
});
