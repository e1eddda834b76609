import { kindOf } from "@purser/kubernetes/apis/resource-type";
import { keyOf, type KubeObject } from "@purser/kubernetes/apis/object";
import { plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { clusterExtensions } from "../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { keptForAnnotation } from "../../apis/v1/labels.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { counted, listOf } from "../../explanation/summary.ts";
import { type PlanSet, staleness } from "../../review/change-plan/plan-set.ts";
import { restartedBy } from "../../review/change-plan/restarts.ts";
import { compareNewestFirst, precedenceOf } from "../../upgrade-graph/bundle-order.ts";
import { connect, type Connection } from "../cluster/connect.ts";
import { readInstallations } from "../cluster/installations.ts";
import { awaitSources, type ChosenPackage, choosePackage } from "../cluster/package-request.ts";
import { keptWithServed } from "../cluster/remote-catalogs.ts";
import { requestedExtension } from "../cluster/requested-objects.ts";
import { flagOption, type Invocation, listOption, type Outcome, textOption } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { withoutNotes } from "../output/held-notes.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { planSetDocument, planSetText } from "../review/change-plan-outcome.ts";
import { installedAlready, plannedInstall } from "../review/planned-install.ts";
import { type AdoptedObjects, adoptLine, asAdoption, noVersion, restarts, unlike } from "./adopt-refusals.ts";
import { outcomeWhenReady } from "./outcome-when-ready.ts";

/** A version of the package whose objects exist, as the extension that takes them over. */
interface Adoption {
  readonly extension: ClusterExtension;
  readonly version: string;
  readonly existing: readonly KubeObject[];
  readonly set: PlanSet;
}

/** Versions that are compared with what exists, newest first. */
const mostCompared = 10;

/**
 * Makes objects without an owner, applied by hand or by Helm, a ClusterExtension. The version is the newest one that replaces no pod,
 * unless it is named; with `--replace` pods may be replaced.
 */
export async function adoptObjects(invocation: Invocation, adopted: AdoptedObjects): Promise<Outcome> {
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const kept = await keptWithServed(invocation, connection);
    const sources = await awaitSources(invocation, "v1", client, kept);
    const chosen = choosePackage(adopted.packageName, sources, textOption(invocation, "from-source"), "v1");
    if (!chosen.ok) return { explanation: asAdoption(chosen.problem, adopted) };
    const other = installedAlready({ api: "v1", ...adopted }, await readInstallations(client, undefined));
    if (other !== undefined) return { explanation: other };
    return await adoptFrom(invocation, connection, chosen.value, adopted);
  } finally {
    connection.close();
  }
}

async function adoptFrom(
  invocation: Invocation,
  connection: Connection,
  chosen: ChosenPackage,
  adopted: AdoptedObjects,
): Promise<Outcome> {
  const opened = await openWorld(withoutNotes(invocation), { bundles: "always", connection });
  if (!opened.ok) return opened.problem;
  try {
    const found = await fittingVersion(invocation, opened.value, chosen, adopted);
    return found.ok
      ? await adopt(invocation, connection.client, opened.value, found.value, adopted)
      : { explanation: found.problem };
  } finally {
    await opened.value.close();
  }
}

/** The versions to compare, newest first. */
function versionsOf(invocation: Invocation, { summary }: ChosenPackage): readonly string[] {
  const version = textOption(invocation, "version");
  if (version !== undefined) return [version];
  const channels = listOption(invocation, "channel");
  const bundles = summary.channels.filter(({ name }) => channels.length === 0 || channels.includes(name));
  const versions = new Set(bundles.flatMap((channel) => channel.bundles.map((bundle) => bundle.version)));
  return [...versions]
    .toSorted((left, right) => compareNewestFirst(precedenceOf(left), precedenceOf(right)))
    .slice(0, mostCompared);
}

async function fittingVersion(
  invocation: Invocation,
  opened: OpenedWorld,
  chosen: ChosenPackage,
  adopted: AdoptedObjects,
): Promise<Result<Adoption, Explanation>> {
  const isReplacing = flagOption(invocation, "replace");
  const versions = versionsOf(invocation, chosen);
  let nearest: Result<Adoption, Explanation> | undefined;
  for (const version of versions) {
    const one = await plannedVersion(invocation, opened, chosen, adopted, version);
    if (one.ok && (isReplacing || restartsOf(one.value).length === 0)) return one;
    nearest = nearest?.ok === true ? nearest : one;
  }
  if (nearest === undefined) return failed(noVersion(chosen, invocation, adopted));
  return nearest.ok ? failed(restarts(nearest.value, versions, adopted)) : nearest;
}

const restartsOf = ({ set }: Pick<Adoption, "set">) => set.plans.flatMap(({ total }) => restartedBy(total.objects));

