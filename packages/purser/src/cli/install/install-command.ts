import { namespaces } from "@purser/kubernetes/apis/resources";
import { operatorGroups } from "../../apis/olm-resources.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import type { Remedy } from "../../explanation/explanation.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { formatKey, keyOf } from "@purser/kubernetes/apis/object";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { CommandSpec, Invocation, Outcome, RefusedOutcome } from "../command.ts";
import { flagOption, listOption, textOption, UsageError } from "../command.ts";
import { connect, type Connection } from "../cluster/connect.ts";
import { extensionChoiceOptions, withChoices } from "../cluster/extension-choices.ts";
import { keptWithServed } from "../cluster/remote-catalogs.ts";
import { readInstallations } from "../cluster/installations.ts";
import { openWorld } from "../decision/decision-world.ts";
import { bundlesOption } from "../settings/shared-flags.ts";
import { failure, isFailure } from "../failure.ts";
import type { ChosenPackage } from "../cluster/package-request.ts";
import { chooseBundle, choosePackage, parsePackageArgument, awaitSources } from "../cluster/package-request.ts";
import type { PackageRequest } from "../cluster/requested-objects.ts";
import { requestedExtension, requestedGroup, requestedSubscription } from "../cluster/requested-objects.ts";
import { installedAlready, plannedInstall } from "../review/planned-install.ts";
import { planOption, type Reviewed, staleReview, withReviewed } from "../review/saved-plan.ts";
import { done } from "@purser/kubernetes/result";
import { accountName, askedTier, installerAccount, tierOption } from "./account-tier.ts";
import {
  groupWithoutTier,
  labelled,
  labelsOfPolicy,
  namespaceFor,
  type Requested,
  withHold,
} from "./install-choices.ts";
import { operatorValues, valueOptions } from "./operator-values.ts";
import { checkSubscriptionConfig } from "./values-check.ts";
import { asInstall } from "./install-remedies.ts";
import { commandOf, extensionFlags } from "./install-line.ts";
import { toCreate, writeInstallation } from "./write-installation.ts";

export const installCommand: CommandSpec = {
  description: [
    "Catalog and bundle are checked first: when the installation would be refused, nothing is written, not even the namespace.",
    "The bundle is read from --bundles, else from its image. --unchecked skips the check.",
  ].join("\n"),
  arguments: [
    {
      name: "package",
      summary: "PACKAGE or PACKAGE@VERSION; with --as-extension VERSION may be a range",
      required: true,
      unless: "plan",
    },
  ],
  options: [
    { flags: "--as-subscription", summary: "install through v0 (default)" },
    { flags: "--as-extension", summary: "install through v1" },
    { flags: "--name NAME", summary: "name of the installation (default: the package)" },
    {
      flags: "--channel CHANNEL",
      summary: "channel (default: the package's); a ClusterExtension takes versions from several",
      repeatable: true,
    },
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
    ...extensionChoiceOptions,
    { flags: "--create-namespace", summary: "create the namespace when it is missing" },
    tierOption,
    ...valueOptions,
    { flags: "--hold", summary: "hold back every upgrade until purser unhold" },
    { flags: "--policy POLICY", summary: "the update policy that has to decide for it; its labels are set" },
    planOption,
    { flags: "--dry-run", summary: "show the objects that would be created, write nothing" },
    { flags: "--request", summary: "print the objects and a Markdown note to ask somebody else for it, write nothing" },
    { flags: "--full", summary: "show the fields of all objects" },
    { flags: "--unchecked", summary: "write the objects without checking or showing them" },
    bundlesOption,
  ],
  examples: [
    [
      "purser install kube-green -n operators --create-namespace --yes",
      "the head of the default channel, kept up to date",
    ],
    ["purser install kube-green@0.5.2 -n operators --approval Manual", "one version; later ones need approval"],
    ["purser install 'authorino-operator@0.15.x' --as-extension -n operators", "through v1, with a range"],
    ["purser install kube-green@0.5.2 -n operators --hold", "one version, without later ones"],
    ["purser install kube-green -n operators --set resources.limits.memory=128Mi", "with a limit for its containers"],
    ["purser install kube-green -n operators --request", "a note with its changes and objects, to ask for it"],
  ],
  run: install,
};

/** Flags that cannot be given together. */
const exclusive = [
  ["plan", "unchecked"],
  ["tier", "unchecked"],
  ["hold", "policy"],
  ["request", "dry-run"],
] as const;

const isGiven = ({ options }: Invocation, flag: string): boolean => options[flag] !== undefined;

