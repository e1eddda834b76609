/**
 * Internal (unversioned) structs of pods, volumes and jobs in Kubernetes 1.36, which error messages quote as JSON
 * without API tags; fields in declaration order. One struct per line, `Name Field:type Field=member:type`; the API
 * member is the field's name with a lower-case first letter unless given, `...member:type` stands for an embedded
 * struct. Types as in field-table.ts; those of `meta.` have the tags of the API.
 */
export const internalFields = `
AWSElasticBlockStoreVolumeSource VolumeID:string FSType=fsType:string Partition:int32 ReadOnly:bool
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
AppArmorProfile Type:string LocalhostProfile:*string
AzureDiskVolumeSource DiskName:string DataDiskURI=diskURI:string CachingMode:*string FSType=fsType:*string ReadOnly:*bool Kind:*string
AzureFilePersistentVolumeSource SecretName:string ShareName:string ReadOnly:bool SecretNamespace:*string
AzureFileVolumeSource SecretName:string ShareName:string ReadOnly:bool
CSIPersistentVolumeSource Driver:string VolumeHandle:string ReadOnly:bool FSType=fsType:string VolumeAttributes:{}string ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference
CSIVolumeSource Driver:string ReadOnly:*bool FSType=fsType:*string VolumeAttributes:{}string NodePublishSecretRef:*LocalObjectReference
Capabilities Add:[]string Drop:[]string
CephFSPersistentVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*SecretReference ReadOnly:bool
CephFSVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*LocalObjectReference ReadOnly:bool
CinderPersistentVolumeSource VolumeID:string FSType=fsType:string ReadOnly:bool SecretRef:*SecretReference
CinderVolumeSource VolumeID:string FSType=fsType:string ReadOnly:bool SecretRef:*LocalObjectReference
ClusterTrustBundleProjection Name:*string SignerName:*string LabelSelector:*meta.LabelSelector Optional:*bool Path:string
ConfigMapEnvSource Name:string Optional:*bool
ConfigMapKeySelector Name:string Key:string Optional:*bool
ConfigMapProjection Name:string Items:[]KeyToPath Optional:*bool
ConfigMapVolumeSource Name:string Items:[]KeyToPath DefaultMode:*int32 Optional:*bool
Container Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*string RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:string TerminationMessagePolicy:string ImagePullPolicy:string SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool
ContainerPort Name:string HostPort:int32 ContainerPort:int32 Protocol:string HostIP:string
ContainerResizePolicy ResourceName:string RestartPolicy:string
ContainerRestartRule Action:string ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes Operator:string Values:[]int32
DownwardAPIProjection Items:[]DownwardAPIVolumeFile
DownwardAPIVolumeFile Path:string FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*int32
DownwardAPIVolumeSource Items:[]DownwardAPIVolumeFile DefaultMode:*int32
EmptyDirVolumeSource Medium:string SizeLimit:*quantity
EnvFromSource Prefix:string ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar Name:string Value:string ValueFrom:*EnvVarSource
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
EphemeralContainer Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*string RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:string TerminationMessagePolicy:string ImagePullPolicy:string SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool TargetContainerName:string
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ExecAction Command:[]string
FCVolumeSource TargetWWNs:[]string Lun:*int32 FSType=fsType:string ReadOnly:bool WWIDs=wwids:[]string
FileKeySelector VolumeName:string Path:string Key:string Optional:*bool
FlexPersistentVolumeSource Driver:string FSType=fsType:string SecretRef:*SecretReference ReadOnly:bool Options:{}string
FlexVolumeSource Driver:string FSType=fsType:string SecretRef:*LocalObjectReference ReadOnly:bool Options:{}string
FlockerVolumeSource DatasetName:string DatasetUUID:string
GCEPersistentDiskVolumeSource PDName=pdName:string FSType=fsType:string Partition:int32 ReadOnly:bool
GRPCAction Port:int32 Service:*string
GitRepoVolumeSource Repository:string Revision:string Directory:string
GlusterfsPersistentVolumeSource EndpointsName=endpoints:string Path:string ReadOnly:bool EndpointsNamespace:*string
GlusterfsVolumeSource EndpointsName=endpoints:string Path:string ReadOnly:bool
HTTPGetAction Path:string Port:intorstring Host:string Scheme:string HTTPHeaders=httpHeaders:[]HTTPHeader
HTTPHeader Name:string Value:string
HostAlias IP=ip:string Hostnames:[]string
HostPathVolumeSource Path:string Type:*string
ISCSIPersistentVolumeSource TargetPortal:string IQN=iqn:string Lun:int32 ISCSIInterface=iscsiInterface:string FSType=fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool SecretRef:*SecretReference InitiatorName:*string
ISCSIVolumeSource TargetPortal:string IQN=iqn:string Lun:int32 ISCSIInterface=iscsiInterface:string FSType=fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool SecretRef:*LocalObjectReference InitiatorName:*string
ImageVolumeSource Reference:string PullPolicy:string
KeyToPath Key:string Path:string Mode:*int32
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*string
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction
LocalObjectReference Name:string
LocalVolumeSource Path:string FSType=fsType:*string
NFSVolumeSource Server:string Path:string ReadOnly:bool
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorRequirement Key:string Operator:string Values:[]string
NodeSelectorTerm MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
ObjectFieldSelector APIVersion=apiVersion:string FieldPath:string
ObjectReference Kind:string Namespace:string Name:string UID=uid:string APIVersion=apiVersion:string ResourceVersion:string FieldPath:string
PersistentVolumeClaimSpec AccessModes:[]string Selector:*meta.LabelSelector Resources:VolumeResourceRequirements VolumeName:string StorageClassName:*string VolumeMode:*string DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string
PersistentVolumeClaimTemplate ...metadata:meta.ObjectMeta Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource ClaimName:string ReadOnly:bool
PersistentVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource Quobyte:*QuobyteVolumeSource ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC=fc:*FCVolumeSource Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource CSI=csi:*CSIPersistentVolumeSource
PhotonPersistentDiskVolumeSource PdID:string FSType=fsType:string
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm LabelSelector:*meta.LabelSelector Namespaces:[]string TopologyKey:string NamespaceSelector:*meta.LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodCertificateProjection SignerName:string KeyType:string MaxExpirationSeconds:*int32 CredentialBundlePath:string KeyPath:string CertificateChainPath:string UserAnnotations:{}string
PodDNSConfig Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption
PodDNSConfigOption Name:string Value:*string
PodFailurePolicy Rules:[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement ContainerName:*string Operator:string Values:[]int32
PodFailurePolicyOnPodConditionsPattern Type:string Status:string
PodFailurePolicyRule Action:string OnExitCodes:*PodFailurePolicyOnExitCodesRequirement OnPodConditions:[]PodFailurePolicyOnPodConditionsPattern
PodOS Name:string
PodReadinessGate ConditionType:string
PodResourceClaim Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
PodSchedulingGate Name:string
PodSchedulingGroup PodGroupName:*string
PodSecurityContext HostNetwork:bool HostPID=hostPID:bool HostIPC=hostIPC:bool ShareProcessNamespace:*bool HostUsers:*bool SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*string FSGroup=fsGroup:*int64 FSGroupChangePolicy=fsGroupChangePolicy:*string Sysctls:[]Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*string
PodSpec Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy:string TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy=dnsPolicy:string NodeSelector:{}string ServiceAccountName:string AutomountServiceAccountToken:*bool NodeName:string SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname:string Subdomain:string SetHostnameAsFQDN:*bool Affinity:*Affinity SchedulerName:string Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:string Priority:*int32 PreemptionPolicy:*string DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*string Overhead:{}quantity EnableServiceLinks:*bool TopologySpreadConstraints:[]TopologySpreadConstraint OS=os:*PodOS SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string SchedulingGroup:*PodSchedulingGroup
PodTemplateSpec ...metadata:meta.ObjectMeta Spec:PodSpec
PortworxVolumeSource VolumeID:string FSType=fsType:string ReadOnly:bool
PreferredSchedulingTerm Weight:int32 Preference:NodeSelectorTerm
Probe Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64
ProjectedVolumeSource Sources:[]VolumeProjection DefaultMode:*int32
QuobyteVolumeSource Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string
RBDPersistentVolumeSource CephMonitors=monitors:[]string RBDImage=image:string FSType=fsType:string RBDPool=pool:string RadosUser=user:string Keyring:string SecretRef:*SecretReference ReadOnly:bool
RBDVolumeSource CephMonitors=monitors:[]string RBDImage=image:string FSType=fsType:string RBDPool=pool:string RadosUser=user:string Keyring:string SecretRef:*LocalObjectReference ReadOnly:bool
ResourceClaim Name:string Request:string
ResourceFieldSelector ContainerName:string Resource:string Divisor:quantity
ResourceRequirements Limits:{}quantity Requests:{}quantity Claims:[]ResourceClaim
SELinuxOptions User:string Role:string Type:string Level:string
ScaleIOPersistentVolumeSource Gateway:string System:string SecretRef:*SecretReference SSLEnabled=sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType=fsType:string ReadOnly:bool
ScaleIOVolumeSource Gateway:string System:string SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType=fsType:string ReadOnly:bool
SeccompProfile Type:string LocalhostProfile:*string
SecretEnvSource Name:string Optional:*bool
SecretKeySelector Name:string Key:string Optional:*bool
SecretProjection Name:string Items:[]KeyToPath Optional:*bool
SecretReference Name:string Namespace:string
SecretVolumeSource SecretName:string Items:[]KeyToPath DefaultMode:*int32 Optional:*bool
SecurityContext Capabilities:*Capabilities Privileged:*bool SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*string SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
ServiceAccountTokenProjection Audience:string ExpirationSeconds:int64 Path:string
SleepAction Seconds:int64
StorageOSPersistentVolumeSource VolumeName:string VolumeNamespace:string FSType=fsType:string ReadOnly:bool SecretRef:*ObjectReference
StorageOSVolumeSource VolumeName:string VolumeNamespace:string FSType=fsType:string ReadOnly:bool SecretRef:*LocalObjectReference
SuccessPolicy Rules:[]SuccessPolicyRule
SuccessPolicyRule SucceededIndexes:*string SucceededCount:*int32
Sysctl Name:string Value:string
TCPSocketAction Port:intorstring Host:string
Toleration Key:string Operator:string Value:string Effect:string TolerationSeconds:*int64
TopologySpreadConstraint MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:string LabelSelector:*meta.LabelSelector MinDomains:*int32 NodeAffinityPolicy:*string NodeTaintsPolicy:*string MatchLabelKeys:[]string
TypedLocalObjectReference APIGroup=apiGroup:*string Kind:string Name:string
TypedObjectReference APIGroup=apiGroup:*string Kind:string Name:string Namespace:*string
Volume Name:string HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
VolumeDevice Name:string DevicePath:string
VolumeMount Name:string ReadOnly:bool RecursiveReadOnly:*string MountPath:string SubPath:string MountPropagation:*string SubPathExpr:string
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
VolumeResourceRequirements Limits:{}quantity Requests:{}quantity
VsphereVirtualDiskVolumeSource VolumePath:string FSType=fsType:string StoragePolicyName:string StoragePolicyID:string
WeightedPodAffinityTerm Weight:int32 PodAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*string GMSACredentialSpec=gmsaCredentialSpec:*string RunAsUserName:*string HostProcess:*bool
`;
