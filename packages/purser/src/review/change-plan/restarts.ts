import type { PathSegment } from "./field-changes.ts";
import type { ObjectChange } from "./object-changes.ts";

/** Kinds whose controllers replace pods when the template changes. */
const workloadKinds: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

const isField = (segment: PathSegment | undefined, name: string): boolean =>
  segment !== undefined && "field" in segment && segment.field === name;

/** The workloads among the changes. */
export const workloadsIn = (changes: readonly ObjectChange[]): readonly ObjectChange[] =>
  changes.filter(({ kind }) => workloadKinds.has(kind));

/**
 * The live workloads whose pods the changes replace: the pod template changes, or the selector, which the API server refuses. One that
 * is created or deleted is none of them.
 */
export const restartedBy = (changes: readonly ObjectChange[]): readonly ObjectChange[] =>
  workloadsIn(changes).filter(
    ({ change, fields }) =>
      change === "changed" &&
      fields.some(
        ({ path: [first, second] }) =>
          isField(first, "spec") &&
          (second === undefined || isField(second, "template") || isField(second, "selector")),
      ),
  );
