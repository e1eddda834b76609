import type { Pod } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectIn } from "../../kinds/decoding/json-parts.ts";
import { fullName } from "./pod-events.ts";
import type { PodOutcome } from "./simulation.ts";

export interface PodFacts {
  readonly pod: Pod;
  readonly ip: string;
  readonly hostIP: string;
  /** RFC 3339. */
  readonly now: string;
}

interface Phase {
  readonly phase: string;
  readonly ready: boolean;
  readonly containersReason?: string;
  readonly state: JsonObject;
  readonly restarts?: number;
  readonly lastState?: JsonObject;
}

/** Adds the kubelet's message for the waiting reason, unless the simulation sets its own. */
function withMessage(state: JsonObject, name: string, image: string, pod: Pod): JsonObject {
  const waiting = objectIn(state, "waiting");
  if (!Object.hasOwn(state, "waiting") || waiting["message"] !== undefined) return state;
  const message =
    waiting["reason"] === "CrashLoopBackOff"
      ? `back-off 10s restarting failed container=${name} pod=${fullName(pod)}`
      : `Back-off pulling image "${image}"`;
  return { waiting: { ...waiting, message } };
}

function messageOf(message: string | undefined): JsonObject {
  return message === undefined ? {} : { message };
}

function containerStatuses(
  { pod }: PodFacts,
  { ready, state, restarts = 0, lastState = {} }: Phase,
): readonly JsonObject[] {
  return (pod.spec?.containers ?? []).map(({ name, image = "" }) => ({
    name,
    state: withMessage(state, name, image, pod),
    lastState,
    ready,
    restartCount: restarts,
    image,
    imageID: Object.hasOwn(state, "waiting") ? "" : `simulated://${image}`,
    ...(Object.hasOwn(state, "waiting") ? {} : { containerID: `simulated://${pod.metadata.uid ?? ""}/${name}` }),
    started: Object.hasOwn(state, "running"),
  }));
}

/** Init containers always count as succeeded: the simulator runs nothing. */
function initStatuses({ pod, now }: PodFacts): JsonObject {
  const containers = pod.spec?.initContainers ?? [];
  if (containers.length === 0) return {};
  return {
    initContainerStatuses: containers.map(({ name, image = "" }) => ({
      name,
      state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image,
      imageID: `simulated://${image}`,
      started: false,
    })),
  };
}

function conditions(facts: PodFacts, phase: Phase): readonly JsonObject[] {
  const names = (facts.pod.spec?.containers ?? []).map(({ name }) => name).join(" ");
  const done = phase.phase === "Succeeded";
  const reason = phase.ready
    ? {}
    : done
      ? { reason: "PodCompleted" }
      : {
          reason: phase.phase === "Failed" ? "PodFailed" : "ContainersNotReady",
          message: `containers with unready status: [${names}]`,
        };
  const status = phase.ready ? "True" : "False";
  const held = facts.pod.status?.conditions ?? [];
  const since = (type: string, value: string): string => {
    const before = held.find((condition) => condition.type === type);
    return before?.status === value ? (before.lastTransitionTime ?? facts.now) : facts.now;
  };
  return [
    { type: "Initialized", status: "True", lastTransitionTime: since("Initialized", "True") },
    { type: "Ready", status, lastTransitionTime: since("Ready", status), ...reason },
    { type: "ContainersReady", status, lastTransitionTime: since("ContainersReady", status), ...reason },
    { type: "PodScheduled", status: "True", lastTransitionTime: since("PodScheduled", "True") },
  ];
}

function phaseOf(outcome: PodOutcome, now: string): Phase | undefined {
  const running = { running: { startedAt: now } };
  switch (outcome.kind) {
    case "pending":
      return undefined;
    case "ready":
      return { phase: "Running", ready: true, state: running };
    case "neverReady":
      return { phase: "Running", ready: false, state: running };
    case "crash": {
      const ended = { exitCode: 1, reason: "Error", startedAt: now, finishedAt: now };
      return {
        phase: "Running",
        ready: false,
        state: { waiting: { reason: "CrashLoopBackOff", ...messageOf(outcome.message) } },
        restarts: 1,
        lastState: { terminated: ended },
      };
    }
    case "imageError":
      return {
        phase: "Pending",
        ready: false,
        state: { waiting: { reason: "ImagePullBackOff", ...messageOf(outcome.message) } },
      };
    case "succeed":
      return {
        phase: "Succeeded",
        ready: false,
        state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
      };
    case "fail": {
      const ended = {
        exitCode: outcome.exitCode ?? 1,
        reason: "Error",
        ...messageOf(outcome.message),
        startedAt: now,
        finishedAt: now,
      };
      return { phase: "Failed", ready: false, state: { terminated: ended } };
    }
  }
}

/** The status that a kubelet would report for the outcome; undefined when nothing changes. */
export function podStatus(facts: PodFacts, outcome: PodOutcome): JsonObject | undefined {
  const phase = phaseOf(outcome, facts.now);
  if (phase === undefined) return undefined;
  const { status = {} } = facts.pod;
  return {
    ...(status as JsonObject),
    ...(facts.pod.metadata.generation === undefined ? {} : { observedGeneration: facts.pod.metadata.generation }),
    phase: phase.phase,
    conditions: conditions(facts, phase),
    hostIP: facts.hostIP,
    hostIPs: [{ ip: facts.hostIP }],
    podIP: facts.ip,
    podIPs: [{ ip: facts.ip }],
    startTime: status.startTime ?? facts.now,
    ...initStatuses(facts),
    containerStatuses: containerStatuses(facts, phase),
  };
}
