import { content } from "./content-rights.ts";
import { updatePolicies } from "./policy-rights.ts";
import { onOpenShift, process } from "./process-rights.ts";
import type { Right } from "./right.ts";
import { kindsOfV0, operatorsOfV0 } from "./v0-rights.ts";
import { kindsOfV1, operatorsOfV1 } from "./v1-rights.ts";

/** Everything that Purser's ServiceAccount may do. */
export const rights: readonly Right[] = [
  ...process,
  ...updatePolicies,
  ...kindsOfV0,
  ...operatorsOfV0,
  ...kindsOfV1,
  ...operatorsOfV1,
  ...content,
  ...onOpenShift,
];
