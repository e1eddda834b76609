import { systemClock } from "@purser/kubernetes/system/system-clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { UpdatePolicy } from "../../apis/policy/update-policy.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import type { Tier } from "../../bundle/installer-manifests.ts";
import { readPolicies } from "../../engine/snapshot/snapshot-live.ts";
import { shellWord } from "../../explanation/summary.ts";
import { holdLabel } from "../../policy/effective-policy.ts";
import { flagOption, type Invocation, listOption, textOption, UsageError } from "../command.ts";
import type { PackageRequest } from "../cluster/requested-objects.ts";
import { failure, type Failure } from "../failure.ts";
import { holdPolicy, holdTypeFor } from "../policy/hold.ts";
import type { RequestedObjects } from "../review/planned-install.ts";
import { requestedPolicy } from "./requested-policy.ts";

/** What is written, and what is said of it. */
export interface Requested {
  readonly reference: string;
  readonly objects: RequestedObjects;
  readonly says: readonly string[];
}

/**
 * Where the operator goes: `--namespace`, else that of the kubeconfig's context, else what is answered. Nothing is written into
 * `default` that nobody named.
 * @throws UsageError when no namespace is named and nobody can be asked
 */
export async function namespaceFor(invocation: Invocation, ofContext: string | undefined): Promise<string> {
  const { terminal } = invocation;
  const named = textOption(invocation, "namespace") ?? ofContext;
  if (named !== undefined) return named;
  const isShownOnly = flagOption(invocation, "dry-run") || flagOption(invocation, "request");
  if (isShownOnly) return "default";
  if (!terminal.isInteractive || flagOption(invocation, "yes"))
    throw new UsageError("no namespace is named for the operator", "add -n NAMESPACE, or -n default");
  const answer = (await terminal.ask("Namespace to install into [default]: "))?.trim() ?? "";
  return answer === "" ? "default" : answer;
}

/** The labels by which the policy of `--policy` selects the installation; none without the flag. */
export async function labelsOfPolicy(
  invocation: Invocation,
  client: KubeClient,
  api: "v0" | "v1",
  { name, namespace, packageName }: PackageRequest,
): Promise<Result<Readonly<Record<string, string>>, Failure>> {
  const named = textOption(invocation, "policy");
  if (named === undefined) return done({});
  const given = listOption(invocation, "label").map((text) => text.split("=", 2) as [string, string]);
  const kind = api === "v1" ? "ClusterExtension" : "Subscription";
  const subject = { kind, name, namespace, packageName, labels: Object.fromEntries(given) } as const;
  const policies = await readPolicies(client, namespace);
  const found = requestedPolicy(named, policies, subject, systemClock.now());
  return found.ok ? done(found.value.labels) : failed(found.problem);
}

/** The same with labels on the Subscription or ClusterExtension. */
export function labelled(requested: Requested, labels: Readonly<Record<string, string>>): Requested {
  if (Object.keys(labels).length === 0) return requested;
  const { objects } = requested;
  const withLabels = <Type extends KubeObject>(object: Type): Type => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
  });
  return {
    ...requested,
    objects:
      objects.api === "v1"
        ? { ...objects, extension: withLabels(objects.extension) }
        : { ...objects, subscription: withLabels(objects.subscription) },
  };
}

/** The same with the policy that `--hold` writes; one that holds the name already stays as it is. */
export async function withHold(invocation: Invocation, client: KubeClient, requested: Requested): Promise<Requested> {
  if (!flagOption(invocation, "hold")) return requested;
  const { objects, reference, says } = requested;
  const { metadata } = objects.api === "v1" ? objects.extension : objects.subscription;
  const { name = "", namespace } = metadata;
  const hold = holdPolicy(
    { api: objects.api, name, ...(namespace === undefined ? {} : { namespace }) },
    { level: "none" },
  );
  const live = await client.get(holdTypeFor(objects), keyOf(hold));
  const isHeld = live?.metadata.labels?.[holdLabel] !== undefined;
  const line = `holds back upgrades by ${hold.kind} ${hold.metadata.name}; purser unhold ${reference} ends that`;
  const more = { ...requested, says: [...says, line] };
  if (isHeld) return more;
  return {
    ...more,
    objects:
      objects.api === "v1"
        ? { ...objects, hold: hold as ClusterUpdatePolicy }
        : { ...objects, hold: hold as unknown as UpdatePolicy },
  };
}

/** Why a tier is refused: the operator group of the namespace says already as whom it installs. */
export function groupWithoutTier(
  group: OperatorGroup,
  { namespace, packageName }: PackageRequest,
  tier: Tier,
): Failure {
  const { name = "" } = group.metadata;
  const account = group.spec?.serviceAccountName;
  const says = account === undefined ? "has no account" : `installs as ServiceAccount ${account}`;
  return failure(
    "Conflict",
    `--tier ${tier} is for a new operator group, and ${namespace}/${name} ${says}; nothing was written`,
    [
      [`kubectl get operatorgroup ${shellWord(name)} -n ${shellWord(namespace)} -o yaml`, "see the operator group"],
      [
        `purser permissions ${shellWord(packageName)} --least -n ${shellWord(namespace)}`,
        "the account that suffices; spec.serviceAccountName of the group names it",
      ],
    ],
  );
}
