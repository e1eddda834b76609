import { counted } from "../../../explanation/summary.ts";
import { addressFault } from "./address-fault.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import type { DoctorWorld, ObservedConversion } from "./doctor-world.ts";

/** CustomResourceDefinitions whose objects cannot be read in every served version, because their webhook does not convert them. */
export function conversionsCheck({ conversions, now }: DoctorWorld): DoctorCheck {
  return {
    name: "conversions",
    summary: `${counted(conversions.length, "CustomResourceDefinition")} with a conversion webhook`,
    findings: conversions.flatMap((one) => conversionFinding(one, now)),
  };
}

function conversionFinding(one: ObservedConversion, now: number): readonly DoctorFinding[] {
  const { object, failure, installation, service } = one;
  const fault = addressFault(one, now);
  const why = fault?.why ?? failure;
  if (why === undefined) return [];
  const pods = service === undefined ? "" : `kubectl -n ${service.namespace} get pods; `;
  const owner =
    installation === undefined ? "see the log of the operator that serves it" : `purser explain ${installation}`;
  // Objects that are stored in another version can neither be read nor changed; without any, the next one will not.
  const severity = failure === undefined ? "warning" : "problem";
  const effect =
    failure === undefined ? "its webhook cannot convert objects" : "objects cannot be read in every version";
  return [{ severity, object, summary: `${effect}: ${why}`, remedy: fault?.remedy ?? `${pods}${owner}` }];
}
