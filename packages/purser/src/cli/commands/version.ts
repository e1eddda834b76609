import { shown } from "../output/shown.ts";
import { connect } from "../cluster/connect.ts";
import type { CommandSpec } from "../command.ts";
import { flagOption } from "../command.ts";
import { ClusterUnreachableError } from "../cluster/cluster-unreachable-error.ts";
import { exitCodes } from "../exit-code.ts";
import { ownVersion } from "../own-version.ts";

export const versionCommand: CommandSpec = {
  name: "version",
  group: "Other",
  summary: "Print the version of purser and, where one answers, of the cluster",
  options: [{ flags: "--client", summary: "only purser's own version" }],
  examples: [["purser version --client -o json", "for scripts"]],
  async run(invocation) {
    const client = { version: ownVersion(), node: process.versions.node };
    const server = flagOption(invocation, "client") ? undefined : await serverVersion(invocation);
    const lines = [
      `purser ${client.version} (Node ${client.node})`,
      ...(server === undefined ? [] : [`cluster ${server}`]),
    ];
    return {
      exitCode: exitCodes.done,
      data: { client, ...(server === undefined ? {} : { server }) },
      human: shown(...lines),
    };
  },
};

/** The version of the API server; undefined when no cluster can be reached, which is no error of `purser version`. */
async function serverVersion(invocation: Parameters<CommandSpec["run"]>[0]): Promise<string | undefined> {
  try {
    const connection = connect(invocation);
    try {
      return (await connection.client.version(AbortSignal.any([invocation.signal, AbortSignal.timeout(3000)])))
        .gitVersion;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof ClusterUnreachableError || (error instanceof Error && error.name !== "InvariantError"))
      return undefined;
    throw error;
  }
}
