import { globalNamespace, systemNamespace } from "../apis/own-namespaces.ts";
import type { InstallValues } from "./values.ts";

/** When a part of the manifests exists: in the language of Helm, and as a function of the values. */
interface ConditionRule {
  readonly helm: string;
  readonly holds: (values: InstallValues) => boolean;
}

const packageApi: ConditionRule = {
  helm: "and .Values.apis.v0 .Values.packageApi",
  holds: (values) => values.apis.v0 && values.packageApi,
};
const catalogsTls: ConditionRule = {
  helm: "and .Values.apis.v1 .Values.catalogs.tls",
  holds: ({ apis, catalogs }) => apis.v1 && catalogs.tls,
};
const issuedBy = (issuer: InstallValues["certificates"]["issuer"]): ConditionRule => ({
  helm: `eq .Values.certificates.issuer "${issuer}"`,
  holds: ({ certificates }) => certificates.issuer === issuer,
});
const not = (rule: ConditionRule): ConditionRule => ({
  helm: `not (${rule.helm})`,
  holds: (values) => !rule.holds(values),
});
const both = (one: ConditionRule, other: ConditionRule): ConditionRule => ({
  helm: `and (${one.helm}) (${other.helm})`,
  holds: (values) => one.holds(values) && other.holds(values),
});
const either = (one: ConditionRule, other: ConditionRule): ConditionRule => ({
  helm: `or (${one.helm}) (${other.helm})`,
  holds: (values) => one.holds(values) || other.holds(values),
});
/** OpenShift's service CA issues one certificate for each Service, so catalogs do not share that of the package API. */
const sharedCatalogs = both(catalogsTls, not(issuedBy("service-ca")));
const shared = either(packageApi, sharedCatalogs);
const tls: ConditionRule = { helm: ".Values.metrics.tlsSecret", holds: ({ metrics }) => metrics.tlsSecret !== "" };
const hasIssuer: ConditionRule = {
  helm: ".Values.certificates.issuerRef",
  holds: ({ certificates }) => Object.keys(certificates.issuerRef).length > 0,
};

const conditions = {
  v0: { helm: ".Values.apis.v0", holds: ({ apis }) => apis.v0 },
  v1: { helm: ".Values.apis.v1", holds: ({ apis }) => apis.v1 },
  onlyV0: { helm: "not .Values.apis.v1", holds: ({ apis }) => !apis.v1 },
  onlyV1: { helm: "not .Values.apis.v0", holds: ({ apis }) => !apis.v0 },
  openshift: { helm: ".Values.openshift", holds: ({ openshift }) => openshift },
  packageApi,
  catalogsTls,
  catalogsPlain: {
    helm: "and .Values.apis.v1 (not .Values.catalogs.tls)",
    holds: ({ apis, catalogs }) => apis.v1 && !catalogs.tls,
  },
  /** The package API or catalogs have the certificate that all replicas share. */
  shared,
  sharedCatalogs,
  ownCertificates: both(issuedBy("own"), shared),
  othersCertificates: both(not(issuedBy("own")), shared),
  selfSigned: both(both(issuedBy("cert-manager"), shared), not(hasIssuer)),
  givenIssuer: both(both(issuedBy("cert-manager"), shared), hasIssuer),
  serviceCaPackages: both(issuedBy("service-ca"), packageApi),
  serviceCaCatalogs: both(issuedBy("service-ca"), catalogsTls),
  /** OpenShift has its own. */
  ownCatalogNamespace: {
    helm: "and .Values.apis.v0 (not .Values.openshift)",
    holds: ({ apis, openshift }) => apis.v0 && !openshift,
  },
  otherSystemNamespace: {
    helm: `and .Values.apis.v1 (ne .Values.systemNamespace "${systemNamespace}")`,
    holds: (values) => values.apis.v1 && values.systemNamespace !== systemNamespace,
  },
  otherGlobalNamespace: {
    helm: `ne .Values.globalNamespace "${globalNamespace}"`,
    holds: (values) => values.globalNamespace !== globalNamespace,
  },
  watchedNamespaces: { helm: ".Values.namespaces.watched", holds: ({ namespaces }) => namespaces.watched !== "" },
  protectedNamespaces: { helm: ".Values.namespaces.protected", holds: ({ namespaces }) => namespaces.protected !== "" },
  retryTimeout: {
    helm: ".Values.installPlanRetryTimeout",
    holds: ({ installPlanRetryTimeout }) => installPlanRetryTimeout !== "",
  },
  featureGates: { helm: ".Values.featureGates", holds: ({ featureGates }) => featureGates !== "" },
  compat: { helm: ".Values.compat", holds: ({ compat }) => compat !== "" },
  logLevel: { helm: ".Values.logLevel", holds: ({ logLevel }) => logLevel !== "" },
  tls,
  plain: not(tls),
  serviceCa: {
    helm: "and .Values.openshift .Values.metrics.tlsSecret",
    holds: (values) => values.openshift && tls.holds(values),
  },
  reviews: either(tls, packageApi),
  serviceMonitor: { helm: ".Values.metrics.serviceMonitor", holds: ({ metrics }) => metrics.serviceMonitor },
  authorities: { helm: ".Values.registry.authorities", holds: ({ registry }) => registry.authorities !== "" },
  configuration: { helm: ".Values.registry.configuration", holds: ({ registry }) => registry.configuration !== "" },
  pullSecret: { helm: ".Values.registry.pullSecret", holds: ({ registry }) => registry.pullSecret !== "" },
  networkPolicies: { helm: ".Values.networkPolicies.enabled", holds: ({ networkPolicies }) => networkPolicies.enabled },
} satisfies Readonly<Record<string, ConditionRule>>;

export type Condition = keyof typeof conditions;

export const helmCondition = (condition: Condition): string => conditions[condition].helm;
export const holds = (condition: Condition, values: InstallValues): boolean => conditions[condition].holds(values);
