import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Installation } from "../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { flagOption, textOption } from "./command.ts";
import type { Invocation } from "./command.ts";
import { parseDuration } from "./output/duration.ts";
import { readInstallations } from "./cluster/installations.ts";

export type Waited =
  | { readonly kind: "settled"; readonly installation: Installation }
  | { readonly kind: "gone" }
  | { readonly kind: "timeout"; readonly last: Installation | undefined };

const pauseMs = 200;
const heartbeatMs = 30_000;

/** Whether the command waits: unless `--no-wait`. */
export function waits(invocation: Invocation): boolean {
  return invocation.options["wait"] !== false;
}

/**
 * Follows an installation until it is ready, refused, failed or waits for approval; says each change of state on stderr.
 * A refusal must last a moment before it counts, because a catalog may still be on its way.
 */
export async function waitForInstallation(
  invocation: Invocation,
  client: KubeClient,
  reference: string,
  until: "ready" | "gone",
): Promise<Waited> {
  const { terminal, signal } = invocation;
  const deadline = systemClock.monotonic() + parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
  let said = "";
  let seen = false;
  let refusedSince: number | undefined;
  let heard = systemClock.monotonic();
  for (;;) {
    const installation = (await readInstallations(client, undefined)).find((one) => one.reference === reference);
    const now = systemClock.monotonic();
    if (installation === undefined) {
      // Written a moment ago, so it was there: that it is not found any more means that somebody deleted it.
      if (until === "gone" || seen) return { kind: "gone" };
    } else if (until === "ready") {
      seen = true;
      const line = `${installation.state}${installation.why === "" ? "" : `  ${installation.why}`}`;
      if (line !== said && !flagOption(invocation, "quiet")) {
        terminal.err(`  ${new Date(systemClock.now()).toISOString().slice(11, 19)}  ${reference}  ${line}`);
        said = line;
        heard = now;
      }
      if (installation.state === "Ready" || installation.state === "Approve") return { kind: "settled", installation };
      const refused = installation.state === "Blocked" || installation.state === "Failed";
      refusedSince = refused ? (refusedSince ?? now) : undefined;
      if (refusedSince !== undefined && now - refusedSince > 3000) return { kind: "settled", installation };
    }
    if (now > deadline) return { kind: "timeout", last: installation };
    if (now - heard > heartbeatMs) {
      terminal.err(`  still waiting for ${reference}`);
      heard = now;
    }
    await systemClock.sleep(pauseMs, signal);
  }
}
