/** Simulated outcome of a pod. Durations in milliseconds. */
export type PodOutcome =
  /** Running and ready after `afterMs`. */
  | { readonly kind: "ready"; readonly afterMs?: number }
  /** Bound to the node, never leaves `Pending`. */
  | { readonly kind: "pending" }
  /** Running, never ready. */
  | { readonly kind: "neverReady" }
  /** `CrashLoopBackOff`. */
  | { readonly kind: "crash"; readonly message?: string }
  /** `ImagePullBackOff`. */
  | { readonly kind: "imageError"; readonly message?: string }
  | { readonly kind: "succeed"; readonly afterMs?: number; readonly log?: string }
  | { readonly kind: "fail"; readonly afterMs?: number; readonly exitCode?: number; readonly message?: string };

/** Applies to pods that match all of `labels`, image and namespace; the first match of the list decides. */
export interface PodRule {
  readonly labels?: Readonly<Record<string, string>>;
  /** Matches when some container's image equals it or, with a final `*`, starts with it. */
  readonly image?: string;
  readonly namespace?: string;
  readonly outcome: PodOutcome;
}

export interface Simulation {
  /** Called in every pass, so that a test may change the rules while the server runs. */
  readonly podRules?: () => readonly PodRule[];
  /** Default time until a pod becomes ready; 0 by default. */
  readonly readyAfterMs?: number;
  /** Delay between a namespace's deletion and the deletion of its content; 0 by default, 5000 on a real cluster. */
  readonly namespaceGraceMs?: number;
  /** Name of the simulated node; `sim-node` by default. */
  readonly nodeName?: string;
}
