import { createHash } from "node:crypto";
import type { Clock } from "@purser/kubernetes/clock";
import { failed } from "@purser/kubernetes/result";
import type { PullSecret } from "../catalog/content.ts";
import type { ReadPullSecrets, SecretCredentials } from "./pull-secrets.ts";
import type { SourceReader } from "./source-reader.ts";

const checkMs = 10_000;

/**
 * A source that is looked at again as soon as the pull secrets differ from those that a registry refused: they are read every ten
 * seconds while the pause after such a failure lasts, without a request to the registry.
 * @param make the source; what it reads the Secrets with must be the argument
 */
export function hastenedBySecrets<Found>(
  {
    secrets,
    read,
    clock,
  }: { readonly secrets: readonly PullSecret[]; readonly read: ReadPullSecrets; readonly clock: Clock },
  make: (read: ReadPullSecrets) => SourceReader<Found>,
): SourceReader<Found> {
  let used = "";
  let wait: { readonly until: number; readonly refused: string } | undefined;
  const source = make(async (...request) => {
    const credentials = await read(...request);
    used = printOf(credentials);
    return credentials;
  });
  return {
    ...source,
    async look(before, signal) {
      if (wait !== undefined && clock.now() < wait.until && printOf(await read(secrets, signal)) === wait.refused)
        return undefined;
      wait = undefined;
      const look = await source.look(before, signal);
      const pause = source.pauseMs(0);
      if (look?.found?.ok !== false || look.found.problem.mayWantCredentials !== true) return look;
      if (pause === undefined || pause <= checkMs) return look;
      wait = { until: clock.now() + pause, refused: used };
      return { ...look, found: failed({ ...look.found.problem, retryAt: wait.until }) };
    },
    pauseMs: (failures) =>
      wait === undefined ? source.pauseMs(failures) : Math.max(0, Math.min(checkMs, wait.until - clock.now())),
  };
}

/** Differs when the credentials or what is wrong with the Secrets differ; holds no secret. */
const printOf = (credentials: SecretCredentials): string =>
  createHash("sha256").update(JSON.stringify(credentials)).digest("hex");
