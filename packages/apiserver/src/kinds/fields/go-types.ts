import { invariant } from "@purser/kubernetes/invariant";

/**
 * Go type names of fields that the field tables describe by their content (`v1.SecretType` for a string), as the
 * Kubernetes 1.36 API declares them: the type, then the fields of that type. Go's decoder names the type when a value
 * does not fit.
 */
const table = `
[]types.UID UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded
[]v1.Capability Capabilities.add Capabilities.drop
[]v1.FinalizerName NamespaceSpec.finalizers
[]v1.IPFamily ServiceSpec.ipFamilies
[]v1.JSON JSONSchemaProps.enum
[]v1.OperationType NamedRuleWithOperations.operations RuleWithOperations.operations
[]v1.PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes PersistentVolumeSpec.accessModes
[]v1.PolicyType NetworkPolicySpec.policyTypes
[]v1.ResourceQuotaScope ResourceQuotaSpec.scopes
[]v1.UniqueVolumeName NodeStatus.volumesInUse
[]v1.ValidationAction ValidatingAdmissionPolicyBindingSpec.validationActions
map[string]v1.ExtraValue SubjectAccessReviewSpec.extra UserInfo.extra
map[v1.ResourceName]resource.Quantity NodeAllocatableResourceClaimStatus.resources
map[v1.ResourceName]v1.ClaimResourceStatus PersistentVolumeClaimStatus.allocatedResourceStatuses
types.UID BoundObjectReference.uid ConfigMapNodeConfigSource.uid ObjectMeta.uid ObjectReference.uid OwnerReference.uid Preconditions.uid
v1.APIServiceConditionType APIServiceCondition.type
v1.AddressType EndpointSlice.addressType
v1.AppArmorProfileType AppArmorProfile.type
v1.AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
v1.AzureDataDiskKind AzureDiskVolumeSource.kind
v1.CompletionMode JobSpec.completionMode
v1.ConcurrencyPolicy CronJobSpec.concurrencyPolicy
v1.ConditionStatus APIServiceCondition.status Condition.status CustomResourceDefinitionCondition.status DaemonSetCondition.status DeploymentCondition.status JobCondition.status NamespaceCondition.status NodeCondition.status PersistentVolumeClaimCondition.status PodCondition.status PodFailurePolicyOnPodConditionsPattern.status ReplicaSetCondition.status StatefulSetCondition.status
v1.ContainerRestartPolicy Container.restartPolicy EphemeralContainer.restartPolicy
v1.ContainerRestartRuleAction ContainerRestartRule.action
v1.ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
v1.ConversionStrategyType CustomResourceConversion.strategy
v1.CoordinatedLeaseStrategy LeaseSpec.strategy
v1.CustomResourceDefinitionConditionType CustomResourceDefinitionCondition.type
v1.DNSPolicy PodSpec.dnsPolicy
v1.DaemonSetConditionType DaemonSetCondition.type
v1.DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
v1.DeletionPropagation DeleteOptions.propagationPolicy
v1.DeploymentConditionType DeploymentCondition.type
v1.DeploymentStrategyType DeploymentStrategy.type
v1.FailurePolicyType MutatingWebhook.failurePolicy ValidatingAdmissionPolicySpec.failurePolicy ValidatingWebhook.failurePolicy
v1.FieldSelectorOperator FieldSelectorRequirement.operator
v1.FieldValueErrorReason ValidationRule.reason
v1.HostPathType HostPathVolumeSource.type
v1.IPFamilyPolicy ServiceSpec.ipFamilyPolicy
map[string]v1.Time PodDisruptionBudgetStatus.disruptedPods
v1.JSONSchemaDefinitions JSONSchemaProps.definitions
v1.JSONSchemaURL JSONSchemaProps.$schema
v1.JobConditionType JobCondition.type
v1.LabelSelectorOperator LabelSelectorRequirement.operator
v1.LimitType LimitRangeItem.type
v1.LoadBalancerIPMode LoadBalancerIngress.ipMode
v1.ManagedFieldsOperationType ManagedFieldsEntry.operation
v1.MatchPolicyType MatchResources.matchPolicy MutatingWebhook.matchPolicy ValidatingWebhook.matchPolicy
v1.MountPropagationMode VolumeMount.mountPropagation
v1.NamespaceConditionType NamespaceCondition.type
v1.NamespacePhase NamespaceStatus.phase
v1.NodeAddressType NodeAddress.type
v1.NodeConditionType NodeCondition.type
v1.NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy
v1.NodePhase NodeStatus.phase
v1.NodeSelectorOperator NodeSelectorRequirement.operator
v1.OSName PodOS.name
v1.ParameterNotFoundActionType ParamRef.parameterNotFoundAction
v1.PersistentVolumeClaimConditionType PersistentVolumeClaimCondition.type
v1.PersistentVolumeClaimModifyVolumeStatus ModifyVolumeStatus.status
v1.PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
v1.PersistentVolumeClaimRetentionPolicyType StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
v1.PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode
v1.PersistentVolumePhase PersistentVolumeStatus.phase
v1.PersistentVolumeReclaimPolicy PersistentVolumeSpec.persistentVolumeReclaimPolicy
v1.PodConditionType PodCondition.type PodFailurePolicyOnPodConditionsPattern.type PodReadinessGate.conditionType
v1.PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
v1.PodFailurePolicyAction PodFailurePolicyRule.action
v1.PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
v1.PodManagementPolicyType StatefulSetSpec.podManagementPolicy
v1.PodPhase PodStatus.phase
v1.PodQOSClass PodStatus.qosClass
v1.PodReplacementPolicy JobSpec.podReplacementPolicy
v1.PodResizeStatus PodStatus.resize
v1.PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
v1.PreemptionPolicy PodSpec.preemptionPolicy PriorityClass.preemptionPolicy
v1.ProcMountType SecurityContext.procMount
v1.Protocol ContainerPort.protocol EndpointPort.protocol NetworkPolicyPort.protocol PortStatus.protocol ServicePort.protocol discovery.EndpointPort.protocol
v1.PullPolicy Container.imagePullPolicy EphemeralContainer.imagePullPolicy ImageVolumeSource.pullPolicy
v1.RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
v1.ReinvocationPolicyType MutatingWebhook.reinvocationPolicy
v1.ReplicaSetConditionType ReplicaSetCondition.type
v1.ResourceHealthStatus ResourceHealth.health
v1.ResourceID ResourceHealth.resourceID
v1.ResourceList ContainerStatus.allocatedResources LimitRangeItem.default LimitRangeItem.defaultRequest LimitRangeItem.max LimitRangeItem.maxLimitRequestRatio LimitRangeItem.min NodeStatus.allocatable NodeStatus.capacity PersistentVolumeClaimStatus.allocatedResources PersistentVolumeClaimStatus.capacity PersistentVolumeSpec.capacity PodSpec.overhead PodStatus.allocatedResources ResourceQuotaSpec.hard ResourceQuotaStatus.hard ResourceQuotaStatus.used ResourceRequirements.limits ResourceRequirements.requests VolumeResourceRequirements.limits VolumeResourceRequirements.requests
v1.ResourceName ContainerResizePolicy.resourceName ResourceStatus.name
v1.ResourceQuotaScope ScopedResourceSelectorRequirement.scopeName
v1.ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
v1.ResourceScope CustomResourceDefinitionSpec.scope
v1.RestartPolicy PodSpec.restartPolicy
v1.ScopeSelectorOperator ScopedResourceSelectorRequirement.operator
v1.ScopeType NamedRuleWithOperations.scope RuleWithOperations.scope
v1.SeccompProfileType SeccompProfile.type
v1.SecretType Secret.type
v1.ServiceAffinity ServiceSpec.sessionAffinity
v1.ServiceExternalTrafficPolicy ServiceSpec.externalTrafficPolicy
v1.ServiceInternalTrafficPolicy ServiceSpec.internalTrafficPolicy
v1.ServiceType ServiceSpec.type
v1.SideEffectClass MutatingWebhook.sideEffects ValidatingWebhook.sideEffects
v1.Signal ContainerStatus.stopSignal Lifecycle.stopSignal
v1.StatefulSetConditionType StatefulSetCondition.type
v1.StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
v1.StatusReason Validation.reason
v1.StorageMedium EmptyDirVolumeSource.medium
v1.SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
v1.TaintEffect Taint.effect Toleration.effect
v1.TerminationMessagePolicy Container.terminationMessagePolicy EphemeralContainer.terminationMessagePolicy
v1.TolerationOperator Toleration.operator
v1.URIScheme HTTPGetAction.scheme
v1.UnhealthyPodEvictionPolicyType PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
v1.UniqueVolumeName AttachedVolume.name
v1.UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
v1.ValidationRules JSONSchemaProps.x-kubernetes-validations
`;

const names = new Map<string, string>();

function load(): void {
  for (const line of table.trim().split("\n")) {
    const [type, ...fields] = line.split(" ");
    invariant(type !== undefined, "a line without a type");
    for (const field of fields) names.set(field, type);
  }
}

/** Go's name of a field's type where it differs from the field table (`v1.SecretType` for a string). */
export function namedGoType(struct: string, field: string): string | undefined {
  if (names.size === 0) load();
  return names.get(`${struct}.${field}`);
}
