import type { JsonObject } from "@purser/kubernetes/json";
import { coreSubjects } from "./subjects/core.ts";
import { customSubject, definitionOf } from "./subjects/custom.ts";
import { definitionSubject } from "./subjects/definitions.ts";
import { machineSubjects } from "./subjects/machines.ts";
import { policySubjects } from "./subjects/policies.ts";
import { reviewSubjects } from "./subjects/reviews.ts";
import type { Subject } from "./subjects/subject.ts";
import { workloadSubjects } from "./subjects/workloads.ts";

/** The definitions that a run needs, in their own API group. */
export function definitionsIn(group: string): readonly JsonObject[] {
  return [definitionOf(group, "Thing", "things", true), definitionOf(group, "Plain", "plains", false)];
}

/** The kinds that a run writes; `group` is the API group of its custom resources. */
export function subjectsIn(group: string): readonly Subject[] {
  return [
    ...coreSubjects,
    ...workloadSubjects,
    ...policySubjects,
    ...machineSubjects,
    ...reviewSubjects,
    definitionSubject(group),
    { ...customSubject(group, "Thing", "things", true), versions: ["v1beta1"] },
    { ...customSubject(group, "Plain", "plains", false), weight: 2 },
  ];
}
