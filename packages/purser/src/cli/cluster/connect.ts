import { existsSync, readFileSync } from "node:fs";
import { defaultDataDirectory } from "../../engine/directories.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { runningInstance } from "../../engine/running-instance.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { describeKubeconfigProblem, loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import type { Counters } from "@purser/kubernetes/kube/counters";
import type { ClusterAccess } from "@purser/kubernetes/kube/access/kubeconfig";
import { ClusterUnreachableError } from "./cluster-unreachable-error.ts";
import { loggedTransport, requestLogOf } from "./request-log.ts";
import { withAccessFlags, withRequestTimeout } from "./access-flags.ts";
import type { Invocation } from "../command.ts";
import { textOption } from "../command.ts";

export interface Connection {
  readonly access: ClusterAccess;
  readonly client: KubeClient;
  /** For what no client returns, such as headers. */
  readonly transport: Transport;
  close(): void;
}

/**
 * The cluster that a command works on: `--kubeconfig`, else `KUBECONFIG`, else the local cluster while `purser up`
 * runs (reported on stderr), else the cluster that kubectl would use.
 *
 * @param metrics counts the requests
 * @param outlivesSignal for a command that still sends requests while it stops (to release its Lease)
 */
export function connect(invocation: Invocation, outlivesSignal = false, metrics?: Counters): Connection {
  const { terminal } = invocation;
  const given = textOption(invocation, "kubeconfig");
  const [context, cluster, user] = ["context", "cluster", "user"].map((name) => textOption(invocation, name));
  const named =
    given ??
    (terminal.env["KUBECONFIG"] === undefined || terminal.env["KUBECONFIG"] === ""
      ? localKubeconfig(invocation)
      : undefined);
  const access = loadKubeconfig({
    env: terminal.env,
    ...(named === undefined ? {} : { path: named }),
    ...(context === undefined ? {} : { context }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(user === undefined ? {} : { user }),
  });
  if (!access.ok)
    throw new ClusterUnreachableError(`No cluster to connect to: ${describeKubeconfigProblem(access.problem)}`);
  const asked = withAccessFlags(invocation, access.value);
  const http = httpTransport(asked, { clock: systemClock });
  const log = outlivesSignal ? undefined : requestLogOf(invocation);
  const sent = log === undefined ? http : loggedTransport(http, log, systemClock);
  const transport = withRequestTimeout(invocation, sent);
  return {
    access: asked,
    transport,
    client: createClient(transport, {
      ...(metrics === undefined ? {} : { metrics }),
      userAgent: outlivesSignal ? "purser" : "purser-cli",
      ...(outlivesSignal ? {} : { signal: invocation.signal }),
    }),
    close: () => http.close(),
  };
}

function localKubeconfig({ terminal }: Invocation): string | undefined {
  const directory = defaultDataDirectory(terminal.env);
  const instance = runningInstance(directory);
  if (instance === undefined) return undefined;
  const file = instance.kubeconfig;
  if (!existsSync(file) || readFileSync(file, "utf8") === "") return undefined;
  terminal.err(`using the local cluster that purser up runs (${directory})`);
  return file;
}
