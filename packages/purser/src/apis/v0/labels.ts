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
/** Followed by the name of an Operator; on its components, with an empty value. */
export const componentLabelPrefix = "operators.coreos.com/";
/** Followed by `<api hash>-<admin|edit|view>`. */
export const aggregateLabelPrefix = "olm.opgroup.permissions/aggregate-to-";

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
/** On an InstallPlan: how the signature policy accepted the images of its bundles. */
export const signaturesAnnotation = "purser.dev/signatures";
/** On an InstallPlan: the update policies that ask for its approval, and what they ask. */
export const approvalAskedAnnotation = "purser.dev/approval-asked";
/** On an InstallPlan: the digest of the change plan that was approved. */
export const planAnnotation = "purser.dev/plan";
/** On a CSV: what it waits for, as JSON (`CsvWait`); concerns the CSV itself, not its pods and copies. */
export const stateAnnotation = "purser.dev/state";
export const generatedByAnnotation = "olm.generated-by";
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** On every CSV that is no copy. */
export const csvCleanupFinalizer = "operators.coreos.com/csv-cleanup";