async function install(given: Invocation): Promise<Outcome> {
  const { invocation, reviewed } = await withReviewed(given, "install");
  for (const [one, other] of exclusive)
    if (isGiven(invocation, one) && isGiven(invocation, other))
      throw new UsageError(`--${one} and --${other} exclude each other`, "leave one of them out");
  return installed(invocation, reviewed);
}

/** The refusal with remedies that install into the same place. */
function pasteable(outcome: Outcome, invocation: Invocation): Outcome {
  if (!("explanation" in outcome) || outcome.explanation === undefined || isFailure(outcome.explanation))
    return outcome;
  const { packageName, version } = parsePackageArgument(invocation.arguments[0] ?? "");
  const name = textOption(invocation, "name") ?? packageName;
  const reference = flagOption(invocation, "as-extension")
    ? `ext/${name}`
    : `sub/${textOption(invocation, "namespace") ?? "default"}/${name}`;
  // What exists already is looked at under its name.
  const isNew = outcome.explanation.code !== "PackageConflict";
  const wanted = { packageName, version, name, reference };
  return isNew ? { ...outcome, explanation: asInstall(outcome.explanation, invocation, wanted) } : outcome;
}

async function installed(invocation: Invocation, reviewed: Reviewed | undefined): Promise<Outcome> {
  const asExtension = flagOption(invocation, "as-extension");
  if (asExtension && flagOption(invocation, "as-subscription"))
    throw new UsageError("--as-extension and --as-subscription exclude each other");
  const foreign = asExtension ? undefined : extensionFlags.find((flag) => invocation.options[flag] !== undefined);
  if (foreign !== undefined) throw new UsageError(`--${foreign} is for a ClusterExtension`, "add --as-extension");
  if (asExtension && isGiven(invocation, "tier"))
    throw new UsageError("--tier is for a Subscription: OLM v1 installs with its own account", "leave it out");
  const values = operatorValues(invocation);
  if (!asExtension && values !== undefined) await checkSubscriptionConfig(values);
  const { packageName, version } = parsePackageArgument(invocation.arguments[0] ?? "");
  const connection = connect(invocation);
  try {
    const fromSource = textOption(invocation, "from-source");
    const api = asExtension ? "v1" : "v0";
    const channels = listOption(invocation, "channel");
    const kept = await keptWithServed(invocation, connection);
    const chosen = choosePackage(
      packageName,
      await awaitSources(invocation, api, connection.client, kept),
      fromSource,
      api,
    );
    if (!chosen.ok) return pasteable({ explanation: chosen.problem }, invocation);
    // What no namespace changes comes before the question for one.
    const wanted = asExtension
      ? channels.map((channel) => chooseBundle(chosen.value, channel, undefined))
      : [chooseBundle(chosen.value, channels[0], version)];
    for (const found of wanted) if (!found.ok) return pasteable({ explanation: found.problem }, invocation);
    const namespace = await namespaceFor(invocation, connection.access.namespace);
    const request: PackageRequest = {
      packageName,
      version,
      namespace,
      name: textOption(invocation, "name") ?? packageName,
      channels,
      namesSource: fromSource !== undefined,
      ...(values === undefined ? {} : { values }),
    };
    const placed = { ...invocation, options: { ...invocation.options, namespace } };
    return pasteable(await installInto(placed, connection, request, chosen.value, reviewed), placed);
  } finally {
    connection.close();
  }
}

async function installInto(
  invocation: Invocation,
  connection: Connection,
  request: PackageRequest,
  chosen: ChosenPackage,
  reviewed: Reviewed | undefined,
): Promise<Outcome> {
  const { client } = connection;
  const api = flagOption(invocation, "as-extension") ? "v1" : "v0";
  const labels = await labelsOfPolicy(invocation, client, api, request);
  if (!labels.ok) return { explanation: labels.problem };
  const plain =
    api === "v1"
      ? requestedExtensionOf(invocation, request, chosen)
      : await requestedSubscriptionOf(invocation, request, chosen, client);
  if ("explanation" in plain) return plain;
  const requested = await withHold(invocation, client, labelled(plain, labels.value));
  const refused = await refusedBefore(invocation, client, request, requested);
  if (refused !== undefined) return refused;
  if (flagOption(invocation, "unchecked"))
    return writeInstallation(invocation, client, request, requested, undefined, []);
  const other = installedAlready({ api, ...request }, await readInstallations(client, undefined));
  if (other !== undefined) return { explanation: other };
  const opened = await openWorld(invocation, { bundles: "always", connection });
  if (!opened.ok) return opened.problem;
  try {
    const planned = await plannedInstall(opened.value, requested.objects);
    if (!planned.ok) return { explanation: planned.problem };
    const { changes } = planned.value;
    const stale = staleReview("install", request.packageName, reviewed, changes.ok ? changes.value : undefined);
    if (stale !== undefined) return stale;
    const tier = askedTier(invocation);
    const account =
      tier === undefined ? done([]) : await installerAccount(opened.value, planned.value.fresh, tier, request);
    if (!account.ok) return { explanation: account.problem };
    return await writeInstallation(invocation, client, request, requested, planned.value, account.value);
  } finally {
    await opened.value.close();
  }
}

