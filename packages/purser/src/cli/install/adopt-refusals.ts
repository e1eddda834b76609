// Why objects without an owner are not adopted, with remedies.
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import type { PlanSet } from "../../review/change-plan/plan-set.ts";
import { restartedBy, workloadsIn } from "../../review/change-plan/restarts.ts";
import type { ChosenPackage } from "../cluster/package-request.ts";
import { type Invocation, listOption } from "../command.ts";
import type { PlannedInstall } from "../review/planned-install.ts";

/** What is to be adopted. */
export interface AdoptedObjects {
  readonly namespace: string;
  /** Of one of the operator's objects. */
  readonly name: string;
  readonly packageName: string;
}

const isIn =
  (namespace: string, name: string) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.namespace === namespace && metadata.name === name;

/** Why what exists is not the operator: the named object is none of the bundle's, or one of its workloads does not exist. */
export function unlike(
  { bundle, existing }: PlannedInstall,
  set: PlanSet,
  { namespace, name, packageName }: AdoptedObjects,
): Explanation | undefined {
  const workloads = workloadsIn(set.plans.flatMap(({ total }) => total.objects));
  const absent = workloads.filter(({ change }) => change === "created").map((one) => `${one.kind} ${one.name}`);
  const isNamed = existing.some(isIn(namespace, name));
  if (isNamed && absent.length === 0) return undefined;
  const names = workloads.map((one) => `${one.kind} ${one.name}`);
  const text = isNamed
    ? `${bundle} also brings ${listOf(absent)}, which does not exist in ${namespace}: it would run beside what is there`
    : `${bundle} brings ${listOf(names)}; ${namespace}/${name} is none of its objects that exist`;
  return {
    code: "PackageNotFound",
    summary: summaryOf(`The objects of ${namespace}/${name} are not those of ${bundle}`),
    facts: { namespace, name, package: packageName, bundle, workloads: names },
    derivation: [{ relation: "fact", subject: bundle, text }],
    remedies: [
      {
        summary: "see its versions, and name one with --version",
        command: `purser show ${shellWord(packageName)} --versions`,
      },
    ],
  };
}

export function noVersion(
  { summary }: ChosenPackage,
  invocation: Invocation,
  { packageName }: AdoptedObjects,
): Explanation {
  const channels = listOption(invocation, "channel");
  return {
    code: "ChannelNotFound",
    summary: summaryOf(`Package ${packageName} has no version in channel ${listOf(channels)}`),
    facts: { package: packageName, channels, known: summary.channels.map(({ name }) => name) },
    derivation: [
      {
        relation: "fact",
        subject: packageName,
        text: `its channels are ${summary.channels.map(({ name }) => name).join(", ")}`,
      },
    ],
    remedies: [{ summary: "see versions and channels", command: `purser show ${shellWord(packageName)} --versions` }],
  };
}

/** That no compared version takes the objects over without new pods, with the fields of the newest that differ. */
export function restarts(
  { version, set }: { readonly version: string; readonly set: PlanSet },
  versions: readonly string[],
  adopted: AdoptedObjects,
): Explanation {
  const { namespace, name, packageName } = adopted;
  const changed = set.plans
    .flatMap(({ total }) => restartedBy(total.objects))
    .map((one) => `${one.kind} ${one.namespace ?? ""}/${one.name}`);
  const target = shellWord(`${packageName}@${version}`);
  const compared = versions.length === 1 ? version : `${versions.at(-1)} to ${version}`;
  return {
    code: "PackageConflict",
    summary: summaryOf(
      `No pod may be replaced, and ${packageName} ${compared} would replace those of ${listOf(changed)}`,
    ),
    facts: { namespace, name, package: packageName, versions, digest: set.digest, restarts: changed },
    derivation: [{ relation: "fact", subject: packageName, text: `compared with ${listOf(versions, 10)}` }],
    remedies: [
      {
        summary: "see the fields that differ",
        command: `${adoptLine(adopted)} --version ${version} --replace --dry-run --full`,
      },
      { summary: "replace the pods", command: `${adoptLine(adopted)} --version ${version} --replace` },
      {
        summary: "the same through OLM v0, which always replaces them",
        command: `purser install ${target} -n ${shellWord(namespace)} --as-subscription`,
      },
    ],
  };
}

/** The command line that adopts the objects. */
export const adoptLine = ({ namespace, name, packageName }: AdoptedObjects): string =>
  `purser adopt ${shellWord(`${namespace}/${name}`)} --package ${shellWord(packageName)}`;

/** The refusal of an installation, with commands that adopt instead. */
export function asAdoption(explanation: Explanation, adopted: AdoptedObjects): Explanation {
  const remedies = explanation.remedies.map((remedy): Remedy => {
    const [, target = "", flags = ""] = /^purser install (\S+|'[^']*')(.*)$/.exec(remedy.command ?? "") ?? [];
    if (target === "" || remedy.deletes !== undefined) return remedy;
    const [packageName = "", version] = target.replaceAll("'", "").split("@");
    const named = version === undefined ? "" : ` --version ${shellWord(version)}`;
    const command = `${adoptLine({ ...adopted, packageName })}${named}${flags.replace(" --as-extension", "")}`;
    return { ...remedy, command };
  });
  return { ...explanation, remedies };
}
