import { type Condition, findCondition } from "@purser/kubernetes/apis/condition";
import { formatTime } from "@purser/kubernetes/clock";
import type { ClusterCatalog } from "../../../../apis/v1/cluster-catalog.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import type { Readiness } from "../../../plan/readiness.ts";

/** What a catalog waits for, by the conditions that it shows; one that serves former content is usable. */
export function readinessOf(
  { spec }: ClusterCatalog,
  conditions: readonly Condition[],
  content: ContentState | undefined,
): Readiness {
  const progressing = findCondition(conditions, "Progressing");
  const serving = findCondition(conditions, "Serving");
  const isUsable = serving?.status === "True";
  if (spec.availabilityMode === "Unavailable")
    return { kind: "ready", reason: serving?.reason ?? "", message: serving?.message ?? "" };
  const { reason = "Reading", message = "" } = progressing ?? {};
  switch (content?.kind) {
    case "ready":
      return { kind: "ready", reason, message };
    case "pending":
      return { kind: "reconciling", reason: "Reading", message, isUsable };
    case undefined:
      return { kind: "stalled", reason, blockedBy: message, nextRetry: "when the spec changes", isUsable };
    case "failing":
    case "refused": {
      const { code = "CatalogUnavailable", cause } = content;
      return { kind: "stalled", reason: code, blockedBy: cause, nextRetry: nextRetryOf(content), isUsable };
    }
  }
}

function nextRetryOf(content: Extract<ContentState, { readonly kind: "failing" | "refused" }>): string {
  if (content.kind === "refused") return "when the spec changes";
  return content.retryAt === undefined ? "when the source changes" : `at ${formatTime(content.retryAt)}`;
}
