import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { type ProfileEndpoint, serveProfiles } from "./profile-endpoint.ts";

const clock = new VirtualClock();
let endpoint: ProfileEndpoint;
before(async () => {
  const served = await serveProfiles("127.0.0.1:0", { captureStart: false, clock, argv: ["opm", "serve"] });
  assert.ok(served.ok);
  endpoint = served.value;
});
after(() => endpoint.close());

/** The answer; minutes pass while it is waited for. */
async function ask(path: string): Promise<readonly [status: number, text: string]> {
  let isDone = false;
  const asked = fetch(`http://${endpoint.address}${path}`).finally(() => (isDone = true));
  while (!isDone) {
    clock.advance(60_000);
    await setImmediate();
  }
  const answer = await asked;
  return [answer.status, await answer.text()];
}

test("a profile is refused for a time that is not more than 0 and at most 60 seconds", async () => {
  const refused = "seconds must be more than 0 and at most 60\n";
  for (const seconds of ["0", "-1", "61", "x", ""])
    assert.deepEqual(await ask(`/debug/pprof/profile?seconds=${seconds}`), [400, refused], seconds);
});

test("a profile of up to 60 seconds is in V8's format", async () => {
  const [status, text] = await ask("/debug/pprof/profile?seconds=60");
  assert.equal(status, 200, text);
  assert.ok(Array.isArray((JSON.parse(text) as { readonly nodes?: unknown }).nodes));
});

test("paths that serve no profile say what is served", async () => {
  assert.deepEqual(await ask("/debug/pprof/"), [200, "cmdline\nprofile?seconds=N\nstartup/cpu\n"]);
  assert.deepEqual(await ask("/debug/pprof/cmdline"), [200, "opm\0serve"]);
  for (const name of ["symbol", "trace"])
    assert.deepEqual(await ask(`/debug/pprof/${name}`), [501, "only CPU profiles in V8's format are served here\n"]);
  assert.deepEqual(await ask("/other"), [404, "404 page not found\n"]);
});

test("the profile of the start cannot be fetched before its end, nor when none was taken", async () => {
  assert.deepEqual(await ask("/debug/pprof/startup/cpu"), [503, ""]);
  await endpoint.ready();
  const none = "no profile of the start was taken: use --pprof-capture-profiles\n";
  assert.deepEqual(await ask("/debug/pprof/startup/cpu"), [404, none]);
});

test("an address without a port is refused", async () => {
  const refused = await serveProfiles("localhost", { captureStart: false, clock, argv: [] });
  assert.deepEqual(refused, { ok: false, problem: "listen tcp: address localhost: missing port in address" });
});
