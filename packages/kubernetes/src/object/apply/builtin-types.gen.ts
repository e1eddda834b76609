// Written by packages/apiserver/build/kubernetes-tables from what Kubernetes v1.36.3 (Apache-2.0) publishes. Do not edit.
/**
 * The types of the built-in kinds as Kubernetes declares them, one a line: name (`!`: an atomic struct), then its fields.
 * A field is `name:type` and marks: `~key` strategic merge patch merges the list by that key (`~` alone: as a set), `^` it
 * replaces the object, `+` the server's model always holds it, `*` it is required, `=value` its default in JSON. A type is a
 * scalar, another line's name, `{type}` a map (`!`: atomic), `[type]` an atomic list, `[type]set`, `[type]map(keys)`.
 */
export const builtinTypes = `
MutatingAdmissionPolicy apiVersion:string, kind:string, metadata:ObjectMeta+, spec:MutatingAdmissionPolicySpec+
ObjectMeta annotations:{string}, creationTimestamp:time, deletionGracePeriodSeconds:int64, deletionTimestamp:time, finalizers:[string]set~, generateName:string, generation:int64, labels:{string}, managedFields:[ManagedFieldsEntry], name:string, namespace:string, ownerReferences:[OwnerReference]map(uid)~uid, resourceVersion:string, selfLink:string, uid:string
ManagedFieldsEntry apiVersion:string, fieldsType:string, fieldsV1:any, manager:string, operation:string, subresource:string, time:time
OwnerReference! apiVersion:string*="", blockOwnerDeletion:bool, controller:bool, kind:string*="", name:string*="", uid:string*=""
MutatingAdmissionPolicySpec failurePolicy:string, matchConditions:[MatchCondition]map(name)~name, matchConstraints:MatchResources, mutations:[Mutation], paramKind:ParamKind, reinvocationPolicy:string, variables:[Variable]
MatchCondition expression:string*="", name:string*=""
MatchResources! excludeResourceRules:[NamedRuleWithOperations], matchPolicy:string, namespaceSelector:LabelSelector, objectSelector:LabelSelector, resourceRules:[NamedRuleWithOperations]
NamedRuleWithOperations! apiGroups:[string], apiVersions:[string], operations:[string], resourceNames:[string], resources:[string], scope:string
LabelSelector! matchExpressions:[LabelSelectorRequirement], matchLabels:{string}
LabelSelectorRequirement key:string*="", operator:string*="", values:[string]
Mutation applyConfiguration:ApplyConfiguration, jsonPatch:JSONPatch, patchType:string*=""
ApplyConfiguration expression:string
JSONPatch expression:string
ParamKind! apiVersion:string, kind:string
Variable! expression:string*="", name:string*=""
MutatingAdmissionPolicyBinding apiVersion:string, kind:string, metadata:ObjectMeta+, spec:MutatingAdmissionPolicyBindingSpec+
MutatingAdmissionPolicyBindingSpec matchResources:MatchResources, paramRef:ParamRef, policyName:string
ParamRef! name:string, namespace:string, parameterNotFoundAction:string, selector:LabelSelector
MutatingWebhookConfiguration apiVersion:string, kind:string, metadata:ObjectMeta+, webhooks:[MutatingWebhook]map(name)~name
MutatingWebhook admissionReviewVersions:[string]*, clientConfig:admissionregistration.WebhookClientConfig+, failurePolicy:string, matchConditions:[MatchCondition]map(name)~name, matchPolicy:string, name:string*="", namespaceSelector:LabelSelector, objectSelector:LabelSelector, reinvocationPolicy:string, rules:[RuleWithOperations], sideEffects:string*, timeoutSeconds:int32
admissionregistration.WebhookClientConfig caBundle:bytes, service:admissionregistration.ServiceReference, url:string
admissionregistration.ServiceReference name:string*="", namespace:string*="", path:string, port:int32
RuleWithOperations apiGroups:[string], apiVersions:[string], operations:[string], resources:[string], scope:string
ValidatingAdmissionPolicy apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ValidatingAdmissionPolicySpec+, status:ValidatingAdmissionPolicyStatus+
ValidatingAdmissionPolicySpec auditAnnotations:[AuditAnnotation], failurePolicy:string, matchConditions:[MatchCondition]map(name)~name, matchConstraints:MatchResources, paramKind:ParamKind, validations:[Validation], variables:[Variable]map(name)~name
AuditAnnotation key:string*="", valueExpression:string*=""
Validation expression:string*="", message:string, messageExpression:string, reason:string
ValidatingAdmissionPolicyStatus conditions:[Condition]map(type), observedGeneration:int64, typeChecking:TypeChecking
Condition lastTransitionTime:time*, message:string*="", observedGeneration:int64, reason:string*="", status:string*="", type:string*=""
TypeChecking expressionWarnings:[ExpressionWarning]
ExpressionWarning fieldRef:string*="", warning:string*=""
ValidatingAdmissionPolicyBinding apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ValidatingAdmissionPolicyBindingSpec+
ValidatingAdmissionPolicyBindingSpec matchResources:MatchResources, paramRef:ParamRef, policyName:string*, validationActions:[string]set*
ValidatingWebhookConfiguration apiVersion:string, kind:string, metadata:ObjectMeta+, webhooks:[ValidatingWebhook]map(name)~name
ValidatingWebhook admissionReviewVersions:[string]*, clientConfig:admissionregistration.WebhookClientConfig+, failurePolicy:string, matchConditions:[MatchCondition]map(name)~name, matchPolicy:string, name:string*="", namespaceSelector:LabelSelector, objectSelector:LabelSelector, rules:[RuleWithOperations], sideEffects:string*, timeoutSeconds:int32
CustomResourceDefinition apiVersion:string, kind:string, metadata:ObjectMeta+, spec:CustomResourceDefinitionSpec+, status:CustomResourceDefinitionStatus+
CustomResourceDefinitionSpec conversion:CustomResourceConversion, group:string*="", names:CustomResourceDefinitionNames+, preserveUnknownFields:bool, scope:string*="", versions:[CustomResourceDefinitionVersion]*
CustomResourceConversion strategy:string*="", webhook:WebhookConversion
WebhookConversion clientConfig:apiextensions.WebhookClientConfig, conversionReviewVersions:[string]*
apiextensions.WebhookClientConfig caBundle:bytes, service:apiextensions.ServiceReference, url:string
apiextensions.ServiceReference name:string*="", namespace:string*="", path:string, port:int32
CustomResourceDefinitionNames categories:[string], kind:string*="", listKind:string, plural:string*="", shortNames:[string], singular:string
CustomResourceDefinitionVersion additionalPrinterColumns:[CustomResourceColumnDefinition], deprecated:bool, deprecationWarning:string, name:string*="", schema:CustomResourceValidation, selectableFields:[SelectableField], served:bool*=false, storage:bool*=false, subresources:CustomResourceSubresources
CustomResourceColumnDefinition description:string, format:string, jsonPath:string*="", name:string*="", priority:int32, type:string*=""
CustomResourceValidation openAPIV3Schema:JSONSchemaProps
JSONSchemaProps $ref:string, $schema:string, additionalItems:any, additionalProperties:any, allOf:[JSONSchemaProps], anyOf:[JSONSchemaProps], default:any, definitions:{JSONSchemaProps}, dependencies:{any}, description:string, enum:[any], example:any, exclusiveMaximum:bool, exclusiveMinimum:bool, externalDocs:ExternalDocumentation, format:string, id:string, items:any, maxItems:int64, maxLength:int64, maxProperties:int64, maximum:double, minItems:int64, minLength:int64, minProperties:int64, minimum:double, multipleOf:double, not:JSONSchemaProps, nullable:bool, oneOf:[JSONSchemaProps], pattern:string, patternProperties:{JSONSchemaProps}, properties:{JSONSchemaProps}, required:[string], title:string, type:string, uniqueItems:bool, x-kubernetes-embedded-resource:bool, x-kubernetes-int-or-string:bool, x-kubernetes-list-map-keys:[string], x-kubernetes-list-type:string, x-kubernetes-map-type:string, x-kubernetes-preserve-unknown-fields:bool, x-kubernetes-validations:[ValidationRule]map(rule)~rule
ExternalDocumentation description:string, url:string
ValidationRule fieldPath:string, message:string, messageExpression:string, optionalOldSelf:bool, reason:string, rule:string*=""
SelectableField jsonPath:string*=""
CustomResourceSubresources scale:CustomResourceSubresourceScale, status:any
CustomResourceSubresourceScale labelSelectorPath:string, specReplicasPath:string*="", statusReplicasPath:string*=""
CustomResourceDefinitionStatus acceptedNames:CustomResourceDefinitionNames+, conditions:[CustomResourceDefinitionCondition]map(type), observedGeneration:int64, storedVersions:[string]
CustomResourceDefinitionCondition lastTransitionTime:time, message:string, observedGeneration:int64, reason:string, status:string*="", type:string*=""
APIService apiVersion:string, kind:string, metadata:ObjectMeta+, spec:APIServiceSpec+, status:APIServiceStatus+
APIServiceSpec caBundle:bytes, group:string, groupPriorityMinimum:int32*=0, insecureSkipTLSVerify:bool, service:apiregistration.ServiceReference, version:string, versionPriority:int32*=0
apiregistration.ServiceReference name:string, namespace:string, port:int32
APIServiceStatus conditions:[APIServiceCondition]map(type)~type
APIServiceCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
ControllerRevision apiVersion:string, data:{any}!, kind:string, metadata:ObjectMeta+, revision:int64*=0
DaemonSet apiVersion:string, kind:string, metadata:ObjectMeta+, spec:DaemonSetSpec+, status:DaemonSetStatus+
DaemonSetSpec minReadySeconds:int32, revisionHistoryLimit:int32, selector:LabelSelector*, template:PodTemplateSpec+, updateStrategy:DaemonSetUpdateStrategy+
PodTemplateSpec metadata:ObjectMeta+, spec:PodSpec+
PodSpec activeDeadlineSeconds:int64, affinity:Affinity, automountServiceAccountToken:bool, containers:[Container]map(name)~name*, dnsConfig:PodDNSConfig, dnsPolicy:string, enableServiceLinks:bool, ephemeralContainers:[EphemeralContainer]map(name)~name, hostAliases:[HostAlias]map(ip)~ip, hostIPC:bool, hostNetwork:bool, hostPID:bool, hostUsers:bool, hostname:string, hostnameOverride:string, imagePullSecrets:[LocalObjectReference]map(name)~name, initContainers:[Container]map(name)~name, nodeName:string, nodeSelector:{string}!, os:PodOS, overhead:{quantity}, preemptionPolicy:string, priority:int32, priorityClassName:string, readinessGates:[PodReadinessGate], resourceClaims:[PodResourceClaim]map(name)~name, resources:ResourceRequirements, restartPolicy:string, runtimeClassName:string, schedulerName:string, schedulingGates:[PodSchedulingGate]map(name)~name, schedulingGroup:PodSchedulingGroup, securityContext:PodSecurityContext, serviceAccount:string, serviceAccountName:string, setHostnameAsFQDN:bool, shareProcessNamespace:bool, subdomain:string, terminationGracePeriodSeconds:int64, tolerations:[Toleration], topologySpreadConstraints:[TopologySpreadConstraint]map(topologyKey whenUnsatisfiable)~topologyKey, volumes:[Volume]map(name)~name
Affinity nodeAffinity:NodeAffinity, podAffinity:PodAffinity, podAntiAffinity:PodAntiAffinity
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm], requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
PreferredSchedulingTerm preference:NodeSelectorTerm+, weight:int32*=0
NodeSelectorTerm! matchExpressions:[NodeSelectorRequirement], matchFields:[NodeSelectorRequirement]
NodeSelectorRequirement key:string*="", operator:string*="", values:[string]
NodeSelector! nodeSelectorTerms:[NodeSelectorTerm]*
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm], requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm+, weight:int32*=0
PodAffinityTerm labelSelector:LabelSelector, matchLabelKeys:[string], mismatchLabelKeys:[string], namespaceSelector:LabelSelector, namespaces:[string], topologyKey:string*=""
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm], requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
Container args:[string], command:[string], env:[EnvVar]map(name)~name, envFrom:[EnvFromSource], image:string, imagePullPolicy:string, lifecycle:Lifecycle, livenessProbe:Probe, name:string*="", ports:[ContainerPort]map(containerPort protocol)~containerPort, readinessProbe:Probe, resizePolicy:[ContainerResizePolicy], resources:ResourceRequirements+, restartPolicy:string, restartPolicyRules:[ContainerRestartRule], securityContext:SecurityContext, startupProbe:Probe, stdin:bool, stdinOnce:bool, terminationMessagePath:string, terminationMessagePolicy:string, tty:bool, volumeDevices:[VolumeDevice]map(devicePath)~devicePath, volumeMounts:[VolumeMount]map(mountPath)~mountPath, workingDir:string
EnvVar name:string*="", value:string, valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector, fieldRef:ObjectFieldSelector, fileKeyRef:FileKeySelector, resourceFieldRef:ResourceFieldSelector, secretKeyRef:SecretKeySelector
ConfigMapKeySelector! key:string*="", name:string="", optional:bool
ObjectFieldSelector! apiVersion:string, fieldPath:string*=""
FileKeySelector! key:string*="", optional:bool=false, path:string*="", volumeName:string*=""
ResourceFieldSelector! containerName:string, divisor:quantity, resource:string*=""
SecretKeySelector! key:string*="", name:string="", optional:bool
EnvFromSource configMapRef:ConfigMapEnvSource, prefix:string, secretRef:SecretEnvSource
ConfigMapEnvSource name:string="", optional:bool
SecretEnvSource name:string="", optional:bool
Lifecycle postStart:LifecycleHandler, preStop:LifecycleHandler, stopSignal:string
LifecycleHandler exec:ExecAction, httpGet:HTTPGetAction, sleep:SleepAction, tcpSocket:TCPSocketAction
ExecAction command:[string]
HTTPGetAction host:string, httpHeaders:[HTTPHeader], path:string, port:intOrString*, scheme:string
HTTPHeader name:string*="", value:string*=""
SleepAction seconds:int64*=0
TCPSocketAction host:string, port:intOrString*
Probe exec:ExecAction, failureThreshold:int32, grpc:GRPCAction, httpGet:HTTPGetAction, initialDelaySeconds:int32, periodSeconds:int32, successThreshold:int32, tcpSocket:TCPSocketAction, terminationGracePeriodSeconds:int64, timeoutSeconds:int32
GRPCAction port:int32*=0, service:string=""
ContainerPort containerPort:int32*=0, hostIP:string, hostPort:int32, name:string, protocol:string="TCP"
ContainerResizePolicy resourceName:string*="", restartPolicy:string*=""
ResourceRequirements claims:[ResourceClaim]map(name), limits:{quantity}, requests:{quantity}
ResourceClaim name:string*="", request:string
ContainerRestartRule action:string*, exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:string*, values:[int32]set
SecurityContext allowPrivilegeEscalation:bool, appArmorProfile:AppArmorProfile, capabilities:Capabilities, privileged:bool, procMount:string, readOnlyRootFilesystem:bool, runAsGroup:int64, runAsNonRoot:bool, runAsUser:int64, seLinuxOptions:SELinuxOptions, seccompProfile:SeccompProfile, windowsOptions:WindowsSecurityContextOptions
AppArmorProfile localhostProfile:string, type:string*=""
Capabilities add:[string], drop:[string]
SELinuxOptions level:string, role:string, type:string, user:string
SeccompProfile localhostProfile:string, type:string*=""
WindowsSecurityContextOptions gmsaCredentialSpec:string, gmsaCredentialSpecName:string, hostProcess:bool, runAsUserName:string
VolumeDevice devicePath:string*="", name:string*=""
VolumeMount mountPath:string*="", mountPropagation:string, name:string*="", readOnly:bool, recursiveReadOnly:string, subPath:string, subPathExpr:string
PodDNSConfig nameservers:[string], options:[PodDNSConfigOption], searches:[string]
PodDNSConfigOption name:string, value:string
EphemeralContainer args:[string], command:[string], env:[EnvVar]map(name)~name, envFrom:[EnvFromSource], image:string, imagePullPolicy:string, lifecycle:Lifecycle, livenessProbe:Probe, name:string*="", ports:[ContainerPort]map(containerPort protocol)~containerPort, readinessProbe:Probe, resizePolicy:[ContainerResizePolicy], resources:ResourceRequirements+, restartPolicy:string, restartPolicyRules:[ContainerRestartRule], securityContext:SecurityContext, startupProbe:Probe, stdin:bool, stdinOnce:bool, targetContainerName:string, terminationMessagePath:string, terminationMessagePolicy:string, tty:bool, volumeDevices:[VolumeDevice]map(devicePath)~devicePath, volumeMounts:[VolumeMount]map(mountPath)~mountPath, workingDir:string
HostAlias hostnames:[string], ip:string*=""
LocalObjectReference! name:string=""
PodOS name:string*=""
PodReadinessGate conditionType:string*=""
PodResourceClaim name:string*="", resourceClaimName:string, resourceClaimTemplateName:string
PodSchedulingGate name:string*=""
PodSchedulingGroup podGroupName:string
PodSecurityContext appArmorProfile:AppArmorProfile, fsGroup:int64, fsGroupChangePolicy:string, runAsGroup:int64, runAsNonRoot:bool, runAsUser:int64, seLinuxChangePolicy:string, seLinuxOptions:SELinuxOptions, seccompProfile:SeccompProfile, supplementalGroups:[int64], supplementalGroupsPolicy:string, sysctls:[Sysctl], windowsOptions:WindowsSecurityContextOptions
Sysctl name:string*="", value:string*=""
Toleration effect:string, key:string, operator:string, tolerationSeconds:int64, value:string
TopologySpreadConstraint labelSelector:LabelSelector, matchLabelKeys:[string], maxSkew:int32*=0, minDomains:int32, nodeAffinityPolicy:string, nodeTaintsPolicy:string, topologyKey:string*="", whenUnsatisfiable:string*=""
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource, azureDisk:AzureDiskVolumeSource, azureFile:AzureFileVolumeSource, cephfs:CephFSVolumeSource, cinder:CinderVolumeSource, configMap:ConfigMapVolumeSource, csi:CSIVolumeSource, downwardAPI:DownwardAPIVolumeSource, emptyDir:EmptyDirVolumeSource, ephemeral:EphemeralVolumeSource, fc:FCVolumeSource, flexVolume:FlexVolumeSource, flocker:FlockerVolumeSource, gcePersistentDisk:GCEPersistentDiskVolumeSource, gitRepo:GitRepoVolumeSource, glusterfs:GlusterfsVolumeSource, hostPath:HostPathVolumeSource, image:ImageVolumeSource, iscsi:ISCSIVolumeSource, name:string*="", nfs:NFSVolumeSource, persistentVolumeClaim:PersistentVolumeClaimVolumeSource, photonPersistentDisk:PhotonPersistentDiskVolumeSource, portworxVolume:PortworxVolumeSource, projected:ProjectedVolumeSource, quobyte:QuobyteVolumeSource, rbd:RBDVolumeSource, scaleIO:ScaleIOVolumeSource, secret:SecretVolumeSource, storageos:StorageOSVolumeSource, vsphereVolume:VsphereVirtualDiskVolumeSource
AWSElasticBlockStoreVolumeSource fsType:string, partition:int32, readOnly:bool, volumeID:string*=""
AzureDiskVolumeSource cachingMode:string="ReadWrite", diskName:string*="", diskURI:string*="", fsType:string="ext4", kind:string="Shared", readOnly:bool=false
AzureFileVolumeSource readOnly:bool, secretName:string*="", shareName:string*=""
CephFSVolumeSource monitors:[string]*, path:string, readOnly:bool, secretFile:string, secretRef:LocalObjectReference, user:string
CinderVolumeSource fsType:string, readOnly:bool, secretRef:LocalObjectReference, volumeID:string*=""
ConfigMapVolumeSource defaultMode:int32, items:[KeyToPath], name:string="", optional:bool
KeyToPath key:string*="", mode:int32, path:string*=""
CSIVolumeSource driver:string*="", fsType:string, nodePublishSecretRef:LocalObjectReference, readOnly:bool, volumeAttributes:{string}
DownwardAPIVolumeSource defaultMode:int32, items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector, mode:int32, path:string*="", resourceFieldRef:ResourceFieldSelector
EmptyDirVolumeSource medium:string, sizeLimit:quantity
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata:ObjectMeta+, spec:PersistentVolumeClaimSpec+
PersistentVolumeClaimSpec accessModes:[string], dataSource:TypedLocalObjectReference, dataSourceRef:TypedObjectReference, resources:VolumeResourceRequirements+, selector:LabelSelector, storageClassName:string, volumeAttributesClassName:string, volumeMode:string, volumeName:string
TypedLocalObjectReference! apiGroup:string, kind:string*="", name:string*=""
TypedObjectReference apiGroup:string, kind:string*="", name:string*="", namespace:string
VolumeResourceRequirements limits:{quantity}, requests:{quantity}
FCVolumeSource fsType:string, lun:int32, readOnly:bool, targetWWNs:[string], wwids:[string]
FlexVolumeSource driver:string*="", fsType:string, options:{string}, readOnly:bool, secretRef:LocalObjectReference
FlockerVolumeSource datasetName:string, datasetUUID:string
GCEPersistentDiskVolumeSource fsType:string, partition:int32, pdName:string*="", readOnly:bool
GitRepoVolumeSource directory:string, repository:string*="", revision:string
GlusterfsVolumeSource endpoints:string*="", path:string*="", readOnly:bool
HostPathVolumeSource path:string*="", type:string
ImageVolumeSource pullPolicy:string, reference:string
ISCSIVolumeSource chapAuthDiscovery:bool, chapAuthSession:bool, fsType:string, initiatorName:string, iqn:string*="", iscsiInterface:string="default", lun:int32*=0, portals:[string], readOnly:bool, secretRef:LocalObjectReference, targetPortal:string*=""
NFSVolumeSource path:string*="", readOnly:bool, server:string*=""
PersistentVolumeClaimVolumeSource claimName:string*="", readOnly:bool
PhotonPersistentDiskVolumeSource fsType:string, pdID:string*=""
PortworxVolumeSource fsType:string, readOnly:bool, volumeID:string*=""
ProjectedVolumeSource defaultMode:int32, sources:[VolumeProjection]
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection, configMap:ConfigMapProjection, downwardAPI:DownwardAPIProjection, podCertificate:PodCertificateProjection, secret:SecretProjection, serviceAccountToken:ServiceAccountTokenProjection
ClusterTrustBundleProjection labelSelector:LabelSelector, name:string, optional:bool, path:string*="", signerName:string
ConfigMapProjection items:[KeyToPath], name:string="", optional:bool
DownwardAPIProjection items:[DownwardAPIVolumeFile]
PodCertificateProjection certificateChainPath:string, credentialBundlePath:string, keyPath:string, keyType:string*, maxExpirationSeconds:int32, signerName:string*, userAnnotations:{string}
SecretProjection items:[KeyToPath], name:string="", optional:bool
ServiceAccountTokenProjection audience:string, expirationSeconds:int64, path:string*=""
QuobyteVolumeSource group:string, readOnly:bool, registry:string*="", tenant:string, user:string, volume:string*=""
RBDVolumeSource fsType:string, image:string*="", keyring:string="/etc/ceph/keyring", monitors:[string]*, pool:string="rbd", readOnly:bool, secretRef:LocalObjectReference, user:string="admin"
ScaleIOVolumeSource fsType:string="xfs", gateway:string*="", protectionDomain:string, readOnly:bool, secretRef:LocalObjectReference*, sslEnabled:bool, storageMode:string="ThinProvisioned", storagePool:string, system:string*="", volumeName:string
SecretVolumeSource defaultMode:int32, items:[KeyToPath], optional:bool, secretName:string
StorageOSVolumeSource fsType:string, readOnly:bool, secretRef:LocalObjectReference, volumeName:string, volumeNamespace:string
VsphereVirtualDiskVolumeSource fsType:string, storagePolicyID:string, storagePolicyName:string, volumePath:string*=""
DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet, type:string
RollingUpdateDaemonSet maxSurge:intOrString, maxUnavailable:intOrString
DaemonSetStatus collisionCount:int32, conditions:[DaemonSetCondition]map(type)~type, currentNumberScheduled:int32*=0, desiredNumberScheduled:int32*=0, numberAvailable:int32, numberMisscheduled:int32*=0, numberReady:int32*=0, numberUnavailable:int32, observedGeneration:int64, updatedNumberScheduled:int32
DaemonSetCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
Deployment apiVersion:string, kind:string, metadata:ObjectMeta+, spec:DeploymentSpec+, status:DeploymentStatus+
DeploymentSpec minReadySeconds:int32, paused:bool, progressDeadlineSeconds:int32, replicas:int32, revisionHistoryLimit:int32, selector:LabelSelector*, strategy:DeploymentStrategy+, template:PodTemplateSpec+
DeploymentStrategy rollingUpdate:RollingUpdateDeployment, type:string
RollingUpdateDeployment maxSurge:intOrString, maxUnavailable:intOrString
DeploymentStatus availableReplicas:int32, collisionCount:int32, conditions:[DeploymentCondition]map(type)~type, observedGeneration:int64, readyReplicas:int32, replicas:int32, terminatingReplicas:int32, unavailableReplicas:int32, updatedReplicas:int32
DeploymentCondition lastTransitionTime:time, lastUpdateTime:time, message:string, reason:string, status:string*="", type:string*=""
ReplicaSet apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ReplicaSetSpec+, status:ReplicaSetStatus+
ReplicaSetSpec minReadySeconds:int32, replicas:int32, selector:LabelSelector*, template:PodTemplateSpec+
ReplicaSetStatus availableReplicas:int32, conditions:[ReplicaSetCondition]map(type)~type, fullyLabeledReplicas:int32, observedGeneration:int64, readyReplicas:int32, replicas:int32*=0, terminatingReplicas:int32
ReplicaSetCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
StatefulSet apiVersion:string, kind:string, metadata:ObjectMeta+, spec:StatefulSetSpec+, status:StatefulSetStatus+
StatefulSetSpec minReadySeconds:int32, ordinals:StatefulSetOrdinals, persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy, podManagementPolicy:string, replicas:int32, revisionHistoryLimit:int32, selector:LabelSelector*, serviceName:string="", template:PodTemplateSpec+, updateStrategy:StatefulSetUpdateStrategy+, volumeClaimTemplates:[PersistentVolumeClaim]
StatefulSetOrdinals start:int32=0
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:string, whenScaled:string
StatefulSetUpdateStrategy rollingUpdate:RollingUpdateStatefulSetStrategy, type:string
RollingUpdateStatefulSetStrategy maxUnavailable:intOrString, partition:int32
PersistentVolumeClaim apiVersion:string, kind:string, metadata:ObjectMeta+, spec:PersistentVolumeClaimSpec+, status:PersistentVolumeClaimStatus+
PersistentVolumeClaimStatus accessModes:[string], allocatedResourceStatuses:{string}, allocatedResources:{quantity}, capacity:{quantity}, conditions:[PersistentVolumeClaimCondition]map(type)~type, currentVolumeAttributesClassName:string, modifyVolumeStatus:ModifyVolumeStatus, phase:string
PersistentVolumeClaimCondition lastProbeTime:time, lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
ModifyVolumeStatus status:string*="", targetVolumeAttributesClassName:string
StatefulSetStatus availableReplicas:int32=0, collisionCount:int32, conditions:[StatefulSetCondition]map(type)~type, currentReplicas:int32, currentRevision:string, observedGeneration:int64, readyReplicas:int32, replicas:int32*=0, updateRevision:string, updatedReplicas:int32
StatefulSetCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
SelfSubjectReview apiVersion:string, kind:string, metadata:ObjectMeta+, status:SelfSubjectReviewStatus+
SelfSubjectReviewStatus userInfo:UserInfo+
UserInfo extra:{[string]}, groups:[string], uid:string, username:string
authentication.TokenRequest apiVersion:string, kind:string, metadata:ObjectMeta+, spec:TokenRequestSpec+, status:TokenRequestStatus+
TokenRequestSpec audiences:[string], boundObjectRef:BoundObjectReference, expirationSeconds:int64
BoundObjectReference apiVersion:string, kind:string, name:string, uid:string
TokenRequestStatus expirationTimestamp:time, token:string=""
TokenReview apiVersion:string, kind:string, metadata:ObjectMeta+, spec:TokenReviewSpec+, status:TokenReviewStatus+
TokenReviewSpec audiences:[string], token:string*
TokenReviewStatus audiences:[string], authenticated:bool, error:string, user:UserInfo+
LocalSubjectAccessReview apiVersion:string, kind:string, metadata:ObjectMeta+, spec:SubjectAccessReviewSpec+, status:SubjectAccessReviewStatus+
SubjectAccessReviewSpec extra:{[string]}, groups:[string], nonResourceAttributes:NonResourceAttributes, resourceAttributes:ResourceAttributes, uid:string, user:string
NonResourceAttributes path:string, verb:string
ResourceAttributes fieldSelector:FieldSelectorAttributes, group:string, labelSelector:LabelSelectorAttributes, name:string, namespace:string, resource:string, subresource:string, verb:string, version:string
FieldSelectorAttributes rawSelector:string, requirements:[FieldSelectorRequirement]
FieldSelectorRequirement key:string*="", operator:string*="", values:[string]
LabelSelectorAttributes rawSelector:string, requirements:[LabelSelectorRequirement]
SubjectAccessReviewStatus allowed:bool*=false, denied:bool, evaluationError:string, reason:string
SelfSubjectAccessReview apiVersion:string, kind:string, metadata:ObjectMeta+, spec:SelfSubjectAccessReviewSpec+, status:SubjectAccessReviewStatus+
SelfSubjectAccessReviewSpec nonResourceAttributes:NonResourceAttributes, resourceAttributes:ResourceAttributes
SelfSubjectRulesReview apiVersion:string, kind:string, metadata:ObjectMeta+, spec:SelfSubjectRulesReviewSpec+, status:SubjectRulesReviewStatus+
SelfSubjectRulesReviewSpec namespace:string
SubjectRulesReviewStatus evaluationError:string, incomplete:bool*=false, nonResourceRules:[NonResourceRule]*, resourceRules:[ResourceRule]*
NonResourceRule nonResourceURLs:[string], verbs:[string]*
ResourceRule apiGroups:[string], resourceNames:[string], resources:[string], verbs:[string]*
SubjectAccessReview apiVersion:string, kind:string, metadata:ObjectMeta+, spec:SubjectAccessReviewSpec+, status:SubjectAccessReviewStatus+
autoscalingv1.HorizontalPodAutoscaler apiVersion:string, kind:string, metadata:ObjectMeta+, spec:autoscalingv1.HorizontalPodAutoscalerSpec+, status:autoscalingv1.HorizontalPodAutoscalerStatus+
autoscalingv1.HorizontalPodAutoscalerSpec maxReplicas:int32*=0, minReplicas:int32, scaleTargetRef:autoscalingv1.CrossVersionObjectReference+, targetCPUUtilizationPercentage:int32
autoscalingv1.CrossVersionObjectReference! apiVersion:string, kind:string*="", name:string*=""
autoscalingv1.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage:int32, currentReplicas:int32*=0, desiredReplicas:int32*=0, lastScaleTime:time, observedGeneration:int64
Scale apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ScaleSpec+, status:ScaleStatus+
ScaleSpec replicas:int32=0
ScaleStatus replicas:int32*=0, selector:string
autoscalingv2.HorizontalPodAutoscaler apiVersion:string, kind:string, metadata:ObjectMeta+, spec:autoscalingv2.HorizontalPodAutoscalerSpec+, status:autoscalingv2.HorizontalPodAutoscalerStatus+
autoscalingv2.HorizontalPodAutoscalerSpec behavior:HorizontalPodAutoscalerBehavior, maxReplicas:int32*=0, metrics:[MetricSpec], minReplicas:int32, scaleTargetRef:autoscalingv2.CrossVersionObjectReference+
HorizontalPodAutoscalerBehavior scaleDown:HPAScalingRules, scaleUp:HPAScalingRules
HPAScalingRules policies:[HPAScalingPolicy], selectPolicy:string, stabilizationWindowSeconds:int32, tolerance:quantity
HPAScalingPolicy periodSeconds:int32*=0, type:string*="", value:int32*=0
MetricSpec containerResource:ContainerResourceMetricSource, external:ExternalMetricSource, object:ObjectMetricSource, pods:PodsMetricSource, resource:ResourceMetricSource, type:string*=""
ContainerResourceMetricSource container:string*="", name:string*="", target:MetricTarget+
MetricTarget averageUtilization:int32, averageValue:quantity, type:string*="", value:quantity
ExternalMetricSource metric:MetricIdentifier+, target:MetricTarget+
MetricIdentifier name:string*="", selector:LabelSelector
ObjectMetricSource describedObject:autoscalingv2.CrossVersionObjectReference+, metric:MetricIdentifier+, target:MetricTarget+
autoscalingv2.CrossVersionObjectReference apiVersion:string, kind:string*="", name:string*=""
PodsMetricSource metric:MetricIdentifier+, target:MetricTarget+
ResourceMetricSource name:string*="", target:MetricTarget+
autoscalingv2.HorizontalPodAutoscalerStatus conditions:[HorizontalPodAutoscalerCondition]map(type)~type, currentMetrics:[MetricStatus], currentReplicas:int32, desiredReplicas:int32*=0, lastScaleTime:time, observedGeneration:int64
HorizontalPodAutoscalerCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
MetricStatus containerResource:ContainerResourceMetricStatus, external:ExternalMetricStatus, object:ObjectMetricStatus, pods:PodsMetricStatus, resource:ResourceMetricStatus, type:string*=""
ContainerResourceMetricStatus container:string*="", current:MetricValueStatus+, name:string*=""
MetricValueStatus averageUtilization:int32, averageValue:quantity, value:quantity
ExternalMetricStatus current:MetricValueStatus+, metric:MetricIdentifier+
ObjectMetricStatus current:MetricValueStatus+, describedObject:autoscalingv2.CrossVersionObjectReference+, metric:MetricIdentifier+
PodsMetricStatus current:MetricValueStatus+, metric:MetricIdentifier+
ResourceMetricStatus current:MetricValueStatus+, name:string*=""
CronJob apiVersion:string, kind:string, metadata:ObjectMeta+, spec:CronJobSpec+, status:CronJobStatus+
CronJobSpec concurrencyPolicy:string, failedJobsHistoryLimit:int32, jobTemplate:JobTemplateSpec+, schedule:string*="", startingDeadlineSeconds:int64, successfulJobsHistoryLimit:int32, suspend:bool, timeZone:string
JobTemplateSpec metadata:ObjectMeta+, spec:JobSpec+
JobSpec activeDeadlineSeconds:int64, backoffLimit:int32, backoffLimitPerIndex:int32, completionMode:string, completions:int32, managedBy:string, manualSelector:bool, maxFailedIndexes:int32, parallelism:int32, podFailurePolicy:PodFailurePolicy, podReplacementPolicy:string, selector:LabelSelector, successPolicy:SuccessPolicy, suspend:bool, template:PodTemplateSpec+, ttlSecondsAfterFinished:int32
PodFailurePolicy rules:[PodFailurePolicyRule]*
PodFailurePolicyRule action:string*="", onExitCodes:PodFailurePolicyOnExitCodesRequirement, onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
PodFailurePolicyOnExitCodesRequirement containerName:string, operator:string*="", values:[int32]set*
PodFailurePolicyOnPodConditionsPattern status:string="", type:string*=""
SuccessPolicy rules:[SuccessPolicyRule]*
SuccessPolicyRule succeededCount:int32, succeededIndexes:string
CronJobStatus active:[ObjectReference], lastScheduleTime:time, lastSuccessfulTime:time
ObjectReference! apiVersion:string, fieldPath:string, kind:string, name:string, namespace:string, resourceVersion:string, uid:string
Job apiVersion:string, kind:string, metadata:ObjectMeta+, spec:JobSpec+, status:JobStatus+
JobStatus active:int32, completedIndexes:string, completionTime:time, conditions:[JobCondition]~type, failed:int32, failedIndexes:string, ready:int32, startTime:time, succeeded:int32, terminating:int32, uncountedTerminatedPods:UncountedTerminatedPods
JobCondition lastProbeTime:time, lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
UncountedTerminatedPods failed:[string]set, succeeded:[string]set
CertificateSigningRequest apiVersion:string, kind:string, metadata:ObjectMeta+, spec:CertificateSigningRequestSpec+, status:CertificateSigningRequestStatus+
CertificateSigningRequestSpec expirationSeconds:int32, extra:{[string]}, groups:[string], request:bytes*, signerName:string*="", uid:string, usages:[string], username:string
CertificateSigningRequestStatus certificate:bytes, conditions:[CertificateSigningRequestCondition]map(type)
CertificateSigningRequestCondition lastTransitionTime:time, lastUpdateTime:time, message:string, reason:string, status:string*="", type:string*=""
Lease apiVersion:string, kind:string, metadata:ObjectMeta+, spec:LeaseSpec+
LeaseSpec acquireTime:microTime, holderIdentity:string, leaseDurationSeconds:int32, leaseTransitions:int32, preferredHolder:string, renewTime:microTime, strategy:string
EndpointSlice addressType:string*="", apiVersion:string, endpoints:[Endpoint], kind:string, metadata:ObjectMeta+, ports:[discovery.EndpointPort]
Endpoint addresses:[string]set*, conditions:EndpointConditions+, deprecatedTopology:{string}, hints:EndpointHints, hostname:string, nodeName:string, targetRef:ObjectReference, zone:string
EndpointConditions ready:bool, serving:bool, terminating:bool
EndpointHints forNodes:[ForNode], forZones:[ForZone]
ForNode name:string*=""
ForZone name:string*=""
discovery.EndpointPort! appProtocol:string, name:string, port:int32, protocol:string
events.Event action:string, apiVersion:string, deprecatedCount:int32, deprecatedFirstTimestamp:time, deprecatedLastTimestamp:time, deprecatedSource:EventSource+, eventTime:microTime*, kind:string, metadata:ObjectMeta+, note:string, reason:string, regarding:ObjectReference+, related:ObjectReference, reportingController:string, reportingInstance:string, series:events.EventSeries, type:string
EventSource component:string, host:string
events.EventSeries count:int32*=0, lastObservedTime:microTime*
IPAddress apiVersion:string, kind:string, metadata:ObjectMeta+, spec:IPAddressSpec+
IPAddressSpec parentRef:ParentReference*
ParentReference group:string, name:string*, namespace:string, resource:string*
Ingress apiVersion:string, kind:string, metadata:ObjectMeta+, spec:IngressSpec+, status:IngressStatus+
IngressSpec defaultBackend:IngressBackend, ingressClassName:string, rules:[IngressRule], tls:[IngressTLS]
IngressBackend resource:TypedLocalObjectReference, service:IngressServiceBackend
IngressServiceBackend name:string*="", port:ServiceBackendPort+
ServiceBackendPort! name:string, number:int32
IngressRule host:string, http:HTTPIngressRuleValue
HTTPIngressRuleValue paths:[HTTPIngressPath]*
HTTPIngressPath backend:IngressBackend+, path:string, pathType:string*
IngressTLS hosts:[string], secretName:string
IngressStatus loadBalancer:IngressLoadBalancerStatus+
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressLoadBalancerIngress hostname:string, ip:string, ports:[IngressPortStatus]
IngressPortStatus error:string, port:int32*=0, protocol:string*=""
IngressClass apiVersion:string, kind:string, metadata:ObjectMeta+, spec:IngressClassSpec+
IngressClassSpec controller:string, parameters:IngressClassParametersReference
IngressClassParametersReference apiGroup:string, kind:string*="", name:string*="", namespace:string, scope:string
NetworkPolicy apiVersion:string, kind:string, metadata:ObjectMeta+, spec:NetworkPolicySpec+
NetworkPolicySpec egress:[NetworkPolicyEgressRule], ingress:[NetworkPolicyIngressRule], podSelector:LabelSelector+, policyTypes:[string]
NetworkPolicyEgressRule ports:[NetworkPolicyPort], to:[NetworkPolicyPeer]
NetworkPolicyPort endPort:int32, port:intOrString, protocol:string
NetworkPolicyPeer ipBlock:IPBlock, namespaceSelector:LabelSelector, podSelector:LabelSelector
IPBlock cidr:string*="", except:[string]
NetworkPolicyIngressRule from:[NetworkPolicyPeer], ports:[NetworkPolicyPort]
ServiceCIDR apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ServiceCIDRSpec+, status:ServiceCIDRStatus+
ServiceCIDRSpec cidrs:[string]
ServiceCIDRStatus conditions:[Condition]map(type)~type
RuntimeClass apiVersion:string, handler:string*="", kind:string, metadata:ObjectMeta+, overhead:Overhead, scheduling:Scheduling
Overhead podFixed:{quantity}
Scheduling nodeSelector:{string}!, tolerations:[Toleration]
Eviction apiVersion:string, deleteOptions:DeleteOptions, kind:string, metadata:ObjectMeta+
DeleteOptions apiVersion:string, dryRun:[string], gracePeriodSeconds:int64, ignoreStoreReadErrorWithClusterBreakingPotential:bool, kind:string, orphanDependents:bool, preconditions:Preconditions, propagationPolicy:string
Preconditions resourceVersion:string, uid:string
PodDisruptionBudget apiVersion:string, kind:string, metadata:ObjectMeta+, spec:PodDisruptionBudgetSpec+, status:PodDisruptionBudgetStatus+
PodDisruptionBudgetSpec maxUnavailable:intOrString, minAvailable:intOrString, selector:LabelSelector^, unhealthyPodEvictionPolicy:string
PodDisruptionBudgetStatus conditions:[Condition]map(type)~type, currentHealthy:int32=0, desiredHealthy:int32=0, disruptedPods:{time}, disruptionsAllowed:int32=0, expectedPods:int32=0, observedGeneration:int64
ClusterRole aggregationRule:AggregationRule, apiVersion:string, kind:string, metadata:ObjectMeta+, rules:[PolicyRule]
AggregationRule clusterRoleSelectors:[LabelSelector]
PolicyRule apiGroups:[string], nonResourceURLs:[string], resourceNames:[string], resources:[string], verbs:[string]*
ClusterRoleBinding apiVersion:string, kind:string, metadata:ObjectMeta+, roleRef:RoleRef+, subjects:[Subject]
RoleRef! apiGroup:string="", kind:string*="", name:string*=""
Subject! apiGroup:string, kind:string*="", name:string*="", namespace:string
Role apiVersion:string, kind:string, metadata:ObjectMeta+, rules:[PolicyRule]
RoleBinding apiVersion:string, kind:string, metadata:ObjectMeta+, roleRef:RoleRef+, subjects:[Subject]
PriorityClass apiVersion:string, description:string, globalDefault:bool, kind:string, metadata:ObjectMeta+, preemptionPolicy:string, value:int32=0
CSIDriver apiVersion:string, kind:string, metadata:ObjectMeta+, spec:CSIDriverSpec+
CSIDriverSpec attachRequired:bool, fsGroupPolicy:string, nodeAllocatableUpdatePeriodSeconds:int64, podInfoOnMount:bool, preventPodSchedulingIfMissing:bool, requiresRepublish:bool, seLinuxMount:bool, serviceAccountTokenInSecrets:bool, storageCapacity:bool, tokenRequests:[storage.TokenRequest], volumeLifecycleModes:[string]set
storage.TokenRequest audience:string*="", expirationSeconds:int64
CSINode apiVersion:string, kind:string, metadata:ObjectMeta+, spec:CSINodeSpec+
CSINodeSpec drivers:[CSINodeDriver]map(name)~name*
CSINodeDriver allocatable:VolumeNodeResources, name:string*="", nodeID:string*="", topologyKeys:[string]
VolumeNodeResources count:int32
CSIStorageCapacity apiVersion:string, capacity:quantity, kind:string, maximumVolumeSize:quantity, metadata:ObjectMeta+, nodeTopology:LabelSelector, storageClassName:string*=""
StorageClass allowVolumeExpansion:bool, allowedTopologies:[TopologySelectorTerm], apiVersion:string, kind:string, metadata:ObjectMeta+, mountOptions:[string], parameters:{string}, provisioner:string*="", reclaimPolicy:string, volumeBindingMode:string
TopologySelectorTerm! matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement key:string*="", values:[string]*
VolumeAttachment apiVersion:string, kind:string, metadata:ObjectMeta+, spec:VolumeAttachmentSpec+, status:VolumeAttachmentStatus+
VolumeAttachmentSpec attacher:string*="", nodeName:string*="", source:VolumeAttachmentSource+
VolumeAttachmentSource inlineVolumeSpec:PersistentVolumeSpec, persistentVolumeName:string
PersistentVolumeSpec accessModes:[string], awsElasticBlockStore:AWSElasticBlockStoreVolumeSource, azureDisk:AzureDiskVolumeSource, azureFile:AzureFilePersistentVolumeSource, capacity:{quantity}, cephfs:CephFSPersistentVolumeSource, cinder:CinderPersistentVolumeSource, claimRef:ObjectReference, csi:CSIPersistentVolumeSource, fc:FCVolumeSource, flexVolume:FlexPersistentVolumeSource, flocker:FlockerVolumeSource, gcePersistentDisk:GCEPersistentDiskVolumeSource, glusterfs:GlusterfsPersistentVolumeSource, hostPath:HostPathVolumeSource, iscsi:ISCSIPersistentVolumeSource, local:LocalVolumeSource, mountOptions:[string], nfs:NFSVolumeSource, nodeAffinity:VolumeNodeAffinity, persistentVolumeReclaimPolicy:string, photonPersistentDisk:PhotonPersistentDiskVolumeSource, portworxVolume:PortworxVolumeSource, quobyte:QuobyteVolumeSource, rbd:RBDPersistentVolumeSource, scaleIO:ScaleIOPersistentVolumeSource, storageClassName:string, storageos:StorageOSPersistentVolumeSource, volumeAttributesClassName:string, volumeMode:string, vsphereVolume:VsphereVirtualDiskVolumeSource
AzureFilePersistentVolumeSource readOnly:bool, secretName:string*="", secretNamespace:string, shareName:string*=""
CephFSPersistentVolumeSource monitors:[string]*, path:string, readOnly:bool, secretFile:string, secretRef:SecretReference, user:string
SecretReference! name:string, namespace:string
CinderPersistentVolumeSource fsType:string, readOnly:bool, secretRef:SecretReference, volumeID:string*=""
CSIPersistentVolumeSource controllerExpandSecretRef:SecretReference, controllerPublishSecretRef:SecretReference, driver:string*="", fsType:string, nodeExpandSecretRef:SecretReference, nodePublishSecretRef:SecretReference, nodeStageSecretRef:SecretReference, readOnly:bool, volumeAttributes:{string}, volumeHandle:string*=""
FlexPersistentVolumeSource driver:string*="", fsType:string, options:{string}, readOnly:bool, secretRef:SecretReference
GlusterfsPersistentVolumeSource endpoints:string*="", endpointsNamespace:string, path:string*="", readOnly:bool
ISCSIPersistentVolumeSource chapAuthDiscovery:bool, chapAuthSession:bool, fsType:string, initiatorName:string, iqn:string*="", iscsiInterface:string="default", lun:int32*=0, portals:[string], readOnly:bool, secretRef:SecretReference, targetPortal:string*=""
LocalVolumeSource fsType:string, path:string*=""
VolumeNodeAffinity required:NodeSelector
RBDPersistentVolumeSource fsType:string, image:string*="", keyring:string="/etc/ceph/keyring", monitors:[string]*, pool:string="rbd", readOnly:bool, secretRef:SecretReference, user:string="admin"
ScaleIOPersistentVolumeSource fsType:string="xfs", gateway:string*="", protectionDomain:string, readOnly:bool, secretRef:SecretReference*, sslEnabled:bool, storageMode:string="ThinProvisioned", storagePool:string, system:string*="", volumeName:string
StorageOSPersistentVolumeSource fsType:string, readOnly:bool, secretRef:ObjectReference, volumeName:string, volumeNamespace:string
VolumeAttachmentStatus attachError:VolumeError, attached:bool*=false, attachmentMetadata:{string}, detachError:VolumeError
VolumeError errorCode:int32, message:string, time:time
VolumeAttributesClass apiVersion:string, driverName:string*="", kind:string, metadata:ObjectMeta+, parameters:{string}
Binding apiVersion:string, kind:string, metadata:ObjectMeta+, target:ObjectReference+
ComponentStatus apiVersion:string, conditions:[ComponentCondition]map(type)~type, kind:string, metadata:ObjectMeta+
ComponentCondition error:string, message:string, status:string*="", type:string*=""
ConfigMap apiVersion:string, binaryData:{bytes}, data:{string}, immutable:bool, kind:string, metadata:ObjectMeta+
Endpoints apiVersion:string, kind:string, metadata:ObjectMeta+, subsets:[EndpointSubset]
EndpointSubset addresses:[EndpointAddress], notReadyAddresses:[EndpointAddress], ports:[EndpointPort]
EndpointAddress! hostname:string, ip:string*="", nodeName:string, targetRef:ObjectReference
EndpointPort! appProtocol:string, name:string, port:int32*=0, protocol:string
Event action:string, apiVersion:string, count:int32, eventTime:microTime, firstTimestamp:time, involvedObject:ObjectReference+, kind:string, lastTimestamp:time, message:string, metadata:ObjectMeta+, reason:string, related:ObjectReference, reportingComponent:string="", reportingInstance:string="", series:EventSeries, source:EventSource+, type:string
EventSeries count:int32, lastObservedTime:microTime
LimitRange apiVersion:string, kind:string, metadata:ObjectMeta+, spec:LimitRangeSpec+
LimitRangeSpec limits:[LimitRangeItem]*
LimitRangeItem default:{quantity}, defaultRequest:{quantity}, max:{quantity}, maxLimitRequestRatio:{quantity}, min:{quantity}, type:string*=""
Namespace apiVersion:string, kind:string, metadata:ObjectMeta+, spec:NamespaceSpec+, status:NamespaceStatus+
NamespaceSpec finalizers:[string]
NamespaceStatus conditions:[NamespaceCondition]map(type)~type, phase:string
NamespaceCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
Node apiVersion:string, kind:string, metadata:ObjectMeta+, spec:NodeSpec+, status:NodeStatus+
NodeSpec configSource:NodeConfigSource, externalID:string, podCIDR:string, podCIDRs:[string]set~, providerID:string, taints:[Taint], unschedulable:bool
NodeConfigSource configMap:ConfigMapNodeConfigSource
ConfigMapNodeConfigSource kubeletConfigKey:string*="", name:string*="", namespace:string*="", resourceVersion:string, uid:string
Taint effect:string*="", key:string*="", timeAdded:time, value:string
NodeStatus addresses:[NodeAddress]map(type)~type, allocatable:{quantity}, capacity:{quantity}, conditions:[NodeCondition]map(type)~type, config:NodeConfigStatus, daemonEndpoints:NodeDaemonEndpoints+, declaredFeatures:[string], features:NodeFeatures, images:[ContainerImage], nodeInfo:NodeSystemInfo+, phase:string, runtimeHandlers:[NodeRuntimeHandler], volumesAttached:[AttachedVolume], volumesInUse:[string]
NodeAddress address:string*="", type:string*=""
NodeCondition lastHeartbeatTime:time, lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
NodeConfigStatus active:NodeConfigSource, assigned:NodeConfigSource, error:string, lastKnownGood:NodeConfigSource
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint+
DaemonEndpoint Port:int32*=0
NodeFeatures supplementalGroupsPolicy:bool
ContainerImage names:[string], sizeBytes:int64
NodeSystemInfo architecture:string*="", bootID:string*="", containerRuntimeVersion:string*="", kernelVersion:string*="", kubeProxyVersion:string*="", kubeletVersion:string*="", machineID:string*="", operatingSystem:string*="", osImage:string*="", swap:NodeSwapStatus, systemUUID:string*=""
NodeSwapStatus capacity:int64
NodeRuntimeHandler features:NodeRuntimeHandlerFeatures, name:string=""
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:bool, userNamespaces:bool
AttachedVolume devicePath:string*="", name:string*=""
PersistentVolume apiVersion:string, kind:string, metadata:ObjectMeta+, spec:PersistentVolumeSpec+, status:PersistentVolumeStatus+
PersistentVolumeStatus lastPhaseTransitionTime:time, message:string, phase:string, reason:string
Pod apiVersion:string, kind:string, metadata:ObjectMeta+, spec:PodSpec+, status:PodStatus+
PodStatus allocatedResources:{quantity}, conditions:[PodCondition]map(type)~type, containerStatuses:[ContainerStatus], ephemeralContainerStatuses:[ContainerStatus], extendedResourceClaimStatus:PodExtendedResourceClaimStatus, hostIP:string, hostIPs:[HostIP]~ip, initContainerStatuses:[ContainerStatus], message:string, nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus], nominatedNodeName:string, observedGeneration:int64, phase:string, podIP:string, podIPs:[PodIP]map(ip)~ip, qosClass:string, reason:string, resize:string, resourceClaimStatuses:[PodResourceClaimStatus]map(name)~name, resources:ResourceRequirements, startTime:time
PodCondition lastProbeTime:time, lastTransitionTime:time, message:string, observedGeneration:int64, reason:string, status:string*="", type:string*=""
ContainerStatus allocatedResources:{quantity}, allocatedResourcesStatus:[ResourceStatus]map(name)~name, containerID:string, image:string*="", imageID:string*="", lastState:ContainerState+, name:string*="", ready:bool*=false, resources:ResourceRequirements, restartCount:int32*=0, started:bool, state:ContainerState+, stopSignal:string, user:ContainerUser, volumeMounts:[VolumeMountStatus]map(mountPath)~mountPath
ResourceStatus name:string*="", resources:[ResourceHealth]map(resourceID)
ResourceHealth health:string, message:string, resourceID:string*=""
ContainerState running:ContainerStateRunning, terminated:ContainerStateTerminated, waiting:ContainerStateWaiting
ContainerStateRunning startedAt:time
ContainerStateTerminated containerID:string, exitCode:int32*=0, finishedAt:time, message:string, reason:string, signal:int32, startedAt:time
ContainerStateWaiting message:string, reason:string
ContainerUser linux:LinuxContainerUser
LinuxContainerUser gid:int64*=0, supplementalGroups:[int64], uid:int64*=0
VolumeMountStatus mountPath:string*="", name:string*="", readOnly:bool, recursiveReadOnly:string, volumeStatus:VolumeStatus
VolumeStatus image:ImageVolumeStatus
ImageVolumeStatus imageRef:string*
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest]*, resourceClaimName:string*=""
ContainerExtendedResourceRequest containerName:string*="", requestName:string*="", resourceName:string*=""
HostIP ip:string*=""
NodeAllocatableResourceClaimStatus containers:[string]set, resourceClaimName:string*="", resources:{quantity}*
PodIP ip:string*=""
PodResourceClaimStatus name:string*="", resourceClaimName:string
PodTemplate apiVersion:string, kind:string, metadata:ObjectMeta+, template:PodTemplateSpec+
ReplicationController apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ReplicationControllerSpec+, status:ReplicationControllerStatus+
ReplicationControllerSpec minReadySeconds:int32=0, replicas:int32=1, selector:{string}!, template:PodTemplateSpec
ReplicationControllerStatus availableReplicas:int32, conditions:[ReplicationControllerCondition]map(type)~type, fullyLabeledReplicas:int32, observedGeneration:int64, readyReplicas:int32, replicas:int32*=0
ReplicationControllerCondition lastTransitionTime:time, message:string, reason:string, status:string*="", type:string*=""
ResourceQuota apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ResourceQuotaSpec+, status:ResourceQuotaStatus+
ResourceQuotaSpec hard:{quantity}, scopeSelector:ScopeSelector, scopes:[string]
ScopeSelector! matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement operator:string*="", scopeName:string*="", values:[string]
ResourceQuotaStatus hard:{quantity}, used:{quantity}
Secret apiVersion:string, data:{bytes}, immutable:bool, kind:string, metadata:ObjectMeta+, stringData:{string}, type:string
Service apiVersion:string, kind:string, metadata:ObjectMeta+, spec:ServiceSpec+, status:ServiceStatus+
ServiceSpec allocateLoadBalancerNodePorts:bool, clusterIP:string, clusterIPs:[string], externalIPs:[string], externalName:string, externalTrafficPolicy:string, healthCheckNodePort:int32, internalTrafficPolicy:string, ipFamilies:[string], ipFamilyPolicy:string, loadBalancerClass:string, loadBalancerIP:string, loadBalancerSourceRanges:[string], ports:[ServicePort]map(port protocol)~port, publishNotReadyAddresses:bool, selector:{string}!, sessionAffinity:string, sessionAffinityConfig:SessionAffinityConfig, trafficDistribution:string, type:string
ServicePort appProtocol:string, name:string, nodePort:int32, port:int32*=0, protocol:string="TCP", targetPort:intOrString
SessionAffinityConfig clientIP:ClientIPConfig
ClientIPConfig timeoutSeconds:int32
ServiceStatus conditions:[Condition]map(type)~type, loadBalancer:LoadBalancerStatus+
LoadBalancerStatus ingress:[LoadBalancerIngress]
LoadBalancerIngress hostname:string, ip:string, ipMode:string, ports:[PortStatus]
PortStatus error:string, port:int32*=0, protocol:string*=""
ServiceAccount apiVersion:string, automountServiceAccountToken:bool, imagePullSecrets:[LocalObjectReference], kind:string, metadata:ObjectMeta+, secrets:[ObjectReference]map(name)~name
`;

