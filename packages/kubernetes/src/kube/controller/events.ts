import type { Event } from "../../apis/core.ts";
import { keyOf, type KubeObject } from "../../apis/object.ts";
import { events } from "../../apis/resources.ts";
import { formatTime, type Clock } from "../../clock.ts";
import type { Entropy } from "../../entropy.ts";
import { correlator } from "./event-correlation.ts";
import { silent, type Log } from "../log.ts";
import type { ObjectWriter } from "../object-writer.ts";

export type EventType = "Normal" | "Warning";

/** Records Kubernetes events. Never fails its caller: failures to send are logged. */
export interface EventRecorder {
  /** @param fieldPath the part of the object that the event is about, as `status.plan[0]`; default: the whole object */
  record(object: KubeObject, type: EventType, reason: string, message: string, fieldPath?: string): void;
  /** Resolves when all events recorded so far were sent or dropped. */
  flushed(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly writer: ObjectWriter;
  /** `source.component` and `reportingComponent`. */
  readonly component: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  readonly signal: AbortSignal;
}

/** As in client-go, further events are dropped: events must never delay the work they report. */
const mostWaiting = 1000;
/** Limit of the API server. */
const longestMessage = 1024;

/**
 * Records `v1` events one by one. Repetitions increment the count of the existing event, many similar ones are
 * combined, and events per object and reason are rate-limited.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { writer, component, clock, entropy, log = silent, signal } = options;
  const correlate = correlator(clock);
  let waiting = 0;
  let sending: Promise<void> = Promise.resolve();

  async function send(
    object: KubeObject,
    type: EventType,
    reason: string,
    text: string,
    fieldPath: string | undefined,
  ): Promise<void> {
    const uid = object.metadata.uid ?? "";
    const about = [component, object.kind, object.metadata.namespace ?? "", object.metadata.name ?? "", uid].join("\n");
    const decision = correlate.decide({ about, part: fieldPath ?? "", type, reason, message: text });
    if (decision.kind === "drop") return;
    const time = formatTime(clock.now());
    const message = shortened(decision.message);
    if (decision.kind === "repeat") {
      const patch = { count: decision.count, lastTimestamp: time, message };
      const result = await writer.write(
        { verb: "patch", type: events, key: keyOf(decision.event), patch, patchType: "merge", fieldManager: component },
        signal,
      );
      if (result.ok) return;
      // The server has deleted the event meanwhile (after one hour): create a new one.
      if (result.problem.kind !== "notFound") throw new Error(result.problem.status.message);
    }
    const count = decision.kind === "repeat" ? decision.count : 1;
    const name = unique(object);
    const event = eventAbout(object, { component, type, reason, message, time, count, name, fieldPath });
    const result = await writer.write({ verb: "create", type: events, object: event, fieldManager: component }, signal);
    if (result.ok) correlate.sent(decision.identity, event, count);
    else throw new Error(result.problem.status.message);
  }

  /** Object name, dot, nanoseconds in hex: the name format of client-go. */
  function unique(object: KubeObject): string {
    const nanoseconds = BigInt(Math.floor(clock.now())) * 1_000_000n + BigInt(Math.floor(entropy.fraction() * 1e6));
    return `${(object.metadata.name ?? "").slice(0, 230)}.${nanoseconds.toString(16)}`;
  }

  return {
    record(object, type, reason, message, fieldPath) {
      if (waiting >= mostWaiting) {
        log("warn", "Too many events wait to be sent, this one is dropped", { reason });
        return;
      }
      waiting++;
      sending = sending
        .then(() => (signal.aborted ? undefined : send(object, type, reason, message, fieldPath)))
        .catch((error: unknown) => {
          if (!signal.aborted) log("warn", "Cannot send an event", { reason, error: String(error) });
        })
        .finally(() => {
          waiting--;
        });
    },
    flushed: () => sending,
  };
}

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`;
}

function eventAbout(
  object: KubeObject,
  facts: {
    readonly component: string;
    readonly type: EventType;
    readonly reason: string;
    readonly message: string;
    readonly time: string;
    readonly count: number;
    readonly name: string;
    readonly fieldPath: string | undefined;
  },
): Event {
  const { component, type, reason, message, time, count, name, fieldPath } = facts;
  const { metadata } = object;
  // By Kubernetes' convention events about cluster-scoped objects are in `default`.
  const namespace = metadata.namespace ?? "default";
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace, name },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      name: metadata.name ?? "",
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    type,
    reason,
    message,
    count,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
  };
}
