import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { done, type Result } from "@purser/kubernetes/result";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { jsonSize, messageSize } from "../protobuf/message-size.ts";
import { messageName } from "../protobuf/request-kinds.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { unexplained } from "../request/refusal.ts";
import { withManagedFields } from "./ownership.ts";

/** Bytes of a request that etcd takes by default. */
const largestRequest = 1.5 * 1024 * 1024;
/** Bytes that its client sends. */
const largestMessage = 2 * 1024 * 1024;
/** Magic number, lengths and empty fields around an object, about. */
const envelope = 24;

/** Size in bytes of what kube-apiserver would send to etcd: protobuf, or JSON for custom resources and definitions. */
function* storedSize(kind: ServedKind, object: KubeObject): Steps<number> {
  if (kind.custom !== undefined || kind.storedAsJson) return yield* jsonSize(asJson(object));
  const { type } = kind;
  const size = yield* messageSize(messageName(type), asJson(object), new Strides());
  return size + apiVersionOf(type).length + type.kind.length + envelope;
}

/**
 * The object if kube-apiserver on etcd could store it, else its refusal. What is too large because of its managed fields is
 * stored without them, unless an apply made it.
 */
export function* storable(
  kind: ServedKind,
  object: KubeObject,
  isApplied: boolean,
): Steps<Result<KubeObject, ApiStatus>> {
  const size = yield* storedSize(kind, object);
  if (size <= largestRequest) return done(object);
  const bare = withManagedFields(object, []);
  if (!isApplied && (yield* storedSize(kind, bare)) <= largestRequest) return done(bare);
  return unexplained(
    size > largestMessage
      ? `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${largestMessage})`
      : "etcdserver: request is too large",
  );
}
