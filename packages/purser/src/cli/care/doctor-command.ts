import type { CommandFamily } from "../command.ts";
import { doctorCheckCommand } from "./doctor-check-command.ts";
import { takeoverCommand } from "./takeover-command.ts";

/** `purser doctor ...`: checks of a cluster, which write nothing without `--fix`. */
export const doctorCommand: CommandFamily = {
  alone: doctorCheckCommand,
  members: [takeoverCommand],
};
