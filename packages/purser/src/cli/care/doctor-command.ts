import type { CommandFamily } from "../command.ts";
import { takeoverCommand } from "./takeover-command.ts";

/** `purser doctor ...`: checks of a cluster that write nothing. */
export const doctorCommand: CommandFamily = {
  name: "doctor",
  group: "Care",
  summary: "Check a cluster before something is done to it",
  members: [takeoverCommand],
};
