import { shown } from "../output/shown.ts";
import type { Shown } from "../output/shown.ts";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import {
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  subscriptions,
  clusterExtensions,
} from "../../apis/olm-resources.ts";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { ownerNameLabel } from "../../apis/v1/labels.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ShownInstallation, ShownState } from "../../installation/shown-state.ts";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type CommandSpec, flagOption, type Invocation, type Outcome } from "../command.ts";
import { connect } from "../cluster/connect.ts";
import { formatAge } from "../output/duration.ts";
import { exitCodes } from "../exit-code.ts";
import { findInstallation, lookEveryMs, noInstallation } from "../cluster/installations.ts";
import { readShownInstallations } from "../cluster/shown-installations.ts";
import { textOption } from "../command.ts";
import type { SickWorkload } from "../cluster/workloads.ts";
import { readDeployments, readSickWorkloads, remedyLines } from "../cluster/workloads.ts";
import { podSentence } from "../../installation/workload-trouble.ts";
import { paintState } from "../output/state-colours.ts";
import type { Terminal } from "../output/terminal.ts";
import { fitTable } from "../output/table.ts";
import { installationColumns, listData } from "./list.ts";

export const statusCommand: CommandSpec = {
  arguments: [{ name: "installation", summary: "name, package, sub/NAMESPACE/NAME or ext/NAME (purser help names)" }],
  examples: [
    ["purser status", "every installation"],
    ["purser status operators/kube-green", "one with its objects"],
    ["purser status operators/kube-green --watch", "follow a roll-out"],
  ],
  options: [
    {
      flags: "-w, --watch",
      summary: "print it again whenever it changes, until Ctrl-C; json and yaml: one document each",
    },
  ],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      const { client } = connection;
      if (!flagOption(invocation, "watch")) return await look(invocation, client);
      let before: string | undefined;
      for (;;) {
        const outcome = await look(invocation, client);
        // A deleted object cannot be followed; one that never existed is refused as without the flag.
        if (outcome.explanation !== undefined) return outcome;
        const text = JSON.stringify(outcome.data ?? outcome.human);
        if (text !== before) printLook(invocation, outcome, before === undefined);
        before = text;
        await systemClock.sleep(lookEveryMs, invocation.signal);
      }
    } finally {
      connection.close();
    }
  },
};

/** One look of `--watch`, with the time above each but the first. */
function printLook({ terminal, options }: Invocation, { data, human }: Outcome, isFirst: boolean): void {
  const { output } = options;
  if (output === "json" && data !== undefined) terminal.write(`${JSON.stringify(data)}\n`);
  else if (output === "yaml" && data !== undefined) terminal.write(`---\n${writeYaml(data)}`);
  else if (human !== undefined) {
    const time = new Date(systemClock.now()).toISOString().slice(11, 19);
    if (!isFirst) terminal.show(shown("", terminal.paint("detail", time)));
    terminal.show(human);
  }
}

async function look(invocation: Invocation, client: KubeClient): Promise<Outcome> {
  const { terminal } = invocation;
  const all = await readShownInstallations(client, undefined, terminal.env);
  const [name] = invocation.arguments;
  const namesOnly = textOption(invocation, "output") === "name";
  if (name === undefined) {
    const human = namesOnly
      ? shown(...all.map(({ reference }) => reference))
      : all.length === 0
        ? shown("Nothing is installed. purser install PACKAGE")
        : installationTable(all, terminal);
    return { exitCode: exitCodes.done, data: listData(all), human };
  }
  const found = findInstallation(name, all, textOption(invocation, "namespace"));
  if (found.kind === "missing") return noInstallation(name, found.near);
  const { installation } = found;
  if (namesOnly) return { exitCode: exitCodes.done, human: shown(installation.reference) };
  const owned = await readDeployments(client, installation);
  const sick = await readSickWorkloads(client, owned);
  const lines = [
    ...(installation.api === "v0"
      ? await subscriptionTree(installation, client)
      : await extensionTree(installation, client)),
    ...owned.flatMap((deployment) => deploymentLines(deployment, sick)),
  ];
  const human = shown(
    headline(installation, terminal),
    ...lines.map((line, index) => `${index === lines.length - 1 ? "└─" : "├─"} ${line}`),
    ...nextLine(installation),
    ...remedyLines(sick.flatMap(({ remedies }) => remedies)),
  );
  const data = sick.length === 0 ? installation : { ...installation, workloads: sick };
  return { exitCode: exitCodes.done, data: plainJson(data), human };
}

