import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../../apis/v0/operator-group.ts";
import {
  operatorGroupAnnotation,
  operatorNamespaceAnnotation,
  providedApisAnnotation,
  targetNamespacesAnnotation,
} from "../../../../apis/v0/labels.ts";
import { deployments } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups } from "../../../../apis/olm-resources.ts";
import { annotate } from "../../../plan/metadata-patch.ts";
import type { CsvAction } from "./csv-action.ts";
import { duplicateModes, parseTargetNamespaces, supportsTargets } from "./install-mode.ts";
import type { PhaseChange } from "./phase-status.ts";
import { decideProvidedApis, formatProvidedApis, parseProvidedApis, providedApis } from "./provided-api.ts";
import type { CsvWorld } from "./world.ts";

/** Result of the gate: the pass continues, or stops with a phase change, actions or a retry. */
export type GateOutcome =
  | { readonly kind: "pass"; readonly group: OperatorGroup }
  | {
      readonly kind: "stop";
      /** `unless`: no write while the CSV has one of these reasons (the message may differ). */
      readonly change?: PhaseChange & { readonly always?: boolean; readonly unless?: readonly string[] };
      readonly actions?: readonly CsvAction[];
      readonly retry?: string;
    };

/** `olm.targetNamespaces` for a group: sorted, joined; undefined while the group has resolved nothing. */
function targetsText(group: OperatorGroup): string | undefined {
  const targets = group.status?.namespaces;
  return targets === undefined ? undefined : targets.toSorted().join(",");
}

/**
 * The annotations that tie a CSV to its group. A group whose selector matches no namespace has no targets (null: the annotation
 * is removed), because the empty text means every namespace.
 */
export function membership(group: OperatorGroup): Readonly<Record<string, string | null>> {
  const targets = targetsText(group);
  return {
    [operatorNamespaceAnnotation]: group.metadata.namespace ?? "",
    [operatorGroupAnnotation]: group.metadata.name ?? "",
    ...(targets === undefined ? {} : { [targetNamespacesAnnotation]: selectsNothing(group) ? null : targets }),
  };
}

export function isMember(csv: ClusterServiceVersion, group: OperatorGroup): boolean {
  const annotations = csv.metadata.annotations ?? {};
  return (
    targetsText(group) !== undefined &&
    Object.entries(membership(group)).every(([key, value]) => (annotations[key] ?? null) === value)
  );
}

