import { formatTime } from "@purser/kubernetes/clock";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { InstallOutcome } from "../../../../rollout/plan/strategy/install-outcome.ts";
import type { CsvAction } from "./csv-action.ts";
import { withWait } from "./csv-wait.ts";
import type { PhaseChange } from "./phase-status.ts";
import { settle } from "./plan-csv.ts";
import type { CsvWorld } from "./world.ts";

/** The phase after an attempt to install the strategy; a failed attempt is retried. */
export function afterApply({ csv }: Pick<CsvWorld, "csv">, outcome: InstallOutcome, now: number): Plan<CsvAction> {
  const failed = (reason: PhaseChange["reason"], message: string): Plan<CsvAction> => ({
    actions: [settle(csv, { phase: "Failed", reason, message: `install strategy failed: ${message}` }, now)],
    retry: message,
  });
  switch (outcome.kind) {
    case "installed": {
      const { certificates } = outcome;
      const dates =
        certificates === undefined
          ? {}
          : {
              certsLastUpdated: formatTime(certificates.lastUpdated),
              certsRotateAt: formatTime(certificates.rotateAt),
            };
      const message = "waiting for install components to report healthy";
      return { actions: [settle(csv, { phase: "Installing", reason: "InstallSucceeded", message }, now, dates)] };
    }
    case "forbidden":
      return failed("InstallComponentFailedNoRetry", outcome.message);
    case "failed":
      return failed("InstallComponentFailed", outcome.message);
    case "noAccount":
      return withWait({ actions: [], retry: outcome.message }, csv, now, outcome.message);
  }
}
