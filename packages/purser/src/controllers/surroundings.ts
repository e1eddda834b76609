import type { CatalogIndex } from "../catalog/catalog-index.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Compat } from "../compat.ts";
import type { Content } from "../content/content.ts";
import type { ContentStore } from "../content/content-store.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Discovery } from "@purser/kubernetes/kube/discovery";
import type { CertificateProvider } from "../bundle/render/certificate-need.ts";

/** The content port, and the methods that some readers still use. */
export interface CatalogContent extends ContentStore, Content {
  /** Undefined until the digest was present once, and again after it was collected. */
  index(digest: Digest): CatalogIndex | undefined;
}

/** What every controller is handed beside its caches: the world outside Kubernetes, and the choices of this instance. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly content: CatalogContent;
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
