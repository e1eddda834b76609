import { ClusterUnreachableError as ServerUnreachableError } from "@purser/kubernetes/kube/http-transport";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { crdsFolder } from "../../engine/package-folder.ts";
import { ClusterUnreachableError } from "./cluster-unreachable-error.ts";
import type { ExitCode } from "../exit-code.ts";
import { exitCodes } from "../exit-code.ts";
import { exitCodeOfRefusal } from "../report-refusal.ts";
import type { Terminal } from "../output/terminal.ts";

/** Prints why the cluster cannot be used, with remedies; undefined when `error` has another cause. */
export function reportClusterError(terminal: Terminal, error: unknown): ExitCode | undefined {
  const say = (message: string, ways: readonly string[], exitCode: ExitCode): ExitCode => {
    terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} ${message}`);
    ways.forEach((way, index) => terminal.err(`  ${index === 0 ? "do" : "or"}    ${way}`));
    return exitCode;
  };
  if (error instanceof ClusterUnreachableError) return say(error.message, error.remedies, exitCodes.unreachable);
  if (error instanceof ServerUnreachableError)
    return say(
      error.message,
      ["purser up                     starts a local cluster", "purser --kubeconfig FILE ...  names another cluster"],
      exitCodes.unreachable,
    );
  if (!(error instanceof ApiRefusedError)) return undefined;
  const { kind, status } = error.refusal;
  if (status.code === 401)
    return say(
      `The cluster does not know who you are: ${status.message}`,
      ["sign in again, or name another user with --context or --kubeconfig"],
      exitCodes.unreachable,
    );
  // Only a kind that the API server does not serve: for a missing object, `get` returns undefined instead of an error.
  if (kind === "notFound")
    return say(
      `The cluster does not serve the lifecycle manager's kinds: ${status.message}`,
      ["purser run --install-crds     applies them and runs the controllers", `kubectl apply -f ${crdsFolder()}`],
      exitCodes.notFound,
    );
  return say(`The cluster refused: ${status.message}`, [], exitCodeOfRefusal(kind));
}
