import { clusterExtensions, clusterServiceVersions, installPlans, subscriptions } from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Installation } from "../../installation/installation.ts";
import { installationsOf } from "../../installation/installation.ts";
import type { ShownInstallation } from "../../installation/shown-state.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { failure } from "../failure.ts";
import { shellWord } from "../../explanation/summary.ts";
import type { Invocation, Outcome, RefusedOutcome } from "../command.ts";
import { UsageError, textOption } from "../command.ts";
import { connect } from "./connect.ts";

/** The argument of commands for one installation; see {@link withInstallation}. */
export const installationArgument = {
  name: "installation",
  summary: "name, package, sub/NAMESPACE/NAME or ext/NAME",
  required: true,
} as const;

/** The installations of one namespace and all ClusterExtensions; without a namespace, of the whole cluster. */
export async function readInstallations(
  client: KubeClient,
  namespace: string | undefined,
): Promise<readonly Installation[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const [subs, csvs, plans, extensions] = await Promise.all([
    client.list(subscriptions, scope),
    client.list(clusterServiceVersions, { ...scope, labelSelector: `!${copiedFromLabel}` }),
    client.list(installPlans, scope),
    client.list(clusterExtensions),
  ]);
  return installationsOf({ subscriptions: subs, csvs, installPlans: plans, extensions });
}

/** Between two looks of a command that follows. */
export const lookEveryMs = 1000;

/**
 * What `read` finds, then, until `signal` aborts, what is new or changed, looked at every second; a deleted installation comes once
 * more with the state `Removing`.
 */
export async function* followInstallations<One extends ShownInstallation>(
  read: () => Promise<readonly One[]>,
  signal: AbortSignal,
  clock: Pick<Clock, "sleep"> = systemClock,
): AsyncGenerator<readonly (One | ShownInstallation)[]> {
  let before = new Map<string, readonly [text: string, one: One]>();
  for (;;) {
    const all = await read();
    const now = new Map(all.map((one) => [one.reference, [JSON.stringify(one), one] as const]));
    const deleted = [...before.values()].filter(([, { reference }]) => !now.has(reference));
    yield [
      ...all.filter((one) => before.get(one.reference)?.[0] !== now.get(one.reference)?.[0]),
      ...deleted.map(([, one]): ShownInstallation => ({ ...one, state: "Removing", why: "deleted" })),
    ];
    before = now;
    await clock.sleep(lookEveryMs, signal);
  }
}

export type Found<One = Installation> =
  | { readonly kind: "found"; readonly installation: One }
  | { readonly kind: "missing"; readonly near: readonly string[] };

/**
 * Finds the installation that the user named: `etcd`, `data/etcd`, `sub/data/etcd`, `ext/etcd`, `csv/data/etcd.v1`,
 * or a package name when it is unique.
 * @throws UsageError listing the matches when the name is ambiguous
 */
export function findInstallation<One extends ShownInstallation>(
  name: string,
  installations: readonly One[],
  namespace: string | undefined,
): Found<One> {
  const visible =
    namespace === undefined
      ? installations
      : installations.filter((one) => one.namespace === undefined || one.namespace === namespace);
  const rules: readonly ((one: One) => boolean)[] = [
    (one) => one.reference === name,
    (one) => one.namespace !== undefined && shortForm(one) === name,
    (one) => one.name === name,
    (one) => one.packageName === name,
  ];
  for (const rule of rules) {
    const [first, ...others] = visible.filter(rule);
    if (first === undefined) continue;
    if (others.length === 0) return { kind: "found", installation: first };
    throw new UsageError(
      `"${name}" names ${others.length + 1} installations`,
      ...[first, ...others].map(({ reference }) => reference),
    );
  }
  return { kind: "missing", near: nearestReferences(name, installations) };
}

/** The references of the installations whose reference, short form or name is nearest to `name`, each once. */
function nearestReferences(name: string, installations: readonly ShownInstallation[]): readonly string[] {
  const references = new Map(
    installations.flatMap((one) =>
      [one.reference, shortForm(one), one.name, one.packageName].map((form) => [form, one.reference] as const),
    ),
  );
  const near = nearestNames(name, references.keys()).map((form) => references.get(form) ?? form);
  return [...new Set(near)];
}

const shortForm = (one: ShownInstallation): string =>
  one.namespace === undefined ? one.name : `${one.namespace}/${one.name}`;

/** Calls `work` with the installation that the first argument names; closes the connection to the cluster afterwards. */
export function withInstallation(
  invocation: Invocation,
  work: (client: KubeClient, installation: Installation) => Promise<Outcome>,
): Promise<Outcome> {
  return withInstallations(invocation, async (client, installations) => {
    const [name = ""] = invocation.arguments;
    const found = findInstallation(name, installations, textOption(invocation, "namespace"));
    return found.kind === "missing" ? noInstallation(name, found.near) : work(client, found.installation);
  });
}

/** Calls `work` with all installations of the cluster; closes the connection to it afterwards. */
export async function withInstallations(
  invocation: Invocation,
  work: (client: KubeClient, installations: readonly Installation[]) => Promise<Outcome>,
): Promise<Outcome> {
  const connection = connect(invocation);
  try {
    const { client } = connection;
    // Awaited here: the connection must not close before the work is done.
    return await work(client, await readInstallations(client, undefined));
  } finally {
    connection.close();
  }
}

/** That there is no installation of that name, with the nearest names. @param what what else the name could have meant as well */
export function noInstallation(name: string, near: readonly string[], what = "installation"): RefusedOutcome {
  const ways = near.map((one) => [`purser status ${shellWord(one)}`, "did you mean this one?"] as const);
  return {
    explanation: failure(
      "NotFound",
      `There is no ${what} "${name}"`,
      [...ways, ["purser list -A", "all installations"]],
      { wanted: name, nearest: near },
    ),
  };
}