/** What the version changes of what exists; the problem is why it cannot take it over. */
async function plannedVersion(
  invocation: Invocation,
  opened: OpenedWorld,
  chosen: ChosenPackage,
  adopted: AdoptedObjects,
  version: string,
): Promise<Result<Adoption, Explanation>> {
  const { namespace, packageName } = adopted;
  const channels = listOption(invocation, "channel");
  const namesSource = textOption(invocation, "from-source") !== undefined;
  const name = textOption(invocation, "name") ?? packageName;
  const request = { name, namespace, packageName, channels, version, namesSource };
  const extension = requestedExtension(request, chosen);
  const planned = await plannedInstall(opened, { api: "v1", extension }, "adopted");
  if (!planned.ok) return failed(asAdoption(planned.problem, adopted));
  const { changes, existing } = planned.value;
  if (!changes.ok) return failed(asAdoption(changes.problem, adopted));
  const strange = unlike(planned.value, changes.value, adopted);
  return strange === undefined ? done({ extension, version, existing, set: changes.value }) : failed(strange);
}

const helmReleaseOf = ({ metadata }: KubeObject): string | undefined => {
  const { "meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": place } = metadata.annotations ?? {};
  return name === undefined || place === undefined ? undefined : `${place}/${name}`;
};

/** What is left to do about the Helm releases, which still list the objects. */
function helmNotes(existing: readonly KubeObject[]): readonly string[] {
  const releases = [...new Set(existing.flatMap((object) => helmReleaseOf(object) ?? []))].toSorted();
  return releases.map((release) => {
    const [place = "", name = ""] = release.split("/");
    return `Helm release ${release} still lists them, and helm uninstall would delete them; forget the release afterwards: kubectl delete secret -n ${place} -l owner=helm,name=${name}`;
  });
}

async function adopt(
  invocation: Invocation,
  client: KubeClient,
  opened: OpenedWorld,
  { extension, version, existing, set }: Adoption,
  adopted: AdoptedObjects,
): Promise<Outcome> {
  const { terminal } = invocation;
  const reference = `ext/${extension.metadata.name}`;
  const restarted = set.plans.flatMap(({ total }) => restartedBy(total.objects));
  const line = `${counted(existing.length, "object")} of ${adopted.namespace}/${adopted.name} as ${reference}, ${adopted.packageName} ${version}`;
  const pods =
    restarted.length === 0
      ? "  no pod is replaced; nothing is deleted"
      : `  pods are replaced: ${listOf(restarted.map((one) => `${one.kind} ${one.name}`))}`;
  const text = [
    pods,
    ...helmNotes(existing).map((note) => `${terminal.symbol("attention")} ${note}`),
    ...planSetText(terminal, set, flagOption(invocation, "full")).split("\n"),
  ];
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "Adoption",
    installation: reference,
    objects: existing.map(({ apiVersion, kind, metadata: { namespace, name = "" } }) => ({
      apiVersion,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
    })),
    creates: plainJson(extension),
    changes: planSetDocument(set),
  };
  if (flagOption(invocation, "dry-run"))
    return { exitCode: exitCodes.done, data, human: shown(`Would take over ${line}`, ...text) };
  terminal.err(`Take over ${line}`, ...text);
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("written");
  const now = await plannedInstall(opened, { api: "v1", extension }, "adopted");
  if (!now.ok) return { explanation: now.problem };
  if (!now.value.changes.ok) return { explanation: now.value.changes.problem };
  const compared = staleness(set, now.value.changes.value);
  if (compared.kind === "stale") {
    const { digest } = now.value.changes.value;
    const what = `Nothing was written: the plan changed from ${set.digest} to ${digest}; changed: ${listOf(compared.changed ?? [], 4)}`;
    return { explanation: failure("Conflict", what, [[`${adoptLine(adopted)} --dry-run`, "see the current plan"]]) };
  }
  const written = await write(invocation, client, extension, existing);
  return written ?? outcomeWhenReady(invocation, client, reference, () => `took over ${line}`);
}

/** Marks the objects for the package, so that its extension may take them over, and creates the extension; the refusal of a write. */
async function write(
  { signal }: Invocation,
  client: KubeClient,
  extension: ClusterExtension,
  existing: readonly KubeObject[],
): Promise<Outcome | undefined> {
  const { name = "" } = extension.metadata;
  const reference = `ext/${name}`;
  const packageName = extension.spec?.source.catalog?.packageName ?? "";
  const create = { verb: "create", type: clusterExtensions, object: extension, fieldManager: "purser-cli" } as const;
  const refused = (made: WriteRefusal): Outcome => refusedWrite(`create ClusterExtension ${name}`, made, reference);
  // No mark stays behind of an extension that the server refuses.
  const tried = await client.write({ ...create, dryRun: true }, signal);
  if (!tried.ok) return refused(tried.problem);
  const discovery = createDiscovery(client);
  for (const object of existing) {
    const type = await discovery.typeOf(kindOf(object), signal);
    const what = `${object.kind} ${object.metadata.name}`;
    if (type === undefined) return { explanation: failure("NotFound", `The cluster no longer serves ${object.kind}`) };
    const { resourceVersion } = object.metadata;
    const patch = {
      metadata: {
        annotations: { [keptForAnnotation]: packageName },
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    };
    const marked = await client.write(
      { verb: "patch", type, key: keyOf(object) as never, patchType: "merge", patch, fieldManager: "purser-cli" },
      signal,
    );
    if (!marked.ok) return refusedWrite(`mark ${what} for ${packageName}`, marked.problem, reference);
  }
  const made = await client.write(create, signal);
  return made.ok ? undefined : refused(made.problem);
}
