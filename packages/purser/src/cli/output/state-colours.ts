import type { InstallationState } from "../../installation/installation.ts";
import type { Meaning, Terminal } from "./terminal.ts";

/** What each state means to the reader; the same colours wherever a state is printed. */
const meanings: Readonly<Record<InstallationState, Meaning>> = {
  Ready: "good",
  Installing: "link",
  Upgrading: "link",
  Removing: "link",
  Approve: "attention",
  Degraded: "attention",
  Orphan: "attention",
  Blocked: "bad",
  Failed: "bad",
  Paused: "detail",
  Held: "detail",
};

/** The word of a state in its colour. */
export const paintState = (terminal: Pick<Terminal, "paint">, state: InstallationState): string =>
  terminal.paint(meanings[state], state);
