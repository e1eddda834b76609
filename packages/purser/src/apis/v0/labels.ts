// Labels, annotations, finalizers and field managers of the v0 family: the contract with everything that reads them.

/** On everything that is created for an operator; informers filter by it. */
export const managedLabel = "olm.managed";
export const ownerLabel = "olm.owner";
export const ownerNamespaceLabel = "olm.owner.namespace";
export const ownerKindLabel = "olm.owner.kind";
/** On copied CSVs and tenant roles: the operator's namespace. */
export const copiedFromLabel = "olm.copiedFrom";
export const deploymentSpecHashLabel = "olm.deployment-spec-hash";
export const permissionsHashLabel = "olm.permissions.hash";
export const webhookGenerateNameLabel = "olm.webhook-description-generate-name";
export const webhookHashLabel = "olm.webhook-description-hash";
/** Followed by the group's uid; on target namespaces, with an empty value. */
export const operatorGroupUidLabelPrefix = "olm.operatorgroup.uid/";
/** Followed by `<api hash>-<admin|edit|view>`. */
export const aggregateLabelPrefix = "olm.opgroup.permissions/aggregate-to-";
/** Followed by `admin`, `edit` or `view`. */
export const rbacAggregateLabelPrefix = "rbac.authorization.k8s.io/aggregate-to-";
/** Followed by the api hash; value `provided` or `required`. */
export const apiLabelPrefix = "olm.api.";
/** Followed by `<package>.<namespace>`; on the components of an Operator, with an empty value. */
export const componentLabelPrefix = "operators.coreos.com/";
export const clusterOperatorNameLabel = "olm.clusteroperator.name";
export const versionLabel = "olm.version";

export const catalogSourceLabel = "olm.catalogSource";
export const catalogUpdateLabel = "catalogsource.operators.coreos.com/update";
export const configMapResourceVersionLabel = "olm.configMapResourceVersion";
export const podSpecHashLabel = "olm.pod-spec-hash";
export const serviceSpecHashLabel = "olm.service-spec-hash";
export const bundleUnpackRefLabel = "operatorframework.io/bundle-unpack-ref";
export const podSecurityEnforceLabel = "pod-security.kubernetes.io/enforce";
/** Followed by the operating system; value `supported`. */
export const osLabelPrefix = "operatorframework.io/os.";
/** Followed by the architecture; value `supported`. */
export const archLabelPrefix = "operatorframework.io/arch.";

export const operatorGroupAnnotation = "olm.operatorGroup";
export const operatorNamespaceAnnotation = "olm.operatorNamespace";
/** Sorted, joined by commas; empty means every namespace. */
export const targetNamespacesAnnotation = "olm.targetNamespaces";
/** Sorted `<Kind>.<version>.<group>`, joined by commas. */
export const providedApisAnnotation = "olm.providedAPIs";
/** Lower hex SHA-256 of the CA's PEM bytes. */
export const caHashAnnotation = "olmcahash";
/** Followed by the lower hex FNV-1a of `<namespace>/<csv>`; on CRDs. */
export const installedAlongsideAnnotationPrefix = "operatorframework.io/installed-alongside-";
export const propertiesAnnotation = "operatorframework.io/properties";
export const generatedByAnnotation = "olm.generated-by";
export const priorityClassAnnotation = "operatorframework.io/priorityclass";
export const safeToEvictAnnotation = "cluster-autoscaler.kubernetes.io/safe-to-evict";
export const catalogImageTemplateAnnotation = "olm.catalogImageTemplate";
export const excludeGlobalResolutionAnnotation = "olm.operatorframework.io/exclude-global-namespace-resolution";
/** Go durations on an OperatorGroup. */
export const bundleUnpackTimeoutAnnotation = "operatorframework.io/bundle-unpack-timeout";
export const bundleUnpackRetryAnnotation = "operatorframework.io/bundle-unpack-min-retry-interval";
export const contentEncodingAnnotation = "olm.contentEncoding";
export const sourceImageAnnotation = "olm.sourceImage";
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** On every CSV that is no copy. */
export const csvCleanupFinalizer = "operators.coreos.com/csv-cleanup";

export const registryFieldManager = "olm.registry";
export const ownershipLabellerFieldManager = "olm-ownership-labeller";
export const hashLabellerFieldManager = "olm-hash-labeller";
export const lifecycleManagerFieldManager = "operator-lifecycle-manager";
