import type { Deployment } from "@purser/kubernetes/apis/apps";
import { deployments, leases } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { ownLabels } from "../../deploy/labels.ts";
import { observeDefinitions, servedFamilies } from "../../engine/doctor/observe-definitions.ts";
import { ownLease } from "../../engine/takeover/plan/manager-findings.ts";
import { ClusterUnreachableError } from "../cluster/cluster-unreachable-error.ts";
import { connect } from "../cluster/connect.ts";
import type { CommandSpec, Invocation, ReportedOutcome } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { ownVersion } from "../own-version.ts";
import {
  type ClusterVersions,
  controllersOf,
  type Definition,
  definitionOf,
  type Leader,
  leaderOf,
  linesOf,
} from "./cluster-versions.ts";

export const versionCommand: CommandSpec = {
  description: [
    "Of the cluster: Kubernetes, Purser by the images of its Deployments and by the Lease of the process that leads, and each",
    "CustomResourceDefinition beside the one that this purser comes with. One minor version apart is supported. The exit code is 0",
    "whatever differs, and 9 when a cluster that is named does not answer; purser doctor has the remedies.",
  ].join("\n"),
  options: [{ flags: "--client", summary: "only purser's own version" }],
  examples: [
    ["purser version", "of this program, of Purser in the cluster, of Kubernetes and of the definitions"],
    ["purser version --client -o json", "for scripts"],
  ],
  async run(invocation) {
    const client = { version: ownVersion(), node: process.versions.node };
    const own = `purser ${client.version} (Node ${client.node})`;
    if (flagOption(invocation, "client")) return report({ client }, [own]);
    const cluster = await clusterVersions(invocation);
    if (typeof cluster === "string") {
      invocation.terminal.err(cluster);
      return { ...report({ client }, [own]), exitCode: exitCodes.unreachable };
    }
    return report({ client, ...cluster }, [own, ...(cluster === undefined ? [] : linesOf(cluster))]);
  },
};

const report = (data: object, lines: readonly string[]): ReportedOutcome => ({
  exitCode: exitCodes.done,
  data: plainJson(data),
  human: shown(...lines),
});

/** Undefined where the user may not read it. */
async function ifAllowed<Found>(read: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isRefused(error, "forbidden")) return undefined;
    throw error;
  }
}

async function leadersOf(client: KubeClient): Promise<readonly Leader[]> {
  const found = await client.list(leases, { fieldSelector: `metadata.name=${ownLease}` });
  return found.flatMap((lease) => leaderOf(lease, ownVersion(), systemClock.now()) ?? []);
}

async function definitionsOf(client: KubeClient, found: readonly Deployment[]): Promise<readonly Definition[]> {
  const observed = await observeDefinitions(client, servedFamilies(found[0]));
  return observed.map(({ wanted, live }) => definitionOf(wanted, live));
}

/** Undefined where no cluster is configured; why the one that is does not answer, as a sentence. */
async function clusterVersions(invocation: Invocation): Promise<ClusterVersions | string | undefined> {
  const isNamed = ["kubeconfig", "context", "cluster"].some((name) => textOption(invocation, name) !== undefined);
  let connection: ReturnType<typeof connect>;
  try {
    connection = connect(invocation);
  } catch (error) {
    if (!(error instanceof ClusterUnreachableError)) throw error;
    return isNamed ? error.message : undefined;
  }
  const { client } = connection;
  try {
    const { gitVersion } = await client.version(AbortSignal.any([invocation.signal, AbortSignal.timeout(3000)]));
    const labelSelector = Object.entries(ownLabels).map((label) => label.join("="));
    const found = await ifAllowed(() => client.list(deployments, { labelSelector: labelSelector.join(",") }));
    const [leaders, definitions] = await Promise.all([
      ifAllowed(() => leadersOf(client)),
      ifAllowed(() => definitionsOf(client, found ?? [])),
    ]);
    return {
      kubernetes: gitVersion,
      ...(found === undefined ? {} : { controllers: controllersOf(found, ownVersion()) }),
      ...(leaders === undefined ? {} : { leaders }),
      ...(definitions === undefined ? {} : { definitions }),
    };
  } catch (error) {
    if (error instanceof Error && error.name !== "InvariantError" && !invocation.signal.aborted)
      return `the cluster does not answer: ${error.message}`;
    throw error;
  } finally {
    connection.close();
  }
}
