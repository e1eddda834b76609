import type { Clock } from "@purser/kubernetes/clock";
import { formatTime } from "@purser/kubernetes/clock";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { Writer } from "./writer.ts";
import { events } from "@purser/kubernetes/apis/resources";

const namespace = "kube-system";
const kept = 200;

/**
 * Reports once each permission that a built-in controller lacks (someone removed its role binding), because its retries
 * would fail silently: to the log, and in an event about the controller's service account, written as system:masters.
 */
export class RefusedWrites {
  readonly #clock: Clock;
  readonly #writer: Writer;
  readonly #report: (text: string) => void;
  readonly #reported = new Set<string>();

  constructor(clock: Clock, administrator: Transport, report: (text: string) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#writer = new Writer(administrator, "kube-controller-manager", () => undefined);
  }

  /** `refusal` is the authorizer's message; messages that differ only in the namespace are reported once. */
  note(controller: string, refusal: string): void {
    const at = refusal.indexOf(" is forbidden: ");
    const cause = refusal.slice(at + " is forbidden: ".length).replace(/ in the namespace "[^"]*"/, "");
    if (this.#reported.has(cause) || this.#reported.size >= kept) return;
    this.#reported.add(cause);
    this.#report(`The built-in controller ${controller} lacks a role: ${refusal}`);
    const now = formatTime(this.#clock.now());
    const name = `${controller}.${this.#reported.size.toString(16).padStart(4, "0")}${this.#clock.now().toString(16)}`;
    void this.#writer.tryCreate(
      events,
      {
        kind: "Event",
        apiVersion: "v1",
        metadata: { name, namespace },
        involvedObject: { kind: "ServiceAccount", apiVersion: "v1", namespace, name: controller },
        reason: "Forbidden",
        message: cause,
        source: { component: controller },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        type: "Warning",
        eventTime: null,
        reportingComponent: controller,
        reportingInstance: "",
      },
      namespace,
    );
  }
}
