import type { PullSecret } from "../catalog/content.ts";
import type { RegistryAuth } from "../image/registry-auth.ts";

/** The credentials of Secrets, and a sentence for each Secret that gives none. */
export interface SecretCredentials {
  readonly auths: readonly RegistryAuth[];
  /** Names the Secret and what is wrong with it, never its content. */
  readonly complaints: readonly string[];
}

/**
 * Port to the pull secrets of a cluster. Read anew for each pull, so that a changed Secret needs no restart.
 * The Secrets named come first, then those of the process itself; a Secret that is missing or broken is a complaint.
 */
export type ReadPullSecrets = (secrets: readonly PullSecret[], signal: AbortSignal) => Promise<SecretCredentials>;
