import type { Invocation } from "../command.ts";
import type { Terminal } from "./terminal.ts";

/**
 * A terminal whose notes on `err` wait, for output that programs read: an error is one document on `err`, so notes before it are
 * dropped. They are written before a question and, with `release`, after a success.
 */
export function holdingNotes(terminal: Terminal): { readonly terminal: Terminal; release(): void } {
  const held: string[] = [];
  const release = (): void => {
    if (held.length > 0) terminal.err(...held.splice(0));
  };
  return {
    release,
    terminal: {
      ...terminal,
      err: (...lines) => void held.push(...lines),
      progress: () => undefined,
      ask: (question, options) => {
        release();
        return terminal.ask(question, options);
      },
    },
  };
}

/** The same command line without its notes, for a part of a command that opens the cluster again. */
export const withoutNotes = (invocation: Invocation): Invocation => ({
  ...invocation,
  terminal: { ...invocation.terminal, err: () => undefined },
});
