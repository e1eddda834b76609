import type { Clock } from "@purser/kubernetes/clock";
import { formatTime } from "@purser/kubernetes/clock";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { Writer } from "./writer.ts";
import { events } from "@purser/kubernetes/apis/resources";

const namespace = "kube-system";
const kept = 200;

/**
 * Says once what a built-in controller may not do: somebody took a role from it, and it would go on trying in silence.
 * It goes to the log and into an event about the controller's service account, written by whoever may do everything.
 */
export class RefusedWrites {
  readonly #clock: Clock;
  readonly #writer: Writer;
  readonly #report: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(clock: Clock, administrator: Transport, report: (text: string) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#writer = new Writer(administrator, "kube-controller-manager", () => undefined);
  }

  /** `refusal` is the authorizer's sentence; those that differ in the object's name alone are one. */
  note(controller: string, refusal: string): void {
    const at = refusal.indexOf(" is forbidden: ");
    const cause = refusal.slice(at + " is forbidden: ".length).replace(/ in the namespace "[^"]*"/, "");
    if (this.#told.has(cause) || this.#told.size >= kept) return;
    this.#told.add(cause);
    this.#report(`The built-in controller ${controller} lacks a role: ${refusal}`);
    const now = formatTime(this.#clock.now());
    const name = `${controller}.${this.#told.size.toString(16).padStart(4, "0")}${this.#clock.now().toString(16)}`;
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
