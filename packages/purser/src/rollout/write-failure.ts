import type { Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** A refused write, with the API server's text in OLM's wrapping. */
export interface WriteFailure {
  readonly message: string;
  /** 403: an immediate retry cannot succeed, one after a change of permissions can. */
  readonly forbidden: boolean;
  /** 404: the object or its API does not exist. */
  readonly notFound?: boolean;
}

export function failureOf(refusal: WriteRefusal, wrap: (text: string) => string = (text) => text): WriteFailure {
  return {
    message: wrap(refusal.status.message),
    forbidden: refusal.kind === "forbidden",
    ...(refusal.kind === "notFound" ? { notFound: true } : {}),
  };
}

/** Writes and returns a refusal as a `WriteFailure`. */
export async function writeOrFail(
  writer: ObjectWriter,
  write: ObjectWrite,
  signal: AbortSignal,
  wrap?: (text: string) => string,
): Promise<Result<Written, WriteFailure>> {
  const written = await writer.write(write, signal);
  return written.ok ? done(written.value) : failed(failureOf(written.problem, wrap));
}
