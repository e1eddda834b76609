import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { isTakenOver } from "./taken-over.ts";

const lease = { namespace: "purser-system", name: "purser", identity: "me" };

type Look = { readonly holder: string; readonly renewedAgoMs: number } | "none" | "silence";

/** The answer, with what the Lease shows at each look; the last one stays. */
async function answer(...looks: readonly Look[]): Promise<{ readonly isOver: boolean; readonly afterMs: number }> {
  const clock = new VirtualClock();
  let look = 0;
  const get = (): Promise<unknown> => {
    const now = looks[Math.min(look++, looks.length - 1)] ?? "none";
    if (now === "silence") return Promise.reject(new Error("no answer"));
    if (now === "none") return Promise.resolve(undefined);
    const renewTime = new Date(clock.now() - now.renewedAgoMs).toISOString();
    return Promise.resolve({ spec: { holderIdentity: now.holder, renewTime, leaseDurationSeconds: 3 } });
  };
  let isOver: boolean | undefined;
  void isTakenOver(lease, { client: { get } as unknown as KubeClient, clock }).then((found) => (isOver = found));
  for (let turn = 0; turn < 1000 && isOver === undefined; turn++) {
    await setImmediate();
    if (isOver === undefined) clock.advance(100);
  }
  assert.ok(isOver !== undefined);
  return { isOver, afterMs: clock.monotonic() };
}

const fresh = { holder: "other", renewedAgoMs: 100 };
const released = { holder: "", renewedAgoMs: 0 };
const rows: readonly (readonly [what: string, looks: readonly Look[], isOver: boolean])[] = [
  ["another replica leads", [fresh], true],
  ["another replica takes the Lease soon", [released, released, fresh], true],
  ["nobody takes it", [released], false],
  ["it has not been released", [{ holder: "me", renewedAgoMs: 0 }], false],
  ["the one that leads was killed", [{ holder: "other", renewedAgoMs: 3100 }], false],
  ["there is no Lease", ["none"], false],
  ["the API server does not answer", ["silence"], false],
  ["the API server answers again", ["silence", fresh], true],
];
for (const [what, looks, isOver] of rows)
  test(`when ${what}, the package API ${isOver ? "goes on" : "is withdrawn"}`, async () => {
    const found = await answer(...looks);
    assert.equal(found.isOver, isOver);
    assert.ok(found.afterMs <= 3100, String(found.afterMs));
  });
