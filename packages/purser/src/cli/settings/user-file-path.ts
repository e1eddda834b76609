import { homedir } from "node:os";
import { join } from "node:path";

/** The file with the settings of a user: `purser/config.yaml` in the XDG config directory. */
export function userFileOf(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: directory = "" } = env;
  return join(directory === "" ? join(homedir(), ".config") : directory, "purser", "config.yaml");
}
