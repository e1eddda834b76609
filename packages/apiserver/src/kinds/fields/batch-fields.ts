/** Fields of `batch/v1`, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const batchFields = `
CronJob kind:string apiVersion:string metadata:ObjectMeta! spec:CronJobSpec! status:CronJobStatus!
CronJobSpec schedule:string! timeZone:*string startingDeadlineSeconds:*int64 concurrencyPolicy:string suspend:*bool jobTemplate:JobTemplateSpec! successfulJobsHistoryLimit:*int32 failedJobsHistoryLimit:*int32
CronJobStatus active:[]ObjectReference lastScheduleTime:*time lastSuccessfulTime:*time
Job kind:string apiVersion:string metadata:ObjectMeta! spec:JobSpec! status:JobStatus!
JobCondition type:string! status:string! lastProbeTime:time! lastTransitionTime:time! reason:string message:string
JobSpec parallelism:*int32 completions:*int32 activeDeadlineSeconds:*int64 podFailurePolicy:*PodFailurePolicy successPolicy:*SuccessPolicy backoffLimit:*int32 backoffLimitPerIndex:*int32 maxFailedIndexes:*int32 selector:*LabelSelector manualSelector:*bool template:PodTemplateSpec! ttlSecondsAfterFinished:*int32 completionMode:*string suspend:*bool podReplacementPolicy:*string managedBy:*string
JobStatus conditions:[]JobCondition startTime:*time completionTime:*time active:int32 succeeded:int32 failed:int32 terminating:*int32 completedIndexes:string failedIndexes:*string uncountedTerminatedPods:*UncountedTerminatedPods ready:*int32
JobTemplateSpec metadata:ObjectMeta! spec:JobSpec!
PodFailurePolicy rules:[]PodFailurePolicyRule!
PodFailurePolicyOnExitCodesRequirement containerName:*string operator:string! values:[]int32!
PodFailurePolicyOnPodConditionsPattern type:string! status:string!
PodFailurePolicyRule action:string! onExitCodes:*PodFailurePolicyOnExitCodesRequirement onPodConditions:[]PodFailurePolicyOnPodConditionsPattern
SuccessPolicy rules:[]SuccessPolicyRule!
SuccessPolicyRule succeededIndexes:*string succeededCount:*int32
UncountedTerminatedPods succeeded:[]string failed:[]string
`;
