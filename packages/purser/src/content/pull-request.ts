import type { PullSecret } from "../catalog/content.ts";
import type { PullRequest } from "../image/images.ts";
import type { WantedContent } from "../image/pulled-image.ts";
import type { ReadPullSecrets } from "./pull-secrets.ts";

interface Wanted {
  readonly reference: string;
  readonly wanted: WantedContent;
  readonly folder?: string | undefined;
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
  { reference, wanted, folder, credentials, policy }: Wanted,
  readPullSecrets: ReadPullSecrets,
  signal: AbortSignal,
): Promise<PreparedPull> {
  const { auths, complaints } = await readPullSecrets(credentials, signal);
  const named = folder === undefined ? {} : { folder };
  return { request: { reference, wanted, ...named, credentials: auths, policy }, complaints };
}
