import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { InstallPlan } from "../apis/v0/install-plan.ts";
import type { OperatorGroup } from "../apis/v0/operator-group.ts";
import type { CauseCode, Explanation, Remedy } from "../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../explanation/summary.ts";

/** A Subscription with what was made of it. */
export interface BlockedWorld {
  readonly reference: string;
  readonly packageName: string;
  readonly csv: ClusterServiceVersion | undefined;
  readonly plan: InstallPlan | undefined;
  /** The OperatorGroups of its namespace. */
  readonly groups: readonly OperatorGroup[];
}

/**
 * Why an operator of a Subscription does not run although its version was chosen: a CRD that its InstallPlan may not change, its
 * OperatorGroup, the group's ServiceAccount, the cluster's version or another operator. Undefined when none of these is the cause.
 */
export function explainBlocked(world: BlockedWorld): Explanation | undefined {
  const { csv, groups } = world;
  const [group] = groups;
  if (group === undefined || groups.length > 1) return undefined;
  const refused = refusedCrd(world);
  if (refused !== undefined) return refused;
  switch (csv?.status?.reason) {
    case "UnsupportedOperatorGroup":
      return unsupportedTargets(world, csv, group);
    case "InterOperatorGroupOwnerConflict":
      return contested(world, csv);
    case "RequirementsNotMet":
      return tooOldCluster(world, csv);
    case undefined:
    default:
      return account(world, group);
  }
}

const patchGroup = ({ metadata }: OperatorGroup, summary: string, spec: Readonly<Record<string, unknown>>): Remedy => ({
  summary,
  command: `kubectl patch operatorgroups.operators.coreos.com ${shellWord(metadata.name ?? "")} -n ${shellWord(metadata.namespace ?? "")} --type merge -p ${shellWord(JSON.stringify({ spec }))}`,
});

const uninstall = ({ reference }: BlockedWorld): Remedy => ({
  summary: "Uninstall it; CRDs and custom resources stay",
  command: `purser uninstall ${shellWord(reference)} --mode keep-data`,
  deletes: "objects",
});

function unsupportedTargets(world: BlockedWorld, csv: ClusterServiceVersion, group: OperatorGroup): Explanation {
  const { namespace = "", name = "" } = group.metadata;
  const modes = (csv.spec.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type);
  const forAll = `of every operator of ${namespace}`;
  const text = csv.status?.message ?? "";
  return explained("InstallModeUnsupported", {
    summary: `${csv.metadata.name} does not support the target namespaces of OperatorGroup ${name}; it supports ${listOf(modes)}`,
    facts: { csv: csv.metadata.name ?? "", group: `${namespace}/${name}`, supported: modes },
    text,
    remedies: [
      ...(modes.includes("AllNamespaces")
        ? [
            patchGroup(group, `Let OperatorGroup ${name} target all namespaces; it is the group ${forAll}`, {
              targetNamespaces: null,
              selector: null,
            }),
          ]
        : []),
      ...(modes.includes("OwnNamespace")
        ? [
            patchGroup(group, `Let OperatorGroup ${name} target ${namespace} only; it is the group ${forAll}`, {
              targetNamespaces: [namespace],
              selector: null,
            }),
          ]
        : []),
      uninstall(world),
    ],
  });
}

function contested(world: BlockedWorld, csv: ClusterServiceVersion): Explanation {
  const apis = (csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);
  const { namespace = "" } = csv.metadata;
  return explained("ApiConflict", {
    summary: `${csv.metadata.name} provides ${listOf(apis)}, which an operator of another OperatorGroup provides for the same namespaces`,
    facts: { csv: csv.metadata.name ?? "", apis },
    text: csv.status?.message ?? "",
    remedies: [
      { summary: "See which operators serve the namespace", command: `purser tenancy ${shellWord(namespace)}` },
      uninstall(world),
    ],
  });
}

function tooOldCluster(world: BlockedWorld, csv: ClusterServiceVersion): Explanation | undefined {
  const { minKubeVersion = "" } = csv.spec;
  const unmet = (csv.status?.requirementStatus ?? []).find(
    ({ kind, status }) => kind === "ClusterServiceVersion" && status !== "Present",
  );
  if (unmet === undefined || minKubeVersion === "") return undefined;
  return explained("ClusterIncompatible", {
    summary: `${csv.metadata.name} needs Kubernetes ${minKubeVersion} or newer`,
    facts: { csv: csv.metadata.name ?? "", wanted: minKubeVersion },
    text: unmet.message ?? "",
    remedies: [
      uninstall(world),
      {
        summary: "See which versions the catalogs have, or upgrade the cluster",
        command: `purser show ${shellWord(world.packageName)} --versions`,
      },
    ],
  });
}

