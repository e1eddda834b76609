import type { Clock } from "@purser/kubernetes/clock";
import type { Compat } from "../compat.ts";
import type { Content } from "../content/content.ts";
import type { FeatureGates } from "../feature-gates.ts";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { Counters } from "@purser/kubernetes/kube/counters";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { Discovery } from "@purser/kubernetes/kube/discovery";
import type { Tracing } from "@purser/kubernetes/tracing";
import type { ClusterOperators } from "./openshift/cluster-operator-controller.ts";
import type { DependencyMode } from "../resolver/v1/dependency-modes.ts";
import type { CertificateProvider } from "../bundle/render/certificate-need.ts";

/** What every controller is handed beside its caches: the world outside Kubernetes, and the choices of this instance. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly content: Content;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly compat: Compat;
  readonly metrics: Counters;
  /** Absent: no spans are made. */
  readonly tracing?: Tracing;
  /** The namespace of global CatalogSources; `olm` upstream. */
  readonly globalNamespace: string;
  /** The namespace of the Secrets of v1 revisions; `olmv1-system` upstream. */
  readonly systemNamespace: string;
  /** Absent: OLM v1's feature gates have their defaults. */
  readonly gates?: FeatureGates;
  /** `auto`: the service CA on OpenShift, cert-manager when the cluster serves it, else `own`, or `none` with `--compat=webhook-certificates`. */
  readonly webhookCertificates: CertificateProvider | "auto";
  /** What is done about bundles that those of ClusterExtensions require; absent: `verify`. */
  readonly dependencies?: DependencyMode;
  /** Namespaces whose objects of OLM v0 are reconciled; absent: all. */
  readonly watchedNamespaces?: ReadonlySet<string>;
  /** Namespaces that keep copies of CSVs while copies for all namespaces are off; absent: none. */
  readonly protectedNamespaces?: ReadonlySet<string>;
  /** How long the steps of an InstallPlan are retried after an error; absent: a minute. */
  readonly installPlanRetryMs?: number;
  /** Origin under which catalogs are served over HTTP, e.g. `https://127.0.0.1:8443`; absent: they are not. */
  readonly catalogOrigin?: string;
  /** What is reported where OpenShift's configuration API is served; absent: nothing. */
  readonly clusterOperators?: ClusterOperators;
}
