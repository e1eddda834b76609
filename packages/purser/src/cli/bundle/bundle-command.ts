import type { CommandFamily } from "../command.ts";
import { bundleDiffCommand } from "./diff-command.ts";
import { bundlePushCommand } from "./push-command.ts";
import { bundleRenderCommand } from "./render-command.ts";
import { bundleRightsCommand } from "./rights-command.ts";
import { bundleValidateCommand } from "./validate-command.ts";

/** `purser bundle ...`: each subcommand has a file in this directory. */
export const bundleCommand: CommandFamily = {
  onFiles: true,
  members: [bundleValidateCommand, bundleRenderCommand, bundleRightsCommand, bundleDiffCommand, bundlePushCommand],
};
