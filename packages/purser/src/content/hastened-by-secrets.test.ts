import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { hastenedBySecrets } from "./hastened-by-secrets.ts";
import type { SourceProblem } from "./source-reader.ts";

const { signal } = new AbortController();
const before = { mark: "", hasContent: false };
const secrets = [{ namespace: "team", name: "pull" }];
const problem: SourceProblem = { cause: "answered 401", remedy: "credentials", mayWantCredentials: true };
const refused = failed(problem);

/** A source whose next look gives `found` and leaves a pause of five minutes; the password in the Secret is `password`. */
function world(found: Result<string, SourceProblem> = refused) {
  const state = { now: 1_000_000, pause: 300_000, password: "old", found, looks: 0, reads: 0 };
  const reader = hastenedBySecrets<string>(
    {
      secrets,
      clock: { now: () => state.now, monotonic: () => 0, sleep: () => Promise.resolve() },
      read: (named) => {
        assert.deepEqual(named, secrets);
        state.reads++;
        const auth = { path: "quay.io", username: "ann", password: state.password };
        return Promise.resolve({ auths: [auth], complaints: [] });
      },
    },
    (read) => ({
      async look() {
        await read(secrets, signal);
        state.looks++;
        return { mark: "", found: state.found };
      },
      pauseMs: () => state.pause,
    }),
  );
  return { state, reader, look: () => reader.look(before, signal) };
}

test("while credentials stay refused the Secrets are read every ten seconds, and the registry not before its time", async () => {
  const { state, reader, look } = world();
  const first = await look();
  assert.deepEqual(first?.found, failed({ ...problem, retryAt: 1_300_000 }));
  assert.equal(reader.pauseMs(1), 10_000);
  state.now += 10_000;
  assert.equal(await look(), undefined);
  assert.deepEqual([state.looks, state.reads], [1, 2]);
  state.now = 1_295_000;
  assert.equal(reader.pauseMs(1), 5_000);
  state.now = 1_300_000;
  assert.deepEqual((await look())?.found, failed({ ...problem, retryAt: 1_600_000 }));
});

test("a corrected Secret is tried at once", async () => {
  const { state, reader, look } = world();
  await look();
  state.now += 10_000;
  state.password = "new";
  state.found = done("the catalog");
  assert.deepEqual((await look())?.found, done("the catalog"));
  assert.equal(reader.pauseMs(0), 300_000);
});

test("each change of a Secret is tried at once, also back to what was refused before", async () => {
  const { state, look } = world();
  await look();
  state.password = "wrong as well";
  await look();
  assert.equal(state.looks, 2);
  state.password = "old";
  await look();
  assert.equal(state.looks, 3);
});

test("a failure that other credentials cannot end keeps its pause", async () => {
  const unreachable = failed<SourceProblem>({ cause: "answered 503", remedy: "wait" });
  const { state, reader, look } = world(unreachable);
  assert.deepEqual((await look())?.found, unreachable);
  assert.equal(reader.pauseMs(1), 300_000);
  await look();
  assert.equal(state.looks, 2);
});

test("the Secrets are not read for a pause that is over soon", async () => {
  const { state, reader, look } = world();
  state.pause = 4_000;
  await look();
  assert.equal(reader.pauseMs(1), 4_000);
  await look();
  assert.equal(state.looks, 2);
});
