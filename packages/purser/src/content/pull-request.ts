import type { PullSecret } from "../catalog/content.ts";
import type { PullRequest } from "../image/images.ts";
import type { WantedContent } from "../image/pulled-image.ts";
import type { ReadPullSecrets } from "./pull-secrets.ts";

interface Wanted {
  readonly reference: string;
  readonly wanted: WantedContent;
  readonly directory?: string | undefined;
  readonly credentials: readonly PullSecret[];
  readonly policy: readonly string[];
}

/** A pull with the credentials of the Secrets as they are now, and what is wrong with those Secrets. */
export interface PreparedPull {
  readonly request: PullRequest;
  readonly complaints: readonly string[];
}

/** Reads the Secrets that a request names. */
export async function preparePull(
  { reference, wanted, directory, credentials, policy }: Wanted,
  readPullSecrets: ReadPullSecrets,
  signal: AbortSignal,
): Promise<PreparedPull> {
  const { auths, complaints } = await readPullSecrets(credentials, signal);
  const named = directory === undefined ? {} : { directory };
  return { request: { reference, wanted, ...named, credentials: auths, policy }, complaints };
}
