import { pausedReason } from "../../src/apis/v1/paused.ts";
import { healthRules, type HealthRule, waitingReasons } from "./health.ts";

const begin = `local waiting = {${waitingReasons.map((reason) => `${reason} = true`).join(", ")}}
local found = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    found[condition.type] = condition
  end
end
local ready, stalled, reconciling = found["Ready"], found["Stalled"], found["Reconciling"]
`;
const unseen = `return {status = "Progressing", message = "not seen by Purser yet"}`;
const stalled = `if reconciling ~= nil and reconciling.status == "True" and waiting[reconciling.reason] then
  return {status = "Suspended", message = reconciling.message}
end
if stalled ~= nil and stalled.status == "True" then
  if waiting[stalled.reason] then
    return {status = "Suspended", message = stalled.message}
  end
  return {status = "Degraded", message = stalled.message}
end
`;
const byReady = `if ready == nil then
  ${unseen}
end
if ready.observedGeneration ~= nil and obj.metadata.generation ~= nil and ready.observedGeneration < obj.metadata.generation then
  return {status = "Progressing", message = "the change is not seen by Purser yet"}
end
${stalled}if ready.reason == "${pausedReason}" then
  return {status = "Suspended", message = ready.message}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message}
end
return {status = "Progressing", message = ready.message}
`;

function byState(state: string): string {
  return `if obj.status == nil then
  ${unseen}
end
${stalled}if reconciling ~= nil and reconciling.status == "True" then
  return {status = "Progressing", message = reconciling.message}
end
if obj.status.state == "${state}" then
  return {status = "Healthy", message = obj.status.installedCSV}
end
return {status = "Progressing", message = obj.status.state}
`;
}

function phasesScript({ healthy, failed, waiting, hasConditions }: NonNullable<HealthRule["phases"]>): string {
  const suspended = waiting === undefined ? "" : `  ["${waiting}"] = "Suspended",\n`;
  return `${hasConditions === true ? begin + stalled : ""}local of = {
  ["${healthy}"] = "Healthy",
  ["${failed}"] = "Degraded",
${suspended}}
if obj.status == nil or obj.status.phase == nil then
  ${unseen}
end
return {status = of[obj.status.phase] or "Progressing", message = obj.status.message or obj.status.phase}
`;
}

/** The script of a kind, which reads \`obj\` and returns status and message. */
export const scriptOf = ({ phases, readyState }: HealthRule): string =>
  phases !== undefined ? phasesScript(phases) : begin + (readyState === undefined ? byReady : byState(readyState));

/** A patch of Argo CD's ConfigMap. */
export const argoCdPatch = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "argocd-cm" },
  data: Object.fromEntries(
    healthRules.map((rule) => [`resource.customizations.health.${rule.group}_${rule.kind}`, scriptOf(rule)]),
  ),
};
