import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterCatalogs } from "../../apis/olm-resources.ts";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { type Invocation, type Outcome, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { parseDuration } from "../output/duration.ts";
import { shown } from "../output/shown.ts";
import { catalogRow } from "./source-row.ts";

const pauseMs = 250;
/** A read that fails may succeed at the next try. */
const patienceMs = 3_000;

/** Waits until a ClusterCatalog serves what its spec asks for, is switched off, or cannot be read. */
export async function settledSource(invocation: Invocation, client: KubeClient, name: string): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const end = systemClock.monotonic() + parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
  let failedSince: number | undefined;
  for (;;) {
    const catalog = await client.get(clusterCatalogs, { name });
    if (catalog === undefined)
      return { exitCode: exitCodes.failed, human: shown(`ClusterCatalog ${name} was deleted meanwhile`) };
    const { state, note } = catalogRow(catalog, undefined);
    const progressing = findCondition(catalog.status?.conditions, "Progressing");
    const isCurrent = progressing?.observedGeneration === catalog.metadata.generation;
    const data = plainJson(catalog);
    if (isCurrent && (state === "ok" || state === "off")) {
      const words = state === "off" ? "is switched off" : `serves ${catalog.status?.resolvedSource?.image.ref ?? ""}`;
      return { exitCode: exitCodes.done, data, human: shown(`${terminal.symbol("ok")} ${name} ${words}`) };
    }
    const now = systemClock.monotonic();
    failedSince = isCurrent && (state === "failing" || state === "stale") ? (failedSince ?? now) : undefined;
    if (failedSince !== undefined && now - failedSince > patienceMs) {
      terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} ${name}: ${note}`);
      terminal.err(`  do    purser source set cc/${name} --image REFERENCE`, `  or    purser source remove cc/${name}`);
      return { exitCode: exitCodes.failed, data };
    }
    if (now > end) {
      terminal.err(
        `${terminal.symbol("attention")} ${name} is not served yet; the cluster keeps trying. purser source show cc/${name}`,
      );
      return { exitCode: exitCodes.timeout };
    }
    await systemClock.sleep(pauseMs, signal);
  }
}
