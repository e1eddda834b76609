import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Installation, InstallationState } from "../../installation/installation.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import type { CommandSpec } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { connect } from "../cluster/connect.ts";
import { formatAge } from "../output/duration.ts";
import { exitCodes } from "../exit-code.ts";
import { readInstallations } from "../cluster/installations.ts";
import { formatTable } from "../output/table.ts";

const states: readonly InstallationState[] = [
  "Ready",
  "Installing",
  "Upgrading",
  "Removing",
  "Approve",
  "Degraded",
  "Blocked",
  "Failed",
  "Orphan",
];

export const listCommand: CommandSpec = {
  name: "list",
  group: "Look",
  summary: "List installations of both families",
  options: [{ flags: "--state STATE", summary: "only this state", choices: states }],
  examples: [
    ["purser list -A", "the whole cluster"],
    ["purser list -A --state Blocked -o json", "what needs attention"],
  ],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      const everywhere = flagOption(invocation, "all-namespaces");
      const namespace = everywhere ? undefined : (textOption(invocation, "namespace") ?? connection.access.namespace);
      const wanted = textOption(invocation, "state");
      const found = (await readInstallations(connection.client, namespace)).filter(
        (one) => wanted === undefined || one.state === wanted,
      );
      if (textOption(invocation, "output") === "name")
        return { exitCode: exitCodes.done, human: shown(...found.map(({ reference }) => reference)) };
      const human =
        found.length === 0
          ? shown(
              `No installations${namespace === undefined ? "" : ` in namespace ${namespace}; purser list -A looks everywhere`}`,
            )
          : shown(
              ...installationTable(
                found,
                systemClock.now(),
                invocation.options["headers"] !== false,
                textOption(invocation, "output") === "wide",
              ).split("\n"),
              summary(found),
            );
      return { exitCode: exitCodes.done, data: listData(found), human };
    } finally {
      connection.close();
    }
  },
};

export function listData(found: readonly Installation[]): JsonValue {
  return { apiVersion: "purser.dev/v1alpha1", kind: "InstallationList", items: found.map((one) => plainJson(one)) };
}

export function installationTable(
  found: readonly Installation[],
  now: number,
  withHeadings: boolean,
  wide: boolean,
): Shown {
  // Output to a pipe or a file is never shortened.
  const limit = wide || !process.stdout.isTTY ? Number.POSITIVE_INFINITY : 80;
  const shorten = (text: string): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);
  return formatTable(
    ["NAMESPACE", "NAME", "API", "VERSION", "NEXT", "STATE", "SINCE", "WHY"],
    found.map((one) => [
      one.namespace,
      one.name,
      one.api,
      one.version,
      one.target,
      one.state,
      formatAge(one.since, now),
      shorten(one.why || (one.deprecated === undefined ? "" : `deprecated: ${one.deprecated}`)),
    ]),
    withHeadings,
  );
}

function summary(found: readonly Installation[]): string {
  const ready = found.filter(({ state }) => state === "Ready").length;
  const needy = found.find(
    ({ state }) => state === "Failed" || state === "Blocked" || state === "Approve" || state === "Orphan",
  );
  const count = found.filter(
    ({ state }) => state === "Failed" || state === "Blocked" || state === "Approve" || state === "Orphan",
  ).length;
  const total = `${found.length} ${found.length === 1 ? "installation" : "installations"}: ${ready} ready`;
  return needy === undefined
    ? total
    : `${total}, ${count} ${count === 1 ? "needs" : "need"} you. purser status ${needy.reference}`;
}
