import type { CommandFamily } from "../command.ts";
import { catalogGraphCommand } from "./graph.ts";
import { catalogPathCommand } from "./path.ts";
import { lintCommand } from "./lint-command.ts";
import { validateCommand } from "./validate-command.ts";

/** `purser catalog ...`: one member per file beside this one. */
export const catalogCommand: CommandFamily = {
  name: "catalog",
  group: "Author",
  summary: "Write, check, compare and serve file-based catalogs",
  members: [validateCommand, lintCommand, catalogGraphCommand, catalogPathCommand],
};
