import type { CommandFamily } from "../command.ts";
import { catalogGraphCommand } from "./graph/graph.ts";
import { catalogPathCommand } from "./graph/path.ts";
import { diffCommand } from "./diff-command.ts";
import { indexCommand } from "./index-command.ts";
import { initCommand } from "./init-command.ts";
import { lintCommand } from "./lint-command.ts";
import { pruneCommand } from "./prune-command.ts";
import { catalogPushCommand } from "./push-command.ts";
import { renderCommand } from "./render-command.ts";
import { serveCommand } from "./serve/serve.ts";
import { templateCommand } from "./template.ts";
import { validateCommand } from "./validate-command.ts";

/** `purser catalog ...`: each subcommand has a file in this directory. */
export const catalogCommand: CommandFamily = {
  onFiles: true,
  members: [
    initCommand,
    validateCommand,
    lintCommand,
    renderCommand,
    diffCommand,
    pruneCommand,
    catalogGraphCommand,
    catalogPathCommand,
    indexCommand,
    serveCommand,
    catalogPushCommand,
    templateCommand,
  ],
};
