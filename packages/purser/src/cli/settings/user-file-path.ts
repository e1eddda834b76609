import { homedir } from "node:os";
import { join } from "node:path";

/** The file with the settings of a user: `purser/config.yaml` in the XDG config folder. */
export function userFileOf(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: folder = "" } = env;
  return join(folder === "" ? join(homedir(), ".config") : folder, "purser", "config.yaml");
}
