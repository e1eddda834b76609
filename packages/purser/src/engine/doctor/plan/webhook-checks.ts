import { reservedGroups } from "../../../apis/reserved-groups.ts";
import { counted } from "../../../explanation/summary.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld, ObservedWebhook } from "./doctor-world.ts";
import { addressFault } from "./address-fault.ts";

/** Webhooks of operators that cannot be called, and those of others that are called for the kinds of OLM and Purser. */
export function webhooksCheck({ webhooks, now }: DoctorWorld): DoctorCheck {
  return {
    name: "webhooks",
    summary: counted(webhooks.length, "webhook"),
    findings: webhooks.flatMap((one) => {
      const ours = one.groups.filter((group) => group === "*" || reservedGroups.includes(group));
      const isForeign = !one.isOperators && ours.length > 0;
      if (!one.isOperators && !isForeign) return [];
      const faults = faultsOf(one, now);
      return faults.length > 0 || !isForeign ? faults : foreign(one, ours);
    }),
  };
}

function faultsOf(one: ObservedWebhook, now: number): readonly DoctorFinding[] {
  const fault = addressFault(one, now);
  if (one.service === undefined || fault === undefined) return [];
  const severity = one.failsOpen ? "warning" : "problem";
  const effect = one.failsOpen ? "is passed over" : "refuses every request that it is called for";
  const { object, name } = one;
  const isUnknown = !one.isOperators && one.service.state === "missing";
  const remedy = isUnknown ? foreignRemedy(object) : fault.remedy;
  return [{ severity, object, summary: `(${name}) ${effect}: ${fault.why}`, remedy }];
}

/** Of a webhook that no operator brought, only its object says whose it is. */
function foreignRemedy(object: string): string {
  const [kind = "", configuration = ""] = object.split(" ");
  const named = `${kind.toLowerCase()} ${configuration}`;
  return `kubectl get ${named} -o yaml, and repair what serves it; where that no longer exists: kubectl delete ${named}`;
}

function foreign({ object, name, failsOpen }: ObservedWebhook, groups: readonly string[]): readonly DoctorFinding[] {
  if (failsOpen) return [];
  const what = groups.includes("*") ? "every API group" : groups.join(", ");
  return [
    {
      severity: "warning",
      object,
      summary: `(${name}) is called for ${what}: when it does not answer, operators are neither installed nor upgraded`,
      remedy: "exclude these kinds in its rules or selectors, or let its failurePolicy be Ignore",
    },
  ];
}
