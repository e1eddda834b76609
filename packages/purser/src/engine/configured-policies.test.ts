import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { oncePoliciesAreConfigured } from "./configured-policies.ts";

const unconfigured =
  "ValidatingAdmissionPolicy 'operators-bounded-by-service-account' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'operators.coreos.com/v1, Kind=OperatorGroup'";
const denied = "ValidatingAdmissionPolicy 'operators-bounded-by-service-account' denied request: not yours";

/** Runs a write that fails with these messages, one after another, and repeats the last; returns how it ended. */
async function ending(messages: readonly string[]): Promise<string> {
  const clock = new VirtualClock(0);
  const pump = setInterval(() => clock.advance(500), 1);
  let tried = 0;
  let logged = 0;
  const write = (): Promise<void> => {
    const message = messages[Math.min(tried++, messages.length - 1)] ?? "";
    return message === "" ? Promise.resolve() : Promise.reject(new Error(message));
  };
  const { signal } = new AbortController();
  const result = await oncePoliciesAreConfigured(write, { clock, log: () => void logged++, signal })
    .then(() => "written", String)
    .finally(() => clearInterval(pump));
  return `${result} after ${tried}, logged ${logged}`;
}

test("a write waits while a policy is not configured yet, for a minute; every other refusal ends it at once", async () => {
  assert.equal(await ending([unconfigured, unconfigured, ""]), "written after 3, logged 1");
  assert.equal(await ending([""]), "written after 1, logged 0");
  assert.equal(await ending([unconfigured, denied]), `Error: ${denied} after 2, logged 1`);
  assert.equal(await ending([unconfigured]), `Error: ${unconfigured} after 121, logged 1`);
});
