import type { Pod } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import { hasMember, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import type { EventText } from "../recorder.ts";
import type { PodOutcome } from "./simulation.ts";

/** An event of the simulated kubelet about one container. */
export interface ContainerEvent extends Pick<EventText, "type" | "reason" | "message"> {
  readonly container: string;
}

/** `name_namespace(uid)`, as kubelets format a pod in messages. */
export function fullName(pod: Pod): string {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return `${name}_${namespace}(${uid})`;
}

/**
 * The events a kubelet would emit about failures, marked as simulated. Successful pulls and starts have no events,
 * because nothing is pulled or started.
 */
export function eventsOf(pod: Pod, outcome: PodOutcome): readonly ContainerEvent[] {
  const containers = objectsIn(objectIn(asJson(pod), "spec"), "containers");
  const each = (
    build: (name: string, image: string) => readonly Omit<ContainerEvent, "container">[],
  ): readonly ContainerEvent[] =>
    containers.flatMap((held) => {
      const name = textIn(held, "name");
      return build(name, textIn(held, "image")).map((event) => ({
        ...event,
        message: `${event.message} (simulated)`,
        container: name,
      }));
    });
  switch (outcome.kind) {
    case "crash":
      return each((name) => [
        {
          type: "Warning",
          reason: "BackOff",
          message: `Back-off restarting failed container ${name} in pod ${fullName(pod)}`,
        },
      ]);
    case "imageError":
      return each((_name, image) => [
        { type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"` },
        { type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff" },
      ]);
    case "neverReady": {
      const probed = new Set(containers.filter((held) => hasMember(held, "readinessProbe")).map(({ name }) => name));
      return each((name) =>
        probed.has(name) ? [{ type: "Warning", reason: "Unhealthy", message: "Readiness probe failed" }] : [],
      );
    }
    case "ready":
    case "pending":
    case "succeed":
    case "fail":
      return [];
  }
}
