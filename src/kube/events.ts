import type { KubeObject } from "../apis/object.ts";

/** Tells people what happened to an object, as Kubernetes events. Never fails its caller: what cannot be sent is logged. */
export interface EventRecorder {
  record(object: KubeObject, type: "Normal" | "Warning", reason: string, message: string): void;
  /** Resolves when everything recorded so far was sent or given up. */
  flushed(): Promise<void>;
}
