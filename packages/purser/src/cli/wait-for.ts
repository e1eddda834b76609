import { systemClock } from "@purser/kubernetes/system/system-clock";
import { type Installation, isSettled } from "../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { flagOption, textOption } from "./command.ts";
import type { Invocation } from "./command.ts";
import { parseDuration } from "./output/duration.ts";
import { readInstallations } from "./cluster/installations.ts";

export type Waited =
  | { readonly kind: "settled"; readonly installation: Installation }
  | { readonly kind: "deleted" }
  | { readonly kind: "timeout"; readonly last: Installation | undefined };

const pauseMs = 200;
const heartbeatMs = 30_000;

/** Whether the command waits for the result: false with `--no-wait`. */
export function waits(invocation: Invocation): boolean {
  return invocation.options["wait"] !== false;
}

/**
 * Follows an installation until it is ready, pending approval, blocked, failed, paused or deleted; prints each change of state
 * on stderr. Blocked, failed and paused count only after three seconds, because a catalog may still be read.
 */
export async function waitForInstallation(
  invocation: Invocation,
  client: KubeClient,
  reference: string,
  until: "ready" | "deleted",
  /** An installation that is ready at another version is still on its way. */
  goal?: { readonly version: string },
): Promise<Waited> {
  const { terminal, signal } = invocation;
  const deadline = systemClock.monotonic() + parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
  const say = (line: string, facts: Readonly<Record<string, string>>): void =>
    terminal.step === undefined ? terminal.err(line) : terminal.step(line, { installation: reference, ...facts });
  let lastLine = "";
  let seen = false;
  let refusedSince: number | undefined;
  let lastOutput = systemClock.monotonic();
  for (;;) {
    const installation = (await readInstallations(client, undefined)).find((one) => one.reference === reference);
    const now = systemClock.monotonic();
    if (installation === undefined) {
      // The command has just written the object: when it was seen once and is missing now, it was deleted.
      if (until === "deleted" || seen) return { kind: "deleted" };
    } else if (until === "ready") {
      seen = true;
      const line = `${installation.state}${installation.why === "" ? "" : `  ${installation.why}`}`;
      if (line !== lastLine && !flagOption(invocation, "quiet")) {
        const { state, why } = installation;
        say(`  ${new Date(systemClock.now()).toISOString().slice(11, 19)}  ${reference}  ${line}`, { state, why });
        lastLine = line;
        lastOutput = now;
      }
      const isThere = goal === undefined || installation.version === goal.version;
      if ((isSettled(installation) && isThere) || installation.state === "Approve")
        return { kind: "settled", installation };
      // What is paused does not continue by itself.
      const refused = ["Blocked", "Failed", "Paused"].includes(installation.state);
      refusedSince = refused ? (refusedSince ?? now) : undefined;
      if (refusedSince !== undefined && now - refusedSince > 3000) return { kind: "settled", installation };
    }
    if (now > deadline) return { kind: "timeout", last: installation };
    if (now - lastOutput > heartbeatMs) {
      say(`  still waiting for ${reference}`, {});
      lastOutput = now;
    }
    await systemClock.sleep(pauseMs, signal);
  }
}
