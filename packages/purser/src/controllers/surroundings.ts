import type { Clock } from "@purser/kubernetes/clock";
import type { Compat } from "../compat.ts";
import type { Content } from "../content/content.ts";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Discovery } from "@purser/kubernetes/kube/discovery";
import type { CertificateProvider } from "../bundle/render/certificate-need.ts";

/** What every controller is handed beside its caches: the world outside Kubernetes, and the choices of this instance. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly content: Content;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly compat: Compat;
  /** Whose CatalogSources every namespace sees; `olm` upstream. */
  readonly globalNamespace: string;
  /** Where v1 keeps the Secrets of its revisions; `olmv1-system` upstream. */
  readonly systemNamespace: string;
  /** `auto`: cert-manager where it is served, else our own. */
  readonly webhookCertificates: CertificateProvider | "auto";
  /** Origin under which catalogs are served over HTTP, e.g. `https://127.0.0.1:8443`; absent: they are not. */
  readonly catalogOrigin?: string;
}