async function requestedSubscriptionOf(
  invocation: Invocation,
  request: PackageRequest,
  chosen: ChosenPackage,
  client: KubeClient,
): Promise<Requested | RefusedOutcome> {
  const { namespace, name, channels } = request;
  const [channel, ...others] = channels;
  if (others.length > 0) throw new UsageError("a Subscription follows one channel", "name one, or add --as-extension");
  const bundle = chooseBundle(chosen, channel, request.version);
  if (!bundle.ok) return { explanation: bundle.problem };
  const approval = textOption(invocation, "approval") ?? "Automatic";
  const { source } = chosen;
  const subscription = requestedSubscription(request, chosen, bundle.value, approval);
  const groups = await client.list(operatorGroups, { namespace });
  const tier = askedTier(invocation);
  const [used] = groups;
  if (tier !== undefined && used !== undefined) return { explanation: groupWithoutTier(used, request, tier) };
  const watched = textOption(invocation, "watch-namespaces")
    ?.split(",")
    .map((text) => text.trim());
  const groupSays =
    groups.length > 0
      ? `uses operator group ${namespace}/${used?.metadata.name}`
      : `creates operator group ${namespace}/${namespace} (${watched === undefined ? "all namespaces" : watched.join(", ")})${tier === undefined ? "" : `, which installs as ServiceAccount ${accountName} (${tier})`}`;
  const { bundle: starting, head } = bundle.value;
  const goal = starting ?? head ?? request.packageName;
  const isHeld = flagOption(invocation, "hold");
  const goesOn =
    approval === "Automatic" && !isHeld && starting !== undefined && head !== undefined && starting !== head;
  return {
    reference: `sub/${namespace}/${name}`,
    objects: {
      api: "v0",
      subscription,
      group: groups.length > 0 ? undefined : requestedGroup(namespace, watched, tier && accountName),
    },
    says: [
      `Will install ${goal} into ${namespace} from ${source.namespace}/${source.name}, channel ${bundle.value.channel}, approval ${approval}`,
      ...(goesOn
        ? [
            `is upgraded along its channel to ${head}, because approval is Automatic; --approval Manual stops at ${starting}`,
          ]
        : []),
      groupSays,
    ],
  };
}

function requestedExtensionOf(invocation: Invocation, request: PackageRequest, chosen: ChosenPackage): Requested {
  const { packageName, version, namespace, name } = request;
  return {
    reference: `ext/${name}`,
    objects: { api: "v1", extension: withChoices(requestedExtension(request, chosen), invocation) },
    says: [
      `Will install ${packageName}${version === undefined ? "" : ` ${version}`} into ${namespace} as ClusterExtension ${name}`,
    ],
  };
}

/** Why nothing can be written, whatever the catalog has: no namespace, or an object of that name exists. @throws UsageError */
async function refusedBefore(
  invocation: Invocation,
  client: KubeClient,
  { namespace, packageName }: PackageRequest,
  { reference, objects }: Requested,
): Promise<Outcome | undefined> {
  const mayCreate = flagOption(invocation, "create-namespace");
  if (!mayCreate && (await client.get(namespaces, { name: namespace })) === undefined)
    throw new UsageError(`there is no namespace "${namespace}"`, "add --create-namespace");
  for (const { type, object } of toCreate(objects)) {
    const live = await client.get(type, keyOf(object));
    if (live !== undefined) {
      const what = `${object.kind} ${formatKey(keyOf(object))}`;
      const taken = failure("AlreadyExists", `${what} already exists; nothing was written`, [
        [`purser status ${reference}`, "look at it"],
        [`purser upgrade ${reference}`, "another version or channel"],
      ]);
      return { explanation: { ...taken, remedies: [...taken.remedies, ...otherName(invocation, live, packageName)] } };
    }
  }
  return undefined;
}

/** What holds the name may be another package; the same one cannot be installed twice. */
function otherName(invocation: Invocation, live: KubeObject, packageName: string): readonly Remedy[] {
  const isExtension = live.kind === "ClusterExtension";
  const held = isExtension
    ? (live as ClusterExtension).spec?.source.catalog?.packageName
    : (live as Partial<Subscription>).spec?.name;
  if (held === undefined || held === packageName) return [];
  const given = { ...invocation.options, name: `${packageName}-2` };
  return [{ summary: "install it under another name", command: commandOf({ ...invocation, options: given }) }];
}
