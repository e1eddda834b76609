import { formatKey, keyOf, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { namespaces } from "@purser/kubernetes/apis/resources";
import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterExtensions, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import type { PackageRequest } from "../cluster/requested-objects.ts";
import { flagOption, type Invocation, type Outcome } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { holdTypeFor } from "../policy/hold.ts";
import { decidingLines } from "../policy/policy-verdict.ts";
import { refusedWrite } from "../report-refusal.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { type PlannedInstall, type RequestedObjects, unreadBundle } from "../review/planned-install.ts";
import { keepReviewed } from "../review/reviewed-plans.ts";
import type { ToCreate } from "./account-tier.ts";
import type { Requested } from "./install-choices.ts";
import { commandOf } from "./install-line.ts";
import { outcomeWhenReady } from "./outcome-when-ready.ts";
import { requestNote } from "./request-note.ts";

/** An account comes before the group that names it, a hold before the upgrades that it holds back. */
export function toCreate(objects: RequestedObjects, account: readonly ToCreate[] = []): readonly ToCreate[] {
  const { hold } = objects;
  const held = hold === undefined ? [] : [{ type: holdTypeFor(objects), object: hold }];
  if (objects.api === "v1") return [...held, { type: clusterExtensions, object: objects.extension }];
  const { group, subscription } = objects;
  return [
    ...account,
    ...(group === undefined ? [] : [{ type: operatorGroups as ResourceType, object: group }]),
    ...held,
    { type: subscriptions, object: subscription },
  ];
}

/**
 * Shows what is installed, asks, and writes it; or shows it alone, for `--dry-run` and `--request`.
 * @param planned undefined with `--unchecked`
 * @param account the objects of the account that a new operator group names
 */
export async function writeInstallation(
  invocation: Invocation,
  client: KubeClient,
  { namespace }: PackageRequest,
  requested: Requested,
  planned: PlannedInstall | undefined,
  account: readonly ToCreate[],
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const { reference } = requested;
  const isMissing = (await client.get(namespaces, { name: namespace })) === undefined;
  const space: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  const objects: readonly ToCreate[] = [
    ...(isMissing ? [{ type: namespaces as ResourceType, object: space }] : []),
    ...toCreate(requested.objects, account),
  ];
  for (const { code, summary } of planned?.warnings ?? [])
    terminal.err(`${terminal.symbol("attention")} ${summary}  ${code}`);
  const set = planned?.changes.ok === true ? planned.changes.value : undefined;
  const unread = planned?.changes.ok === false ? planned.changes.problem : undefined;
  const text = [
    ...requested.says,
    ...(unread === undefined ? [] : [`  changes     unknown: ${unread.summary}`]),
    ...(set === undefined ? [] : planSetText(terminal, set, flagOption(invocation, "full")).split("\n")),
    ...(planned === undefined ? [] : decidingLines(planned.policy)),
  ];
  if (flagOption(invocation, "request")) {
    const { says } = requested;
    return requestNote(invocation, {
      reference,
      says,
      set,
      objects: objects.map(({ object }) => object),
      command: commandOf(invocation),
    });
  }
  if (flagOption(invocation, "dry-run")) {
    const document = {
      apiVersion: "purser.dev/v1alpha1",
      kind: "Install",
      installation: reference,
      objects: { apiVersion: "v1", kind: "List", items: objects.map(({ object }) => plainJson(object)) },
      changes: set === undefined ? null : planSetDocument(set),
      ...(planned === undefined ? {} : { policy: plainJson(planned.policy) }),
    };
    return {
      exitCode: exitCodes.done,
      data: document,
      human: shown(
        ...text,
        "Objects to create",
        ...objects.map(({ object }) => `  ${object.kind} ${formatKey(keyOf(object))}`),
      ),
    };
  }
  if (unread !== undefined) return { explanation: unreadBundle(unread, `${commandOf(invocation)} --unchecked`) };
  if (set !== undefined) await keepReviewed(terminal.env, set);
  terminal.err(...text);
  const agreed = await confirm(invocation, "Continue?");
  if (!agreed) return notConfirmed("written");
  for (const { type, object } of objects) {
    const result = await client.write({ verb: "create", type, object, fieldManager: "purser-cli" }, signal);
    if (!result.ok) return refusedWrite(`create ${object.kind} ${object.metadata.name}`, result.problem, reference);
  }
  return outcomeWhenReady(
    invocation,
    client,
    reference,
    ({ packageName, version }) => `${packageName} ${version} is ready as ${reference}`,
  );
}
