import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn } from "../decoding/json-parts.ts";

interface StatusRules {
  /** Numbers that must not be negative. */
  readonly counts: readonly string[];
  /** Numbers that must not exceed `replicas`. */
  readonly parts: readonly string[];
  /** Name of `readyReplicas` in the message when `availableReplicas` exceeds it. */
  readonly ready?: string;
  /** collisionCount must not decrease. */
  readonly keepsCollisions: boolean;
}

const rules = {
  Deployment: {
    counts: [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
    keepsCollisions: true,
  },
  ReplicaSet: {
    counts: [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ],
    parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
    keepsCollisions: false,
  },
  StatefulSet: {
    counts: [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ],
    parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    ready: "status.readyReplicas",
    keepsCollisions: true,
  },
  DaemonSet: {
    counts: [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    parts: [],
    keepsCollisions: true,
  },
} satisfies Readonly<Record<string, StatusRules>>;

/** Validates a workload's status on updates. */
export function validateWorkloadStatus(
  kind: keyof typeof rules,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] {
  const { counts, parts, keepsCollisions, ready }: StatusRules = rules[kind];
  const status = objectIn(object, "status");
  const count = (name: string): number => numberIn(status, name) ?? 0;
  const available = count("availableReplicas");
  return [
    ...validateCounts(status, counts),
    ...parts
      .filter((name) => count(name) > count("replicas"))
      .map((name) => invalid(`status.${name}`, count(name), "cannot be greater than status.replicas")),
    ...(ready !== undefined && available > count("readyReplicas")
      ? [invalid("status.availableReplicas", available, `cannot be greater than ${ready}`)]
      : []),
    ...(keepsCollisions ? collisionErrors(status, objectIn(old ?? {}, "status")) : []),
  ];
}

/** Validates counters of a status: not negative. */
export function validateCounts(status: JsonObject, names: readonly string[]): readonly FieldError[] {
  return names.flatMap((name) => {
    const value = numberIn(status, name) ?? 0;
    return value < 0 ? [invalid(`status.${name}`, value, "must be greater than or equal to 0")] : [];
  });
}

function collisionErrors(status: JsonObject, old: JsonObject): readonly FieldError[] {
  if (!hasMember(old, "collisionCount")) return [];
  const [after, before] = [numberIn(status, "collisionCount"), numberIn(old, "collisionCount") ?? 0];
  return after === undefined || after < before
    ? [invalid("status.collisionCount", after ?? 0, "cannot be decremented")]
    : [];
}
