import { formatTime } from "@purser/kubernetes/clock";
import { reservedGroups } from "../../../apis/reserved-groups.ts";
import { counted } from "../../../explanation/summary.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld, ObservedWebhook } from "./doctor-world.ts";

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
  const { object, name, service, authority, failsOpen } = one;
  if (service === undefined) return [];
  const severity = failsOpen ? "warning" : "problem";
  const effect = failsOpen ? "is passed over" : "refuses every request that it is called for";
  const finding = (why: string, remedy: string): readonly DoctorFinding[] => [
    { severity, object, summary: `(${name}) ${effect}: ${why}`, remedy },
  ];
  const at = `Service ${service.namespace}/${service.name}`;
  const owner = one.installation === undefined ? "the operator that serves it" : `purser explain ${one.installation}`;
  switch (service.state) {
    case "missing":
      return finding(`${at} does not exist`, one.installation === undefined ? `reinstall ${owner}` : owner);
    case "notReady":
      return finding(`${at} has no ready endpoint`, `kubectl -n ${service.namespace} get pods; ${owner}`);
    case "ready":
      break;
  }
  switch (authority.kind) {
    case "absent":
      return finding("it has no caBundle", "see whether what injects it runs, as cert-manager or service-ca");
    case "unreadable":
      return finding(
        "its caBundle holds no certificate",
        "see whether what injects it runs, as cert-manager or service-ca",
      );
    case "present":
      return authority.notAfter > now
        ? []
        : finding(`its caBundle ended at ${formatTime(authority.notAfter)}`, `renew it; ${owner}`);
  }
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
