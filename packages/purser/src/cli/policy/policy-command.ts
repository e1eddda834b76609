import type { CommandFamily } from "../command.ts";
import { policyCheckCommand } from "./check.ts";
import { policyEffectiveCommand } from "./effective.ts";
import { policyListCommand } from "./policy-list.ts";

/** `purser policy ...`: each subcommand has a file in this directory. */
export const policyCommand: CommandFamily = {
  name: "policy",
  group: "Govern",
  summary: "Show update policies and which of them decides",
  members: [policyListCommand, policyEffectiveCommand, policyCheckCommand],
};
