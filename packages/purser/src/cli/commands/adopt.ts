import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterServiceVersions, subscriptions } from "../../apis/olm-resources.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { plainJson } from "@purser/kubernetes/json";
import { shellWord } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import { isSettled } from "../../installation/installation.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { findInstallation, noInstallation, withInstallations } from "../cluster/installations.ts";
import type { Source } from "../cluster/package-request.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { sourcesIn } from "../decision/decision-subject.ts";
import { openWorld } from "../decision/decision-world.ts";
import { withoutNotes } from "../output/held-notes.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { waitForInstallation, waits } from "../wait-for.ts";

export const adoptCommand: CommandSpec = {
  description: [
    "An orphaned ClusterServiceVersion gets a Subscription to the package, channel and catalog that have its bundle, and upgrades",
    "from then on. Objects that no ClusterServiceVersion installs, applied by hand or by Helm, become a ClusterExtension of --package,",
    "pinned to the newest version that replaces no pod, or to --version; purser upgrade moves it. What it changes is shown first;",
    "where pods would be replaced, nothing is done without --replace.",
  ].join("\n"),
  arguments: [
    {
      name: "installation",
      summary:
        "csv/NAMESPACE/NAME, as purser list -A --orphans names it, or NAMESPACE/NAME of an operator's Deployment",
      required: true,
    },
  ],
  options: [
    { flags: "--package PACKAGE", summary: "package of plain objects; of a CSV, when several have the bundle" },
    { flags: "--version VERSION", summary: "of plain objects: what they are (default: compared with the catalog)" },
    { flags: "--name NAME", summary: "of plain objects: name of the ClusterExtension (default: the package)" },
    {
      flags: "--channel CHANNEL",
      summary: "channel to follow (of a CSV by default the default channel, if it has the bundle)",
    },
    { flags: "--from-source CATALOG", summary: "catalog, when several have it" },
    { flags: "--approval MODE", summary: "of later upgrades of a CSV", choices: ["Automatic", "Manual"] },
    { flags: "--replace", summary: "of plain objects: also where pods are replaced" },
    { flags: "--full", summary: "show the fields of all objects" },
    { flags: "--dry-run", summary: "show what would be written and changed, write nothing" },
    bundlesOption,
  ],
  examples: [
    ["purser adopt csv/data/etcd.v0.9.0", "asks first"],
    [
      "purser adopt data/etcd-operator --package etcd --dry-run",
      "what a ClusterExtension would change of plain objects",
    ],
    ["purser adopt data/etcd-operator --package etcd --version 0.9.4", "take over what Helm installed"],
  ],
  run: (invocation) =>
    withInstallations(invocation, (client, installations) => adoptNamed(invocation, client, installations)),
};

async function adoptNamed(
  invocation: Invocation,
  client: KubeClient,
  installations: readonly Installation[],
): Promise<Outcome> {
  const [text = ""] = invocation.arguments;
  const unusedBy = (what: string, flags: readonly string[]): void => {
    const unused = flags.find((flag) => invocation.options[flag] !== undefined);
    if (unused !== undefined) throw new UsageError(`--${unused} is not for ${what}`, "leave it out");
  };
  const found = findInstallation(text, installations, textOption(invocation, "namespace"));
  if (found.kind === "found") {
    unusedBy("a ClusterServiceVersion", ["version", "name", "replace"]);
    return adopt(invocation, client, found.installation);
  }
  const [, namespace = "", name = ""] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  const packageName = textOption(invocation, "package");
  if (namespace === "" || ["csv", "ext"].includes(namespace)) return noInstallation(text, found.near);
  if (packageName === undefined)
    throw new UsageError(
      `there is no installation "${text}", and of which package the objects are is not named`,
      `purser adopt ${shellWord(text)} --package PACKAGE`,
    );
  unusedBy("plain objects", ["approval"]);
  const { adoptObjects } = await import("../install/adopt-objects.ts");
  return adoptObjects(invocation, { namespace, name, packageName });
}

/** A channel of a catalog that has the bundle. */
interface Place {
  readonly source: Source;
  readonly packageName: string;
  readonly channel: string;
  readonly isDefault: boolean;
}

