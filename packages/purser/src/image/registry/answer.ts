import type { Readable } from "node:stream";

/** What a registry, a token service or a store of blobs sent. */
export interface Answer {
  readonly status: number;
  /** The first value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** All values of `WWW-Authenticate`. */
  readonly challenges: string | readonly string[] | undefined;
  /** Must be read or destroyed. */
  readonly body: Readable;
  /** The host that answered, after redirects. */
  readonly host: string;
  /** Where it answered; the query holds a signature at some stores of blobs. */
  readonly url: URL;
}

/** A duration for messages: `2.5 s`. */
export function seconds(durationMs: number): string {
  return `${Math.round(durationMs / 100) / 10} s`;
}

/** Whether it says that it is HTML, as a login page or the page of a proxy does. */
export function isWebPage({ header }: Pick<Answer, "header">): boolean {
  return /^text\/html\b/i.test(header("content-type")?.trim() ?? "");
}
