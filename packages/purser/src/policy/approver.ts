import type { KubeObject } from "@purser/kubernetes/apis/object";
import { listOf } from "../explanation/summary.ts";

/** On an InstallPlan or a ClusterExtension: who ran `purser approve`, as the API server knew that user. */
const approvedByAnnotation = "purser.dev/approved-by";

/** On the same: why, as given with `--reason`. */
const approvalReasonAnnotation = "purser.dev/approval-reason";

/** The annotations of an approval; null removes what a former one left. */
export function approvalAnnotations(
  user: string | undefined,
  reason: string | undefined,
): Readonly<Record<string, string | null>> {
  return { [approvedByAnnotation]: user ?? null, [approvalReasonAnnotation]: reason ?? null };
}

/**
 * Who approved, as far as it is recorded: `ana (CHG-1182), by purser-cli at 2026-11-24T12:00:00Z`. Who ran `purser approve` is in an annotation; the
 * field manager and the time of the last write of the approval come from the API server; `someone` without either.
 * @param field of the approval in `fieldsV1`, such as `f:approved`
 */
export function approverOf({ metadata }: KubeObject, field: string): string {
  const { [approvedByAnnotation]: name, [approvalReasonAnnotation]: reason } = metadata.annotations ?? {};
  const user = name === undefined || reason === undefined ? name : `${name} (${reason})`;
  const written = (metadata.managedFields ?? []).find(({ fieldsV1 }) =>
    JSON.stringify(fieldsV1 ?? {}).includes(`"${field}"`),
  );
  const manager =
    written === undefined
      ? undefined
      : `${written.manager ?? "someone"}${written.time === undefined ? "" : ` at ${written.time}`}`;
  if (user === undefined) return manager ?? "someone";
  return manager === undefined ? user : `${user}, by ${manager}`;
}

/** An upgrade or installation that was approved. */
export interface ApprovedChange {
  /** Absent for an installation. */
  readonly from?: string | undefined;
  readonly to: string;
}

/** `b.v2 is installed in place of b.v1 with the changes sha256:..., approved by ana`; without a digest nothing was compared. */
export function approvedText(changes: readonly ApprovedChange[], digest: string | undefined, by: string): string {
  const names = changes.map(({ from, to }) => (from === undefined ? to : `${to} in place of ${from}`));
  const [are, unseen] = changes.length === 1 ? ["is", "whatever it changes"] : ["are", "whatever they change"];
  const what = digest === undefined ? unseen : `with the changes ${digest}`;
  return `${listOf(names)} ${are} installed ${what}, approved by ${by}`;
}