/** When what is stuck is tried again, and the command that leads on from the state. */
function nextLine({ state, reference, stuck }: ShownInstallation): readonly string[] {
  const retry = stuck === undefined ? [] : [`next try: ${stuck.nextRetry}`];
  const command = nextCommands[state];
  return [...retry, ...(command === undefined ? [] : [`Next: purser ${command} ${reference}`])];
}

const nextCommands: Partial<Readonly<Record<ShownState, string>>> = {
  Approve: "approve",
  Update: "plan",
  Blocked: "explain",
  Stuck: "explain",
  Failed: "explain",
  Degraded: "explain",
  Held: "policy effective",
  Orphan: "adopt",
  Paused: "resume",
};

function installationTable(all: readonly ShownInstallation[], terminal: Terminal): Shown {
  const { width = Infinity } = terminal;
  const columns = installationColumns(systemClock.now(), terminal);
  return fitTable(
    columns,
    all.map((one) => columns.map(({ cell }) => cell(one))),
    true,
    width,
  );
}

function headline({ reference, version, state, since, why }: ShownInstallation, terminal: Terminal): string {
  const age = formatAge(since, systemClock.now());
  return [reference, version ?? "-", `${paintState(terminal, state)}${age === "" ? "" : ` for ${age}`}`, why]
    .filter((part) => part !== "")
    .join("  ");
}

async function subscriptionTree(
  { namespace = "", name, bundle, target, reference, state }: ShownInstallation,
  client: KubeClient,
): Promise<readonly string[]> {
  const subscription = reference.startsWith("sub/") ? await client.get(subscriptions, { namespace, name }) : undefined;
  const lines: string[] = [];
  if (subscription !== undefined) {
    const { spec, status } = subscription;
    lines.push(
      `Subscription ${name}  channel ${spec.channel ?? "(any)"}, source ${spec.sourceNamespace}/${spec.source}, ${status?.state || "not resolved yet"}`,
    );
    const plan =
      status?.installPlanRef?.name === undefined
        ? undefined
        : await client.get(installPlans, { namespace, name: status.installPlanRef.name });
    if (plan !== undefined)
      lines.push(
        `InstallPlan ${plan.metadata.name}  ${plan.status?.phase ?? ""} ${plan.spec.clusterServiceVersionNames.join(", ")}`,
      );
    for (const condition of status?.conditions ?? [])
      if (condition.status === "True")
        lines.push(`${condition.type}  ${(condition.message ?? condition.reason ?? "").split("\n")[0]}`);
  }
  if (state === "Unknown") return lines;
  for (const csvName of new Set([bundle, target])) {
    if (csvName === undefined) continue;
    const csv = await client.get(clusterServiceVersions, { namespace, name: csvName });
    if (csv === undefined) continue;
    lines.push(`ClusterServiceVersion ${csvName}  ${csv.status?.phase ?? ""} ${csv.status?.message ?? ""}`.trimEnd());
    for (const { name: crd } of csv.spec.customresourcedefinitions?.owned ?? [])
      lines.push(
        `  CRD ${crd}  ${(await client.get(customResourceDefinitions, { name: crd })) === undefined ? "missing" : "present"}`,
      );
  }
  return lines;
}

function deploymentLines({ metadata, spec, status }: Deployment, sick: readonly SickWorkload[]): readonly string[] {
  const { namespace = "", name = "" } = metadata;
  const trouble = sick.find((one) => one.namespace === namespace && one.deployment === name);
  return [
    `Deployment ${namespace}/${name}  ${status?.availableReplicas ?? 0}/${spec?.replicas ?? 1} available`,
    ...(trouble?.pods ?? []).map((pod) => `  ${podSentence(pod)}`),
    ...(trouble?.pods.length === 0 && trouble.message !== "" ? [`  ${trouble.message}`] : []),
  ];
}

async function extensionTree({ name }: ShownInstallation, client: KubeClient): Promise<readonly string[]> {
  const extension = await client.get(clusterExtensions, { name });
  const revisions = await client.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${name}` });
  const { spec, status } = extension ?? {};
  const catalog = spec?.source.catalog;
  return [
    `ClusterExtension ${name}  version ${catalog?.version ?? "(any)"}, channels ${catalog?.channels?.join(", ") ?? "(all)"}, namespace ${spec?.namespace ?? ""}`,
    ...(status?.conditions ?? [])
      .filter(({ type }) => type === "Installed" || type === "Progressing" || type === "Available")
      .map(({ type, status: held, reason, message }) => `${type}=${held} ${reason}  ${message.split("\n")[0]}`),
    ...revisions
      .filter((revision) => revision.spec?.lifecycleState === "Active")
      .map(
        (revision) =>
          `ClusterObjectSet ${revision.metadata.name}  ${revision.spec?.phases?.map(({ name: phase }) => phase).join(", ") ?? ""}`,
      ),
  ];
}
