import type { Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** A write that did not happen, with the API server's text in upstream's wrapping. */
export interface WriteFailure {
  readonly message: string;
  /** 403: waiting for rights can help, another attempt at once cannot. */
  readonly forbidden: boolean;
  /** 404: the object or its API is not there. */
  readonly notFound?: boolean;
}

export function failureOf(refusal: WriteRefusal, wrap: (text: string) => string = (text) => text): WriteFailure {
  return {
    message: wrap(refusal.status.message),
    forbidden: refusal.kind === "forbidden",
    ...(refusal.kind === "notFound" ? { notFound: true } : {}),
  };
}

/** Writes, and turns a refusal into a failure. */
export async function writeOrFail(
  writer: ObjectWriter,
  write: ObjectWrite,
  signal: AbortSignal,
  wrap?: (text: string) => string,
): Promise<Result<Written, WriteFailure>> {
  const written = await writer.write(write, signal);
  return written.ok ? done(written.value) : failed(failureOf(written.problem, wrap));
}