/** What {@link membership} sets on a new CSV; nothing while a pass has to decide. */
export function firstMembership(groups: readonly OperatorGroup[]): Readonly<Record<string, string>> {
  const [group, second] = groups;
  if (group === undefined || second !== undefined || targetsText(group) === undefined || selectsNothing(group))
    return {};
  return Object.fromEntries(
    Object.entries(membership(group)).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}

/** The checks of every pass before the phase counts: one operator group, membership, install modes, provided APIs. */
export function passGate(world: CsvWorld): GateOutcome {
  const { csv, groups } = world;
  const [group, second] = groups;
  if (group === undefined) {
    const message = "csv in namespace with no operatorgroups";
    return {
      kind: "stop",
      change: { phase: "Failed", reason: "NoOperatorGroup", message, always: false },
      retry: message,
    };
  }
  if (second !== undefined) {
    const message = "csv created in namespace with multiple operatorgroups, can't pick one automatically";
    return {
      kind: "stop",
      change: { phase: "Failed", reason: "TooManyOperatorGroups", message, unless: ["TooManyOperatorGroups"] },
      retry: message,
    };
  }
  if (!isMember(csv, group)) return joinGroup(csv, group);
  const modes = csv.spec.installModes ?? [];
  const duplicates = duplicateModes(modes);
  if (duplicates !== undefined)
    return { kind: "stop", change: { phase: "Failed", reason: "InvalidInstallModes", message: duplicates } };
  if (selectsNothing(group)) return { kind: "stop", change: noTargets };
  const targets = csv.metadata.annotations?.[targetNamespacesAnnotation] ?? "";
  const supported = supportsTargets(modes, csv.metadata.namespace ?? "", parseTargetNamespaces(targets));
  if (!supported.ok)
    return {
      kind: "stop",
      change: { phase: "Failed", reason: "UnsupportedOperatorGroup", message: supported.problem },
    };
  return gateProvidedApis(world, group);
}

/**
 * Whether the group's selector matches no namespace, or its targets are invalid. Another group without a selector has an empty
 * status only before its first pass.
 */
function selectsNothing({ spec, status }: OperatorGroup): boolean {
  if (status?.namespaces?.length !== 0) return false;
  const named = spec?.targetNamespaces ?? [];
  if (named.length > 0) return named.includes("");
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

const noTargets: PhaseChange = {
  phase: "Failed",
  reason: "NoTargetNamespaces",
  message: "no targetNamespaces are matched operatorgroups namespace selection",
};

function joinGroup(csv: ClusterServiceVersion, group: OperatorGroup): GateOutcome {
  const annotations = csv.metadata.annotations ?? {};
  const wanted = membership(group);
  const differs = Object.entries(wanted).some(([key, value]) => (annotations[key] ?? null) !== value);
  return {
    kind: "stop",
    ...(selectsNothing(group) ? { change: noTargets } : {}),
    ...(differs ? { actions: [{ kind: "write", write: annotate(clusterServiceVersions, csv, wanted) }] } : {}),
  };
}

const contestedReasons = ["InterOperatorGroupOwnerConflict"] as const;

function gateProvidedApis(world: CsvWorld, group: OperatorGroup): GateOutcome {
  const provided = providedApis(world.csv);
  const decision = decideProvidedApis(provided, group, world.allGroups);
  const listed = parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation]);
  const list = (apis: Iterable<string>): CsvAction => ({
    kind: "write",
    write: annotate(operatorGroups, group, { [providedApisAnnotation]: formatProvidedApis(apis) }),
  });
  if (group.spec?.staticProvidedAPIs === true && (decision === "add" || decision === "remove"))
    return {
      kind: "stop",
      change: {
        phase: "Failed",
        reason: "CannotModifyStaticOperatorGroupProvidedAPIs",
        message: "static provided api operatorgroup cannot be modified by these apis",
        unless: contestedReasons,
      },
      actions: removeDeployments(world),
    };
  switch (decision) {
    case "none":
      return { kind: "pass", group };
    case "add": {
      const union = formatProvidedApis([...listed, ...provided]);
      if (union === (group.metadata.annotations?.[providedApisAnnotation] ?? "")) return { kind: "pass", group };
      return { kind: "stop", actions: [list([...listed, ...provided])] };
    }
    case "remove":
      return { kind: "stop", actions: [list(listed.filter((api) => !provided.includes(api)))] };
    case "conflict":
      return {
        kind: "stop",
        change: {
          phase: "Failed",
          reason: "InterOperatorGroupOwnerConflict",
          message: "intersecting operatorgroups provide the same apis",
          unless: contestedReasons,
        },
        actions: removeDeployments(world),
      };
  }
}

/** Deletes the Deployments that the CSV owns, so that an operator that must not run here stops. */
function removeDeployments({ csv, strategy }: CsvWorld): readonly CsvAction[] {
  const names = new Set((csv.spec.install.spec?.deployments ?? []).map(({ name }) => name));
  return strategy.deployments
    .filter(
      (deployment) =>
        names.has(deployment.metadata.name ?? "") &&
        deployment.metadata.ownerReferences?.some((owner) => owner.uid === csv.metadata.uid) === true,
    )
    .map((deployment) => ({
      kind: "write",
      write: {
        verb: "delete",
        type: deployments,
        key: { namespace: csv.metadata.namespace ?? "", name: deployment.metadata.name ?? "" },
      },
    }));
}
