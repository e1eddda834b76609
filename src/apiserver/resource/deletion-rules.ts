import { formatTime } from "../../clock.ts";
import type { KubeObject } from "../../apis/object.ts";
import { isJsonObject, member } from "../../json.ts";
import { markTerminating } from "../custom-resources/definition-status.ts";
import { definitionFinalizer, definitionTable } from "../custom-resources/definitions.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** What is particular about deleting objects of a kind. Times are Unix epoch milliseconds. */
export interface DeletionRule {
  /** Said to whoever names no propagation. */
  readonly warning?: string;
  /** Seconds that an object gets to stop, of which the request asks for `asked`; none where absent. */
  graceSeconds?(object: KubeObject, asked: number | undefined): number;
  /** Finalizers that a deletion leaves, whatever its propagation; undefined, and where absent: propagation decides. */
  finalizers?(object: KubeObject): readonly string[] | undefined;
  /** Whether more than `metadata.finalizers` holds the object. */
  isHeld?(object: KubeObject): boolean;
  /** While it waits nothing is said of a time to stop, and none has to be over. */
  readonly isTimeless?: true;
  /** The object as it begins to wait. */
  marked?(object: KubeObject, now: number): KubeObject;
  /** The object as it is told again while it waits. */
  repeated?(object: KubeObject): KubeObject;
  /** What is shown of an object that goes at once. */
  last?(object: KubeObject, now: number): KubeObject;
  /** Preconditions are refused as the kind's own store words it. */
  readonly hasOwnPreconditions?: true;
}

function statusOf({ status }: KubeObject): Readonly<Record<string, unknown>> {
  return isJsonObject(status) ? status : {};
}

/** A namespace is held by `spec.finalizers` too, which only its own endpoint changes. */
function isHeldBySpec({ spec }: KubeObject): boolean {
  const held = isJsonObject(spec) ? member(spec, "finalizers") : undefined;
  return Array.isArray(held) && held.length > 0;
}

const pods: DeletionRule = {
  graceSeconds(object, asked) {
    const spec = isJsonObject(object.spec) ? object.spec : {};
    const phase = statusOf(object)["phase"];
    const nodeName = member(spec, "nodeName") ?? "";
    if (nodeName === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const own = member(spec, "terminationGracePeriodSeconds");
    const seconds = asked ?? (typeof own === "number" ? own : 30);
    return seconds < 0 ? 1 : seconds;
  },
  // A pod is told to stop before it goes, though it has no time for that: its last state says so.
  last(object, now) {
    const { metadata } = object;
    if (metadata.deletionTimestamp !== undefined) return object;
    const times = { deletionTimestamp: formatTime(now), deletionGracePeriodSeconds: 0 };
    return { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1, ...times } };
  },
};

const jobs: DeletionRule = {
  warning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
};

const namespaces: DeletionRule = {
  isHeld: isHeldBySpec,
  isTimeless: true,
  marked: (object) => ({ ...object, status: { ...statusOf(object), phase: "Terminating" } }),
};

const events: DeletionRule = { finalizers: ({ metadata }) => metadata.finalizers ?? [] };

const definitions: DeletionRule = {
  hasOwnPreconditions: true,
  isTimeless: true,
  // A definition goes by a way of its own, which asks for no policy.
  finalizers({ metadata: { finalizers = [], deletionTimestamp } }) {
    if (deletionTimestamp !== undefined) return undefined;
    return finalizers.includes(definitionFinalizer) ? finalizers : [...finalizers, definitionFinalizer];
  },
  marked: (object, now) => markTerminating(object, formatTime(now)),
  // One that goes already is told once more as everything else is, which sets its time to stop.
  repeated: (object) =>
    object.metadata.deletionGracePeriodSeconds === undefined
      ? { ...object, metadata: { ...object.metadata, deletionGracePeriodSeconds: 0 } }
      : object,
};

const rules: ReadonlyMap<string, DeletionRule> = new Map([
  ["pods", pods],
  ["jobs.batch", jobs],
  ["namespaces", namespaces],
  ["events", events],
  [definitionTable, definitions],
]);

const plain: DeletionRule = {};

/** By the table that the kind is stored in; most kinds have nothing of their own. */
export function deletionRule({ table }: Pick<ServedKind, "table">): DeletionRule {
  return rules.get(table) ?? plain;
}
