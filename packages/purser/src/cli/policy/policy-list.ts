import { findCondition } from "@purser/kubernetes/apis/condition";
import { plainJson } from "@purser/kubernetes/json";
import type { JsonObject } from "@purser/kubernetes/json";
import { clusterUpdatePolicies, updatePolicies } from "../../apis/olm-resources.ts";
import type { ClusterUpdatePolicy } from "../../apis/policy/cluster-update-policy.ts";
import type { ChangeMode, PolicyApproval, PolicyWindow, UpdatePolicy } from "../../apis/policy/update-policy.ts";
import { listOf } from "../../explanation/summary.ts";
import { type CommandSpec, flagOption, textOption } from "../command.ts";
import { connect } from "../cluster/connect.ts";
import { type ListColumn, listingOptions, printListing } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import { policyTextReference } from "./policy-names.ts";

type Policy = UpdatePolicy | ClusterUpdatePolicy;

export const policyListCommand: CommandSpec = {
  options: [...listingOptions],
  examples: [["purser policy list -A", "all policies, with the number of installations each decides for"]],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      const { client, access } = connection;
      const everywhere = flagOption(invocation, "all-namespaces");
      const namespace = everywhere ? undefined : (textOption(invocation, "namespace") ?? access.namespace);
      const policies: readonly Policy[] = [
        ...(await client.list(clusterUpdatePolicies)),
        ...(await client.list(updatePolicies, namespace === undefined ? {} : { namespace })),
      ];
      const printed = printListing(invocation, {
        kind: "UpdatePolicyList",
        items: policies,
        columns,
        nameOf: policyTextReference,
        document: policyDocument,
        footer: [`${policies.length} update ${policies.length === 1 ? "policy" : "policies"}`],
      });
      if (policies.length > 0 || textOption(invocation, "output") !== undefined) return printed;
      return { ...printed, human: shown("No update policy exists: every upgrade that a catalog offers is installed") };
    } finally {
      connection.close();
    }
  },
};

/** A policy without the fields of its managers, as kubectl shows objects. */
export function policyDocument({ metadata: { managedFields: _managers, ...metadata }, ...policy }: Policy): JsonObject {
  return plainJson({ ...policy, metadata }) as JsonObject;
}

const columns: readonly ListColumn<Policy>[] = [
  { heading: "NAMESPACE", cell: ({ metadata }) => metadata.namespace },
  { heading: "NAME", cell: ({ metadata }) => metadata.name },
  { heading: "SELECTS", rank: 1, cell: ({ spec }) => selectionWords(spec) },
  { heading: "ALLOWS", cell: ({ spec }) => ruleWords(spec) },
  { heading: "UNTIL", rank: 3, cell: ({ spec }) => spec.until },
  {
    heading: "DECIDES FOR",
    rank: 2,
    cell: ({ status }) => (status?.installations === undefined ? undefined : String(status.installations)),
  },
  {
    heading: "WHY",
    isSentence: true,
    cell: ({ spec, status }) => {
      const deciding = findCondition(status?.conditions, "Deciding");
      return deciding?.status === "False" ? deciding.message : spec.reason;
    },
  },
];

/** `etcd, kiln in data`; `everything` without a selector. */
export function selectionWords({ selector = {} }: ClusterUpdatePolicy["spec"]): string {
  const { names, packages, namespaces, kinds, labels } = selector;
  const parts = [
    ...(names === undefined ? [] : [listOf(names)]),
    ...(packages === undefined ? [] : [`package ${listOf(packages)}`]),
    ...(labels === undefined ? [] : ["by labels"]),
    ...(namespaces === undefined ? [] : [`in ${listOf(namespaces)}`]),
    ...(kinds === undefined ? [] : [listOf(kinds)]),
  ];
  return parts.length === 0 ? "everything" : parts.join(", ");
}

/** `level patch, range <2, not 1.2.0, in windows 0 22 * * 6 for 4h (Europe/Berlin), soak 3d` */
export function ruleWords({
  level,
  versions = {},
  windows,
  soak,
  approval,
  permissionIncrease,
  crdChange,
  crdRules = {},
  dependencies,
  rollback,
}: ClusterUpdatePolicy["spec"]): string {
  const { range, allowed, denied } = versions;
  return [
    ...(level === undefined ? [] : [level === "none" ? "no upgrades" : `level ${level}`]),
    ...(range === undefined ? [] : [`range ${range}`]),
    ...(allowed === undefined ? [] : [`only ${listOf(allowed)}`]),
    ...(denied === undefined ? [] : [`not ${listOf(denied)}`]),
    ...(windows === undefined ? [] : [`in windows ${listOf(windows.map(windowWords))}`]),
    ...(approval === undefined ? [] : approvalWords(approval)),
    ...(soak === undefined ? [] : [`soak ${soak}`]),
    ...changeWords(permissionIncrease, "new permissions"),
    ...changeWords(crdChange, "CRDs that may break stored objects"),
    ...Object.entries(crdRules).flatMap(([rule, action]) => (action === "Error" ? [] : [`${rule} ${action}`])),
    ...(dependencies === undefined ? [] : [`dependencies ${dependencies}`]),
    ...(rollback === undefined ? [] : [`rollback ${rollback}`]),
  ].join(", ");
}

function changeWords(mode: ChangeMode | undefined, what: string): readonly string[] {
  if (mode === undefined || mode === "Allow") return [];
  return [mode === "Deny" ? `no ${what}` : `approval of ${what}`];
}

/** `approval of minor and major upgrades`; nothing where all is automatic. */
function approvalWords(approval: PolicyApproval): readonly string[] {
  const upgrades = (["patch", "minor", "major"] as const).filter((level) => approval[level] === "Manual");
  const asked = [
    ...(approval.install === "Manual" ? ["installations"] : []),
    ...(upgrades.length === 0 ? [] : [`${listOf(upgrades)} upgrades`]),
  ];
  return asked.length === 0 ? [] : [`approval of ${listOf(asked)}`];
}

const windowWords = ({ schedule, duration, timeZone = "UTC" }: PolicyWindow): string =>
  `${schedule} for ${duration} (${timeZone})`;
