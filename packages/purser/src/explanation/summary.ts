/** A summary may have this many characters. */
export const summaryLimit = 200;

/** Cuts a summary at its limit; `names` that are listed should be short already. */
export function summaryOf(text: string): string {
  const characters = Array.from(text);
  return characters.length <= summaryLimit ? text : `${characters.slice(0, summaryLimit - 1).join("")}…`;
}

/** `a, b and c`; the rest after `count` becomes "and N more". */
export function listOf(names: readonly string[], count = 3, joint: "and" | "or" = "and"): string {
  const shown = names.slice(0, count);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(", ")} ${joint} ${more} more`;
  const last = shown.at(-1) ?? "";
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} ${joint} ${last}`;
}

/** A word as a POSIX shell reads it back. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `1 object`, `3 objects`. */
/** `512 KiB`, `3.2 MiB` */
export const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
