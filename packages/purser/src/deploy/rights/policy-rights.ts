import { right, watched, type Right } from "./right.ts";

/** What update policies need. */
export const updatePolicies: readonly Right[] = [
  right({
    group: "purser.dev",
    resources: ["updatepolicies", "clusterupdatepolicies"],
    verbs: watched,
    why: "which versions installations may get",
  }),
  right({
    group: "purser.dev",
    resources: ["updatepolicies/status", "clusterupdatepolicies/status"],
    verbs: ["update"],
    why: "whether a policy decides, and for how many installations",
  }),
];
