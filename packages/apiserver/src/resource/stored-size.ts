import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { done, type Result } from "@purser/kubernetes/result";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { messageSize } from "../protobuf/message-size.ts";
import { messageName } from "../protobuf/request-kinds.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { unexplained } from "../request/refusal.ts";
import { type WrittenObject, writtenInSteps } from "../storage/written-object.ts";
import { withManagedFields } from "./ownership.ts";

/** Bytes of a request that etcd takes by default. */
const largestRequest = 1.5 * 1024 * 1024;
/** Bytes that its client sends. */
const largestMessage = 2 * 1024 * 1024;
/** Magic number, lengths and empty fields around an object, about. */
const envelope = 27;

/** Size in bytes of the stored value: protobuf, or a line of JSON for custom resources and definitions. */
function* storedSize(kind: ServedKind, { object, size: textSize }: WrittenObject): Steps<number> {
  if (kind.custom !== undefined || kind.storedAsJson) return textSize + 1;
  const { type } = kind;
  const size = yield* messageSize(messageName(type), asJson(object), new Strides());
  return size + apiVersionOf(type).length + type.kind.length + envelope;
}

/** Where an object is written. */
export interface StoredPlace {
  /** As `registryKey` gives it. */
  readonly key: string;
  /** An object is there already. */
  readonly isUpdate: boolean;
}

/**
 * Size in bytes of the transaction that stores so many bytes: the key's revision is compared, the key and the value are put, and
 * an update reads the key when the comparison fails.
 */
function transactionSize(value: number, { key, isUpdate }: StoredPlace): number {
  const comparison = key.length + 8;
  const put = key.length + value + 5 + 3 * lengthSize(value);
  return comparison + put + (isUpdate ? key.length + 6 : 0);
}

/** Bytes of a length of a few megabytes in protobuf. */
function lengthSize(length: number): number {
  return length < 2 ** 21 ? 3 : 4;
}

/** No message is so many times as long as the JSON text of its object. */
const longestMessage = 4;

/**
 * The object if kube-apiserver on etcd could store it, else its refusal. What is too large because of its managed fields is
 * tried without them, unless an apply made it.
 */
export function* storable(
  kind: ServedKind,
  written: WrittenObject,
  isApplied: boolean,
  place: StoredPlace,
): Steps<Result<WrittenObject, ApiStatus>> {
  if (transactionSize(written.size * longestMessage, place) <= largestRequest) return done(written);
  let size = transactionSize(yield* storedSize(kind, written), place);
  if (size <= largestRequest) return done(written);
  if (!isApplied) {
    const bare = yield* writtenInSteps(withManagedFields(written.object, []));
    size = transactionSize(yield* storedSize(kind, bare), place);
    if (size <= largestRequest) return done(bare);
  }
  return unexplained(
    size > largestMessage
      ? `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${largestMessage})`
      : "etcdserver: request is too large",
  );
}
