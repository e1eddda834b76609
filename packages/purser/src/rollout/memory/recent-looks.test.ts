import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { RecentLooks, recentMs } from "./recent-looks.ts";

const object = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name },
});

test("a look is recent for three seconds, for its revision and its object", () => {
  let now = 0;
  const looks = new RecentLooks({ monotonic: () => now });
  looks.note("u1", object("a"), { type: configMaps, rotateAt: 7 });
  assert.deepEqual(looks.of("u1", object("a")), { type: configMaps, rotateAt: 7 });
  assert.equal(looks.of("u2", object("a")), undefined);
  assert.equal(looks.of("u1", object("b")), undefined);
  now = recentMs - 1;
  assert.ok(looks.of("u1", object("a")) !== undefined, "still recent");
  now = recentMs;
  assert.equal(looks.of("u1", object("a")), undefined);
});
