import type { Pod } from "../../apis/core.ts";
import type { JsonObject } from "../../json.ts";
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

function containerStatuses(
  { pod }: PodFacts,
  { ready, state, restarts = 0, lastState = {} }: Phase,
): readonly JsonObject[] {
  return (pod.spec?.containers ?? []).map(({ name, image = "" }) => ({
    name,
    state,
    lastState,
    ready,
    restartCount: restarts,
    image,
    imageID: Object.hasOwn(state, "waiting") ? "" : `simulated://${image}`,
    ...(Object.hasOwn(state, "waiting") ? {} : { containerID: `simulated://${pod.metadata.uid ?? ""}/${name}` }),
    started: Object.hasOwn(state, "running"),
  }));
}

/** Init containers have always ended well: the simulator runs nothing in them. */
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
      const message = outcome.message ?? "back-off 10s restarting failed container";
      const ended = { exitCode: 1, reason: "Error", startedAt: now, finishedAt: now };
      return {
        phase: "Running",
        ready: false,
        state: { waiting: { reason: "CrashLoopBackOff", message } },
        restarts: 1,
        lastState: { terminated: ended },
      };
    }
    case "imageError": {
      const message = outcome.message ?? "Back-off pulling image";
      return { phase: "Pending", ready: false, state: { waiting: { reason: "ImagePullBackOff", message } } };
    }
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
        ...(outcome.message === undefined ? {} : { message: outcome.message }),
        startedAt: now,
        finishedAt: now,
      };
      return { phase: "Failed", ready: false, state: { terminated: ended } };
    }
  }
}

/** The status a kubelet would report once the outcome has come about; undefined while nothing changes. */
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
