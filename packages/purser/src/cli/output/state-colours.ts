import type { ShownState } from "../../installation/shown-state.ts";
import type { Meaning, Terminal } from "./terminal.ts";

/** What each state means to the reader; the same colours wherever a state is printed. */
const meanings: Readonly<Record<ShownState, Meaning>> = {
  Ready: "good",
  Installing: "link",
  Upgrading: "link",
  Removing: "link",
  Approve: "attention",
  Degraded: "attention",
  Orphan: "attention",
  Update: "link",
  Blocked: "bad",
  Stuck: "bad",
  Failed: "bad",
  Paused: "detail",
  Held: "detail",
  Unknown: "detail",
};

/** The word of a state in its colour. */
export const paintState = (terminal: Pick<Terminal, "paint">, state: ShownState): string =>
  terminal.paint(meanings[state], state);
