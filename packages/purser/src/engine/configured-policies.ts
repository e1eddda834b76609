import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";

const pauseMs = 500;
const patienceMs = 60_000;

/**
 * Repeats `write` while kube-apiserver refuses it because it has not noticed yet the kind of a policy's parameters, as it does for a few
 * seconds after the CustomResourceDefinition was created or the server was started; a minute at most.
 */
export async function oncePoliciesAreConfigured(
  write: () => Promise<void>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const deadline = clock.monotonic() + patienceMs;
  for (let isLogged = false; ; isLogged = true) {
    try {
      return await write();
    } catch (error) {
      if (!/failed to configure policy/.test(String(error)) || clock.monotonic() >= deadline) throw error;
      if (!isLogged)
        log("warn", "Waiting for the API server to configure its admission policies", { error: String(error) });
      await clock.sleep(pauseMs, signal);
    }
  }
}
