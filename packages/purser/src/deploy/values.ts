import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { globalNamespace, systemNamespace } from "../apis/own-namespaces.ts";

/** What an installation may choose; the values of the Helm chart have these names. */
export interface InstallValues {
  /** Where Purser itself runs; Helm's release namespace. */
  readonly namespace: string;
  readonly image: string;
  readonly imagePullPolicy: "IfNotPresent" | "Always" | "Never";
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly replicas: number;
  readonly apis: { readonly v0: boolean; readonly v1: boolean };
  readonly globalNamespace: string;
  readonly systemNamespace: string;
  readonly namespaces: { readonly watched: string; readonly protected: string };
  readonly installPlanRetryTimeout: string;
  readonly featureGates: string;
  readonly compat: string;
  readonly logLevel: string;
  readonly openshift: boolean;
  readonly packageApi: boolean;
  readonly catalogs: { readonly tls: boolean };
  readonly certificates: {
    readonly issuer: "own" | "cert-manager" | "service-ca";
    readonly secret: string;
    readonly issuerRef: JsonObject;
  };
  readonly metrics: { readonly tlsSecret: string; readonly serviceMonitor: boolean };
  readonly registry: {
    readonly authorities: string;
    readonly configuration: string;
    readonly pullSecret: string;
  };
  readonly networkPolicies: { readonly enabled: boolean; readonly egressPorts: readonly JsonObject[] };
  readonly priorityClassName: string;
  readonly resources: JsonObject;
  readonly nodeSelector: JsonObject;
  readonly tolerations: readonly JsonObject[];
  readonly extraArgs: readonly string[];
  readonly extraEnv: readonly JsonObject[];
}

/** Names of {@link InstallValues} with dots, as in `.Values`. */
export type ValueName =
  | Exclude<
      keyof InstallValues,
      "apis" | "namespaces" | "catalogs" | "certificates" | "metrics" | "registry" | "networkPolicies"
    >
  | "apis.v0"
  | "apis.v1"
  | "namespaces.watched"
  | "namespaces.protected"
  | "catalogs.tls"
  | "certificates.issuer"
  | "certificates.secret"
  | "certificates.issuerRef"
  | "metrics.tlsSecret"
  | "metrics.serviceMonitor"
  | "registry.authorities"
  | "registry.configuration"
  | "registry.pullSecret"
  | "networkPolicies.enabled"
  | "networkPolicies.egressPorts";

/** The value of that name. */
export function valueOf(values: InstallValues, name: ValueName): JsonValue {
  let at: unknown = values;
  for (const key of name.split(".")) at = (at as Readonly<Record<string, unknown>>)[key];
  return at as JsonValue;
}

/** A value with what is said about it. */
export interface DescribedValue {
  readonly name: Exclude<ValueName, "namespace">;
  readonly default: JsonValue;
  readonly help: string;
  /** JSON Schema beside the type, which follows from the default. */
  readonly schema?: JsonObject;
}

