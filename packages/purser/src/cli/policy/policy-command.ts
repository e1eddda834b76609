import type { CommandFamily } from "../command.ts";

/** `purser policy ...`: each subcommand has a file in this directory. */
export const policyCommand: CommandFamily = {
  members: [
    {
      name: "list",
      summary: "List the update policies of the cluster and of the namespace (-A: of all)",
      load: async () => (await import("./policy-list.ts")).policyListCommand,
    },
    {
      name: "show",
      summary: "Show an update policy: what it selects and allows, and the installations it decides for",
      load: async () => (await import("./policy-show.ts")).policyShowCommand,
    },
    {
      name: "effective",
      summary: "Show which update policy decides for an installation, and what it holds back",
      load: async () => (await import("./effective.ts")).policyEffectiveCommand,
    },
    {
      name: "check",
      summary: "Show what the update policies of a file would change",
      load: async () => (await import("./check.ts")).policyCheckCommand,
    },
  ],
};
