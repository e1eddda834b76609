import type { Condition } from "@purser/kubernetes/apis/condition";
import { withCondition } from "@purser/kubernetes/apis/condition";
import type { Event } from "@purser/kubernetes/apis/core";
import { keyOf } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { events } from "@purser/kubernetes/apis/resources";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { olmConfigs } from "../../../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../../../apis/v0/cluster-service-version.ts";
import type { OLMConfig } from "../../../../apis/v0/olm-config.ts";
import { replaceStatus } from "../../../plan/metadata-patch.ts";
import { withReadiness } from "../../../plan/readiness.ts";

/** A CSV that works in all namespaces. */
export interface GlobalCsv {
  readonly csv: ClusterServiceVersion;
  /** Copies that exist. */
  readonly copies: number;
  /** Namespaces that have a copy when all is as it should be: active ones without a CSV of that name, all or the protected ones. */
  readonly places: number;
  /** Events with the reason `DisabledCopiedCSVs` about it. */
  readonly notices: readonly Event[];
}

export interface OlmConfigWorld {
  /** The object `cluster`, if it exists. */
  readonly config: OLMConfig | undefined;
  /** Whether CSVs of groups for all namespaces are copied. */
  readonly copies: boolean;
  readonly csvs: readonly GlobalCsv[];
}

export type OlmConfigAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  | { readonly kind: "notice"; readonly csv: ClusterServiceVersion; readonly reason: string; readonly message: string };

export const noticeReason = "DisabledCopiedCSVs";
const noticeRecheckMs = 30_000;

/**
 * Shows in OLMConfig `cluster` whether the copies of CSVs are as it asks for, and with one Warning on each CSV that an
 * administrator has turned its copies off.
 */
export function planOlmConfig(world: OlmConfigWorld, now: number): Plan<OlmConfigAction> {
  const { config, copies, csvs } = world;
  const isTurnedOff = config?.spec?.features?.disableCopiedCSVs === true;
  const notices = csvs.flatMap(({ csv, notices: held }): readonly OlmConfigAction[] => {
    const { namespace = "", name = "" } = csv.metadata;
    const message = `CSV copying disabled for ${namespace}/${name}`;
    const stale = isTurnedOff ? held.slice(1) : held;
    return [
      ...stale.map((event): OlmConfigAction => ({
        kind: "write",
        write: { verb: "delete", type: events, key: keyOf(event) },
      })),
      ...(isTurnedOff && held.length === 0 ? [{ kind: "notice", csv, reason: noticeReason, message } as const] : []),
    ];
  });
  if (config === undefined) return { actions: notices };
  // What was recorded is looked for once more: an event that could not be sent is recorded again.
  const again = notices.some(({ kind }) => kind === "notice") ? { recheckAfterMs: noticeRecheckMs } : {};
  const isComplete = csvs.every(({ copies: held, places }) => held === places);
  const time = formatTime(now);
  const held = config.status?.conditions ?? [];
  const wanted = conditionOf(copies, isComplete);
  const { reason, message } = wanted;
  const conditions = withReadiness(
    withCondition(held, wanted, time),
    { kind: isComplete ? "ready" : "reconciling", reason, message },
    { observedGeneration: config.metadata.generation, time },
  );
  if (deepEqual(plainJson(held), plainJson(conditions))) return { actions: notices, ...again };
  return {
    actions: [
      ...notices,
      { kind: "write", write: replaceStatus(olmConfigs, config, { ...config.status, conditions }) },
    ],
    ...again,
  };
}

/** Status, reason and texts as OLM's. */
function conditionOf(copies: boolean, isComplete: boolean): Omit<Condition, "lastTransitionTime"> {
  const type = "DisabledCopiedCSVs";
  if (copies)
    return {
      type,
      status: "False",
      reason: "CopiedCSVsEnabled",
      message: isComplete
        ? "Copied CSVs are enabled and present across the cluster"
        : "Copied CSVs are enabled and at least one copied CSVs is missing",
    };
  return {
    type,
    status: isComplete ? "True" : "False",
    reason: "CopiedCSVsDisabled",
    message: isComplete
      ? "Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode"
      : "Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode",
  };
}
