import { type Condition, findCondition } from "@purser/kubernetes/apis/condition";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import type { ClusterExtensionStatus } from "../../../../apis/v1/cluster-extension.ts";
import { pausedReason } from "../../../../apis/v1/paused.ts";
import { isSameFailure } from "../../../../catalog/failure-text.ts";
import { planStaleCondition } from "../../../../policy/approved-plan.ts";

/** An event about an extension. */
export interface ExtensionEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * What a change of the status is worth an event, once: another installed bundle, a fault with another text, a fault that is over, and
 * being paused or resumed. A revision has events of its own about its roll-out.
 * @param ownProgress Progressing when it is about the extension itself and not mirrored from its newest revision
 */
export function extensionNews(
  before: ClusterExtensionStatus | undefined,
  after: ClusterExtensionStatus,
  ownProgress: Pick<Condition, "status" | "reason" | "message"> | undefined,
): readonly ExtensionEvent[] {
  const held = findCondition(before?.conditions, "Progressing");
  // What could not be read for a while was installed all the time.
  const wasUnknown = findCondition(before?.conditions, "Installed")?.status === "Unknown";
  const installed = wasUnknown ? undefined : installNews(before?.install?.bundle, after.install?.bundle);
  const isFault =
    ownProgress !== undefined &&
    ownProgress.reason !== "RollingOut" &&
    !isSameFailure(ownProgress.message, held?.message);
  return [
    ...(installed === undefined ? [] : [installed]),
    ...(isFault ? [{ type: "Warning", reason: ownProgress.reason, message: ownProgress.message } as const] : []),
    ...["BundleChanged", planStaleCondition].flatMap((type) => warningOf(before, after, type)),
    ...(installed === undefined && isOver(held, findCondition(after.conditions, "Progressing"))
      ? [{ type: "Normal", reason: "Succeeded", message: "Desired state reached" } as const]
      : []),
    ...pauseNews(before, after),
  ];
}

type Bundle = { readonly name: string; readonly version: string; readonly release?: string };

function installNews(before: Bundle | undefined, after: Bundle | undefined): ExtensionEvent | undefined {
  if (after === undefined || (before?.name === after.name && before.version === after.version)) return undefined;
  if (before === undefined) return { type: "Normal", reason: "Installed", message: `Installed ${after.name}` };
  const [old, next] = [parseTolerantVersion(before.version), parseTolerantVersion(after.version)];
  const isOlder = old.ok && next.ok && compareVersions(next.value, old.value) < 0;
  const reason = isOlder ? "Downgraded" : "Upgraded";
  return { type: "Normal", reason, message: `${reason} from ${before.name} to ${after.name}` };
}

function warningOf(
  before: ClusterExtensionStatus | undefined,
  after: ClusterExtensionStatus,
  type: string,
): readonly ExtensionEvent[] {
  const shown = findCondition(after.conditions, type);
  return shown === undefined || shown.message === findCondition(before?.conditions, type)?.message
    ? []
    : [{ type: "Warning", reason: shown.reason, message: shown.message }];
}

const faults: readonly string[] = ["Retrying", "Blocked", "InvalidConfiguration", "ProgressDeadlineExceeded"];

const isOver = (before: Condition | undefined, after: Condition | undefined): boolean =>
  before !== undefined && faults.includes(before.reason) && after?.reason === "Succeeded";

function pauseNews(
  before: ClusterExtensionStatus | undefined,
  after: ClusterExtensionStatus,
): readonly ExtensionEvent[] {
  const [was, is] = [before, after].map((status) => findCondition(status?.conditions, "Ready"));
  if ((was?.reason === pausedReason) === (is?.reason === pausedReason)) return [];
  return is?.reason === pausedReason
    ? [{ type: "Normal", reason: pausedReason, message: is.message }]
    : [{ type: "Normal", reason: "Resumed", message: "It is reconciled again" }];
}
