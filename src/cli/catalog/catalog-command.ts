import type { CommandFamily } from "../command.ts";

/** `purser catalog ...`: one member per file beside this one. */
export const catalogCommand: CommandFamily = {
  name: "catalog",
  group: "Author",
  summary: "Write, check, compare and serve file-based catalogs",
  members: [],
};
