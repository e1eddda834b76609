import type { KubeObject } from "@purser/kubernetes/apis/object";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Answer, Item } from "../request/answer.ts";
import { answerObject, sizeOf } from "../request/answer.ts";
import { negotiate } from "../request/negotiation.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { endpointOf, shapeList, shapeObject, shaping } from "./shape.ts";
import { turns } from "../turns.ts";

/** How one request is answered; chosen before anything is read or written, so that nothing is written in vain. */
export interface Output {
  object(object: KubeObject, code: number): Result<Answer, ApiStatus>;
  list(items: readonly Item[], metadata: JsonObject): Result<Answer, ApiStatus>;
  /** A Status, which is never converted. */
  status(object: JsonObject, code: number): Answer;
}

/** The representation requested by the Accept header and `includeObject`. `streams`: the path also supports watches. */
export function outputOf(
  { machinery: { clock }, kind, call }: Pick<ResourceRequest, "machinery" | "kind" | "call">,
  streams = false,
): Result<Output, ApiStatus> {
  const representation = negotiate(call.headers["accept"], endpointOf(kind, streams));
  if (!representation.ok) return representation;
  const { encoding } = representation.value;
  const shapes = shaping(representation.value, call.query);
  if (!shapes.ok) return shapes;
  return done({
    object(object, code) {
      const shaped = shapeObject(kind, object, shapes.value, clock.now());
      return shaped.ok ? done(answerObject(code, shaped.value, encoding)) : shaped;
    },
    list(items, metadata) {
      const shaped = shapeList(kind, items.length, metadata, shapes.value, clock.now());
      if (!shaped.ok) return shaped;
      if (shaped.value !== "plain") {
        const { head, member, each } = shaped.value;
        if (member === undefined) return done(answerObject(200, head, encoding));
        return done({ kind: "collection", head, member, items: eachOf(items, each), size: sizeOf(items), encoding });
      }
      // Lists of custom resources have an empty `continue` when nothing follows.
      const end = kind.custom === undefined || Object.hasOwn(metadata, "continue") ? {} : { continue: "" };
      const head = { kind: kind.listKind, apiVersion: apiVersionOf(kind.type), metadata: { ...metadata, ...end } };
      return done({ kind: "list", head, items, bare: kind.custom === undefined, encoding });
    },
    status: (object, code) => answerObject(code, object, encoding),
  });
}

function* eachOf(items: readonly Item[], shaped: (object: KubeObject) => JsonObject): Generator<JsonObject> {
  for (const item of items) {
    const { passing } = item;
    // The piece that holds the next one has to wait for a turn.
    turns.add(item.size ?? 0);
    yield shaped(passing);
  }
}
