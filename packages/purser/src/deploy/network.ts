import { ownLabels, ownName, podLabels } from "./labels.ts";
import {
  catalogPort,
  catalogServiceName,
  catalogServicePort,
  metricsPort,
  metricsServiceName,
  packagePort,
  packageServiceName,
  securePort,
} from "./ports.ts";
import { items, only, text, type Template, value } from "./template.ts";

const own = (name: string): Template => ({ name, namespace: value("namespace"), labels: ownLabels });
/** OpenShift's service CA writes a certificate for the Service into the Secret that this annotation names. */
const servedSecret = "service.beta.openshift.io/serving-cert-secret-name";
const tcp = (port: number | string): Template => ({ protocol: "TCP", port });
/** Names are looked up at 53; OpenShift's servers listen at 5353 in their pods. */
const dns: readonly Template[] = [53, 5353].flatMap((port) => [{ protocol: "UDP", port }, tcp(port)]);

/** Services of metrics, catalogs and the package API, and what the pods may connect to. */
export const networkManifests: readonly Template[] = [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...(own(metricsServiceName) as object),
      annotations: only("serviceCa", {
        [servedSecret]: value("metrics.tlsSecret"),
      }),
    },
    spec: {
      selector: podLabels,
      ports: [{ name: "metrics", port: metricsPort, targetPort: "metrics", protocol: "TCP" }],
    },
  },
  only("v1", {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...(own(catalogServiceName) as object),
      annotations: only("serviceCaCatalogs", { [servedSecret]: text`${"certificates.secret"}-catalogs` }),
    },
    spec: {
      selector: podLabels,
      ports: [
        only("catalogsPlain", { name: "http", port: catalogServicePort, targetPort: "catalogs", protocol: "TCP" }),
        only("catalogsTls", { name: "https", port: securePort, targetPort: "catalogs", protocol: "TCP" }),
      ],
    },
  }),
  only("packageApi", {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...(own(packageServiceName) as object),
      annotations: only("serviceCaPackages", { [servedSecret]: value("certificates.secret") }),
    },
    spec: {
      selector: podLabels,
      ports: [{ name: "https", port: securePort, targetPort: "packages", protocol: "TCP" }],
    },
  }),
  only("networkPolicies", {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: own("purser-default-deny"),
    spec: { podSelector: { matchLabels: ownLabels }, policyTypes: ["Ingress", "Egress"] },
  }),
  only("networkPolicies", {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: own(ownName),
    spec: {
      podSelector: { matchLabels: ownLabels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        {
          ports: [tcp(metricsPort), only("v1", tcp(catalogPort)), only("packageApi", tcp(packagePort))],
        },
      ],
      egress: [{ ports: dns }, { ports: [items("networkPolicies.egressPorts")] }],
    },
  }),
  only("serviceMonitor", {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: own(ownName),
    spec: {
      selector: { matchLabels: ownLabels },
      endpoints: [
        only("plain", { port: "metrics", interval: "30s" }),
        only("tls", {
          port: "metrics",
          interval: "30s",
          scheme: "https",
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          tlsConfig: { insecureSkipVerify: true },
        }),
      ],
    },
  }),
];
