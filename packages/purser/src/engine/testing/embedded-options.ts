import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { improved } from "../../compat.ts";
import type { EmbeddedOptions } from "../embedded.ts";

/** An embedded cluster in memory on a free port, without catalogs and without a log, except for what `more` says. */
export function embeddedOptions(cacheDirectory: string, more: Partial<EmbeddedOptions> = {}): EmbeddedOptions {
  return {
    data: { kind: "memory" },
    port: 0,
    catalogs: [],
    bundleDirectories: [],
    compat: improved,
    webhookCertificates: "auto",
    cacheDirectory,
    clock: systemClock,
    entropy: systemEntropy,
    log: () => undefined,
    ...more,
  };
}
