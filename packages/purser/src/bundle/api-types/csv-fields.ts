/**
 * Fields of ClusterServiceVersion v1alpha1 and of Subscription's `config`, in declared order; notation in `struct-table.ts`.
 * Facts: operator-framework/api v0.45.0.
 */
export const csvFields = `
csv.ClusterServiceVersion kind:string? apiVersion:string? metadata:ObjectMeta spec:csv.ClusterServiceVersionSpec status:csv.ClusterServiceVersionStatus
csv.ClusterServiceVersionSpec install:csv.NamedInstallStrategy version:version? release:release0 maturity:string? customresourcedefinitions:csv.CustomResourceDefinitions? apiservicedefinitions:csv.APIServiceDefinitions? webhookdefinitions:[]csv.WebhookDescription? nativeAPIs:[]GroupVersionKind? minKubeVersion:string? displayName:string description:string? keywords:[]string? maintainers:[]csv.Maintainer? provider:csv.AppLink? links:[]csv.AppLink? icon:[]csv.Icon? installModes:[]csv.InstallMode? replaces:string? labels:{}string? annotations:{}string? selector:*LabelSelector? cleanup:csv.CleanupSpec? skips:[]string? relatedImages:[]csv.RelatedImage?
csv.NamedInstallStrategy strategy:string spec:csv.StrategyDetailsDeployment?
csv.StrategyDetailsDeployment deployments:[]csv.StrategyDeploymentSpec permissions:[]csv.StrategyDeploymentPermissions? clusterPermissions:[]csv.StrategyDeploymentPermissions?
csv.StrategyDeploymentSpec name:string spec:DeploymentSpec label:{}string?
csv.StrategyDeploymentPermissions serviceAccountName:string rules:[]PolicyRule
csv.CustomResourceDefinitions owned:[]csv.CRDDescription? required:[]csv.CRDDescription?
csv.CRDDescription name:string version:string kind:string displayName:string? description:string? resources:[]csv.APIResourceReference? statusDescriptors:[]csv.StatusDescriptor? specDescriptors:[]csv.SpecDescriptor? actionDescriptors:[]csv.ActionDescriptor?
csv.APIResourceReference name:string kind:string version:string
csv.StatusDescriptor path:string displayName:string? description:string? x-descriptors:[]string? value:json?
csv.SpecDescriptor path:string displayName:string? description:string? x-descriptors:[]string? value:json?
csv.ActionDescriptor path:string displayName:string? description:string? x-descriptors:[]string? value:json?
csv.APIServiceDefinitions owned:[]csv.APIServiceDescription? required:[]csv.APIServiceDescription?
csv.APIServiceDescription name:string group:string version:string kind:string deploymentName:string? containerPort:int32? displayName:string? description:string? resources:[]csv.APIResourceReference? statusDescriptors:[]csv.StatusDescriptor? specDescriptors:[]csv.SpecDescriptor? actionDescriptors:[]csv.ActionDescriptor?
csv.WebhookDescription generateName:string type:string deploymentName:string? containerPort:int32? targetPort:*intOrString? rules:[]adm.RuleWithOperations? failurePolicy:*string? matchPolicy:*string? objectSelector:*LabelSelector? sideEffects:*string timeoutSeconds:*int32? admissionReviewVersions:[]string reinvocationPolicy:*string? webhookPath:*string? conversionCRDs:[]string?
csv.Maintainer name:string? email:string?
csv.AppLink name:string? url:string?
csv.Icon base64data:string mediatype:string
csv.InstallMode type:string supported:bool
csv.CleanupSpec enabled:bool
csv.RelatedImage name:string image:string
csv.ClusterServiceVersionStatus phase:string? message:string? reason:string? lastUpdateTime:*time? lastTransitionTime:*time? conditions:[]csv.ClusterServiceVersionCondition? requirementStatus:[]csv.RequirementStatus? certsLastUpdated:*time? certsRotateAt:*time? cleanup:csv.CleanupStatus?
csv.ClusterServiceVersionCondition phase:string? message:string? reason:string? lastUpdateTime:*time? lastTransitionTime:*time?
csv.RequirementStatus group:string version:string kind:string name:string status:string message:string uuid:string? dependents:[]csv.DependentStatus?
csv.DependentStatus group:string version:string kind:string status:string uuid:string? message:string?
csv.CleanupStatus pendingDeletion:[]csv.ResourceList?
csv.ResourceList group:string kind:string instances:[]csv.ResourceInstance
csv.ResourceInstance name:string namespace:string?
csv.SubscriptionConfig selector:*LabelSelector? nodeSelector:{}string? tolerations:[]Toleration? resources:*ResourceRequirements? envFrom:[]EnvFromSource? env:[]EnvVar? volumes:[]Volume? volumeMounts:[]VolumeMount? affinity:*Affinity? annotations:{}string?
`;
