import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { clusterExtensions, clusterUpdatePolicies, subscriptions, updatePolicies } from "../../apis/olm-resources.ts";
import type { ClusterUpdatePolicy, ClusterUpdatePolicySpec } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { worldOfCluster } from "../../engine/snapshot/snapshot-live.ts";
import { listOf } from "../../explanation/summary.ts";
import type { Installation } from "../../installation/installation.ts";
import { holdLabel } from "../../policy/effective-policy.ts";
import { rolledBackAnnotation, rolledBackOf, rolledBackSentence } from "../../apis/policy/rolled-back.ts";
import { installationArgument, withInstallation } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { waitingPlan } from "../review/approve-reviewed.ts";
import { refusedWrite } from "../report-refusal.ts";
import { newerBundles } from "./held-newer.ts";
import { packagesOfInstallation } from "../../engine/snapshot/snapshot-holds.ts";
import { ruleWords } from "./policy-list.ts";

export const holdCommand: CommandSpec = {
  description: [
    "Writes an UpdatePolicy in the namespace of a Subscription, a ClusterUpdatePolicy for a ClusterExtension, and nothing else.",
    "The installed version keeps running. A second hold replaces the first.",
  ].join("\n"),
  arguments: [installationArgument],
  options: [
    { flags: "--version VERSION", summary: "hold back only this version (default: every upgrade)" },
    { flags: "--until DATE", summary: "end of the hold: 2026-12-31, or 2026-12-31T22:00:00Z" },
    { flags: "--reason TEXT", summary: "reason, shown with the hold" },
    { flags: "--dry-run", summary: "print the policy, write nothing" },
  ],
  examples: [
    ["purser hold data/etcd --until 2026-12-31 --reason 'change freeze'", "no upgrade before the new year"],
    ["purser hold ext/argocd --version 2.1.0 --reason 'breaks logins'", "skip one version"],
  ],
  run: (invocation) => withInstallation(invocation, (client, one) => hold(invocation, client, one)),
};

export const unholdCommand: CommandSpec = {
  arguments: [installationArgument],
  options: [],
  examples: [["purser unhold data/etcd", "upgrade again, as far as other policies allow"]],
  run: (invocation) => withInstallation(invocation, (client, one) => unhold(invocation, client, one)),
};

type Held = Pick<Installation, "api" | "name" | "namespace">;
type Policy = UpdatePolicy | ClusterUpdatePolicy;

/** The kind of policy that holds an installation. */
export const holdTypeFor = ({ api }: Pick<Installation, "api">): ResourceType<Policy> =>
  (api === "v1" ? clusterUpdatePolicies : updatePolicies) as ResourceType<Policy>;

const keyFor = ({ api, name, namespace = "" }: Held) =>
  api === "v1" ? { name: `hold-${name}` } : { namespace, name: `hold-${name}` };

/** The policy that a hold is. */
export function holdPolicy(
  installation: Held,
  rules: Partial<ClusterUpdatePolicySpec>,
): KubeObject & { readonly spec: ClusterUpdatePolicySpec } {
  const { api, name } = installation;
  const kind = api === "v1" ? "ClusterExtension" : "Subscription";
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: holdTypeFor(installation).kind,
    metadata: { ...keyFor(installation), labels: { [holdLabel]: "true" } },
    spec: { selector: { names: [name], kinds: [kind] }, ...rules },
  };
}

async function hold(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { reference } = installation;
  if (reference.startsWith("csv/"))
    throw new UsageError(`${reference} has no Subscription, so nothing upgrades it`, `purser explain ${reference}`);
  const version = textOption(invocation, "version");
  if (version !== undefined) await refuseUnknown(invocation, client, installation, version);
  const rules: HoldRules = version === undefined ? { level: "none" } : { versions: { denied: [version] } };
  return writeHold(invocation, client, installation, rules);
}

/** What a hold keeps back: everything, or these versions. */
export type HoldRules = { readonly level: "none" } | { readonly versions: { readonly denied: readonly string[] } };

/** Shows, asks for and writes the hold, with the end and the reason of the flags; it replaces an earlier one. @throws UsageError */
export async function writeHold(
  invocation: Invocation,
  client: KubeClient,
  installation: Installation,
  rules: HoldRules,
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference } = installation;
  const until = endOf(textOption(invocation, "until"));
  const reason = textOption(invocation, "reason");
  const policy = holdPolicy(installation, {
    ...rules,
    ...(until === undefined ? {} : { until }),
    ...(reason === undefined ? {} : { reason }),
  });
  const text = `${policy.kind} ${policy.metadata.namespace === undefined ? "" : `${policy.metadata.namespace}/`}${policy.metadata.name}: ${ruleWords(policy.spec)}${until === undefined ? "" : `, until ${until}`}`;
  if (flagOption(invocation, "dry-run"))
    return { exitCode: exitCodes.done, data: { ...policy } as never, human: shown(text) };
  terminal.err(`Hold ${reference} by ${text}`, ...(await consequences(client, installation, policy.spec)));
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const type = holdTypeFor(installation);
  const key = keyFor(installation);
  const existing = await client.get(type, key);
  if (existing !== undefined && existing.metadata.labels?.[holdLabel] === undefined)
    throw new UsageError(`${type.kind} ${key.name} exists and is not a hold`, `purser policy effective ${reference}`);
  const result = await client.write(
    existing === undefined
      ? { verb: "create", type, object: policy, fieldManager: "purser-cli" }
      : {
          verb: "replace",
          type,
          // Not over what somebody else wrote meanwhile.
          object: {
            ...policy,
            metadata: { ...policy.metadata, resourceVersion: existing.metadata.resourceVersion ?? "" },
          },
          fieldManager: "purser-cli",
        },
    signal,
  );
  if (!result.ok) return refusedWrite(`hold ${reference}`, result.problem, reference);
  return {
    exitCode: exitCodes.done,
    data: { ...policy } as never,
    human: shown(`${terminal.symbol("ok")} ${reference} is held; purser unhold ${reference}`),
  };
}

