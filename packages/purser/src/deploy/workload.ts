import { ownLabels, ownName, podLabels } from "./labels.ts";
import { catalogPort, catalogServiceName, metricsPort, packagePort, packageServiceName } from "./ports.ts";
import { items, only, text, type Template, value } from "./template.ts";

const own = { name: ownName, namespace: value("namespace"), labels: ownLabels };
const field = (name: string, fieldPath: string): Template => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const mount = (name: string, mountPath: string, readOnly: boolean): Template => ({
  name,
  mountPath,
  ...(readOnly ? { readOnly } : {}),
});

const tlsDirectory = "/etc/purser/tls";
const catalogTlsDirectory = "/etc/purser/catalog-tls";
const authoritiesDirectory = "/etc/purser/authorities";
/** Where containers/image looks for registries.conf and policy.json. */
const configurationDirectory = "/etc/containers";

const flags: readonly Template[] = [
  "run",
  only("onlyV0", "--apis=v0"),
  only("onlyV1", "--apis=v1"),
  "--lease-namespace=$(POD_NAMESPACE)",
  // A killed leader is replaced within five seconds.
  "--lease-duration=3",
  `--metrics-address=:${metricsPort}`,
  only("tls", `--tls-cert=${tlsDirectory}/tls.crt`),
  only("tls", `--tls-key=${tlsDirectory}/tls.key`),
  only("v1", `--catalog-address=:${catalogPort}`),
  only("catalogsPlain", `--catalog-origin=http://${catalogServiceName}.$(POD_NAMESPACE).svc`),
  only("catalogsTls", `--catalog-origin=https://${catalogServiceName}.$(POD_NAMESPACE).svc`),
  only("sharedCatalogs", "--catalog-tls"),
  only("serviceCaCatalogs", `--catalog-tls-cert=${catalogTlsDirectory}/tls.crt`),
  only("serviceCaCatalogs", `--catalog-tls-key=${catalogTlsDirectory}/tls.key`),
  only("packageApi", `--package-api-address=$(POD_IP):${packagePort}`),
  only("packageApi", `--package-api-service=$(POD_NAMESPACE)/${packageServiceName}`),
  only("shared", text`--serving-secret=$(POD_NAMESPACE)/${"certificates.secret"}`),
  only("shared", `--installation-role=${ownName}`),
  only("othersCertificates", "--serving-secret-issuer=others"),
  only("otherGlobalNamespace", text`--global-namespace=${"globalNamespace"}`),
  only("otherSystemNamespace", text`--system-namespace=${"systemNamespace"}`),
  only("watchedNamespaces", text`--watched-namespaces=${"namespaces.watched"}`),
  only("protectedNamespaces", text`--protected-copied-csv-namespaces=${"namespaces.protected"}`),
  only("retryTimeout", text`--install-plan-retry-timeout=${"installPlanRetryTimeout"}`),
  only("featureGates", text`--feature-gates=${"featureGates"}`),
  only("compat", text`--compat=${"compat"}`),
  only("logLevel", text`--log-level=${"logLevel"}`),
  only("authorities", `--pull-cas-dir=${authoritiesDirectory}`),
  only("pullSecret", text`--global-pull-secret=$(POD_NAMESPACE)/${"registry.pullSecret"}`),
  only("openshift", "--write-status-name=operator-lifecycle-manager"),
  only("openshift", "--write-catalog-status-name=operator-lifecycle-manager-catalog"),
  items("extraArgs"),
];

function probe(path: string, more: Readonly<Record<string, number>>): Template {
  return { httpGet: { path, port: "metrics", scheme: only("tls", "HTTPS") }, ...more };
}

const container: Template = {
  name: ownName,
  image: value("image"),
  imagePullPolicy: value("imagePullPolicy"),
  args: flags,
  env: [
    field("POD_NAMESPACE", "metadata.namespace"),
    field("POD_IP", "status.podIP"),
    { name: "HOME", value: "/tmp" },
    { name: "PURSER_CACHE_DIR", value: "/var/cache/purser" },
    items("extraEnv"),
  ],
  ports: [
    { name: "metrics", containerPort: metricsPort, protocol: "TCP" },
    only("v1", { name: "catalogs", containerPort: catalogPort, protocol: "TCP" }),
    only("packageApi", { name: "packages", containerPort: packagePort, protocol: "TCP" }),
  ],
  // The first lists of a large cluster take a while; a pod that only follows is ready as well.
  startupProbe: probe("/readyz", { periodSeconds: 2, failureThreshold: 150 }),
  readinessProbe: probe("/readyz", { periodSeconds: 5, timeoutSeconds: 3 }),
  livenessProbe: probe("/livez", { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }),
  resources: value("resources"),
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  },
  terminationMessagePolicy: "FallbackToLogsOnError",
  volumeMounts: [
    mount("cache", "/var/cache/purser", false),
    mount("scratch", "/tmp", false),
    only("tls", mount("tls", tlsDirectory, true)),
    only("serviceCaCatalogs", mount("catalog-tls", catalogTlsDirectory, true)),
    only("authorities", mount("authorities", authoritiesDirectory, true)),
    only("configuration", mount("configuration", configurationDirectory, true)),
  ],
};

/** The replicas, and how many of them may be missing. */
export const workloadManifests: readonly Template[] = [
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: own,
    spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector: { matchLabels: podLabels } },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: own,
    spec: {
      replicas: value("replicas"),
      revisionHistoryLimit: 3,
      selector: { matchLabels: podLabels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: podLabels, annotations: { "kubectl.kubernetes.io/default-container": ownName } },
        spec: {
          serviceAccountName: ownName,
          automountServiceAccountToken: true,
          imagePullSecrets: value("imagePullSecrets"),
          priorityClassName: value("priorityClassName"),
          nodeSelector: value("nodeSelector"),
          tolerations: value("tolerations"),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
            maxSkew: 1,
            topologyKey,
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: podLabels },
          })),
          // The leader ends what it writes and releases the Lease.
          terminationGracePeriodSeconds: 30,
          containers: [container],
          volumes: [
            { name: "cache", emptyDir: { sizeLimit: "2Gi" } },
            { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
            only("tls", { name: "tls", secret: { secretName: value("metrics.tlsSecret") } }),
            only("serviceCaCatalogs", {
              name: "catalog-tls",
              secret: { secretName: text`${"certificates.secret"}-catalogs` },
            }),
            only("authorities", { name: "authorities", configMap: { name: value("registry.authorities") } }),
            only("configuration", { name: "configuration", configMap: { name: value("registry.configuration") } }),
          ],
        },
      },
    },
  },
];
