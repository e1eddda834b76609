import { healthRules, type HealthRule, waitingReasons } from "./health.ts";

export interface HealthExpressions {
  readonly apiVersion: string;
  readonly kind: string;
  /** CEL over the fields of the object. */
  readonly current: string;
  readonly failed: string;
  readonly inProgress: string;
}

const is = (type: string, more = ""): string =>
  `status.conditions.exists(c, c.type == "${type}" && c.status == "True"${more})`;
const isWaiting = ` && !(c.reason in [${waitingReasons.map((reason) => `"${reason}"`).join(", ")}])`;

/** Subscriptions and InstallPlans have these conditions only while there is something to report. */
const isNone = `!(has(status.conditions) && status.conditions.exists(c, c.type in ["Stalled", "Reconciling"] && c.status == "True"))`;
const isStuck = `has(status.conditions) && ${is("Stalled", isWaiting)}`;

/** `spec.healthCheckExprs` of Flux for a kind. What waits for a person or a time is in progress: Flux knows no suspended state. */
export function expressionsOf({ group, version, kind, phases, readyState }: HealthRule): HealthExpressions {
  const object = { apiVersion: `${group}/${version}`, kind };
  if (readyState !== undefined)
    return {
      ...object,
      current: `status.state == "${readyState}" && ${isNone}`,
      failed: isStuck,
      inProgress: `!(status.state == "${readyState}" && ${isNone}) && !(${isStuck})`,
    };
  if (phases === undefined)
    return {
      ...object,
      current: `${is("Ready")} && !${is("Stalled")} && status.conditions.all(c, c.type != "Ready" || !has(c.observedGeneration) || c.observedGeneration == metadata.generation)`,
      failed: is("Stalled", isWaiting),
      inProgress: `!${is("Ready")} && !${is("Stalled", isWaiting)}`,
    };
  const { healthy, failed, hasConditions } = phases;
  const isOver = `status.phase == "${failed}"${hasConditions === true ? ` || (${isStuck})` : ""}`;
  return {
    ...object,
    current: `status.phase == "${healthy}"`,
    failed: isOver,
    inProgress: `status.phase != "${healthy}" && !(${isOver})`,
  };
}

/** A patch for the Kustomization that holds objects of these kinds. */
export const fluxPatch = {
  apiVersion: "kustomize.toolkit.fluxcd.io/v1",
  kind: "Kustomization",
  metadata: { name: "operators" },
  spec: { wait: true, timeout: "10m", healthCheckExprs: healthRules.map(expressionsOf) },
};
