import { right, watched, type Right } from "./right.ts";

/** What update policies need. */
export const updatePolicies: readonly Right[] = [
  right({
    group: "purser.dev",
    resources: ["updatepolicies", "clusterupdatepolicies"],
    verbs: watched,
    why: "read which versions policies allow",
  }),
  right({
    group: "purser.dev",
    resources: ["updatepolicies/status", "clusterupdatepolicies/status"],
    verbs: ["update"],
    why: "report whether a policy decides, and for how many installations",
  }),
  right({
    group: "apps",
    resources: ["replicasets"],
    verbs: ["list"],
    why: "see whether a pod of a new version was ready before its upgrade is rolled back",
    asked: "rare",
  }),
];