/** @throws UsageError when the version is none, or no catalog of the installation has it; a catalog that is not known here is not asked */
async function refuseUnknown(
  { terminal }: Invocation,
  client: KubeClient,
  installation: Installation,
  version: string,
): Promise<void> {
  if (/^v\d/.test(version))
    throw new UsageError(`--version "${version}" is not a version`, `write it without v: ${version.slice(1)}`);
  if (!/^\d+\.\d+\.\d+/.test(version) || !parseTolerantVersion(version).ok)
    throw new UsageError(`--version "${version}" is not a version`, "write it as 1.2.3");
  const kept = new KeptCatalogs(defaultCacheDirectory(terminal.env));
  const world = await worldOfCluster(client, kept, globalNamespace, installation.namespace);
  const channels = packagesOfInstallation(world, installation).flatMap((one) => one.channels);
  const known = channels.flatMap(({ bundles }) => bundles);
  if (known.length === 0 || known.some((bundle) => bundle.version === version)) return;
  const newest = newerBundles(known, undefined).map((bundle) => bundle.version);
  throw new UsageError(
    `no catalog of ${installation.reference} has version ${version} of ${installation.packageName}`,
    `it has ${listOf(newest, 5)}; purser show ${installation.packageName} --versions`,
  );
}

/** What the hold does to an upgrade that waits, and that it leaves a first installation alone. */
async function consequences(
  client: KubeClient,
  installation: Installation,
  { level }: ClusterUpdatePolicySpec,
): Promise<readonly string[]> {
  const { reference, version, target } = installation;
  if (version === undefined && level === "none")
    return [
      "  note        nothing is installed yet: the first installation continues, upgrades after it are held back",
    ];
  const plan = await waitingPlan(client, installation);
  if (plan === undefined || target === undefined || level !== "none") return [];
  const { name } = plan.metadata;
  return [`  withdraws   InstallPlan ${name}, which is pending approval; purser unhold ${reference} offers it again`];
}

/** The end of a hold as RFC 3339; a date alone means its beginning in UTC. @throws UsageError */
function endOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = isDate || /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--until "${text}" is not a time`, "write 2026-12-31 or 2026-12-31T22:00:00Z");
  // February 31 would be read as a day of March.
  const day = text.slice(0, 10);
  if (!new Date(day).toISOString().startsWith(day)) throw new UsageError(`--until "${text}": ${day} is not a date`);
  if (time <= systemClock.now()) throw new UsageError(`--until "${text}" is in the past, so nothing would be held`);
  return new Date(time).toISOString().replace(".000Z", "Z");
}

async function unhold(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference } = installation;
  const type = holdTypeFor(installation);
  const key = keyFor(installation);
  const existing = await client.get(type, key);
  const { api, name, namespace = "" } = installation;
  const rolledBack =
    api === "v1" ? { type: clusterExtensions, key: { name } } : { type: subscriptions, key: { namespace, name } };
  const object = reference.startsWith("csv/")
    ? undefined
    : await client.get<KubeObject>(rolledBack.type, rolledBack.key);
  const back = object === undefined ? undefined : rolledBackOf(object.metadata);
  if (back !== undefined) {
    terminal.err(`Offer ${back.bundle} again: ${rolledBackSentence(back)}`);
    if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
    const patch = { metadata: { annotations: { [rolledBackAnnotation]: null } } };
    const written = await client.write({ verb: "patch", ...rolledBack, patchType: "merge", patch }, signal);
    if (!written.ok) return refusedWrite(`end the hold on ${reference}`, written.problem, reference);
  }
  if (existing === undefined || existing.metadata.labels?.[holdLabel] === undefined)
    return {
      exitCode: exitCodes.done,
      ...(back === undefined ? {} : { data: { installation: reference, offered: back.bundle } }),
      human: shown(
        back === undefined
          ? `${reference} has no hold; purser policy effective ${reference}`
          : `${terminal.symbol("ok")} ${back.bundle} is offered to ${reference} again; purser status ${reference}`,
      ),
    };
  terminal.err(`End the hold on ${reference}: ${ruleWords(existing.spec)}`);
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const result = await client.write({ verb: "delete", type, key }, signal);
  if (!result.ok && result.problem.kind !== "notFound")
    return refusedWrite(`end the hold on ${reference}`, result.problem, reference);
  return { exitCode: exitCodes.done, human: shown(`${terminal.symbol("ok")} ${reference} is not held any more`) };
}
