/** Fields of the other core kinds, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const coreFields = `
AttachedVolume name:string! devicePath:string!
AzureFilePersistentVolumeSource secretName:string! shareName:string! readOnly:bool secretNamespace:*string!
Binding kind:string apiVersion:string metadata:ObjectMeta! target:ObjectReference!
CSIPersistentVolumeSource driver:string! volumeHandle:string! readOnly:bool fsType:string volumeAttributes:{}string controllerPublishSecretRef:*SecretReference nodeStageSecretRef:*SecretReference nodePublishSecretRef:*SecretReference controllerExpandSecretRef:*SecretReference nodeExpandSecretRef:*SecretReference
CephFSPersistentVolumeSource monitors:[]string! path:string user:string secretFile:string secretRef:*SecretReference readOnly:bool
CinderPersistentVolumeSource volumeID:string! fsType:string readOnly:bool secretRef:*SecretReference
ClientIPConfig timeoutSeconds:*int32
ConfigMap kind:string apiVersion:string metadata:ObjectMeta! immutable:*bool data:{}string binaryData:{}bytes
ConfigMapNodeConfigSource namespace:string! name:string! uid:string resourceVersion:string kubeletConfigKey:string!
ContainerExtendedResourceRequest containerName:string! resourceName:string! requestName:string!
ContainerImage names:[]string! sizeBytes:int64
ContainerState waiting:*ContainerStateWaiting running:*ContainerStateRunning terminated:*ContainerStateTerminated
ContainerStateRunning startedAt:time!
ContainerStateTerminated exitCode:int32! signal:int32 reason:string message:string startedAt:time! finishedAt:time! containerID:string
ContainerStateWaiting reason:string message:string
ContainerStatus name:string! state:ContainerState! lastState:ContainerState! ready:bool! restartCount:int32! image:string! imageID:string! containerID:string started:*bool allocatedResources:{}quantity resources:*ResourceRequirements volumeMounts:[]VolumeMountStatus user:*ContainerUser allocatedResourcesStatus:[]ResourceStatus stopSignal:*string
ContainerUser linux:*LinuxContainerUser
DaemonEndpoint Port:int32!
EndpointAddress ip:string! hostname:string nodeName:*string targetRef:*ObjectReference
EndpointPort name:string port:int32! protocol:string appProtocol:*string
EndpointSubset addresses:[]EndpointAddress notReadyAddresses:[]EndpointAddress ports:[]EndpointPort
Endpoints kind:string apiVersion:string metadata:ObjectMeta! subsets:[]EndpointSubset
Event kind:string apiVersion:string metadata:ObjectMeta! involvedObject:ObjectReference! reason:string message:string source:EventSource! firstTimestamp:time! lastTimestamp:time! count:int32 type:string eventTime:microtime! series:*EventSeries action:string related:*ObjectReference reportingComponent:string! reportingInstance:string!
EventSeries count:int32 lastObservedTime:microtime!
EventSource component:string host:string
FlexPersistentVolumeSource driver:string! fsType:string secretRef:*SecretReference readOnly:bool options:{}string
GlusterfsPersistentVolumeSource endpoints:string! path:string! readOnly:bool endpointsNamespace:*string
HostIP ip:string!
ISCSIPersistentVolumeSource targetPortal:string! iqn:string! lun:int32! iscsiInterface:string fsType:string readOnly:bool portals:[]string chapAuthDiscovery:bool chapAuthSession:bool secretRef:*SecretReference initiatorName:*string
ImageVolumeStatus imageRef:string
LimitRange kind:string apiVersion:string metadata:ObjectMeta! spec:LimitRangeSpec!
LimitRangeItem type:string! max:{}quantity min:{}quantity default:{}quantity defaultRequest:{}quantity maxLimitRequestRatio:{}quantity
LimitRangeSpec limits:[]LimitRangeItem!
LinuxContainerUser uid:int64! gid:int64! supplementalGroups:[]int64
LoadBalancerIngress ip:string hostname:string ipMode:*string ports:[]PortStatus
LoadBalancerStatus ingress:[]LoadBalancerIngress
LocalVolumeSource path:string! fsType:*string
ModifyVolumeStatus targetVolumeAttributesClassName:string status:string!
Namespace kind:string apiVersion:string metadata:ObjectMeta! spec:NamespaceSpec! status:NamespaceStatus!
NamespaceCondition type:string! status:string! lastTransitionTime:time! reason:string message:string
NamespaceSpec finalizers:[]string
NamespaceStatus phase:string conditions:[]NamespaceCondition
Node kind:string apiVersion:string metadata:ObjectMeta! spec:NodeSpec! status:NodeStatus!
NodeAddress type:string! address:string!
NodeAllocatableResourceClaimStatus resourceClaimName:string! containers:[]string resources:{}quantity!
NodeCondition type:string! status:string! lastHeartbeatTime:time! lastTransitionTime:time! reason:string message:string
NodeConfigSource configMap:*ConfigMapNodeConfigSource
NodeConfigStatus assigned:*NodeConfigSource active:*NodeConfigSource lastKnownGood:*NodeConfigSource error:string
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint!
NodeFeatures supplementalGroupsPolicy:*bool
NodeRuntimeHandler name:string! features:*NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:*bool userNamespaces:*bool
NodeSpec podCIDR:string podCIDRs:[]string providerID:string unschedulable:bool taints:[]Taint configSource:*NodeConfigSource externalID:string
NodeStatus capacity:{}quantity allocatable:{}quantity phase:string conditions:[]NodeCondition addresses:[]NodeAddress daemonEndpoints:NodeDaemonEndpoints! nodeInfo:NodeSystemInfo! images:[]ContainerImage volumesInUse:[]string volumesAttached:[]AttachedVolume config:*NodeConfigStatus runtimeHandlers:[]NodeRuntimeHandler features:*NodeFeatures declaredFeatures:[]string
NodeSwapStatus capacity:*int64
NodeSystemInfo machineID:string! systemUUID:string! bootID:string! kernelVersion:string! osImage:string! containerRuntimeVersion:string! kubeletVersion:string! kubeProxyVersion:string! operatingSystem:string! architecture:string! swap:*NodeSwapStatus
ObjectReference kind:string namespace:string name:string uid:string apiVersion:string resourceVersion:string fieldPath:string
PersistentVolume kind:string apiVersion:string metadata:ObjectMeta! spec:PersistentVolumeSpec! status:PersistentVolumeStatus!
PersistentVolumeClaim kind:string apiVersion:string metadata:ObjectMeta! spec:PersistentVolumeClaimSpec! status:PersistentVolumeClaimStatus!
PersistentVolumeClaimCondition type:string! status:string! lastProbeTime:time! lastTransitionTime:time! reason:string message:string
PersistentVolumeClaimStatus phase:string accessModes:[]string capacity:{}quantity conditions:[]PersistentVolumeClaimCondition allocatedResources:{}quantity allocatedResourceStatuses:{}string currentVolumeAttributesClassName:*string modifyVolumeStatus:*ModifyVolumeStatus
PersistentVolumeSpec capacity:{}quantity gcePersistentDisk:*GCEPersistentDiskVolumeSource awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource hostPath:*HostPathVolumeSource glusterfs:*GlusterfsPersistentVolumeSource nfs:*NFSVolumeSource rbd:*RBDPersistentVolumeSource iscsi:*ISCSIPersistentVolumeSource cinder:*CinderPersistentVolumeSource cephfs:*CephFSPersistentVolumeSource fc:*FCVolumeSource flocker:*FlockerVolumeSource flexVolume:*FlexPersistentVolumeSource azureFile:*AzureFilePersistentVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOPersistentVolumeSource local:*LocalVolumeSource storageos:*StorageOSPersistentVolumeSource csi:*CSIPersistentVolumeSource accessModes:[]string claimRef:*ObjectReference persistentVolumeReclaimPolicy:string storageClassName:string mountOptions:[]string volumeMode:*string nodeAffinity:*VolumeNodeAffinity volumeAttributesClassName:*string
PersistentVolumeStatus phase:string message:string reason:string lastPhaseTransitionTime:*time
Pod kind:string apiVersion:string metadata:ObjectMeta! spec:PodSpec! status:PodStatus!
PodCondition type:string! observedGeneration:int64 status:string! lastProbeTime:time! lastTransitionTime:time! reason:string message:string
PodExtendedResourceClaimStatus requestMappings:[]ContainerExtendedResourceRequest! resourceClaimName:string!
PodIP ip:string!
PodResourceClaimStatus name:string! resourceClaimName:*string
PodStatus observedGeneration:int64 phase:string conditions:[]PodCondition message:string reason:string nominatedNodeName:string hostIP:string hostIPs:[]HostIP podIP:string podIPs:[]PodIP startTime:*time initContainerStatuses:[]ContainerStatus containerStatuses:[]ContainerStatus qosClass:string ephemeralContainerStatuses:[]ContainerStatus resize:string resourceClaimStatuses:[]PodResourceClaimStatus extendedResourceClaimStatus:*PodExtendedResourceClaimStatus allocatedResources:{}quantity resources:*ResourceRequirements nodeAllocatableResourceClaimStatuses:[]NodeAllocatableResourceClaimStatus
PortStatus port:int32! protocol:string! error:*string
RBDPersistentVolumeSource monitors:[]string! image:string! fsType:string pool:string user:string keyring:string secretRef:*SecretReference readOnly:bool
ResourceHealth resourceID:string! health:string message:*string
ResourceQuota kind:string apiVersion:string metadata:ObjectMeta! spec:ResourceQuotaSpec! status:ResourceQuotaStatus!
ResourceQuotaSpec hard:{}quantity scopes:[]string scopeSelector:*ScopeSelector
ResourceQuotaStatus hard:{}quantity used:{}quantity
ResourceStatus name:string! resources:[]ResourceHealth
ScaleIOPersistentVolumeSource gateway:string! system:string! secretRef:*SecretReference! sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
ScopeSelector matchExpressions:[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement scopeName:string! operator:string! values:[]string
Secret kind:string apiVersion:string metadata:ObjectMeta! immutable:*bool data:{}bytes stringData:{}string type:string
SecretReference name:string namespace:string
Service kind:string apiVersion:string metadata:ObjectMeta! spec:ServiceSpec! status:ServiceStatus!
ServiceAccount kind:string apiVersion:string metadata:ObjectMeta! secrets:[]ObjectReference imagePullSecrets:[]LocalObjectReference automountServiceAccountToken:*bool
ServicePort name:string protocol:string appProtocol:*string port:int32! targetPort:intorstring! nodePort:int32
ServiceSpec ports:[]ServicePort selector:{}string clusterIP:string clusterIPs:[]string type:string externalIPs:[]string sessionAffinity:string loadBalancerIP:string loadBalancerSourceRanges:[]string externalName:string externalTrafficPolicy:string healthCheckNodePort:int32 publishNotReadyAddresses:bool sessionAffinityConfig:*SessionAffinityConfig ipFamilies:[]string ipFamilyPolicy:*string allocateLoadBalancerNodePorts:*bool loadBalancerClass:*string internalTrafficPolicy:*string trafficDistribution:*string
ServiceStatus loadBalancer:LoadBalancerStatus! conditions:[]Condition
SessionAffinityConfig clientIP:*ClientIPConfig
StorageOSPersistentVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:*ObjectReference
Taint key:string! value:string effect:string! timeAdded:*time
VolumeMountStatus name:string! mountPath:string! readOnly:bool recursiveReadOnly:*string volumeStatus:*VolumeStatus
VolumeNodeAffinity required:*NodeSelector
VolumeStatus image:*ImageVolumeStatus
`;
