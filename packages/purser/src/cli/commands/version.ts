import { deployments } from "@purser/kubernetes/apis/resources";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { plainJson } from "@purser/kubernetes/json";
import { ownLabels } from "../../deploy/labels.ts";
import { type Skew, skewOf, tagOf } from "../../deploy/version-skew.ts";
import { shown } from "../output/shown.ts";
import { connect } from "../cluster/connect.ts";
import type { CommandSpec } from "../command.ts";
import { flagOption } from "../command.ts";
import { ClusterUnreachableError } from "../cluster/cluster-unreachable-error.ts";
import { exitCodes } from "../exit-code.ts";
import { ownVersion } from "../own-version.ts";

export const versionCommand: CommandSpec = {
  options: [{ flags: "--client", summary: "only purser's own version" }],
  examples: [["purser version --client -o json", "for scripts"]],
  async run(invocation) {
    const client = { version: ownVersion(), node: process.versions.node };
    const cluster = flagOption(invocation, "client") ? undefined : await clusterVersions(invocation);
    const lines = [
      `purser ${client.version} (Node ${client.node})`,
      ...(cluster === undefined ? [] : [`cluster ${cluster.server}`]),
      ...(cluster?.controllers ?? []).map(
        ({ deployment, version, skew }) => `controllers ${version} (Deployment ${deployment})${skewWords[skew]}`,
      ),
    ];
    return { exitCode: exitCodes.done, data: plainJson({ client, ...cluster }), human: shown(...lines) };
  },
};

const skewWords: Readonly<Record<Skew, string>> = {
  supported: "",
  unknown: "",
  unsupported: ": more than one minor version apart from this purser",
};

interface Controllers {
  /** `NAMESPACE/NAME`. */
  readonly deployment: string;
  /** The tag of the image, else the image. */
  readonly version: string;
  readonly skew: Skew;
}

interface ClusterVersions {
  readonly server: string;
  readonly controllers: readonly Controllers[];
}

/** Purser's Deployments; none where the user may not list them. */
async function controllersOf(client: KubeClient): Promise<readonly Controllers[]> {
  const labelSelector = Object.entries(ownLabels)
    .map((label) => label.join("="))
    .join(",");
  try {
    const found = await client.list(deployments, { labelSelector });
    return found.flatMap(({ metadata: { namespace = "", name = "" }, spec }) =>
      (spec?.template.spec?.containers ?? []).map(({ image = "" }) => {
        const version = tagOf(image) ?? image;
        return { deployment: `${namespace}/${name}`, version, skew: skewOf(ownVersion(), version) };
      }),
    );
  } catch (error) {
    if (isRefused(error, "forbidden")) return [];
    throw error;
  }
}

/** The versions of the API server and of Purser; undefined when no cluster can be reached, which is no error of `purser version`. */
async function clusterVersions(invocation: Parameters<CommandSpec["run"]>[0]): Promise<ClusterVersions | undefined> {
  try {
    const connection = connect(invocation);
    try {
      const { gitVersion } = await connection.client.version(
        AbortSignal.any([invocation.signal, AbortSignal.timeout(3000)]),
      );
      return { server: gitVersion, controllers: await controllersOf(connection.client) };
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof ClusterUnreachableError || (error instanceof Error && error.name !== "InvariantError"))
      return undefined;
    throw error;
  }
}
