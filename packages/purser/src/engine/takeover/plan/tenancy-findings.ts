import { operatorNamespaceAnnotation, targetNamespacesAnnotation } from "../../../apis/v0/labels.ts";
import { copiesEverywhere, isGarbage } from "../../../controllers/v0/copied-csv/plan/copying.ts";
import { resolveTargets } from "../../../controllers/v0/operator-group/plan/plan-operator-group.ts";
import { objectText, type TakeoverFinding } from "./finding.ts";
import type { TakeoverWorld } from "./takeover-world.ts";

/** Copies, OperatorGroups and users that Purser treats otherwise. */
export function tenancyFindings(world: TakeoverWorld): readonly TakeoverFinding[] {
  return [...copyFindings(world), ...groupFindings(world), ...userFindings(world), ...accountFindings(world)];
}

function copyFindings({ copies, csvs, olmConfig, compat }: TakeoverWorld): readonly TakeoverFinding[] {
  const everywhere = copiesEverywhere(olmConfig, compat);
  const originals = new Map(csvs.map((csv) => [`${csv.metadata.namespace}/${csv.metadata.name}`, csv]));
  const deleted = copies.flatMap(({ metadata }) => {
    const original = `${metadata.annotations?.[operatorNamespaceAnnotation] ?? ""}/${metadata.name ?? ""}`;
    const parent = originals.get(original);
    return isGarbage(parent, metadata.namespace ?? "", everywhere) ? [{ original, parent }] : [];
  });
  return [...Map.groupBy(deleted, ({ original }) => original)].map(([original, found]): TakeoverFinding => {
    const [namespace = "", name = ""] = original.split("/");
    const finding = {
      code: "CopiesDeleted",
      severity: "change",
      object: objectText("ClusterServiceVersion", { namespace, name }),
    } as const;
    const count = `${found.length} ${found.length === 1 ? "copy" : "copies"}`;
    const parent = found[0]?.parent;
    if (parent === undefined)
      return { ...finding, summary: `does not exist; its copies in other namespaces (${found.length}) are deleted` };
    if (parent.metadata.annotations?.[targetNamespacesAnnotation] !== "")
      return { ...finding, summary: `loses ${count} in namespaces that its group does not target` };
    return {
      ...finding,
      summary: `loses ${count} in other namespaces: copies for all namespaces are made only where OLMConfig asks for them`,
      remedy: `kubectl patch olmconfig cluster --type merge -p '{"spec":{"features":{"disableCopiedCSVs":false}}}'`,
    };
  });
}

function groupFindings({ groups, compat }: TakeoverWorld): readonly TakeoverFinding[] {
  if (compat.keepsUpstream("group-targets")) return [];
  return groups.flatMap((group): readonly TakeoverFinding[] => {
    const targets = resolveTargets(group, []);
    const served = group.status?.namespaces ?? [];
    if (targets.ok || served.length === 0) return [];
    return [
      {
        code: "GroupTargetsInvalid",
        severity: "change",
        object: objectText("OperatorGroup", group.metadata),
        summary: `serves no namespace any more, now ${served.map((name) => (name === "" ? "all" : name)).join(", ")}: ${targets.problem}`,
        remedy: "correct spec.targetNamespaces or spec.selector first",
      },
    ];
  });
}

const mostNamed = 5;

function userFindings({ groups, installingUsers, compat }: TakeoverWorld): readonly TakeoverFinding[] {
  if (compat.keepsUpstream("tenant-grants")) return [];
  return groups.flatMap((group): readonly TakeoverFinding[] => {
    const users = installingUsers.find(({ namespace }) => namespace === group.metadata.namespace);
    if ((group.spec?.serviceAccountName ?? "") !== "" || users === undefined || users.subjects.length === 0) return [];
    const named = users.subjects.slice(0, mostNamed).join(", ");
    const more = users.subjects.length > mostNamed ? ` and ${users.subjects.length - mostNamed} more` : "";
    return [
      {
        code: "UsersBounded",
        severity: "change",
        object: objectText("OperatorGroup", group.metadata),
        summary: `names no service account: ${named}${more} may no longer write the objects that install operators in its namespace`,
        remedy:
          "set spec.serviceAccountName to an account with the rights that operators may have there, or start with --compat=tenant-grants",
      },
    ];
  });
}

function accountFindings({ groups, withoutDefinitions, compat }: TakeoverWorld): readonly TakeoverFinding[] {
  if (compat.keepsUpstream("tenant-grants")) return [];
  return groups.flatMap((group): readonly TakeoverFinding[] => {
    const account = group.spec?.serviceAccountName ?? "";
    if (!withoutDefinitions.has(`${group.metadata.namespace}/${account}`)) return [];
    return [
      {
        code: "DefinitionsBounded",
        severity: "change",
        object: objectText("OperatorGroup", group.metadata),
        summary: `installs as ServiceAccount ${account}, which may not create and update every CustomResourceDefinition: an operator with a new or changed one is not installed`,
        remedy:
          "grant the account create and update on customresourcedefinitions, or create the definitions first, or start with --compat=tenant-grants",
      },
    ];
  });
}
