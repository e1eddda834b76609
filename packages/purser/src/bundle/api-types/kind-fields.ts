/**
 * Fields of metadata and of the built-in kinds that installing an operator writes, in declared order;
 * notation in `struct-table.ts`. Facts: k8s.io/api, apimachinery and kube-aggregator v0.36.3.
 */
export const kindFields = `
ObjectMeta name:string? generateName:string? namespace:string? selfLink:string? uid:string? resourceVersion:string? generation:int64? creationTimestamp:time?0 deletionTimestamp:*time? deletionGracePeriodSeconds:*int64? labels:{}string? annotations:{}string? ownerReferences:[]OwnerReference? finalizers:[]string? managedFields:[]ManagedFieldsEntry?
OwnerReference apiVersion:string kind:string name:string uid:string controller:*bool? blockOwnerDeletion:*bool?
ManagedFieldsEntry manager:string? operation:string? apiVersion:string? time:*time? fieldsType:string? fieldsV1:*json? subresource:string?
DeploymentSpec replicas:*int32? selector:*LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy? minReadySeconds:int32? revisionHistoryLimit:*int32? paused:bool? progressDeadlineSeconds:*int32?
LabelSelector matchLabels:{}string? matchExpressions:[]LabelSelectorRequirement?
LabelSelectorRequirement key:string operator:string values:[]string?
DeploymentStrategy type:string? rollingUpdate:*RollingUpdateDeployment?
RollingUpdateDeployment maxUnavailable:*intOrString? maxSurge:*intOrString?
PolicyRule verbs:[]string apiGroups:[]string? resources:[]string? resourceNames:[]string? nonResourceURLs:[]string?
adm.RuleWithOperations operations:[]string? apiGroups:[]string? apiVersions:[]string? resources:[]string? scope:*string?
GroupVersionKind group:string version:string kind:string
Deployment kind:string? apiVersion:string? metadata:ObjectMeta? spec:DeploymentSpec? status:DeploymentStatus?
DeploymentStatus observedGeneration:int64? replicas:int32? updatedReplicas:int32? readyReplicas:int32? availableReplicas:int32? unavailableReplicas:int32? terminatingReplicas:*int32? conditions:[]DeploymentCondition? collisionCount:*int32?
DeploymentCondition type:string status:string lastUpdateTime:time? lastTransitionTime:time? reason:string? message:string?
Service kind:string? apiVersion:string? metadata:ObjectMeta? spec:ServiceSpec? status:ServiceStatus?
ServiceSpec ports:[]ServicePort? selector:{}string? clusterIP:string? clusterIPs:[]string? type:string? externalIPs:[]string? sessionAffinity:string? loadBalancerIP:string? loadBalancerSourceRanges:[]string? externalName:string? externalTrafficPolicy:string? healthCheckNodePort:int32? publishNotReadyAddresses:bool? sessionAffinityConfig:*SessionAffinityConfig? ipFamilies:[]string? ipFamilyPolicy:*string? allocateLoadBalancerNodePorts:*bool? loadBalancerClass:*string? internalTrafficPolicy:*string? trafficDistribution:*string?
ServicePort name:string? protocol:string? appProtocol:*string? port:int32 targetPort:intOrString? nodePort:int32?
SessionAffinityConfig clientIP:*ClientIPConfig?
ClientIPConfig timeoutSeconds:*int32?
ServiceStatus loadBalancer:LoadBalancerStatus? conditions:[]Condition?
LoadBalancerStatus ingress:[]LoadBalancerIngress?
LoadBalancerIngress ip:string? hostname:string? ipMode:*string? ports:[]PortStatus?
PortStatus port:int32 protocol:string error:*string?
Condition type:string status:string observedGeneration:int64? lastTransitionTime:time reason:string message:string
Secret kind:string? apiVersion:string? metadata:ObjectMeta? immutable:*bool? data:{}bytes? stringData:{}string? type:string?
ConfigMap kind:string? apiVersion:string? metadata:ObjectMeta? immutable:*bool? data:{}string? binaryData:{}bytes?
ServiceAccount kind:string? apiVersion:string? metadata:ObjectMeta? secrets:[]ObjectReference? imagePullSecrets:[]LocalObjectReference? automountServiceAccountToken:*bool?
ObjectReference kind:string? namespace:string? name:string? uid:string? apiVersion:string? resourceVersion:string? fieldPath:string?
Role kind:string? apiVersion:string? metadata:ObjectMeta? rules:[]PolicyRule
RoleBinding kind:string? apiVersion:string? metadata:ObjectMeta? subjects:[]Subject? roleRef:RoleRef
Subject kind:string apiGroup:string? name:string namespace:string?
RoleRef apiGroup:string kind:string name:string
ClusterRole kind:string? apiVersion:string? metadata:ObjectMeta? rules:[]PolicyRule aggregationRule:*AggregationRule?
AggregationRule clusterRoleSelectors:[]LabelSelector?
ClusterRoleBinding kind:string? apiVersion:string? metadata:ObjectMeta? subjects:[]Subject? roleRef:RoleRef
adm.ValidatingWebhookConfiguration kind:string? apiVersion:string? metadata:ObjectMeta? webhooks:[]adm.ValidatingWebhook?
adm.ValidatingWebhook name:string clientConfig:adm.WebhookClientConfig rules:[]adm.RuleWithOperations? failurePolicy:*string? matchPolicy:*string? namespaceSelector:*LabelSelector? objectSelector:*LabelSelector? sideEffects:*string timeoutSeconds:*int32? admissionReviewVersions:[]string matchConditions:[]adm.MatchCondition?
adm.WebhookClientConfig url:*string? service:*adm.ServiceReference? caBundle:bytes?
adm.ServiceReference namespace:string name:string path:*string? port:*int32?
adm.MatchCondition name:string expression:string
adm.MutatingWebhookConfiguration kind:string? apiVersion:string? metadata:ObjectMeta? webhooks:[]adm.MutatingWebhook?
adm.MutatingWebhook name:string clientConfig:adm.WebhookClientConfig rules:[]adm.RuleWithOperations? failurePolicy:*string? matchPolicy:*string? namespaceSelector:*LabelSelector? objectSelector:*LabelSelector? sideEffects:*string timeoutSeconds:*int32? admissionReviewVersions:[]string reinvocationPolicy:*string? matchConditions:[]adm.MatchCondition?
agg.APIService kind:string? apiVersion:string? metadata:ObjectMeta? spec:agg.APIServiceSpec? status:agg.APIServiceStatus?
agg.APIServiceSpec service:*agg.ServiceReference? group:string? version:string? insecureSkipTLSVerify:bool? caBundle:bytes? groupPriorityMinimum:int32 versionPriority:int32
agg.ServiceReference namespace:string? name:string? port:*int32?
agg.APIServiceStatus conditions:[]agg.APIServiceCondition?
agg.APIServiceCondition type:string status:string lastTransitionTime:time? reason:string? message:string?
`;
