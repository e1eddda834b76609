import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { NameSpace, TakenNames } from "./held-names.ts";

export type DefinitionConditions = NonNullable<NonNullable<CustomResourceDefinition["status"]>["conditions"]>;
type DefinitionCondition = DefinitionConditions[number];

/** Keeps a deleted definition until its objects are deleted. */
export const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** The only cast to the typed definition: the storage contains only objects that validation accepted. */
export function asDefinition(object: KubeObject): CustomResourceDefinition {
  return object as CustomResourceDefinition;
}

export function hasCondition(definition: CustomResourceDefinition, type: string): boolean {
  return definition.status?.conditions?.some((held) => held.type === type && held.status === "True") === true;
}

function withCondition(
  conditions: DefinitionConditions,
  next: Omit<DefinitionCondition, "lastTransitionTime">,
  now: string,
): DefinitionConditions {
  const held = conditions.find(({ type }) => type === next.type);
  const lastTransitionTime = held?.status === next.status ? (held.lastTransitionTime ?? now) : now;
  const condition = { lastTransitionTime, ...next };
  return held === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === held ? condition : other));
}

/** Reasons and messages of the Terminating condition. */
const terminations = {
  InstanceDeletionPending: [
    "True",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  ],
  InstanceDeletionInProgress: ["True", "CustomResource deletion is in progress"],
  InstanceDeletionCompleted: ["False", "removed all instances"],
} as const;

export function markTerminating(
  object: KubeObject,
  now: string,
  reason: keyof typeof terminations = "InstanceDeletionPending",
): KubeObject {
  const [status, message] = terminations[reason];
  const definition = asDefinition(object);
  const conditions = withCondition(
    definition.status?.conditions ?? [],
    { type: "Terminating", status, reason, message },
    now,
  );
  return { ...definition, status: { ...definition.status, conditions } };
}

const noNames: CustomResourceDefinitionNames = { plural: "", kind: "" };

interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

/**
 * The status after a check of its names against those of other definitions of the group. Names without a conflict are
 * accepted individually; when all are accepted the definition is established, permanently.
 */
export function establishedStatus(
  definition: CustomResourceDefinition,
  { resources, kinds }: TakenNames,
  now: string,
): CustomResourceDefinition["status"] {
  const { names } = definition.spec;
  const before = definition.status?.acceptedNames ?? noNames;
  let conflict: NameConflict | undefined;
  const choose = <Name extends string | undefined>(
    wanted: Name,
    held: Name,
    space: NameSpace,
    reason: string,
  ): Name => {
    if (wanted === undefined || wanted === held || !space.has(wanted)) return wanted;
    conflict = { reason, message: `${JSON.stringify(wanted)} is already in use` };
    return held;
  };
  const plural = choose(names.plural, before.plural, resources, "PluralConflict");
  const singular = choose(names.singular, before.singular, resources, "SingularConflict");
  const usedShort = (names.shortNames ?? []).filter(
    (name) => before.shortNames?.includes(name) !== true && resources.has(name),
  );
  if (usedShort.length > 0)
    conflict = {
      reason: "ShortNamesConflict",
      message: usedShort.map((name) => `${JSON.stringify(name)} is already in use`).join(", "),
    };
  const shortNames = usedShort.length > 0 ? before.shortNames : names.shortNames;
  const kind = choose(names.kind, before.kind, kinds, "KindConflict");
  const listKind = choose(names.listKind, before.listKind, kinds, "ListKindConflict");
  const acceptedNames: CustomResourceDefinitionNames = {
    plural,
    ...(singular === undefined ? {} : { singular }),
    ...(shortNames === undefined ? {} : { shortNames }),
    kind,
    ...(listKind === undefined ? {} : { listKind }),
    ...(names.categories === undefined ? {} : { categories: names.categories }),
  };
  const found = conflict as NameConflict | undefined;
  let conditions = withCondition(
    definition.status?.conditions ?? [],
    found === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...found },
    now,
  );
  if (!hasCondition(definition, "Established"))
    conditions = withCondition(
      conditions,
      found === undefined
        ? {
            type: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted",
          }
        : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
      now,
    );
  return { ...definition.status, conditions, acceptedNames };
}
