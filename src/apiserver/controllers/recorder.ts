import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import { events } from "../../apis/resources.ts";
import type { JsonObject } from "../../json.ts";
import { numberIn, objectIn, textIn } from "../kinds/json-parts.ts";
import type { Lookup } from "./lookup.ts";
import type { Pass } from "./runtime.ts";

export interface EventText {
  /** Name in `source.component`, such as `deployment-controller`. */
  readonly component: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The node that speaks, where it is one. */
  readonly host?: string;
}

/** Longer texts are refused in the newer form. */
const longestNote = 1024;

/** Reference to an object as events and owners use it. */
export function referenceTo(object: KubeObject): JsonObject {
  const { namespace, name = "", uid = "", resourceVersion = "" } = object.metadata;
  return {
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    apiVersion: object.apiVersion,
    resourceVersion,
  };
}

const involvedIn = (event: JsonObject): string => textIn(objectIn(event, "involvedObject"), "uid");

const byInvolved: Lookup<KubeObject> = { type: events, valuesOf: (event) => [involvedIn(asJson(event))] };

function sameEvent(event: JsonObject, uid: string, text: Omit<EventText, "component">): boolean {
  return (
    involvedIn(event) === uid &&
    textIn(event, "reason") === text.reason &&
    textIn(event, "message") === text.message &&
    textIn(event, "type") === text.type
  );
}

function nameFor(pass: Pass, object: KubeObject): string {
  const suffix = Array.from(pass.entropy.bytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${object.metadata.name ?? ""}.${suffix}`;
}

/** Records an event about `object`; the same one again raises its count. A refused event is no failure. */
export async function record(
  pass: Pass,
  object: KubeObject,
  text: EventText,
  about = referenceTo(object),
): Promise<void> {
  const namespace = object.metadata.namespace ?? "default";
  const { uid = "" } = object.metadata;
  const now = pass.now();
  const known = pass
    .find(byInvolved, uid)
    .find((event) => event.metadata.namespace === namespace && sameEvent(asJson(event), uid, text));
  if (known !== undefined) {
    const count = (numberIn(asJson(known), "count") ?? 1) + 1;
    await pass.writer.patch(events, { namespace, name: known.metadata.name ?? "" }, { count, lastTimestamp: now });
    return;
  }
  await pass.writer.tryCreate(
    events,
    {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: nameFor(pass, object), namespace },
      involvedObject: about,
      reason: text.reason,
      message: text.message,
      source: { component: text.component, ...(text.host === undefined ? {} : { host: text.host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: text.type,
      eventTime: null,
      reportingComponent: text.component,
      reportingInstance: text.host ?? "",
    },
    namespace,
  );
}

/** Records an event in the newer form, which names the action; the same one again becomes a series. */
export async function recordAction(
  pass: Pass,
  object: KubeObject,
  text: EventText & { readonly action: string },
): Promise<void> {
  const { namespace = "default", uid = "" } = object.metadata;
  const now = `${pass.now().slice(0, -1)}.000000Z`;
  const known = pass.find(byInvolved, uid).find((event) => sameEvent(asJson(event), uid, text));
  if (known !== undefined) {
    const count = (numberIn(objectIn(asJson(known), "series"), "count") ?? 1) + 1;
    const series = { count, lastObservedTime: now };
    await pass.writer.patch(events, { namespace, name: known.metadata.name ?? "" }, { series });
    return;
  }
  await pass.writer.tryCreate(
    events,
    {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: nameFor(pass, object), namespace },
      involvedObject: referenceTo(object),
      reason: text.reason,
      message: text.message.slice(0, longestNote),
      type: text.type,
      eventTime: now,
      action: text.action,
      reportingComponent: text.component,
      reportingInstance: `${text.component}-embedded`,
    },
    namespace,
  );
}
