import { ClusterUnreachableError as ServerUnreachableError } from "@purser/kubernetes/kube/http-transport";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { crdsDirectory } from "../../engine/package-directory.ts";
import { ClusterUnreachableError } from "./cluster-unreachable-error.ts";
import { advised, type Failure, failure } from "../failure.ts";
import { failureCodeOf } from "../report-refusal.ts";

const otherClusters = [
  ["purser up", "starts a local cluster"],
  ["purser --kubeconfig FILE ...", "names another cluster"],
] as const;

/** Why the cluster cannot be used, with ways out; undefined when `error` has another cause. */
export function clusterFailure(error: unknown): Failure | undefined {
  if (error instanceof ClusterUnreachableError || error instanceof ServerUnreachableError)
    return failure("Unreachable", error.message, otherClusters);
  if (!(error instanceof ApiRefusedError)) return undefined;
  const { kind, status } = error.refusal;
  const message = status.message ?? "";
  if (status.code === 401)
    return advised(
      "Unreachable",
      `The cluster does not accept your credentials: ${message}`,
      "sign in again, or name another user with --user, --context or --kubeconfig",
    );
  // Only a kind that the API server does not serve: for a missing object, `get` returns undefined instead of an error.
  if (kind === "notFound")
    return failure("NotFound", `The cluster does not serve the lifecycle manager's kinds: ${message}`, [
      ["purser run --install-crds", "applies them and runs the controllers"],
      [`kubectl apply -f ${crdsDirectory()}`, "applies them"],
    ]);
  return failure(failureCodeOf(kind), `The cluster refused: ${message}`, forbiddenWays(kind, message));
}

/** The command that prints a Role to ask for, from kube-apiserver's own sentence. */
function forbiddenWays(kind: string, message: string): readonly (readonly [string, string])[] {
  const [, verb, resource, group] =
    /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(kind === "forbidden" ? message : "") ?? [];
  if (verb === undefined || resource === undefined) return [];
  const [, namespace] = /in the namespace "([^"]+)"/.exec(message) ?? [];
  const name = group === undefined || group === "" ? resource : `${resource}.${group}`;
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  return [[`purser permissions ask ${verb} ${name}${where}`, "prints the role to ask an administrator for"]];
}