/** An InstallPlan that the ServiceAccount of the group cannot carry out. */
function account({ plan, csv }: BlockedWorld, group: OperatorGroup): Explanation | undefined {
  const { serviceAccountName: name } = group.spec ?? {};
  if (name === undefined || name === "") return undefined;
  const { namespace = "" } = group.metadata;
  const planText = plan?.status?.phase === "Complete" ? "" : (plan?.status?.conditions?.at(-1)?.message ?? "");
  const csvText = csv?.status?.reason === "InstallComponentFailedNoRetry" ? (csv.status.message ?? "") : "";
  const text = [planText, plan?.status?.message ?? "", csvText].find((one) =>
    /service account|forbidden|may not/i.test(one),
  );
  if (text === undefined) return undefined;
  const isMissing = /service account exists/.test(text);
  return explained("PermissionDenied", {
    summary: `ServiceAccount ${name} of OperatorGroup ${group.metadata.name} ${isMissing ? "does not exist" : "lacks rights"}: ${text}`,
    facts: { account: `${namespace}/${name}`, group: `${namespace}/${group.metadata.name}` },
    text,
    remedies: [
      ...(isMissing
        ? [
            {
              summary: "Create it; it then needs the rights of the bundle (purser bundle rights)",
              command: `kubectl create serviceaccount ${shellWord(name)} -n ${shellWord(namespace)}`,
            },
          ]
        : [
            {
              summary: "See what it may do; purser bundle rights BUNDLE writes the roles that the bundle needs",
              command: `kubectl auth can-i --list --as=system:serviceaccount:${namespace}:${name} -n ${shellWord(namespace)}`,
            },
          ]),
      patchGroup(
        group,
        `Install without the account: the rights of Purser then bound what operators of ${namespace} get`,
        { serviceAccountName: null },
      ),
    ],
  });
}

/** An InstallPlan whose CRD would break objects that exist: `executeCrdStep` refuses it in OLM's words. */
function refusedCrd({ plan, packageName }: BlockedWorld): Explanation | undefined {
  const { phase, message = "" } = plan?.status ?? {};
  const [, text = "", invalid, unread] =
    /((?:error validating existing CRs against new CRD's schema for "(.+?)"|risk of data loss updating "(.+?)"): .*)$/s.exec(
      message,
    ) ?? [];
  const crd = invalid ?? unread;
  if (plan === undefined || phase === "Complete" || crd === undefined) return undefined;
  const { namespace = "", name = "" } = plan.metadata;
  const list = `kubectl get ${shellWord(crd)} -A`;
  return explained("CrdUnsafe", {
    summary: `The new version of CustomResourceDefinition ${crd} would break objects that exist: ${text}`,
    facts: { crd, installPlan: `${namespace}/${name}` },
    text,
    remedies: [
      invalid === undefined
        ? {
            summary:
              "Write all its custom resources in a version that stays, and remove the other one from the CRD's status.storedVersions; to list them",
            command: list,
          }
        : { summary: "Change or delete the custom resource that the message names; to list them", command: list },
      ...(phase === "Failed"
        ? [
            {
              summary: "Delete the InstallPlan after that, as it has failed: another one is made",
              command: `kubectl delete installplans.operators.coreos.com ${shellWord(name)} -n ${shellWord(namespace)}`,
              deletes: "objects",
            } as const,
          ]
        : []),
      {
        summary: "See which other versions the catalogs have",
        command: `purser show ${shellWord(packageName)} --versions`,
      },
    ],
  });
}

function explained(
  code: CauseCode,
  { summary, facts, text, remedies }: Pick<Explanation, "summary" | "facts" | "remedies"> & { readonly text: string },
): Explanation {
  return {
    code,
    summary: summaryOf(summary),
    facts,
    derivation: text === "" ? [] : [{ relation: "fact", subject: "status", text, upstream: text }],
    remedies,
  };
}
