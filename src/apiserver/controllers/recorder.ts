import type { KubeObject } from "../../apis/object.ts";
import { asJson } from "../../apis/object.ts";
import { events } from "../../apis/resources.ts";
import type { JsonObject } from "../../json.ts";
import { numberIn, objectIn } from "../kinds/json-parts.ts";
import type { Storage } from "../storage/storage.ts";
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

const mostRemembered = 4096;
const remembered = new WeakMap<Storage, Map<string, string>>();

/** Names of the events that were recorded last, by what they say; whoever records the same again finds its event here. */
function namesOf({ storage }: Pass): Map<string, string> {
  const held = remembered.get(storage) ?? new Map<string, string>();
  remembered.set(storage, held);
  return held;
}

/** The event that says the same of the same object, as far as it is remembered and still there. */
function knownEvent(pass: Pass, object: KubeObject, namespace: string, text: EventText): KubeObject | undefined {
  const name = namesOf(pass).get(sayingOf(object, text));
  return name === undefined ? undefined : pass.get(events, { namespace, name });
}

function remember(pass: Pass, object: KubeObject, text: EventText, name: string): void {
  const names = namesOf(pass);
  const saying = sayingOf(object, text);
  names.delete(saying);
  names.set(saying, name);
  if (names.size <= mostRemembered) return;
  const [oldest] = names.keys();
  if (oldest !== undefined) names.delete(oldest);
}

function sayingOf({ metadata: { uid = "" } }: KubeObject, { component, type, reason, message }: EventText): string {
  return JSON.stringify([uid, component, type, reason, message]);
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
  const now = pass.now();
  const known = knownEvent(pass, object, namespace, text);
  if (known !== undefined) {
    const count = (numberIn(asJson(known), "count") ?? 1) + 1;
    await pass.writer.patch(events, { namespace, name: known.metadata.name ?? "" }, { count, lastTimestamp: now });
    return;
  }
  const name = nameFor(pass, object);
  remember(pass, object, text, name);
  await pass.writer.tryCreate(
    events,
    {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name, namespace },
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
  const { namespace = "default" } = object.metadata;
  const now = `${pass.now().slice(0, -1)}.000000Z`;
  const known = knownEvent(pass, object, namespace, text);
  if (known !== undefined) {
    const count = (numberIn(objectIn(asJson(known), "series"), "count") ?? 1) + 1;
    const series = { count, lastObservedTime: now };
    await pass.writer.patch(events, { namespace, name: known.metadata.name ?? "" }, { series });
    return;
  }
  const name = nameFor(pass, object);
  remember(pass, object, text, name);
  await pass.writer.tryCreate(
    events,
    {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name, namespace },
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
