import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type Installation, isSettled } from "../../installation/installation.ts";
import type { Invocation, Outcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { waitForInstallation, waits } from "../wait-for.ts";

/**
 * Waits for an installation that was just written, unless `--no-wait` is given, and reports its state.
 * @param ready the text for one that is ready
 */
export async function outcomeWhenReady(
  invocation: Invocation,
  client: KubeClient,
  reference: string,
  ready: (installation: Installation) => string,
): Promise<Outcome> {
  const { terminal } = invocation;
  if (!waits(invocation))
    return {
      exitCode: exitCodes.done,
      human: shown(`${reference} written; purser status ${reference}`),
    };
  const waited = await waitForInstallation(invocation, client, reference, "ready");
  if (waited.kind === "deleted")
    return { exitCode: exitCodes.failed, human: shown(`${reference} was deleted meanwhile`) };
  if (waited.kind === "timeout") {
    terminal.err(
      `${terminal.symbol("attention")} ${reference} is not ready yet; the installation continues in the cluster. purser status ${reference}`,
    );
    return { exitCode: exitCodes.timeout };
  }
  const { installation } = waited;
  const data = plainJson(installation);
  if (isSettled(installation))
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(`${terminal.paint("good", terminal.symbol("ok"))} ${ready(installation)}`),
    };
  if (installation.state === "Approve")
    return {
      exitCode: exitCodes.waiting,
      data,
      human: shown(`${terminal.symbol("waiting")} ${installation.why}. purser approve ${reference}`),
    };
  terminal.err(
    `${terminal.paint("bad", terminal.symbol("failed"))} ${reference} is ${installation.state}: ${installation.why}`,
  );
  terminal.err(`  do    purser explain ${reference}`);
  return { exitCode: exitCodes.failed, data };
}
