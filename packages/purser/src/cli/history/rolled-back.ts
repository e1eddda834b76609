import { plainJson } from "@purser/kubernetes/json";
import { isSettled } from "../../installation/installation.ts";
import type { Invocation, ReportedOutcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import type { Waited } from "../wait-for.ts";

/** The end of a rollback; `follow` is the command after which the installation is upgraded again. */
export function reached(
  { terminal }: Invocation,
  waited: Waited,
  reference: string,
  version: string,
  follow: string,
): ReportedOutcome {
  switch (waited.kind) {
    case "deleted":
      return { exitCode: exitCodes.failed, human: shown(`${reference} was deleted meanwhile`) };
    case "timeout":
      terminal.err(
        `${terminal.symbol("attention")} ${reference} is not at ${version} yet; the rollback continues in the cluster. purser status ${reference}`,
      );
      return { exitCode: exitCodes.timeout };
    case "settled": {
      const { installation } = waited;
      const data = plainJson(installation);
      const isThere = installation.version === version;
      if (isThere && (isSettled(installation) || installation.state === "Approve"))
        return {
          exitCode: exitCodes.done,
          data,
          human: shown(
            `${terminal.paint("good", terminal.symbol("ok"))} ${reference} is at ${version} again and stays there; to follow its catalog: ${follow}`,
          ),
        };
      terminal.err(
        `${terminal.paint("bad", terminal.symbol("failed"))} ${reference} is ${installation.state}: ${installation.why}`,
        `  do    purser explain ${reference}`,
      );
      return { exitCode: exitCodes.failed, data };
    }
  }
}
