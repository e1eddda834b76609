import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import { formatMicroTime } from "@purser/kubernetes/clock";
import { events } from "@purser/kubernetes/apis/resources";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn } from "../kinds/decoding/json-parts.ts";
import type { Storage } from "../storage/storage.ts";
import type { Pass } from "./runtime.ts";

export interface EventText {
  /** `source.component`, such as `deployment-controller`. */
  readonly component: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** `source.host`: the node, for events of kubelets. */
  readonly host?: string;
}

/** events.k8s.io/v1 refuses longer notes. */
const longestNote = 1024;

/** An ObjectReference to the object, for events. */
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

/** Names of recently recorded events by content, so that a repetition finds its event. */
function namesOf({ storage }: Pass): Map<string, string> {
  const held = remembered.get(storage) ?? new Map<string, string>();
  remembered.set(storage, held);
  return held;
}

/** The recorded event with the same content about the same object, if it is remembered and still exists. */
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

/** How a new event is written, and what a repetition changes. */
interface Form {
  readonly first: JsonObject;
  readonly again: (known: JsonObject) => JsonObject;
}

/** A refused event is ignored. */
async function write(pass: Pass, object: KubeObject, text: EventText, form: Form): Promise<void> {
  const namespace = object.metadata.namespace ?? "default";
  const known = knownEvent(pass, object, namespace, text);
  if (known !== undefined) {
    const key = { namespace, name: known.metadata.name ?? "" };
    await pass.writer.patch(events, key, form.again(asJson(known)));
    return;
  }
  const name = nameFor(pass, object);
  remember(pass, object, text, name);
  const { type, reason, component } = text;
  const common = { kind: "Event", apiVersion: "v1", type, reason, reportingComponent: component };
  await pass.writer.tryCreate(events, { ...common, metadata: { name, namespace }, ...form.first }, namespace);
}

/** Records a core/v1 Event about `object`; a repetition increments its count. */
export async function record(
  pass: Pass,
  object: KubeObject,
  text: EventText,
  about = referenceTo(object),
): Promise<void> {
  const now = pass.now();
  const { component, host, message } = text;
  await write(pass, object, text, {
    first: {
      involvedObject: about,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      eventTime: null,
      reportingInstance: host ?? "",
    },
    again: (known) => ({ count: (numberIn(known, "count") ?? 1) + 1, lastTimestamp: now }),
  });
}

/** Records an events.k8s.io/v1 Event, which names the action; repetitions become a series. */
export async function recordAction(
  pass: Pass,
  object: KubeObject,
  text: EventText & { readonly action: string },
): Promise<void> {
  const now = formatMicroTime(pass.nowMs());
  await write(pass, object, text, {
    first: {
      involvedObject: referenceTo(object),
      message: text.message.slice(0, longestNote),
      eventTime: now,
      action: text.action,
      reportingInstance: `${text.component}-embedded`,
    },
    again: (known) => ({
      series: { count: (numberIn(objectIn(known, "series"), "count") ?? 1) + 1, lastObservedTime: now },
    }),
  });
}
