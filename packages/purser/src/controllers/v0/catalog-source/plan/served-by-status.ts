import { findCondition } from "@purser/kubernetes/apis/condition";
import { type Digest, isDigest } from "@purser/kubernetes/digest";
import type { CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";

/** The content that the status of a CatalogSource names. */
export interface ServedContent {
  /** `NAME@DIGEST` */
  readonly text: string;
  readonly digest: Digest;
}

/**
 * Reads which content a CatalogSource serves: from the address of its connection, or, where OLM's clients expect the bare
 * address of a server there, from the message of the condition `Ready`. Undefined when the status names none.
 */
export function servedByStatus(status: CatalogSourceStatus | undefined): ServedContent | undefined {
  const message = findCondition(status?.conditions, "Ready")?.message ?? "";
  for (const text of [status?.connectionState?.address ?? "", /^serving (\S+@\S+?)(?:;|$)/.exec(message)?.[1] ?? ""]) {
    const digest = text.split("@").at(-1) ?? "";
    if (isDigest(digest)) return { text, digest };
  }
  return undefined;
}
