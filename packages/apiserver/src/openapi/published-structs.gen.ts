// Written by packages/apiserver/build/kubernetes-tables from what Kubernetes v1.36.3 (Apache-2.0) publishes. Do not edit.
/**
 * How Kubernetes publishes the structs of its API, one per line: name, package, then what its schema says beyond names and
 * types of fields (those are in kinds/fields).
 * `!` required; `=A|B` the values that are allowed; `@` list type and `:` keys of its items; `~` map type, alone: of the
 * struct itself; `^` strategy of strategic merge patches and `:` merge key.
 */
export const publishedStructs = `
APIService apiregistration.v1
APIServiceCondition apiregistration.v1 status! type!
APIServiceSpec apiregistration.v1 caBundle@atomic groupPriorityMinimum! versionPriority!
APIServiceStatus apiregistration.v1 conditions@map:type^merge:type
AWSElasticBlockStoreVolumeSource core.v1 volumeID!
Affinity core.v1
AggregationRule rbac.v1 clusterRoleSelectors@atomic
AppArmorProfile core.v1 type!=Localhost|RuntimeDefault|Unconfined
AttachedVolume core.v1 devicePath! name!
AuditAnnotation admissionregistration.v1 key! valueExpression!
AzureDiskVolumeSource core.v1 cachingMode=None|ReadOnly|ReadWrite diskName! diskURI! kind=Dedicated|Managed|Shared
AzureFilePersistentVolumeSource core.v1 secretName! shareName!
AzureFileVolumeSource core.v1 secretName! shareName!
Binding core.v1 target!
BoundObjectReference authentication.v1
CSIPersistentVolumeSource core.v1 driver! volumeHandle!
CSIVolumeSource core.v1 driver!
Capabilities core.v1 add@atomic drop@atomic
CephFSPersistentVolumeSource core.v1 monitors!@atomic
CephFSVolumeSource core.v1 monitors!@atomic
CinderPersistentVolumeSource core.v1 volumeID!
CinderVolumeSource core.v1 volumeID!
ClientIPConfig core.v1
ClusterRole rbac.v1 rules@atomic
ClusterRoleBinding rbac.v1 roleRef! subjects@atomic
ClusterTrustBundleProjection core.v1 path!
Condition meta.v1 lastTransitionTime! message! reason! status! type!
ConfigMap core.v1
ConfigMapEnvSource core.v1
ConfigMapKeySelector core.v1 ~atomic key!
ConfigMapNodeConfigSource core.v1 kubeletConfigKey! name! namespace!
ConfigMapProjection core.v1 items@atomic
ConfigMapVolumeSource core.v1 items@atomic
Container core.v1 args@atomic command@atomic env@map:name^merge:name envFrom@atomic imagePullPolicy=Always|IfNotPresent|Never name! ports@map:containerPort,protocol^merge:containerPort resizePolicy@atomic restartPolicyRules@atomic terminationMessagePolicy=FallbackToLogsOnError|File volumeDevices@map:devicePath^merge:devicePath volumeMounts@map:mountPath^merge:mountPath
ContainerExtendedResourceRequest core.v1 containerName! requestName! resourceName!
ContainerImage core.v1 names@atomic
ContainerPort core.v1 containerPort! protocol=SCTP|TCP|UDP
ContainerResizePolicy core.v1 resourceName! restartPolicy!
ContainerRestartRule core.v1 action!
ContainerRestartRuleOnExitCodes core.v1 operator! values@set
ContainerState core.v1
ContainerStateRunning core.v1
ContainerStateTerminated core.v1 exitCode!
ContainerStateWaiting core.v1
ContainerStatus core.v1 allocatedResourcesStatus@map:name^merge:name image! imageID! name! ready! restartCount! stopSignal=SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ volumeMounts@map:mountPath^merge:mountPath
ContainerUser core.v1
ControllerRevision apps.v1 revision!
CronJob batch.v1 spec!
CronJobSpec batch.v1 concurrencyPolicy=Allow|Forbid|Replace jobTemplate! schedule!
CronJobStatus batch.v1 active@atomic
CustomResourceColumnDefinition apiextensions.v1 jsonPath! name! type!
CustomResourceConversion apiextensions.v1 strategy!
CustomResourceDefinition apiextensions.v1 spec!
CustomResourceDefinitionCondition apiextensions.v1 status! type!
CustomResourceDefinitionNames apiextensions.v1 categories@atomic kind! plural! shortNames@atomic
CustomResourceDefinitionSpec apiextensions.v1 group! names! scope! versions!@atomic
CustomResourceDefinitionStatus apiextensions.v1 conditions@map:type storedVersions@atomic
CustomResourceDefinitionVersion apiextensions.v1 additionalPrinterColumns@atomic name! selectableFields@atomic served! storage!
CustomResourceSubresourceScale apiextensions.v1 specReplicasPath! statusReplicasPath!
CustomResourceSubresourceStatus apiextensions.v1
CustomResourceSubresources apiextensions.v1
CustomResourceValidation apiextensions.v1
DaemonEndpoint core.v1 Port!
DaemonSet apps.v1
DaemonSetCondition apps.v1 status! type!
DaemonSetSpec apps.v1 selector! template!
DaemonSetStatus apps.v1 conditions@map:type^merge:type currentNumberScheduled! desiredNumberScheduled! numberMisscheduled! numberReady!
DaemonSetUpdateStrategy apps.v1 type=OnDelete|RollingUpdate
DeleteOptions meta.v1 dryRun@atomic
Deployment apps.v1
DeploymentCondition apps.v1 status! type!
DeploymentSpec apps.v1 selector! strategy^retainKeys template!
DeploymentStatus apps.v1 conditions@map:type^merge:type
DeploymentStrategy apps.v1 type=Recreate|RollingUpdate
DownwardAPIProjection core.v1 items@atomic
DownwardAPIVolumeFile core.v1 path!
DownwardAPIVolumeSource core.v1 items@atomic
EmptyDirVolumeSource core.v1
Endpoint discovery.v1 addresses!@set
EndpointAddress core.v1 ~atomic ip!
EndpointConditions discovery.v1
EndpointHints discovery.v1 forNodes@atomic forZones@atomic
EndpointPort core.v1 ~atomic port! protocol=SCTP|TCP|UDP
EndpointSlice discovery.v1 addressType!=FQDN|IPv4|IPv6 endpoints@atomic ports@atomic
EndpointSubset core.v1 addresses@atomic notReadyAddresses@atomic ports@atomic
Endpoints core.v1 subsets@atomic
EnvFromSource core.v1
EnvVar core.v1 name!
EnvVarSource core.v1
EphemeralContainer core.v1 args@atomic command@atomic env@map:name^merge:name envFrom@atomic imagePullPolicy=Always|IfNotPresent|Never name! ports@map:containerPort,protocol^merge:containerPort resizePolicy@atomic restartPolicyRules@atomic terminationMessagePolicy=FallbackToLogsOnError|File volumeDevices@map:devicePath^merge:devicePath volumeMounts@map:mountPath^merge:mountPath
EphemeralVolumeSource core.v1
Event core.v1 involvedObject! metadata!
EventSeries core.v1
EventSource core.v1
Eviction policy.v1
ExecAction core.v1 command@atomic
ExpressionWarning admissionregistration.v1 fieldRef! warning!
ExternalDocumentation apiextensions.v1
FCVolumeSource core.v1 targetWWNs@atomic wwids@atomic
FieldSelectorAttributes authorization.v1 requirements@atomic
FieldSelectorRequirement meta.v1 key! operator! values@atomic
FileKeySelector core.v1 ~atomic key! path! volumeName!
FlexPersistentVolumeSource core.v1 driver!
FlexVolumeSource core.v1 driver!
FlockerVolumeSource core.v1
ForNode discovery.v1 name!
ForZone discovery.v1 name!
GCEPersistentDiskVolumeSource core.v1 pdName!
GRPCAction core.v1 port!
GitRepoVolumeSource core.v1 repository!
GlusterfsPersistentVolumeSource core.v1 endpoints! path!
GlusterfsVolumeSource core.v1 endpoints! path!
HTTPGetAction core.v1 httpHeaders@atomic port! scheme=HTTP|HTTPS
HTTPHeader core.v1 name! value!
HostAlias core.v1 hostnames@atomic ip!
HostIP core.v1 ip!
HostPathVolumeSource core.v1 path! type=|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
IPBlock networking.v1 cidr! except@atomic
ISCSIPersistentVolumeSource core.v1 iqn! lun! portals@atomic targetPortal!
ISCSIVolumeSource core.v1 iqn! lun! portals@atomic targetPortal!
ImageVolumeSource core.v1 pullPolicy=Always|IfNotPresent|Never
ImageVolumeStatus core.v1 imageRef!
JSONSchemaProps apiextensions.v1 allOf@atomic anyOf@atomic enum@atomic oneOf@atomic required@atomic x-kubernetes-list-map-keys@atomic x-kubernetes-validations@map:rule^merge:rule
Job batch.v1
JobCondition batch.v1 status! type!
JobSpec batch.v1 completionMode=Indexed|NonIndexed podReplacementPolicy=Failed|TerminatingOrFailed template!
JobStatus batch.v1 conditions@atomic^merge:type
JobTemplateSpec batch.v1
KeyToPath core.v1 key! path!
LabelSelector meta.v1 ~atomic matchExpressions@atomic
LabelSelectorAttributes authorization.v1 requirements@atomic
LabelSelectorRequirement meta.v1 key! operator! values@atomic
Lease coordination.v1
LeaseSpec coordination.v1
Lifecycle core.v1 stopSignal=SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ
LifecycleHandler core.v1
LimitRange core.v1
LimitRangeItem core.v1 type!
LimitRangeSpec core.v1 limits!@atomic
LinuxContainerUser core.v1 gid! supplementalGroups@atomic uid!
LoadBalancerIngress core.v1 ports@atomic
LoadBalancerStatus core.v1 ingress@atomic
LocalObjectReference core.v1 ~atomic
LocalSubjectAccessReview authorization.v1 spec!
LocalVolumeSource core.v1 path!
ManagedFieldsEntry meta.v1
MatchCondition admissionregistration.v1 expression! name!
MatchResources admissionregistration.v1 ~atomic excludeResourceRules@atomic matchPolicy=Equivalent|Exact resourceRules@atomic
ModifyVolumeStatus core.v1 status!=InProgress|Infeasible|Pending
MutatingWebhook admissionregistration.v1 admissionReviewVersions!@atomic clientConfig! failurePolicy=Fail|Ignore matchConditions@map:name^merge:name matchPolicy=Equivalent|Exact name! reinvocationPolicy=IfNeeded|Never rules@atomic sideEffects!=None|NoneOnDryRun|Some|Unknown
MutatingWebhookConfiguration admissionregistration.v1 webhooks@map:name^merge:name
NFSVolumeSource core.v1 path! server!
NamedRuleWithOperations admissionregistration.v1 ~atomic apiGroups@atomic apiVersions@atomic operations@atomic resourceNames@atomic resources@atomic scope=*|Cluster|Namespaced
Namespace core.v1
NamespaceCondition core.v1 status! type!
NamespaceSpec core.v1 finalizers@atomic
NamespaceStatus core.v1 conditions@map:type^merge:type phase=Active|Terminating
NetworkPolicy networking.v1
NetworkPolicyEgressRule networking.v1 ports@atomic to@atomic
NetworkPolicyIngressRule networking.v1 from@atomic ports@atomic
NetworkPolicyPeer networking.v1
NetworkPolicyPort networking.v1 protocol=SCTP|TCP|UDP
NetworkPolicySpec networking.v1 egress@atomic ingress@atomic policyTypes@atomic
Node core.v1
NodeAddress core.v1 address! type!
NodeAffinity core.v1 preferredDuringSchedulingIgnoredDuringExecution@atomic
NodeAllocatableResourceClaimStatus core.v1 containers@set resourceClaimName! resources!
NodeCondition core.v1 status! type!
NodeConfigSource core.v1
NodeConfigStatus core.v1
NodeDaemonEndpoints core.v1
NodeFeatures core.v1
NodeRuntimeHandler core.v1
NodeRuntimeHandlerFeatures core.v1
NodeSelector core.v1 ~atomic nodeSelectorTerms!@atomic
NodeSelectorRequirement core.v1 key! operator!=DoesNotExist|Exists|Gt|In|Lt|NotIn values@atomic
NodeSelectorTerm core.v1 ~atomic matchExpressions@atomic matchFields@atomic
NodeSpec core.v1 podCIDRs@set^merge taints@atomic
NodeStatus core.v1 addresses@map:type^merge:type conditions@map:type^merge:type declaredFeatures@atomic images@atomic phase=Pending|Running|Terminated runtimeHandlers@atomic volumesAttached@atomic volumesInUse@atomic
NodeSwapStatus core.v1
NodeSystemInfo core.v1 architecture! bootID! containerRuntimeVersion! kernelVersion! kubeProxyVersion! kubeletVersion! machineID! operatingSystem! osImage! systemUUID!
NonResourceAttributes authorization.v1
NonResourceRule authorization.v1 nonResourceURLs@atomic verbs!@atomic
ObjectFieldSelector core.v1 ~atomic fieldPath!
ObjectMeta meta.v1 finalizers@set^merge managedFields@atomic ownerReferences@map:uid^merge:uid
ObjectReference core.v1 ~atomic
OwnerReference meta.v1 ~atomic apiVersion! kind! name! uid!
ParamKind admissionregistration.v1 ~atomic
ParamRef admissionregistration.v1 ~atomic
PersistentVolume core.v1
PersistentVolumeClaim core.v1
PersistentVolumeClaimCondition core.v1 status! type!
PersistentVolumeClaimSpec core.v1 accessModes@atomic volumeMode=Block|Filesystem
PersistentVolumeClaimStatus core.v1 accessModes@atomic allocatedResourceStatuses~granular conditions@map:type^merge:type phase=Bound|Lost|Pending
PersistentVolumeClaimTemplate core.v1 spec!
PersistentVolumeClaimVolumeSource core.v1 claimName!
PersistentVolumeSpec core.v1 accessModes@atomic claimRef~granular mountOptions@atomic persistentVolumeReclaimPolicy=Delete|Recycle|Retain volumeMode=Block|Filesystem
PersistentVolumeStatus core.v1 phase=Available|Bound|Failed|Pending|Released
PhotonPersistentDiskVolumeSource core.v1 pdID!
Pod core.v1
PodAffinity core.v1 preferredDuringSchedulingIgnoredDuringExecution@atomic requiredDuringSchedulingIgnoredDuringExecution@atomic
PodAffinityTerm core.v1 matchLabelKeys@atomic mismatchLabelKeys@atomic namespaces@atomic topologyKey!
PodAntiAffinity core.v1 preferredDuringSchedulingIgnoredDuringExecution@atomic requiredDuringSchedulingIgnoredDuringExecution@atomic
PodCertificateProjection core.v1 keyType! signerName!
PodCondition core.v1 status! type!
PodDNSConfig core.v1 nameservers@atomic options@atomic searches@atomic
PodDNSConfigOption core.v1
PodDisruptionBudget policy.v1
PodDisruptionBudgetSpec policy.v1 selector^replace unhealthyPodEvictionPolicy=AlwaysAllow|IfHealthyBudget
PodDisruptionBudgetStatus policy.v1 conditions@map:type^merge:type
PodExtendedResourceClaimStatus core.v1 requestMappings!@atomic resourceClaimName!
PodFailurePolicy batch.v1 rules!@atomic
PodFailurePolicyOnExitCodesRequirement batch.v1 operator!=In|NotIn values!@set
PodFailurePolicyOnPodConditionsPattern batch.v1 type!
PodFailurePolicyRule batch.v1 action!=Count|FailIndex|FailJob|Ignore onPodConditions@atomic
PodIP core.v1 ip!
PodOS core.v1 name!
PodReadinessGate core.v1 conditionType!
PodResourceClaim core.v1 name!
PodResourceClaimStatus core.v1 name!
PodSchedulingGate core.v1 name!
PodSchedulingGroup core.v1
PodSecurityContext core.v1 fsGroupChangePolicy=Always|OnRootMismatch supplementalGroups@atomic supplementalGroupsPolicy=Merge|Strict sysctls@atomic
PodSpec core.v1 containers!@map:name^merge:name dnsPolicy=ClusterFirst|ClusterFirstWithHostNet|Default|None ephemeralContainers@map:name^merge:name hostAliases@map:ip^merge:ip imagePullSecrets@map:name^merge:name initContainers@map:name^merge:name nodeSelector~atomic preemptionPolicy=Never|PreemptLowerPriority readinessGates@atomic resourceClaims@map:name^merge,retainKeys:name restartPolicy=Always|Never|OnFailure schedulingGates@map:name^merge:name tolerations@atomic topologySpreadConstraints@map:topologyKey,whenUnsatisfiable^merge:topologyKey volumes@map:name^merge,retainKeys:name
PodStatus core.v1 conditions@map:type^merge:type containerStatuses@atomic ephemeralContainerStatuses@atomic hostIPs@atomic^merge:ip initContainerStatuses@atomic nodeAllocatableResourceClaimStatuses@atomic phase=Failed|Pending|Running|Succeeded|Unknown podIPs@map:ip^merge:ip qosClass=BestEffort|Burstable|Guaranteed resourceClaimStatuses@map:name^merge,retainKeys:name
PodTemplateSpec core.v1
PolicyRule rbac.v1 apiGroups@atomic nonResourceURLs@atomic resourceNames@atomic resources@atomic verbs!@atomic
PortStatus core.v1 port! protocol!=SCTP|TCP|UDP
PortworxVolumeSource core.v1 volumeID!
Preconditions meta.v1
PreferredSchedulingTerm core.v1 preference! weight!
PriorityClass scheduling.v1 preemptionPolicy=Never|PreemptLowerPriority
Probe core.v1
ProjectedVolumeSource core.v1 sources@atomic
QuobyteVolumeSource core.v1 registry! volume!
RBDPersistentVolumeSource core.v1 image! monitors!@atomic
RBDVolumeSource core.v1 image! monitors!@atomic
ReplicaSet apps.v1
ReplicaSetCondition apps.v1 status! type!
ReplicaSetSpec apps.v1 selector!
ReplicaSetStatus apps.v1 conditions@map:type^merge:type replicas!
ResourceAttributes authorization.v1
ResourceClaim core.v1 name!
ResourceFieldSelector core.v1 ~atomic resource!
ResourceHealth core.v1 resourceID!
ResourceQuota core.v1
ResourceQuotaSpec core.v1 scopes@atomic
ResourceQuotaStatus core.v1
ResourceRequirements core.v1 claims@map:name
ResourceRule authorization.v1 apiGroups@atomic resourceNames@atomic resources@atomic verbs!@atomic
ResourceStatus core.v1 name! resources@map:resourceID
Role rbac.v1 rules@atomic
RoleBinding rbac.v1 roleRef! subjects@atomic
RoleRef rbac.v1 ~atomic kind! name!
RollingUpdateDaemonSet apps.v1
RollingUpdateDeployment apps.v1
RollingUpdateStatefulSetStrategy apps.v1
RuleWithOperations admissionregistration.v1 apiGroups@atomic apiVersions@atomic operations@atomic resources@atomic scope=*|Cluster|Namespaced
SELinuxOptions core.v1
Scale autoscaling.v1
ScaleIOPersistentVolumeSource core.v1 gateway! secretRef! system!
ScaleIOVolumeSource core.v1 gateway! secretRef! system!
ScaleSpec autoscaling.v1
ScaleStatus autoscaling.v1 replicas!
ScopeSelector core.v1 ~atomic matchExpressions@atomic
ScopedResourceSelectorRequirement core.v1 operator!=DoesNotExist|Exists|In|NotIn scopeName!=BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass values@atomic
SeccompProfile core.v1 type!=Localhost|RuntimeDefault|Unconfined
Secret core.v1
SecretEnvSource core.v1
SecretKeySelector core.v1 ~atomic key!
SecretProjection core.v1 items@atomic
SecretReference core.v1 ~atomic
SecretVolumeSource core.v1 items@atomic
SecurityContext core.v1 procMount=Default|Unmasked
SelectableField apiextensions.v1 jsonPath!
SelfSubjectAccessReview authorization.v1 spec!
SelfSubjectAccessReviewSpec authorization.v1
SelfSubjectReview authentication.v1
SelfSubjectReviewStatus authentication.v1
SelfSubjectRulesReview authorization.v1 spec!
SelfSubjectRulesReviewSpec authorization.v1
Service core.v1
ServiceAccount core.v1 imagePullSecrets@atomic secrets@map:name^merge:name
ServiceAccountTokenProjection core.v1 path!
ServicePort core.v1 port! protocol=SCTP|TCP|UDP
ServiceReference apiextensions.v1 name! namespace!
ServiceSpec core.v1 clusterIPs@atomic externalIPs@atomic externalTrafficPolicy=Cluster|Local internalTrafficPolicy=Cluster|Local ipFamilies@atomic ipFamilyPolicy=PreferDualStack|RequireDualStack|SingleStack loadBalancerSourceRanges@atomic ports@map:port,protocol^merge:port selector~atomic sessionAffinity=ClientIP|None type=ClusterIP|ExternalName|LoadBalancer|NodePort
ServiceStatus core.v1 conditions@map:type^merge:type
SessionAffinityConfig core.v1
SleepAction core.v1 seconds!
StatefulSet apps.v1
StatefulSetCondition apps.v1 status! type!
StatefulSetOrdinals apps.v1
StatefulSetPersistentVolumeClaimRetentionPolicy apps.v1
StatefulSetSpec apps.v1 podManagementPolicy=OrderedReady|Parallel selector! template! volumeClaimTemplates@atomic
StatefulSetStatus apps.v1 conditions@map:type^merge:type replicas!
StatefulSetUpdateStrategy apps.v1 type=OnDelete|RollingUpdate
StorageOSPersistentVolumeSource core.v1
StorageOSVolumeSource core.v1
Subject rbac.v1 ~atomic kind! name!
SubjectAccessReview authorization.v1 spec!
SubjectAccessReviewSpec authorization.v1 groups@atomic
SubjectAccessReviewStatus authorization.v1 allowed!
SubjectRulesReviewStatus authorization.v1 incomplete! nonResourceRules!@atomic resourceRules!@atomic
SuccessPolicy batch.v1 rules!@atomic
SuccessPolicyRule batch.v1
Sysctl core.v1 name! value!
TCPSocketAction core.v1 port!
Taint core.v1 effect!=NoExecute|NoSchedule|PreferNoSchedule key!
TokenRequest authentication.v1
TokenRequestSpec authentication.v1 audiences@atomic
TokenRequestStatus authentication.v1
TokenReview authentication.v1 spec!
TokenReviewSpec authentication.v1 audiences@atomic token!
TokenReviewStatus authentication.v1 audiences@atomic
Toleration core.v1 effect=NoExecute|NoSchedule|PreferNoSchedule operator=Equal|Exists|Gt|Lt
TopologySpreadConstraint core.v1 matchLabelKeys@atomic maxSkew! nodeAffinityPolicy=Honor|Ignore nodeTaintsPolicy=Honor|Ignore topologyKey! whenUnsatisfiable!=DoNotSchedule|ScheduleAnyway
TypeChecking admissionregistration.v1 expressionWarnings@atomic
TypedLocalObjectReference core.v1 ~atomic kind! name!
TypedObjectReference core.v1 kind! name!
UncountedTerminatedPods batch.v1 failed@set succeeded@set
UserInfo authentication.v1 groups@atomic
ValidatingAdmissionPolicy admissionregistration.v1
ValidatingAdmissionPolicyBinding admissionregistration.v1 spec!
ValidatingAdmissionPolicyBindingSpec admissionregistration.v1 policyName! validationActions!@set
ValidatingAdmissionPolicySpec admissionregistration.v1 auditAnnotations@atomic failurePolicy=Fail|Ignore matchConditions@map:name^merge:name validations@atomic variables@map:name^merge:name
ValidatingAdmissionPolicyStatus admissionregistration.v1 conditions@map:type
ValidatingWebhook admissionregistration.v1 admissionReviewVersions!@atomic clientConfig! failurePolicy=Fail|Ignore matchConditions@map:name^merge:name matchPolicy=Equivalent|Exact name! rules@atomic sideEffects!=None|NoneOnDryRun|Some|Unknown
ValidatingWebhookConfiguration admissionregistration.v1 webhooks@map:name^merge:name
Validation admissionregistration.v1 expression!
ValidationRule apiextensions.v1 reason=FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired rule!
Variable admissionregistration.v1 ~atomic expression! name!
Volume core.v1 name!
VolumeDevice core.v1 devicePath! name!
VolumeMount core.v1 mountPath! mountPropagation=Bidirectional|HostToContainer|None name!
VolumeMountStatus core.v1 mountPath! name!
VolumeNodeAffinity core.v1
VolumeProjection core.v1
VolumeResourceRequirements core.v1
VolumeStatus core.v1
VsphereVirtualDiskVolumeSource core.v1 volumePath!
WebhookClientConfig apiextensions.v1
WebhookConversion apiextensions.v1 conversionReviewVersions!@atomic
WeightedPodAffinityTerm core.v1 podAffinityTerm! weight!
WindowsSecurityContextOptions core.v1
admissionregistration.ServiceReference admissionregistration.v1 name! namespace!
admissionregistration.WebhookClientConfig admissionregistration.v1
apiregistration.ServiceReference apiregistration.v1
discovery.EndpointPort discovery.v1 ~atomic protocol=SCTP|TCP|UDP
events.Event events.v1 eventTime!
events.EventSeries events.v1 count! lastObservedTime!
`;
