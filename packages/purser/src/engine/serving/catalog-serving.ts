import { type CatalogEndpointOptions, serveClusterCatalogs } from "../../endpoints/catalog-endpoint.ts";
import type { CatalogListener } from "../../registry-api/http/catalog-listener.ts";
import type { ServerCertificates } from "../../registry-api/http/tls-server.ts";
import type { TlsSettings } from "../../registry-api/http/tls-profile.ts";
import type { RenewedCertificate, ServingCertificate } from "../../endpoints/package-api/serving-certificate.ts";
import type { FeatureGates } from "../../feature-gates.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { type CertificateFiles, followCertificates, readCertificates } from "../certificate-files.ts";

const defaultCatalogPort = 7444;

/** Where the catalogs of OLM v1 are served over HTTP. */
export interface CatalogServing {
  readonly host: string;
  /** Default: 7444, or a free port when that is taken. */
  readonly port?: number;
  /** The origin of the URLs in ClusterCatalogs' status; default: the address of the listener. */
  readonly origin?: string;
  /** What is served beside the whole content; absent: OLM's defaults and `/metas`. */
  readonly gates?: FeatureGates;
  /** Absent: plain HTTP, or the certificate that all replicas share. */
  readonly files?: CertificateFiles;
  /** Serves with the certificate that all replicas share. */
  readonly usesSharedCertificate?: true;
  /** What is offered with it. */
  readonly settings?: TlsSettings;
}

export interface CatalogServingProblem {
  readonly kind: "catalogAddress";
  readonly address: string;
  readonly message: string;
}

/** Starts the listener; the result has the origin for `status.urls`. */
export async function startCatalogServing(
  { host, port, origin, files, gates, usesSharedCertificate, settings }: CatalogServing,
  { shared, ...options }: CatalogEndpointOptions & { readonly shared?: RenewedCertificate },
): Promise<Result<CatalogListener, CatalogServingProblem>> {
  const refused = (message: string): Result<never, CatalogServingProblem> =>
    failed({ kind: "catalogAddress", address: `${host}:${port ?? defaultCatalogPort}`, message });
  const sharing = usesSharedCertificate === true ? shared : undefined;
  const served = ({ certificatePem, privateKeyPem }: ServingCertificate): ServerCertificates => ({
    certificate: certificatePem,
    key: privateKeyPem,
    ...(settings === undefined ? {} : { settings }),
  });
  let certificates = sharing === undefined ? undefined : served(sharing.current());
  try {
    if (files !== undefined) certificates = await readCertificates(files);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  const tls = certificates === undefined ? {} : { certificates };
  const serve = async (at: number): ReturnType<typeof serveClusterCatalogs> => {
    try {
      const gated = gates === undefined ? options : { ...options, gates };
      return await serveClusterCatalogs(gated, { host, port: at, ...tls });
    } catch (error) {
      // Texts that are no certificate and its key.
      return failed({ taken: false, message: error instanceof Error ? error.message : String(error) });
    }
  };
  const first = await serve(port ?? defaultCatalogPort);
  const isFree = !first.ok && first.problem.taken && port === undefined;
  const started = isFree ? await serve(0) : first;
  if (!started.ok) return refused(started.problem.message);
  const listener = started.value;
  const stopping = new AbortController();
  const following =
    files === undefined
      ? useRenewed(sharing, (renewed) => listener.renew(served(renewed)), stopping.signal)
      : followCertificates(files, certificates, listener, { ...options, address: "catalog address" }, stopping.signal);
  return done({
    ...listener,
    ...(origin === undefined ? {} : { origin }),
    async stop(graceMs) {
      stopping.abort(new Error("catalogs are no longer served"));
      await Promise.all([following, listener.stop(graceMs)]);
    },
  });
}

async function useRenewed(
  shared: RenewedCertificate | undefined,
  use: (certificate: ServingCertificate) => void,
  signal: AbortSignal,
): Promise<void> {
  if (shared !== undefined) for await (const renewed of shared.changes(signal)) use(renewed);
}
