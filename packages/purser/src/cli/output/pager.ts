import { spawn } from "node:child_process";

/** What decides whether a text is paged. */
export interface PagedText {
  readonly text: string;
  /** Rows of the terminal; undefined without one. */
  readonly rows: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command line of `PAGER` when the text is longer than the terminal; undefined when it is printed as it is. */
export function pagerFor({ text, rows, env }: PagedText): string | undefined {
  const { PAGER: pager = "", TERM: terminal } = env;
  const isLong = rows !== undefined && rows > 0 && text.split("\n").length > rows;
  return isLong && pager.trim() !== "" && pager.trim() !== "cat" && terminal !== "dumb" ? pager : undefined;
}

/** Shows the text in the pager until it ends; false when the pager cannot be started, or ends without reading. */
export function page(pager: string, text: string, env: PagedText["env"]): Promise<boolean> {
  return new Promise((resolve) => {
    // As git: what fits is not paged, colours are shown, and the screen stays.
    const child = spawn("/bin/sh", ["-c", pager], {
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...env },
    });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code !== 127 && code !== 126));
    // A pager may end before it read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
  });
}