async function adopt(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference, namespace = "", name: csv } = installation;
  if (!reference.startsWith("csv/"))
    return {
      explanation: failure("AlreadyExists", `${reference} already has a Subscription; nothing was written`, [
        [`purser status ${reference}`, "look at it"],
      ]),
    };
  const opened = await openWorld(withoutNotes(invocation), { bundles: "none" });
  if (!opened.ok) return opened.problem;
  let places: readonly Place[];
  try {
    places = placesOf(csv, sourcesIn(opened.value.world, namespace, "v0"));
  } finally {
    await opened.value.close();
  }
  const wanted = {
    packageName: textOption(invocation, "package"),
    channel: textOption(invocation, "channel"),
    source: textOption(invocation, "from-source"),
  };
  const fitting = places.filter(
    (one) =>
      (wanted.packageName ?? one.packageName) === one.packageName &&
      (wanted.channel ?? one.channel) === one.channel &&
      (wanted.source === undefined || [one.source.name, labelOf(one)].includes(wanted.source)),
  );
  if (fitting.length === 0) return nowhere(installation, places);
  const catalogs = new Set(fitting.map((one) => `${one.packageName} ${labelOf(one)}`));
  if (catalogs.size > 1) return severalPlaces(reference, fitting);
  const place = fitting.find(({ isDefault }) => isDefault) ?? fitting[0];
  if (place === undefined) return nowhere(installation, places);
  const approval = textOption(invocation, "approval");
  const replaced = (await client.get(clusterServiceVersions, { namespace, name: csv }))?.spec.replaces;
  const waiting = (await client.list(subscriptions, { namespace })).find(
    ({ spec, status }) => spec.name === place.packageName && ["", replaced].includes(status?.installedCSV ?? ""),
  );
  if (waiting !== undefined) return record(invocation, client, csv, waiting);
  const subscription: Subscription = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "Subscription",
    metadata: { name: place.packageName, namespace },
    spec: {
      name: place.packageName,
      channel: place.channel,
      source: place.source.name,
      sourceNamespace: place.source.namespace ?? "",
      startingCSV: csv,
      ...(approval === undefined ? {} : { installPlanApproval: approval }),
    },
  };
  const line = `Subscription ${namespace}/${place.packageName} to channel ${place.channel} of ${labelOf(place)}, starting at ${csv}`;
  const data = plainJson(subscription);
  if (flagOption(invocation, "dry-run"))
    return { exitCode: exitCodes.done, data, human: shown(`Would create ${line}`) };
  terminal.err(`Create ${line}`, "  the operator keeps running; nothing is deleted");
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("written");
  if ((await client.get(clusterServiceVersions, { namespace, name: csv })) === undefined)
    return {
      explanation: failure(
        "Conflict",
        `ClusterServiceVersion ${namespace}/${csv} was deleted meanwhile; nothing was written`,
      ),
    };
  const made = await client.write(
    { verb: "create", type: subscriptions, object: subscription, fieldManager: "purser-cli" },
    signal,
  );
  const adopted = `sub/${namespace}/${place.packageName}`;
  if (!made.ok) return refusedWrite(`create Subscription ${namespace}/${place.packageName}`, made.problem, adopted);
  return owned(invocation, client, csv, subscription);
}

/** A Subscription that asks for the package already gets the operator, and is not changed otherwise. */
async function record(
  invocation: Invocation,
  client: KubeClient,
  csv: string,
  subscription: Subscription,
): Promise<Outcome> {
  const { terminal } = invocation;
  const { namespace = "", name = "" } = subscription.metadata;
  const line = `Subscription ${namespace}/${name} owns ${csv}`;
  if (flagOption(invocation, "dry-run"))
    return { exitCode: exitCodes.done, data: plainJson(subscription), human: shown(`Would record that ${line}`) };
  terminal.err(`Record that ${line}`, "  the operator keeps running; nothing is deleted");
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("written");
  return owned(invocation, client, csv, subscription);
}

/** Resolution knows an operator's Subscription by its status; without it the operator would block its own Subscription. */
async function owned(
  invocation: Invocation,
  client: KubeClient,
  csv: string,
  subscription: Subscription,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { namespace = "", name = "" } = subscription.metadata;
  const adopted = `sub/${namespace}/${name}`;
  const data = plainJson(subscription);
  const patch = {
    status: { installedCSV: csv, currentCSV: csv, lastUpdated: new Date(systemClock.now()).toISOString() },
  };
  const key = { namespace, name };
  const fieldManager = "purser-cli";
  const recorded = await client.write(
    { verb: "patch", type: subscriptions, key, patchType: "merge", patch, subresource: "status", fieldManager },
    signal,
  );
  if (!recorded.ok) return refusedWrite(`record ${csv} in the status of ${adopted}`, recorded.problem, adopted);
  if (!waits(invocation))
    return { exitCode: exitCodes.done, data, human: shown(`${adopted} written; purser status ${adopted}`) };
  const waited = await waitForInstallation(invocation, client, adopted, "ready");
  if (waited.kind === "settled" && (isSettled(waited.installation) || waited.installation.state === "Approve"))
    return {
      exitCode: exitCodes.done,
      data: plainJson(waited.installation),
      human: shown(`${terminal.paint("good", terminal.symbol("ok"))} ${csv} is now owned by ${adopted}`),
    };
  return {
    exitCode: waited.kind === "timeout" ? exitCodes.timeout : exitCodes.failed,
    human: shown(`${adopted} does not own it yet; purser explain ${adopted}`),
  };
}

function placesOf(csv: string, sources: readonly Source[]): readonly Place[] {
  return sources.flatMap((source) =>
    source.index.packages().flatMap((packageName) => {
      const found = source.index.package(packageName);
      return (found?.channels ?? [])
        .filter(({ bundles }) => bundles.some(({ name }) => name === csv))
        .map(({ name }) => ({ source, packageName, channel: name, isDefault: name === found?.defaultChannel }));
    }),
  );
}

const labelOf = ({ source }: Place): string =>
  source.namespace === undefined ? source.name : `${source.namespace}/${source.name}`;

function nowhere({ reference, name }: Installation, places: readonly Place[]): Outcome {
  if (places.length > 0)
    return {
      explanation: failure(
        "NotFound",
        `No catalog has ${name} in the package, channel and catalog that were named`,
        places.map((one) => [adoptLine(reference, one), "has it"] as const),
      ),
    };
  return {
    explanation: failure("NotFound", `No catalog that this machine keeps has the bundle ${name}`, [
      ["purser source list", "the catalogs"],
      [`purser uninstall ${reference}`, "remove the operator and keep its data", "objects"],
    ]),
  };
}

const severalPlaces = (reference: string, fitting: readonly Place[]): Outcome => ({
  explanation: failure(
    "UsageError",
    `${fitting.length} channels have the bundle; name one`,
    fitting.map((one) => [adoptLine(reference, one), `from ${labelOf(one)}`] as const),
  ),
});

const adoptLine = (reference: string, one: Place): string =>
  `purser adopt ${shellWord(reference)} --package ${one.packageName} --channel ${shellWord(one.channel)} --from-source ${labelOf(one)}`;
