import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { Simulation } from "./controllers/pods/simulation.ts";
import type { Storage } from "./storage/storage.ts";

export interface ApiServerOptions {
  /** The machine's by default; tests take a `VirtualClock` and a `SeededEntropy`. */
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** An empty one in memory by default. The server closes it on `stop`. */
  readonly storage?: Storage;
  /** False: nothing acts on stored objects but the API itself (namespaces stay Terminating, pods Pending). */
  readonly controllers?: boolean;
  /** How pods and jobs turn out; absent: pods become ready at once. */
  readonly simulation?: Simulation;
  /** Bearer tokens with a fixed meaning. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** What the `pod-security.kubernetes.io/` labels of namespaces do; `enforce` by default, as in Kubernetes. */
  readonly podSecurity?: "enforce" | "off";
  /** Starts OwnerReferencesPermissionEnforcement; false by default, as in Kubernetes. */
  readonly enforceOwnerPermissions?: boolean;
  /**
   * Bytes of answers that clients have yet to read, and characters of changes that watchers have yet to receive, of all
   * clients together; 64 MiB of each by default. When there is more, the slowest clients are cut off.
   */
  readonly unreadLimit?: number;
  /** Receives messages for the administrator of the server, such as that a built-in controller has lost a role. */
  readonly report?: (text: string) => void;
}

/** Options in which a fork differs from its parent; an absent one has the parent's value. */
export type ForkOptions = Partial<Omit<ApiServerOptions, "storage">>;

/** Features of kube-apiserver that this server does not have, under the names that users try, and the reason or alternative. */
const unsupported: Readonly<Record<string, string>> = {
  audit: "the requests of a run are told by its log",
  encryption: "objects are stored as they are",
  kms: "objects are stored as they are",
  oidc: "use client certificates or tokens",
  webhookAuthentication: "use client certificates or tokens",
  webhookAuthorization: "RBAC decides",
  nodeAuthorizer: "nodes are simulated",
  certificateSigning: "issue client certificates outside",
  priorityAndFairness: "requests are answered as they come",
};

const known: Readonly<Record<keyof ApiServerOptions, true>> = {
  clock: true,
  entropy: true,
  storage: true,
  controllers: true,
  simulation: true,
  tokens: true,
  podSecurity: true,
  enforceOwnerPermissions: true,
  unreadLimit: true,
  report: true,
};

/** A sentence about options that a caller beyond the type checker gave; undefined when all are understood. */
export function optionProblem(options: ApiServerOptions): string | undefined {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const hint = Object.hasOwn(unsupported, name) ? ` (${unsupported[name] ?? ""})` : "";
    return `embedded server: the option ${JSON.stringify(name)} is not supported${hint}`;
  }
  const { unreadLimit = 1 } = options as { readonly unreadLimit?: unknown };
  if (!Number.isSafeInteger(unreadLimit) || Number(unreadLimit) < 1)
    return `embedded server: unreadLimit is a number of bytes above 0, not ${JSON.stringify(unreadLimit)}`;
  const { podSecurity = "enforce" } = options as { readonly podSecurity?: unknown };
  return podSecurity === "enforce" || podSecurity === "off"
    ? undefined
    : `embedded server: podSecurity is "enforce" or "off", not ${JSON.stringify(podSecurity)}`;
}
