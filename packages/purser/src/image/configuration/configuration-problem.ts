/** A configuration file that cannot be used. Its content is not repeated: it may hold credentials. */
export interface ConfigurationProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number;
  /** The second half of a sentence that begins with the file. */
  readonly text: string;
}

/** `FILE:LINE: TEXT`. */
export function configurationText({ file, line, text }: ConfigurationProblem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${text}`;
}
