import { shown } from "../output/shown.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { hasUpdate, needsPerson, type ShownInstallation, shownStates } from "../../installation/shown-state.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import type { CommandSpec, Invocation, ReportedOutcome } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { connect } from "../cluster/connect.ts";
import { formatAge } from "../output/duration.ts";
import { isNamespaceMissing } from "../cluster/missing-namespace.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { followInstallations } from "../cluster/installations.ts";
import { readShownInstallations } from "../cluster/shown-installations.ts";
import { type ListColumn, listingOptions, printListing, selected, selectorOption } from "../output/listing.ts";
import { paintState } from "../output/state-colours.ts";
import type { Terminal } from "../output/terminal.ts";
import { counted } from "../../explanation/summary.ts";

export const listCommand: CommandSpec = {
  options: [
    { flags: "--state STATE", summary: "only this state", choices: shownStates },
    { flags: "--updates", summary: "only those that have an upgrade, whether it waits for something or not" },
    { flags: "--orphans", summary: "only ClusterServiceVersions without a Subscription" },
    selectorOption,
    { flags: "-w, --watch", summary: "print changed installations until Ctrl-C; json and yaml: one document each" },
    ...listingOptions,
  ],
  examples: [
    ["purser list -A", "the whole cluster"],
    ["purser list -A --state Blocked -o json", "what needs attention"],
    ["purser list -A --updates", "what can be upgraded"],
    ["purser list -A --watch", "follow a roll-out"],
  ],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      const everywhere = flagOption(invocation, "all-namespaces");
      const namespace = everywhere ? undefined : (textOption(invocation, "namespace") ?? connection.access.namespace);
      if (namespace !== undefined && (await isNamespaceMissing(connection.client, namespace))) {
        return {
          explanation: failure("NotFound", `Namespace "${namespace}" does not exist`, [
            ["purser list -A", "all namespaces"],
          ]),
        };
      }
      const wanted = flagOption(invocation, "orphans") ? "Orphan" : textOption(invocation, "state");
      const onlyUpdates = flagOption(invocation, "updates");
      const isWanted = (one: ShownInstallation): boolean =>
        (wanted === undefined || one.state === wanted) && (!onlyUpdates || hasUpdate(one));
      const read = () => readShownInstallations(connection.client, namespace, invocation.terminal.env);
      if (flagOption(invocation, "watch")) {
        const follow = followInstallations(read, invocation.signal);
        for await (const changed of follow) printChanges(invocation, changed.filter(isWanted));
        return { exitCode: exitCodes.interrupted };
      }
      const found = (await read()).filter(isWanted);
      return installationListing(invocation, found, namespace);
    } finally {
      connection.close();
    }
  },
};

/** The installations as `list` prints them; `namespace` is the one that was looked in, undefined for all. */
function installationListing(
  invocation: Invocation,
  found: readonly ShownInstallation[],
  namespace: string | undefined,
): ReportedOutcome {
  const labelsOf = ({ labels = {} }: ShownInstallation): Readonly<Record<string, string>> => labels;
  const items = selected(invocation, found, labelsOf);
  const printed = printListing(invocation, {
    kind: "InstallationList",
    items,
    columns: installationColumns(systemClock.now(), invocation.terminal),
    nameOf: ({ reference }) => reference,
    labelsOf,
    document: installationDocument,
    footer: [summary(items)],
  });
  if (items.length > 0 || textOption(invocation, "output") === "name") return printed;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}; purser list -A lists all namespaces`;
  return { ...printed, human: shown(`No installations${where}`) };
}

/** An installation as an item of a document. */
export const installationDocument = (one: ShownInstallation): JsonObject => plainJson(one) as JsonObject;

/** One look of `--watch`: the rows that are new or changed, at once. */
function printChanges(invocation: Invocation, changed: readonly ShownInstallation[]): void {
  const { terminal } = invocation;
  const output = textOption(invocation, "output");
  if (output === "json") for (const one of changed) terminal.write(`${JSON.stringify(one)}\n`);
  else if (output === "yaml") for (const one of changed) terminal.write(`---\n${writeYaml(plainJson(one))}`);
  else if (changed.length > 0) {
    const { human } = printListing(invocation, {
      kind: "InstallationList",
      items: changed,
      columns: installationColumns(systemClock.now(), terminal),
      nameOf: ({ reference }) => reference,
      labelsOf: ({ labels = {} }) => labels,
      document: () => ({}),
      footer: [],
    });
    if (human !== undefined) terminal.show(human);
  }
}

export function listData(found: readonly ShownInstallation[]): JsonValue {
  return { apiVersion: "purser.dev/v1alpha1", kind: "InstallationList", items: found.map((one) => plainJson(one)) };
}

/** The columns of a table of installations, whose ages count until `now` (epoch milliseconds). */
export function installationColumns(
  now: number,
  terminal: Pick<Terminal, "paint">,
): readonly ListColumn<ShownInstallation>[] {
  return [
    { heading: "NAMESPACE", cell: ({ namespace }) => namespace },
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "API", rank: 4, cell: ({ api }) => api },
    { heading: "VERSION", rank: 1, cell: ({ version }) => version },
    { heading: "NEXT", rank: 3, cell: ({ target }) => target },
    { heading: "STATE", cell: ({ state }) => paintState(terminal, state) },
    {
      heading: "SINCE",
      rank: 2,
      cell: ({ since }) => formatAge(since, now),
      compare: (left, right) => ((left.since ?? "") < (right.since ?? "") ? -1 : 1),
    },
    {
      heading: "WHY",
      isSentence: true,
      cell: shortWhy,
    },
  ];
}

/** Why, with what decides first: a table cuts the end, and purser status shows all of it. */
function shortWhy({ state, why, target, packageName, deprecated }: ShownInstallation): string {
  if (state === "Update") return `${target} can be installed`;
  if (state === "Approve" && target !== undefined) {
    const version = target.startsWith(`${packageName}.v`) ? target.slice(packageName.length + 2) : target;
    return `${version} pending approval`;
  }
  return why || (deprecated === undefined ? "" : `deprecated: ${deprecated}`);
}

function summary(found: readonly ShownInstallation[]): string {
  const ready = found.filter(({ state }) => state === "Ready" || state === "Held" || state === "Update").length;
  const needy = found.find(needsPerson);
  const count = found.filter(needsPerson).length;
  const total = `${counted(found.length, "installation")}: ${ready} ready`;
  return needy === undefined
    ? total
    : `${total}, ${count} ${count === 1 ? "needs" : "need"} you. purser status ${needy.reference}`;
}