const dnsName = { pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" };
/** Of namespaces, separated by commas; empty for none. */
const nameList = { pattern: "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(,|$))*$" };
/** Of an object; empty for none. */
const objectName = { pattern: "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$" };
const tcp = (port: number): JsonObject => ({ protocol: "TCP", port });

/** All values but the namespace, in the order of `values.yaml`. */
export const describedValues: readonly DescribedValue[] = [
  { name: "image", default: "purser:0.1.0", help: "image, by tag or by digest", schema: { minLength: 1 } },
  {
    name: "imagePullPolicy",
    default: "IfNotPresent",
    help: "as in a pod",
    schema: { enum: ["IfNotPresent", "Always", "Never"] },
  },
  { name: "imagePullSecrets", default: [], help: "Secrets for pulling the image itself: [{name: NAME}]" },
  {
    name: "replicas",
    default: 2,
    help: "number of replicas, of which one is the leader",
    schema: { minimum: 1, maximum: 9 },
  },
  { name: "apis.v0", default: true, help: "serve OLM v0 (operators.coreos.com)" },
  { name: "apis.v1", default: true, help: "serve OLM v1 (olm.operatorframework.io)" },
  {
    name: "globalNamespace",
    default: globalNamespace,
    help: "namespace whose CatalogSources serve every namespace",
    schema: dnsName,
  },
  {
    name: "systemNamespace",
    default: systemNamespace,
    help: "namespace of the Secrets in which OLM v1 stores the objects of revisions",
    schema: dnsName,
  },
  {
    name: "namespaces.watched",
    default: "",
    help: "namespaces whose objects of OLM v0 are reconciled, separated by commas; empty: all",
    schema: nameList,
  },
  {
    name: "namespaces.protected",
    default: "",
    help: "namespaces that keep copies of ClusterServiceVersions while copies for all namespaces are off",
    schema: nameList,
  },
  {
    name: "installPlanRetryTimeout",
    default: "",
    help: "time for which the steps of an InstallPlan are retried after an error, such as 5m; empty: 1m",
    schema: { pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))*$" },
  },
  {
    name: "featureGates",
    default: "",
    help: "gates of OLM v1, NAME=true or NAME=false with commas",
    schema: { pattern: "^([A-Za-z0-9]+=(true|false)(,|$))*$" },
  },
  { name: "compat", default: "", help: "keep behaviour of OLM: strict, or a list of switches (docs/differences.md)" },
  {
    name: "logLevel",
    default: "",
    help: "level of the log: debug, info, warn or error; for single rooms LEVEL,ROOM=LEVEL",
  },
  { name: "openshift", default: false, help: "report ClusterOperators; use certificates of the service CA" },
  { name: "packageApi", default: true, help: "serve PackageManifests (OLM v0)" },
  { name: "catalogs.tls", default: false, help: "serve catalogs of OLM v1 over https" },
  {
    name: "certificates.issuer",
    default: "own",
    help: "who issues the certificates of the package API and of catalogs: own, cert-manager or service-ca (OpenShift)",
    schema: { enum: ["own", "cert-manager", "service-ca"] },
  },
  {
    name: "certificates.secret",
    default: "purser-serving",
    help: "Secret of the certificate; with service-ca the one of catalogs has the suffix -catalogs",
    schema: dnsName,
  },
  {
    name: "certificates.issuerRef",
    default: {},
    help: "with cert-manager, the issuerRef of the Certificate; empty: a self-signed authority",
  },
  {
    name: "metrics.tlsSecret",
    default: "",
    help: "a Secret of the type kubernetes.io/tls: serve metrics over TLS, to clients that the cluster allows to get /metrics",
    schema: objectName,
  },
  { name: "metrics.serviceMonitor", default: false, help: "create a ServiceMonitor for the Prometheus operator" },
  {
    name: "registry.authorities",
    default: "",
    help: "a ConfigMap of PEM files: further certificate authorities of registries",
    schema: objectName,
  },
  {
    name: "registry.configuration",
    default: "",
    help: "a ConfigMap with registries.conf (mirrors) and, as policy.json, the signature policy",
    schema: objectName,
  },
  {
    name: "registry.pullSecret",
    default: "",
    help: "a Secret of this namespace with registry credentials that every pull may use",
    schema: objectName,
  },
  { name: "networkPolicies.enabled", default: true, help: "create NetworkPolicies, which deny all other traffic" },
  {
    name: "networkPolicies.egressPorts",
    default: [tcp(443), tcp(6443), tcp(5000), tcp(50051)],
    help: "ports to which Purser may connect: API server, registries, catalogs with an address",
  },
  { name: "priorityClassName", default: "system-cluster-critical", help: "empty for none", schema: objectName },
  {
    name: "resources",
    default: { requests: { cpu: "50m", memory: "192Mi" }, limits: { memory: "768Mi" } },
    help: "resources of one replica; the limit includes the short-lived process that indexes a catalog",
  },
  { name: "nodeSelector", default: { "kubernetes.io/os": "linux" }, help: "as in a pod" },
  { name: "tolerations", default: [], help: "as in a pod" },
  { name: "extraArgs", default: [], help: "further flags of purser run", schema: { items: { type: "string" } } },
  {
    name: "extraEnv",
    default: [],
    help: "further variables of the container, such as those of OpenTelemetry: [{name: NAME, value: VALUE}]",
  },
];

/** What an installation has where nothing is chosen. */
export const defaultValues: InstallValues = withValues(
  { namespace: "purser-system" } as unknown as InstallValues,
  Object.fromEntries(describedValues.map((described) => [described.name, described.default])),
);

/** The values with some of them changed, by name. */
export function withValues(
  values: InstallValues,
  changes: Readonly<Partial<Record<ValueName, JsonValue>>>,
): InstallValues {
  const copy: Record<string, unknown> = { ...values };
  for (const [name, given] of Object.entries(changes)) {
    const [first = "", second] = name.split(".");
    copy[first] = second === undefined ? given : { ...(copy[first] as object | undefined), [second]: given };
  }
  return copy as unknown as InstallValues;
}
