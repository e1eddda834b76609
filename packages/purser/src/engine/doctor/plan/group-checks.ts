import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { providedApisAnnotation } from "../../../apis/v0/labels.ts";
import {
  intersectingGroups,
  parseProvidedApis,
} from "../../../controllers/v0/cluster-service-version/plan/provided-api.ts";
import { counted, listOf } from "../../../explanation/summary.ts";
import { objectText } from "../../takeover/plan/finding.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld } from "./doctor-world.ts";

/** OperatorGroups: one in each namespace with operators of OLM v0, whose account exists, and none that provides what another one does. */
export function groupsCheck({ operatorGroups, installations, accounts }: DoctorWorld): DoctorCheck {
  const used = new Set(installations.flatMap(({ api, namespace }) => (api === "v0" ? (namespace ?? []) : [])));
  const findings = [...used].sort().flatMap((namespace): readonly DoctorFinding[] => {
    const own = operatorGroups.filter(({ metadata }) => metadata.namespace === namespace);
    return own.length === 1 ? [] : [countFinding(namespace, own)];
  });
  return {
    name: "groups",
    summary: `${counted(operatorGroups.length, "OperatorGroup")}, ${counted(used.size, "namespace")} with operators`,
    findings: [
      ...findings,
      ...operatorGroups.flatMap((group) => accountFinding(group, accounts)),
      ...operatorGroups.flatMap((group, index) =>
        operatorGroups.slice(index + 1).flatMap((other) => conflictFinding(group, other)),
      ),
    ],
  };
}

function countFinding(namespace: string, groups: readonly OperatorGroup[]): DoctorFinding {
  const object = `Namespace ${namespace}`;
  if (groups.length === 0)
    return {
      severity: "problem",
      object,
      summary: "has operators and no OperatorGroup, so none of them is installed",
      remedy: `create an OperatorGroup in ${namespace} that names the namespaces which they watch`,
    };
  const names = groups.map(({ metadata }) => metadata.name ?? "");
  return {
    severity: "problem",
    object,
    summary: `has ${counted(groups.length, "OperatorGroup")} (${listOf(names)}), so none of its operators is installed`,
    remedy: `keep one of them; see which: kubectl -n ${namespace} get operatorgroups -o yaml`,
  };
}

function accountFinding({ metadata, spec }: OperatorGroup, accounts: ReadonlySet<string>): readonly DoctorFinding[] {
  const { namespace = "" } = metadata;
  const name = spec?.serviceAccountName ?? "";
  if (name === "" || accounts.has(`${namespace}/${name}`)) return [];
  return [
    {
      severity: "problem",
      object: objectText("OperatorGroup", metadata),
      summary: `names the ServiceAccount ${name}, which does not exist, so nothing is installed in its namespace`,
      remedy: `kubectl -n ${namespace} create serviceaccount ${name}, and grant it what purser bundle rights lists`,
    },
  ];
}

function conflictFinding(group: OperatorGroup, other: OperatorGroup): readonly DoctorFinding[] {
  const provided = new Set(parseProvidedApis(other.metadata.annotations?.[providedApisAnnotation]));
  const both = parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation]).filter((api) =>
    provided.has(api),
  );
  if (both.length === 0 || intersectingGroups(group, [other]).length === 0) return [];
  return [
    {
      severity: "problem",
      object: objectText("OperatorGroup", group.metadata),
      summary: `provides ${listOf(both)} in namespaces where ${objectText("OperatorGroup", other.metadata)} does, so that two operators act on the same objects`,
      remedy: "narrow the target namespaces of one of them, or uninstall one of the operators",
    },
  ];
}
