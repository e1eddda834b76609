import { shown } from "../output/shown.ts";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { defaultCacheFolder } from "../../engine/folders.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { CommandSpec, Invocation, Outcome, RefusedOutcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { confirm } from "../confirm.ts";
import { connect } from "../cluster/connect.ts";
import { exitCodes } from "../exit-code.ts";
import { plainJson } from "@purser/kubernetes/json";
import type { ChosenPackage } from "../cluster/package-request.ts";
import { chooseBundle, choosePackage, parsePackageArgument, awaitSources } from "../cluster/package-request.ts";
import type { PackageRequest } from "../cluster/requested-objects.ts";
import { requestedExtension, requestedGroup, requestedSubscription } from "../cluster/requested-objects.ts";
import { reportRefusal } from "../report-refusal.ts";
import { waitForInstallation, waits } from "../wait-for.ts";

export const installCommand: CommandSpec = {
  name: "install",
  group: "Change",
  summary: "Install a package, as a Subscription (v0) or a ClusterExtension (v1)",
  arguments: [
    {
      name: "package",
      summary: "PACKAGE or PACKAGE@VERSION; with --as-extension VERSION may be a range",
      required: true,
    },
  ],
  options: [
    { flags: "--as-subscription", summary: "install through v0 (default)" },
    { flags: "--as-extension", summary: "install through v1" },
    { flags: "--name NAME", summary: "name of the installation (default: the package)" },
    { flags: "--channel CHANNEL", summary: "channel (default: the package's)" },
    { flags: "--from-source CATALOG", summary: "the catalog to take it from, NAME or NAMESPACE/NAME" },
    {
      flags: "--approval MODE",
      summary: "v0: who approves install plans (default Automatic)",
      choices: ["Automatic", "Manual"],
    },
    {
      flags: "--watch-namespaces LIST",
      summary: "v0: namespaces that a new operator group targets, comma-separated (default: all)",
    },
    { flags: "--create-namespace", summary: "create the namespace when it is missing" },
    { flags: "--dry-run", summary: "show the objects, write nothing" },
  ],
  examples: [
    [
      "purser install kube-green -n operators --create-namespace --yes",
      "the head of the default channel, kept up to date",
    ],
    ["purser install kube-green@0.5.2 -n operators --approval Manual", "one version; later ones wait for approval"],
    ["purser install 'authorino-operator@0.15.x' --as-extension -n operators", "through v1, with a range"],
  ],
  run: install,
};

async function install(invocation: Invocation): Promise<Outcome> {
  const asExtension = flagOption(invocation, "as-extension");
  if (asExtension && flagOption(invocation, "as-subscription"))
    throw new UsageError("--as-extension and --as-subscription exclude each other");
  const { packageName, version } = parsePackageArgument(invocation.arguments[0] ?? "");
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const fromSource = textOption(invocation, "from-source");
    const request: PackageRequest = {
      packageName,
      version,
      namespace: textOption(invocation, "namespace") ?? connection.access.namespace ?? "default",
      name: textOption(invocation, "name") ?? packageName,
      channel: textOption(invocation, "channel"),
      namesSource: fromSource !== undefined,
    };
    const api = asExtension ? "v1" : "v0";
    const kept = new KeptCatalogs(defaultCacheFolder(invocation.terminal.env));
    const chosen = choosePackage(packageName, await awaitSources(invocation, api, client, kept), fromSource, api);
    if (!chosen.ok) return { explanation: chosen.problem };
    const planned = asExtension
      ? extensionObjects(request, chosen.value)
      : await subscriptionObjects(invocation, request, chosen.value, client);
    if ("explanation" in planned) return planned;
    // Awaited here: the connection must not close before the work is done.
    return await write(invocation, client, request, planned);
  } finally {
    connection.close();
  }
}

interface Planned {
  readonly reference: string;
  readonly objects: readonly { readonly type: ResourceType; readonly object: KubeObject }[];
  readonly says: readonly string[];
}

async function subscriptionObjects(
  invocation: Invocation,
  request: PackageRequest,
  chosen: ChosenPackage,
  client: KubeClient,
): Promise<Planned | RefusedOutcome> {
  const { namespace, name } = request;
  const bundle = chooseBundle(chosen, request.channel, request.version);
  if (!bundle.ok) return { explanation: bundle.problem };
  const approval = textOption(invocation, "approval") ?? "Automatic";
  const { source } = chosen;
  const subscription = requestedSubscription(request, chosen, bundle.value, approval);
  const groups = await client.list(operatorGroups, { namespace });
  const watched = textOption(invocation, "watch-namespaces")
    ?.split(",")
    .map((text) => text.trim());
  const groupSays =
    groups.length > 0
      ? `uses operator group ${namespace}/${groups[0]?.metadata.name}`
      : `creates operator group ${namespace}/${namespace} (${watched === undefined ? "all namespaces" : watched.join(", ")})`;
  const goal = bundle.value.bundle ?? bundle.value.head ?? request.packageName;
  return {
    reference: `sub/${namespace}/${name}`,
    objects: [
      ...(groups.length > 0 ? [] : [{ type: operatorGroups, object: requestedGroup(namespace, watched) }]),
      { type: subscriptions, object: subscription },
    ],
    says: [
      `Will install ${goal} into ${namespace} from ${source.namespace}/${source.name}, channel ${bundle.value.channel}, approval ${approval}`,
      groupSays,
    ],
  };
}