/** Served kinds: group and version, kind, and the type's name where it is not the kind's. */
export const builtinKinds = `
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration
apiextensions.k8s.io/v1 CustomResourceDefinition
apiregistration.k8s.io/v1 APIService
apps/v1 ControllerRevision
apps/v1 DaemonSet
apps/v1 Deployment
apps/v1 ReplicaSet
apps/v1 StatefulSet
authentication.k8s.io/v1 SelfSubjectReview
authentication.k8s.io/v1 TokenRequest authentication.TokenRequest
authentication.k8s.io/v1 TokenReview
authorization.k8s.io/v1 LocalSubjectAccessReview
authorization.k8s.io/v1 SelfSubjectAccessReview
authorization.k8s.io/v1 SelfSubjectRulesReview
authorization.k8s.io/v1 SubjectAccessReview
autoscaling/v1 HorizontalPodAutoscaler autoscalingv1.HorizontalPodAutoscaler
autoscaling/v1 Scale
autoscaling/v2 HorizontalPodAutoscaler autoscalingv2.HorizontalPodAutoscaler
batch/v1 CronJob
batch/v1 Job
certificates.k8s.io/v1 CertificateSigningRequest
coordination.k8s.io/v1 Lease
discovery.k8s.io/v1 EndpointSlice
events.k8s.io/v1 Event events.Event
networking.k8s.io/v1 IPAddress
networking.k8s.io/v1 Ingress
networking.k8s.io/v1 IngressClass
networking.k8s.io/v1 NetworkPolicy
networking.k8s.io/v1 ServiceCIDR
node.k8s.io/v1 RuntimeClass
policy/v1 Eviction
policy/v1 PodDisruptionBudget
rbac.authorization.k8s.io/v1 ClusterRole
rbac.authorization.k8s.io/v1 ClusterRoleBinding
rbac.authorization.k8s.io/v1 Role
rbac.authorization.k8s.io/v1 RoleBinding
scheduling.k8s.io/v1 PriorityClass
storage.k8s.io/v1 CSIDriver
storage.k8s.io/v1 CSINode
storage.k8s.io/v1 CSIStorageCapacity
storage.k8s.io/v1 StorageClass
storage.k8s.io/v1 VolumeAttachment
storage.k8s.io/v1 VolumeAttributesClass
v1 Binding
v1 ComponentStatus
v1 ConfigMap
v1 Endpoints
v1 Event
v1 LimitRange
v1 Namespace
v1 Node
v1 PersistentVolume
v1 PersistentVolumeClaim
v1 Pod
v1 PodTemplate
v1 ReplicationController
v1 ResourceQuota
v1 Secret
v1 Service
v1 ServiceAccount
`;
