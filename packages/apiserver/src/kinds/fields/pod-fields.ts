/** Fields of pod templates: pods, containers, volumes, probes, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const podFields = `
AWSElasticBlockStoreVolumeSource volumeID:string! fsType:string partition:int32 readOnly:bool
Affinity nodeAffinity:*NodeAffinity podAffinity:*PodAffinity podAntiAffinity:*PodAntiAffinity
AppArmorProfile type:string! localhostProfile:*string
AzureDiskVolumeSource diskName:string! diskURI:string! cachingMode:*string fsType:*string readOnly:*bool kind:*string
AzureFileVolumeSource secretName:string! shareName:string! readOnly:bool
CSIVolumeSource driver:string! readOnly:*bool fsType:*string volumeAttributes:{}string nodePublishSecretRef:*LocalObjectReference
Capabilities add:[]string drop:[]string
CephFSVolumeSource monitors:[]string! path:string user:string secretFile:string secretRef:*LocalObjectReference readOnly:bool
CinderVolumeSource volumeID:string! fsType:string readOnly:bool secretRef:*LocalObjectReference
ClusterTrustBundleProjection name:*string signerName:*string labelSelector:*LabelSelector optional:*bool path:string!
ConfigMapEnvSource name:string optional:*bool
ConfigMapKeySelector name:string key:string! optional:*bool
ConfigMapProjection name:string items:[]KeyToPath optional:*bool
ConfigMapVolumeSource name:string items:[]KeyToPath defaultMode:*int32 optional:*bool
Container name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort envFrom:[]EnvFromSource env:[]EnvVar resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy restartPolicy:*string restartPolicyRules:[]ContainerRestartRule volumeMounts:[]VolumeMount volumeDevices:[]VolumeDevice livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe lifecycle:*Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool
ContainerPort name:string hostPort:int32 containerPort:int32! protocol:string hostIP:string
ContainerResizePolicy resourceName:string! restartPolicy:string!
ContainerRestartRule action:string exitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:string values:[]int32
DownwardAPIProjection items:[]DownwardAPIVolumeFile
DownwardAPIVolumeFile path:string! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*int32
DownwardAPIVolumeSource items:[]DownwardAPIVolumeFile defaultMode:*int32
EmptyDirVolumeSource medium:string sizeLimit:*quantity
EnvFromSource prefix:string configMapRef:*ConfigMapEnvSource secretRef:*SecretEnvSource
EnvVar name:string! value:string valueFrom:*EnvVarSource
EnvVarSource fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector configMapKeyRef:*ConfigMapKeySelector secretKeyRef:*SecretKeySelector fileKeyRef:*FileKeySelector
EphemeralContainer name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort envFrom:[]EnvFromSource env:[]EnvVar resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy restartPolicy:*string restartPolicyRules:[]ContainerRestartRule volumeMounts:[]VolumeMount volumeDevices:[]VolumeDevice livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe lifecycle:*Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool targetContainerName:string
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate
ExecAction command:[]string
FCVolumeSource targetWWNs:[]string lun:*int32 fsType:string readOnly:bool wwids:[]string
FileKeySelector volumeName:string! path:string! key:string! optional:*bool
FlexVolumeSource driver:string! fsType:string secretRef:*LocalObjectReference readOnly:bool options:{}string
FlockerVolumeSource datasetName:string datasetUUID:string
GCEPersistentDiskVolumeSource pdName:string! fsType:string partition:int32 readOnly:bool
GRPCAction port:int32! service:*string!
GitRepoVolumeSource repository:string! revision:string directory:string
GlusterfsVolumeSource endpoints:string! path:string! readOnly:bool
HTTPGetAction path:string port:intorstring! host:string scheme:string httpHeaders:[]HTTPHeader
HTTPHeader name:string! value:string!
HostAlias ip:string! hostnames:[]string
HostPathVolumeSource path:string! type:*string
ISCSIVolumeSource targetPortal:string! iqn:string! lun:int32! iscsiInterface:string fsType:string readOnly:bool portals:[]string chapAuthDiscovery:bool chapAuthSession:bool secretRef:*LocalObjectReference initiatorName:*string
ImageVolumeSource reference:string pullPolicy:string
KeyToPath key:string! path:string! mode:*int32
Lifecycle postStart:*LifecycleHandler preStop:*LifecycleHandler stopSignal:*string
LifecycleHandler exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction sleep:*SleepAction
LocalObjectReference name:string
NFSVolumeSource server:string! path:string! readOnly:bool
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector nodeSelectorTerms:[]NodeSelectorTerm!
NodeSelectorRequirement key:string! operator:string! values:[]string
NodeSelectorTerm matchExpressions:[]NodeSelectorRequirement matchFields:[]NodeSelectorRequirement
ObjectFieldSelector apiVersion:string fieldPath:string!
PersistentVolumeClaimSpec accessModes:[]string selector:*LabelSelector resources:VolumeResourceRequirements! volumeName:string storageClassName:*string volumeMode:*string dataSource:*TypedLocalObjectReference dataSourceRef:*TypedObjectReference volumeAttributesClassName:*string
PersistentVolumeClaimTemplate metadata:ObjectMeta! spec:PersistentVolumeClaimSpec!
PersistentVolumeClaimVolumeSource claimName:string! readOnly:bool
PhotonPersistentDiskVolumeSource pdID:string! fsType:string
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm labelSelector:*LabelSelector namespaces:[]string topologyKey:string! namespaceSelector:*LabelSelector matchLabelKeys:[]string mismatchLabelKeys:[]string
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodCertificateProjection signerName:string keyType:string maxExpirationSeconds:*int32 credentialBundlePath:string keyPath:string certificateChainPath:string userAnnotations:{}string
PodDNSConfig nameservers:[]string searches:[]string options:[]PodDNSConfigOption
PodDNSConfigOption name:string value:*string
PodOS name:string!
PodReadinessGate conditionType:string!
PodResourceClaim name:string! resourceClaimName:*string resourceClaimTemplateName:*string
PodSchedulingGate name:string!
PodSchedulingGroup podGroupName:*string
PodSecurityContext seLinuxOptions:*SELinuxOptions windowsOptions:*WindowsSecurityContextOptions runAsUser:*int64 runAsGroup:*int64 runAsNonRoot:*bool supplementalGroups:[]int64 supplementalGroupsPolicy:*string fsGroup:*int64 sysctls:[]Sysctl fsGroupChangePolicy:*string seccompProfile:*SeccompProfile appArmorProfile:*AppArmorProfile seLinuxChangePolicy:*string
PodSpec volumes:[]Volume initContainers:[]Container containers:[]Container! ephemeralContainers:[]EphemeralContainer restartPolicy:string terminationGracePeriodSeconds:*int64 activeDeadlineSeconds:*int64 dnsPolicy:string nodeSelector:{}string serviceAccountName:string serviceAccount:string automountServiceAccountToken:*bool nodeName:string hostNetwork:bool hostPID:bool hostIPC:bool shareProcessNamespace:*bool securityContext:*PodSecurityContext imagePullSecrets:[]LocalObjectReference hostname:string subdomain:string affinity:*Affinity schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias priorityClassName:string priority:*int32 dnsConfig:*PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName:*string enableServiceLinks:*bool preemptionPolicy:*string overhead:{}quantity topologySpreadConstraints:[]TopologySpreadConstraint setHostnameAsFQDN:*bool os:*PodOS hostUsers:*bool schedulingGates:[]PodSchedulingGate resourceClaims:[]PodResourceClaim resources:*ResourceRequirements hostnameOverride:*string schedulingGroup:*PodSchedulingGroup
PodTemplateSpec metadata:ObjectMeta! spec:PodSpec!
PortworxVolumeSource volumeID:string! fsType:string readOnly:bool
PreferredSchedulingTerm weight:int32! preference:NodeSelectorTerm!
Probe exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction grpc:*GRPCAction initialDelaySeconds:int32 timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32 failureThreshold:int32 terminationGracePeriodSeconds:*int64
ProjectedVolumeSource sources:[]VolumeProjection! defaultMode:*int32
QuobyteVolumeSource registry:string! volume:string! readOnly:bool user:string group:string tenant:string
RBDVolumeSource monitors:[]string! image:string! fsType:string pool:string user:string keyring:string secretRef:*LocalObjectReference readOnly:bool
ResourceClaim name:string! request:string
ResourceFieldSelector containerName:string resource:string! divisor:quantity!
ResourceRequirements limits:{}quantity requests:{}quantity claims:[]ResourceClaim
SELinuxOptions user:string role:string type:string level:string
ScaleIOVolumeSource gateway:string! system:string! secretRef:*LocalObjectReference! sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
SeccompProfile type:string! localhostProfile:*string
SecretEnvSource name:string optional:*bool
SecretKeySelector name:string key:string! optional:*bool
SecretProjection name:string items:[]KeyToPath optional:*bool
SecretVolumeSource secretName:string items:[]KeyToPath defaultMode:*int32 optional:*bool
SecurityContext capabilities:*Capabilities privileged:*bool seLinuxOptions:*SELinuxOptions windowsOptions:*WindowsSecurityContextOptions runAsUser:*int64 runAsGroup:*int64 runAsNonRoot:*bool readOnlyRootFilesystem:*bool allowPrivilegeEscalation:*bool procMount:*string seccompProfile:*SeccompProfile appArmorProfile:*AppArmorProfile
ServiceAccountTokenProjection audience:string expirationSeconds:*int64 path:string!
SleepAction seconds:int64!
StorageOSVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:*LocalObjectReference
Sysctl name:string! value:string!
TCPSocketAction port:intorstring! host:string
Toleration key:string operator:string value:string effect:string tolerationSeconds:*int64
TopologySpreadConstraint maxSkew:int32! topologyKey:string! whenUnsatisfiable:string! labelSelector:*LabelSelector minDomains:*int32 nodeAffinityPolicy:*string nodeTaintsPolicy:*string matchLabelKeys:[]string
TypedLocalObjectReference apiGroup:*string! kind:string! name:string!
TypedObjectReference apiGroup:*string! kind:string! name:string! namespace:*string
Volume name:string! hostPath:*HostPathVolumeSource emptyDir:*EmptyDirVolumeSource gcePersistentDisk:*GCEPersistentDiskVolumeSource awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource gitRepo:*GitRepoVolumeSource secret:*SecretVolumeSource nfs:*NFSVolumeSource iscsi:*ISCSIVolumeSource glusterfs:*GlusterfsVolumeSource persistentVolumeClaim:*PersistentVolumeClaimVolumeSource rbd:*RBDVolumeSource flexVolume:*FlexVolumeSource cinder:*CinderVolumeSource cephfs:*CephFSVolumeSource flocker:*FlockerVolumeSource downwardAPI:*DownwardAPIVolumeSource fc:*FCVolumeSource azureFile:*AzureFileVolumeSource configMap:*ConfigMapVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource projected:*ProjectedVolumeSource portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOVolumeSource storageos:*StorageOSVolumeSource csi:*CSIVolumeSource ephemeral:*EphemeralVolumeSource image:*ImageVolumeSource
VolumeDevice name:string! devicePath:string!
VolumeMount name:string! readOnly:bool recursiveReadOnly:*string mountPath:string! subPath:string mountPropagation:*string subPathExpr:string
VolumeProjection secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection podCertificate:*PodCertificateProjection
VolumeResourceRequirements limits:{}quantity requests:{}quantity
VsphereVirtualDiskVolumeSource volumePath:string! fsType:string storagePolicyName:string storagePolicyID:string
WeightedPodAffinityTerm weight:int32! podAffinityTerm:PodAffinityTerm!
WindowsSecurityContextOptions gmsaCredentialSpecName:*string gmsaCredentialSpec:*string runAsUserName:*string hostProcess:*bool
`;
