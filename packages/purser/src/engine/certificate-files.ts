import { readFile } from "node:fs/promises";
import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";
import type { TlsSettings } from "../registry-api/http/tls-profile.ts";
import type { ServerCertificates } from "../registry-api/http/tls-server.ts";

/** Files of PEM texts, read again when they change. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly clientAuthorities?: string;
  /** What is offered with them; it does not change. */
  readonly settings?: TlsSettings;
}

/** How often the files are looked at. */
const filesEveryMs = 10_000;

/** @throws when a file cannot be read */
export async function readCertificates({
  certificate,
  key,
  clientAuthorities,
  settings,
}: CertificateFiles): Promise<ServerCertificates> {
  return {
    certificate: await readFile(certificate, "utf8"),
    key: await readFile(key, "utf8"),
    ...(clientAuthorities === undefined ? {} : { clientAuthorities: await readFile(clientAuthorities, "utf8") }),
    ...(settings === undefined ? {} : { settings }),
  };
}

/**
 * Looks at the files until the signal aborts; what cannot be read or used leaves the former certificate in place.
 * @param address what the certificate is for, in the log
 */
export async function followCertificates(
  files: CertificateFiles,
  first: ServerCertificates | undefined,
  { renew: use }: { readonly renew: (certificates: ServerCertificates) => void },
  { address, clock, log }: { readonly address: string; readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  let shown = JSON.stringify(first);
  while (!signal.aborted) {
    await clock.sleep(filesEveryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const certificates = await readCertificates(files);
      if (JSON.stringify(certificates) === shown) continue;
      shown = JSON.stringify(certificates);
      use(certificates);
      log("info", `the certificate of the ${address} was renewed`, { file: files.certificate });
    } catch (error) {
      log("warn", `the new certificate of the ${address} cannot be used`, {
        file: files.certificate,
        error: String(error),
      });
    }
  }
}
