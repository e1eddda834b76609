/** The provider that issues and rotates the serving certificates of a bundle's webhooks. */
export const certificateProviders = ["none", "own", "cert-manager", "service-ca"] as const;
export type CertificateProvider = (typeof certificateProviders)[number];

/**
 * A placeholder in rendered objects: `own` certificates are issued at rollout, so that rendering stays deterministic
 * and a change plan's digest does not depend on keys.
 */
export interface CertificateNeed {
  /** A rendered Secret of type `kubernetes.io/tls` without data; rollout fills `ca.crt`, `tls.crt` and `tls.key`. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** DNS names, the first one is also the common name. */
  readonly hosts: readonly string[];
  /** Rendered objects whose every webhook `clientConfig` gets the authority as `caBundle`. */
  readonly injections: readonly { readonly apiVersion: string; readonly kind: string; readonly name: string }[];
}

/** On a rendered Secret: comma-separated DNS names of the certificate that rollout puts into it. */
export const certificateHostsAnnotation = "purser.dev/serving-certificate-for";
/** On a rendered webhook configuration or CRD: `namespace/name` of the Secret whose `ca.crt` becomes its `caBundle`. */
export const caInjectionAnnotation = "purser.dev/inject-ca-from-secret";
