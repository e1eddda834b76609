import type { Reason } from "../../../explanation/explanation.ts";

/** The only reason of an error: a fact with upstream's text. */
export function derivationLeaf(subject: string, text: string, upstream: string): Reason {
  return { relation: "fact", subject, text, upstream };
}
