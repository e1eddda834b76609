// Labels, annotations, finalizers, secret types and field managers of the v1 family.

export const ownerKindLabel = "olm.operatorframework.io/owner-kind";
export const ownerNameLabel = "olm.operatorframework.io/owner-name";
/** Label with the name of the ClusterObjectSet, on the Secrets that hold its objects. */
export const revisionNameLabel = "olm.operatorframework.io/revision-name";
/** On every ClusterCatalog, with its own name, so that a selector can name it. */
export const metadataNameLabel = "olm.operatorframework.io/metadata.name";
export const managedByLabel = "app.kubernetes.io/managed-by";
export const managedByValue = "olm.operatorframework.io";

export const packageNameAnnotation = "olm.operatorframework.io/package-name";
export const bundleNameAnnotation = "olm.operatorframework.io/bundle-name";
export const bundleVersionAnnotation = "olm.operatorframework.io/bundle-version";
export const bundleReleaseAnnotation = "olm.operatorframework.io/bundle-release";
export const bundleReferenceAnnotation = "olm.operatorframework.io/bundle-reference";
/** Revision number, on the objects that a ClusterObjectSet applied. */
export const revisionAnnotation = "olm.operatorframework.io/revision";
/** JSON array of the bundle's properties. */
export const propertiesAnnotation = "olm.properties";
/** Digest of a bundle's files: on a ClusterObjectSet of those that it was made from, on a ClusterExtension of those to roll out under a version that is rolled out. */
export const bundleDigestAnnotation = "purser.dev/bundle-digest";
/** On a ClusterObjectSet whose bundle has webhooks: who issues their certificates. */
export const certificateProviderAnnotation = "purser.dev/certificate-provider";
/** On a ClusterExtension: `true` while its revisions are left as they are. */
export const pausedAnnotation = "purser.dev/paused";
/**
 * On a ClusterExtension: `BUNDLE@DIGEST`, the bundle that may be installed with exactly the changes of the plan with this digest; on a
 * ClusterObjectSet the digest alone.
 */
export const approvedPlanAnnotation = "purser.dev/approved-plan";
/** On a ClusterExtension that waits for approval: `BUNDLE@DIGEST`, the value of `approvedPlanAnnotation` that approves it. */
export const pendingPlanAnnotation = "purser.dev/plan";
/** On a ClusterObjectSet: who approved it; the digest of the approved changes is in `approvedPlanAnnotation`. */
export const revisionApprovalAnnotation = "purser.dev/approved-by";
/** On a CRD that stayed when an operator was uninstalled: the package whose installation takes it over. */
export const keptForAnnotation = "purser.dev/kept-for";
/** On a ClusterExtension: what is done about bundles that its bundle requires, `verify`, `propose` or `install`. */
export const dependenciesAnnotation = "purser.dev/dependencies";
/** On a ClusterExtension that was created because others require it: the name of the first of those. */
export const wantedByAnnotation = "purser.dev/wanted-by";
/** On a ClusterCatalog: `NAMESPACE/NAME` of a Secret with credentials for its image. */
export const pullSecretAnnotation = "purser.dev/pull-secret";

/** On every ClusterCatalog that is available. */
export const serverCacheFinalizer = "olm.operatorframework.io/delete-server-cache";
/** On every ClusterExtension. */
export const extensionFinalizers = [
  "olm.operatorframework.io/cleanup-unpack-cache",
  "olm.operatorframework.io/cleanup-contentmanager-cache",
] as const;
export const teardownFinalizer = "olm.operatorframework.io/teardown";

/** On the first revision of an extension whose objects a Helm release of OLM v1 held before. */
export const migratedFromHelmLabel = "olm.operatorframework.io/migrated-from-helm";
/** Types of the Secrets in which OLM v1 keeps Helm releases. */
export const releaseIndexSecretType = "operatorframework.io/index.v1";

export const objectDataSecretType = "olm.operatorframework.io/object-data";

export const extensionFieldManager = "olm.operatorframework.io/clusterextension-controller";
export const bundleObjectsFieldManager = "olm.operatorframework.io";