function extensionObjects(request: PackageRequest, chosen: ChosenPackage): Planned | RefusedOutcome {
  const { packageName, version, namespace, name, channel } = request;
  if (channel !== undefined) {
    const found = chooseBundle(chosen, channel, undefined);
    if (!found.ok) return { explanation: found.problem };
  }
  return {
    reference: `ext/${name}`,
    objects: [{ type: clusterExtensions, object: requestedExtension(request, chosen) }],
    says: [
      `Will install ${packageName}${version === undefined ? "" : ` ${version}`} into ${namespace} as ClusterExtension ${name}`,
    ],
  };
}

async function write(
  invocation: Invocation,
  client: KubeClient,
  { namespace }: PackageRequest,
  planned: Planned,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const missing = (await client.get(namespaces, { name: namespace })) === undefined;
  if (missing && !flagOption(invocation, "create-namespace"))
    throw new UsageError(`there is no namespace "${namespace}"`, "add --create-namespace");
  const space: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const objects = [...(missing ? [{ type: namespaces as ResourceType, object: space }] : []), ...planned.objects];
  if (flagOption(invocation, "dry-run")) {
    const data = { apiVersion: "v1", kind: "List", items: objects.map(({ object }) => plainJson(object)) };
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(
        ...planned.says,
        ...objects.map(
          ({ object }) =>
            `  ${object.kind} ${object.metadata.namespace === undefined ? "" : `${object.metadata.namespace}/`}${object.metadata.name}`,
        ),
      ),
    };
  }
  // Checked before any write, so that a refusal does not leave a new namespace behind.
  for (const { type, object } of planned.objects)
    if ((await client.get(type, keyOf(object))) !== undefined) {
      const what = `${object.kind} ${formatKey(keyOf(object))}`;
      terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} ${what} already exists; nothing was written`);
      terminal.err(`  do    purser status ${planned.reference}      look at it`);
      terminal.err(`        purser upgrade ${planned.reference}     another version or channel`);
      terminal.err(`        --name NAME                             install it a second time under another name`);
      return { exitCode: exitCodes.conflict };
    }
  for (const line of planned.says) terminal.err(line);
  const agreed = await confirm(invocation, "Continue?");
  if (!agreed) return { exitCode: exitCodes.failed, human: shown("Nothing was written.") };
  for (const { type, object } of objects) {
    const result = await client.write({ verb: "create", type, object, fieldManager: "purser-cli" }, signal);
    if (!result.ok)
      return reportRefusal(
        terminal,
        `create ${object.kind} ${object.metadata.name}`,
        result.problem,
        planned.reference,
      );
  }
  if (!waits(invocation))
    return {
      exitCode: exitCodes.done,
      human: shown(`${planned.reference} written; purser status ${planned.reference}`),
    };
  const waited = await waitForInstallation(invocation, client, planned.reference, "ready");
  if (waited.kind === "deleted")
    return { exitCode: exitCodes.failed, human: shown(`${planned.reference} was deleted meanwhile`) };
  if (waited.kind === "timeout") {
    terminal.err(
      `${terminal.symbol("attention")} ${planned.reference} is not ready yet; the installation continues in the cluster. purser status ${planned.reference}`,
    );
    return { exitCode: exitCodes.timeout };
  }
  const { installation } = waited;
  const data = plainJson(installation);
  if (installation.state === "Ready")
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(
        `${terminal.paint("good", terminal.symbol("ok"))} ${installation.packageName} ${installation.version} is ready as ${installation.reference}`,
      ),
    };
  if (installation.state === "Approve")
    return {
      exitCode: exitCodes.waiting,
      data,
      human: shown(`${terminal.symbol("waiting")} ${installation.why}. purser approve ${installation.reference}`),
    };
  terminal.err(
    `${terminal.paint("bad", terminal.symbol("failed"))} ${installation.reference} is ${installation.state}: ${installation.why}`,
  );
  terminal.err(`  do    purser explain ${installation.reference}`);
  return { exitCode: exitCodes.failed, data };
}
