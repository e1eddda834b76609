/** Fields of workloads of `apps/v1`, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const appsFields = `
ControllerRevision kind:string apiVersion:string metadata:ObjectMeta! data:json revision:int64!
DaemonSet kind:string apiVersion:string metadata:ObjectMeta! spec:DaemonSetSpec! status:DaemonSetStatus!
DaemonSetCondition type:string! status:string! lastTransitionTime:time! reason:string message:string
DaemonSetSpec selector:*LabelSelector! template:PodTemplateSpec! updateStrategy:DaemonSetUpdateStrategy! minReadySeconds:int32 revisionHistoryLimit:*int32
DaemonSetStatus currentNumberScheduled:int32! numberMisscheduled:int32! desiredNumberScheduled:int32! numberReady:int32! observedGeneration:int64 updatedNumberScheduled:int32 numberAvailable:int32 numberUnavailable:int32 collisionCount:*int32 conditions:[]DaemonSetCondition
DaemonSetUpdateStrategy type:string rollingUpdate:*RollingUpdateDaemonSet
Deployment kind:string apiVersion:string metadata:ObjectMeta! spec:DeploymentSpec! status:DeploymentStatus!
DeploymentCondition type:string! status:string! lastUpdateTime:time! lastTransitionTime:time! reason:string message:string
DeploymentSpec replicas:*int32 selector:*LabelSelector! template:PodTemplateSpec! strategy:DeploymentStrategy! minReadySeconds:int32 revisionHistoryLimit:*int32 paused:bool progressDeadlineSeconds:*int32
DeploymentStatus observedGeneration:int64 replicas:int32 updatedReplicas:int32 readyReplicas:int32 availableReplicas:int32 unavailableReplicas:int32 terminatingReplicas:*int32 conditions:[]DeploymentCondition collisionCount:*int32
DeploymentStrategy type:string rollingUpdate:*RollingUpdateDeployment
ReplicaSet kind:string apiVersion:string metadata:ObjectMeta! spec:ReplicaSetSpec! status:ReplicaSetStatus!
ReplicaSetCondition type:string! status:string! lastTransitionTime:time! reason:string message:string
ReplicaSetSpec replicas:*int32 minReadySeconds:int32 selector:*LabelSelector! template:PodTemplateSpec!
ReplicaSetStatus replicas:int32! fullyLabeledReplicas:int32 readyReplicas:int32 availableReplicas:int32 terminatingReplicas:*int32 observedGeneration:int64 conditions:[]ReplicaSetCondition
RollingUpdateDaemonSet maxUnavailable:*intorstring maxSurge:*intorstring
RollingUpdateDeployment maxUnavailable:*intorstring maxSurge:*intorstring
RollingUpdateStatefulSetStrategy partition:*int32 maxUnavailable:*intorstring
StatefulSet kind:string apiVersion:string metadata:ObjectMeta! spec:StatefulSetSpec! status:StatefulSetStatus!
StatefulSetCondition type:string! status:string! lastTransitionTime:time! reason:string message:string
StatefulSetOrdinals start:int32!
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:string whenScaled:string
StatefulSetSpec replicas:*int32 selector:*LabelSelector! template:PodTemplateSpec! volumeClaimTemplates:[]PersistentVolumeClaim serviceName:string! podManagementPolicy:string updateStrategy:StatefulSetUpdateStrategy! revisionHistoryLimit:*int32 minReadySeconds:int32 persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy ordinals:*StatefulSetOrdinals
StatefulSetStatus observedGeneration:int64 replicas:int32! readyReplicas:int32 currentReplicas:int32 updatedReplicas:int32 currentRevision:string updateRevision:string collisionCount:*int32 conditions:[]StatefulSetCondition availableReplicas:int32!
StatefulSetUpdateStrategy type:string rollingUpdate:*RollingUpdateStatefulSetStrategy
`;
