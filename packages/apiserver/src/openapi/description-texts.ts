/**
 * Descriptions of kinds and of the most used fields for `kubectl explain`, in our own words: a line for a struct, then
 * an indented line for each of its fields. Other fields have no description.
 */
export const descriptionTexts = `
APIService Registers a server for one group and version of the API.
APIServiceSpec The group and version, and the location of the server.
 caBundle PEM certificates for verifying the server's certificate.
 group API group.
 groupPriorityMinimum Priority of the group in discovery; the highest value of its versions counts.
 insecureSkipTLSVerify Disables verification of the server's certificate.
 service Service of the server; absent for versions that this API server serves itself.
 version API version.
 versionPriority Priority of the version within its group.
ClusterRole Permissions in every namespace and on objects outside namespaces.
 aggregationRule Collects the rules of other ClusterRoles; rules set here are replaced.
 rules The permissions.
ClusterRoleBinding Grants a ClusterRole to users, groups and service accounts in the whole cluster.
 roleRef The role; immutable.
 subjects Users, groups and service accounts that get the role.
Condition One aspect of an object's state, as a controller sees it.
 lastTransitionTime When status last changed.
 message Human-readable details.
 observedGeneration Generation of the object that the condition was computed for.
 reason Machine-readable reason, one word in CamelCase.
 status True, False or Unknown.
 type Name of the aspect.
ConfigMap Configuration for pods, as text and binary data.
 binaryData Binary values by key, in base64; keys must not be in data as well.
 data Text values by key.
 immutable True: data and binaryData cannot be changed.
Container A container of a pod.
 args Arguments of the command; the image's when absent.
 command Program to run; the image's entrypoint when absent. It is not run in a shell.
 env Environment variables.
 envFrom ConfigMaps and Secrets whose keys become environment variables; env takes precedence.
 image Image to run.
 imagePullPolicy When the image is pulled; Always for tag latest or none, IfNotPresent otherwise.
 lifecycle Hooks after the start and before the termination of the container.
 livenessProbe Checks whether the container works; it is restarted on failure.
 name Name within the pod.
 ports Ports that the container listens on; informational, and names for Services to use.
 readinessProbe Checks whether the container can receive traffic.
 resizePolicy Whether a change of resources restarts the container.
 resources Requested resources and limits.
 restartPolicy For init containers: Always makes it a sidecar that runs beside the pod's containers.
 securityContext Security settings of the container; they override those of the pod.
 startupProbe Checks whether the container has started; the other probes wait for it.
 stdin Keeps standard input open.
 terminationMessagePath File from which the termination message is read.
 terminationMessagePolicy Source of the termination message: the file, or on errors the log.
 tty Allocates a terminal.
 volumeDevices Block devices for the container.
 volumeMounts Volumes to mount.
 workingDir Working directory.
ContainerPort A port that a container listens on.
 containerPort Number of the port.
 hostPort Port of the node that is forwarded to the container.
 name Name that Services can refer to.
 protocol TCP, UDP or SCTP; TCP when absent.
ControllerRevision A former or current template of a StatefulSet or DaemonSet, for rollbacks.
 data The template.
 revision Number of the revision.
CronJob Creates Jobs on a schedule.
CronJobSpec Schedule and template of the Jobs.
 concurrencyPolicy What to do while an earlier Job still runs: Allow, Forbid or Replace.
 failedJobsHistoryLimit Number of failed Jobs to keep.
 jobTemplate Template of the Jobs.
 schedule Schedule in cron format.
 startingDeadlineSeconds How late a Job may be started.
 successfulJobsHistoryLimit Number of completed Jobs to keep.
 suspend True: no more Jobs are created.
 timeZone Time zone of the schedule; the controller's when absent.
CustomResourceColumnDefinition A column of kubectl get.
 description Description of the column.
 jsonPath JSONPath of the value in the object.
 name Heading.
 priority Columns above 0 are shown only with -o wide.
 type Type of the value: string, integer, number, boolean or date.
CustomResourceConversion How objects are converted between versions.
 strategy None: only apiVersion changes. Webhook: a webhook converts.
 webhook The conversion webhook.
CustomResourceDefinition Adds a kind to the API.
CustomResourceDefinitionNames Names of the kind.
 categories Categories that the kind belongs to, such as all.
 kind Kind of an object, in CamelCase.
 listKind Kind of a list; the kind with the suffix List when absent.
 plural Name in API paths.
 shortNames Abbreviations for the command line.
 singular Singular name for the command line; the kind in lower case when absent.
CustomResourceDefinitionSpec Names, versions and schemas of the kind.
 conversion How objects are converted between versions.
 group Group of the kind.
 names Names of the kind.
 preserveUnknownFields Obsolete; must be false.
 scope Namespaced or Cluster.
 versions Versions that are served or stored.
CustomResourceDefinitionStatus Status of the definition.
 acceptedNames Names that are served.
 conditions Whether names are accepted and the kind is served.
 storedVersions Versions in which objects have been stored.
CustomResourceDefinitionVersion One version of the kind.
 additionalPrinterColumns Columns of kubectl get.
 deprecated True: requests for this version return a warning.
 deprecationWarning Text of that warning.
 name Name of the version, such as v1 or v1beta2.
 schema Schema of the objects.
 selectableFields Fields that field selectors may use.
 served Whether the version is served.
 storage Whether objects are stored in this version; true for exactly one.
 subresources The status and scale subresources.
CustomResourceSubresourceScale Fields that the scale subresource uses.
 labelSelectorPath JSONPath of the label selector in text form.
 specReplicasPath JSONPath of the desired number of replicas.
 statusReplicasPath JSONPath of the observed number of replicas.
CustomResourceSubresources Subresources of the kind.
 scale Enables scaling.
 status Enables separate updates of status.
CustomResourceValidation Schema of the objects.
 openAPIV3Schema The schema; it must be structural.
DaemonSet Runs one pod on every matching node.
DaemonSetSpec Pod template, and how it is rolled out.
 minReadySeconds How long a pod must be ready to count as available.
 revisionHistoryLimit Number of former templates to keep.
 selector Selector of its pods; immutable.
 template Template of the pods.
 updateStrategy How pods are updated to a new template.
DeleteOptions Options of a deletion.
 dryRun All: nothing is stored.
 gracePeriodSeconds Time for the object to terminate.
 preconditions Conditions that the object must meet to be deleted.
 propagationPolicy How dependents are handled: Orphan, Background or Foreground.
Deployment Keeps a number of pods of one template running and rolls out new templates.
DeploymentSpec Number of pods, their template, and how they are replaced.
 minReadySeconds How long a pod must be ready to count as available.
 paused True: new templates are not rolled out.
 progressDeadlineSeconds Time without progress after which a rollout is reported as failed.
 replicas Desired number of pods; 1 when absent.
 revisionHistoryLimit Number of former ReplicaSets to keep for rollbacks.
 selector Selector of its pods; immutable.
 strategy How pods of the former template are replaced.
 template Template of the pods.
DeploymentStatus Status of the rollout.
 availableReplicas Pods that have been ready for minReadySeconds.
 conditions Whether it is available, and whether it makes progress.
 observedGeneration Generation that the controller has processed.
 readyReplicas Pods that are ready.
 replicas Total number of pods.
 unavailableReplicas Pods that are missing or not available.
 updatedReplicas Pods of the current template.
DeploymentStrategy How pods of the former template are replaced.
 rollingUpdate How many pods may be unavailable or surplus during the update.
 type RollingUpdate, or Recreate: all pods are stopped before new ones are created.
Endpoint Addresses of one endpoint.
 addresses Addresses of the slice's address type.
 conditions Whether the endpoint can receive traffic.
 hostname Host name of the pod in a headless Service.
 nodeName Node of the endpoint.
 targetRef The object, usually a pod.
 zone Zone of the endpoint.
EndpointSlice A part of the endpoints of a Service.
 addressType IPv4, IPv6 or FQDN; immutable.
 endpoints Endpoints.
 ports Ports of all endpoints.
Endpoints Addresses of a Service. Replaced by EndpointSlice.
 subsets Addresses grouped by ports.
EnvFromSource A ConfigMap or Secret whose keys become environment variables.
 configMapRef The ConfigMap.
 prefix Prefix for the variable names.
 secretRef The Secret.
EnvVar An environment variable.
 name Name.
 value Value; $(NAME) refers to an earlier variable.
 valueFrom Source of the value.
EnvVarSource Source of the value of an environment variable.
 configMapKeyRef Key of a ConfigMap.
 fieldRef Field of the pod.
 resourceFieldRef Resource of a container.
 secretKeyRef Key of a Secret.
Event Something that happened to an object.
 count Number of occurrences.
 eventTime Time of the first occurrence.
 firstTimestamp Time of the first occurrence.
 involvedObject The object that the event is about.
 lastTimestamp Time of the last occurrence.
 message Human-readable description.
 reason Machine-readable reason, one word in CamelCase.
 reportingComponent Controller that reported the event.
 source Component that reported the event.
 type Normal or Warning.
events.Event Something that happened to an object.
 action Action that was taken or failed.
 eventTime Time of the first occurrence.
 note Human-readable description.
 reason Machine-readable reason, one word in CamelCase.
 regarding The object that the event is about.
 related A second object that was involved.
 reportingController Controller that reported the event.
 reportingInstance Instance of the controller.
 series Number and time of repetitions.
 type Normal or Warning.
IPBlock A range of addresses.
 cidr The range.
 except Ranges within it that are excluded.
Job Runs pods until enough of them have succeeded.
JobSpec Pod template, number of completions and limits of failures.
 activeDeadlineSeconds Maximum duration of the Job.
 backoffLimit Number of failures before the Job fails.
 completionMode NonIndexed, or Indexed: each completion has an index.
 completions Number of pods that must succeed.
 manualSelector True: the selector is set by the user.
 parallelism Maximum number of pods that run concurrently.
 selector Selector of its pods; generated by the server.
 suspend True: no pods are created, and running ones are deleted.
 template Template of the pods; restartPolicy is Never or OnFailure.
 ttlSecondsAfterFinished How long a finished Job is kept.
JobStatus Status of the Job.
 active Number of pending and running pods.
 completionTime When the Job completed.
 conditions Whether it is complete, failed or suspended.
 failed Number of failed pods.
 ready Number of ready pods.
 startTime When the Job was started.
 succeeded Number of pods that succeeded.
LabelSelector Selects objects by labels; all requirements must be met.
 matchExpressions Requirements with operators.
 matchLabels Labels and their required values.
LabelSelectorRequirement A requirement on one label.
 key Key of the label.
 operator In, NotIn, Exists or DoesNotExist.
 values Values for In and NotIn.
Lease A lock with an expiry, used for leader election and node heartbeats.
LeaseSpec Holder and times of the lease.
 acquireTime When the current holder acquired the lease.
 holderIdentity Identity of the holder.
 leaseDurationSeconds Time after the last renewal at which others may acquire the lease.
 leaseTransitions Number of changes of the holder.
 renewTime When the holder last renewed the lease.
LimitRange Limits and defaults for the resources of each container, pod or claim in a namespace.
LimitRangeItem Limits for one type of object.
 default Default limits of containers.
 defaultRequest Default requests of containers.
 max Maximum.
 maxLimitRequestRatio Maximum ratio of limit to request.
 min Minimum.
 type Container, Pod or PersistentVolumeClaim.
LimitRangeSpec The limits.
 limits Limits, one entry for each type of object.
LocalObjectReference An object in the same namespace.
 name Its name.
LocalSubjectAccessReview Checks whether a user may perform an action in one namespace.
ManagedFieldsEntry Fields owned by one field manager.
 apiVersion API version of the field names.
 fieldsType Format of fieldsV1.
 fieldsV1 The owned fields.
 manager Name of the field manager.
 operation Apply or Update.
 subresource Subresource of the write; absent for the main resource.
 time When the entry was last changed.
MutatingWebhook A webhook that may change objects.
 admissionReviewVersions Versions of AdmissionReview that the webhook supports.
 clientConfig Address of the webhook.
 failurePolicy What to do when the call fails: Fail or Ignore.
 matchConditions Expressions that must all be true for the webhook to be called.
 name Fully qualified name.
 namespaceSelector Selects the namespaces of the objects.
 objectSelector Selects the objects by labels.
 reinvocationPolicy IfNeeded: the webhook is called again when others change the object after it.
 rules Requests that the webhook is called for.
 sideEffects Whether the webhook may be called for dry runs.
 timeoutSeconds Timeout of a call.
MutatingWebhookConfiguration Webhooks that may change objects before they are stored.
 webhooks The webhooks.
Namespace A scope for names, quotas and permissions.
NamespaceSpec Finalizers of the namespace.
 finalizers Names of controllers that must clean up before the namespace is deleted.
NetworkPolicy Traffic that pods may receive and send.
NetworkPolicyPeer Allowed pods, namespaces or addresses.
 ipBlock Range of addresses.
 namespaceSelector Selects namespaces.
 podSelector Selects pods, in the same or the selected namespaces.
NetworkPolicySpec The affected pods, and their allowed traffic.
 egress Allowed outgoing traffic.
 ingress Allowed incoming traffic.
 podSelector Selects the affected pods; empty selects all pods of the namespace.
 policyTypes Whether the policy applies to Ingress, Egress or both.
Node A machine that pods run on.
NodeSpec Settings of the node.
 podCIDR Address range of its pods.
 providerID ID of the machine at the cloud provider.
 taints Taints: pods without a matching toleration are not scheduled to the node or are evicted from it.
 unschedulable True: no new pods are scheduled to the node.
ObjectMeta Metadata of stored objects: name, labels, owners and fields maintained by the server.
 annotations Arbitrary text by key; not used for selection.
 creationTimestamp When the object was created; set by the server.
 deletionGracePeriodSeconds Grace period of the deletion.
 deletionTimestamp When the object is to be deleted; set by the server when deletion is requested.
 finalizers Names of controllers that must clean up before the object is deleted.
 generateName Prefix of a name that the server generates.
 generation Number of the desired state, incremented by the server when it changes.
 labels Key-value pairs that selectors match.
 managedFields Fields owned by each field manager.
 name Name, unique per kind and namespace; immutable.
 namespace Namespace of the object.
 ownerReferences Owners; the object is deleted when none of them exists.
 resourceVersion Changes with every write; in an update it prevents overwriting concurrent changes.
 selfLink Obsolete; always empty.
 uid Unique ID, which distinguishes the object from earlier ones with the same name.
ObjectReference A reference to another object.
 apiVersion Its group and version.
 fieldPath Part of the object.
 kind Its kind.
 name Its name.
 namespace Its namespace.
 resourceVersion Version of the object.
 uid Its uid.
OwnerReference A reference to an owner, with which the object is garbage-collected.
 apiVersion Its group and version.
 blockOwnerDeletion True: foreground deletion of the owner waits for this object.
 controller True for the one owner that manages this object.
 kind Its kind.
 name Its name.
 uid Its uid.
PersistentVolume Storage that a claim can be bound to.
PersistentVolumeClaim A request for storage.
PersistentVolumeClaimSpec The requested storage.
 accessModes How the volume is to be mounted.
 resources Requested size.
 selector Selects volumes by labels.
 storageClassName StorageClass of the volume.
 volumeMode Filesystem or Block.
 volumeName The volume that the claim is bound to.
PersistentVolumeSpec Properties of the storage.
 accessModes How the volume can be mounted.
 capacity Size.
 claimRef The claim that the volume is bound to.
 persistentVolumeReclaimPolicy What happens to the volume after its claim is deleted: Retain, Delete or Recycle.
 storageClassName StorageClass of the volume.
 volumeMode Filesystem or Block.
Pod One or more containers that run together on one node.
PodDisruptionBudget Limits how many pods may be unavailable because of evictions.
PodDisruptionBudgetSpec The pods, and the limit.
 maxUnavailable Maximum number or percentage of unavailable pods.
 minAvailable Minimum number or percentage of available pods.
 selector Selects the pods.
 unhealthyPodEvictionPolicy Whether pods that are not ready may always be evicted.
PodSecurityContext Security settings of all containers of a pod.
 fsGroup Group that owns the volumes.
 runAsGroup Group ID of processes.
 runAsNonRoot True: a container that would run as root is not started.
 runAsUser User ID of processes.
 seccompProfile Profile of allowed system calls.
 supplementalGroups Additional group IDs of processes.
 sysctls Kernel parameters.
PodSpec Containers of a pod and their environment.
 activeDeadlineSeconds Maximum duration of the pod.
 affinity Rules about nodes and other pods for scheduling.
 automountServiceAccountToken Whether the service account token is mounted into containers.
 containers The containers.
 dnsPolicy How DNS is configured.
 ephemeralContainers Containers added to the running pod for debugging.
 hostAliases Additional entries of the hosts file.
 hostIPC Uses the node's IPC namespace.
 hostNetwork Uses the node's network namespace.
 hostPID Uses the node's process namespace.
 hostname Host name; the pod's name when absent.
 imagePullSecrets Secrets with credentials for pulling images.
 initContainers Containers that must complete, one after the other, before the others start.
 nodeName Node of the pod; usually set by the scheduler.
 nodeSelector Labels that the node must have.
 preemptionPolicy Whether pods of lower priority may be evicted for it.
 priority Priority; set from priorityClassName.
 priorityClassName PriorityClass of the pod.
 restartPolicy When containers are restarted: Always, OnFailure or Never.
 runtimeClassName RuntimeClass of the pod.
 schedulerName Scheduler that assigns the node.
 schedulingGates Gates that must be removed before the pod is scheduled.
 securityContext Security settings of all containers.
 serviceAccount Deprecated alias of serviceAccountName.
 serviceAccountName Service account of the pod.
 terminationGracePeriodSeconds Time for containers to terminate after deletion.
 tolerations Taints that the pod tolerates.
 topologySpreadConstraints How pods are spread over zones or nodes.
 volumes Volumes that containers can mount.
PodStatus Status of the pod.
 conditions Whether it is scheduled, initialized and ready.
 containerStatuses Status of each container.
 hostIP IP address of the node.
 initContainerStatuses Status of each init container.
 message Human-readable details.
 phase Pending, Running, Succeeded, Failed or Unknown.
 podIP IP address of the pod.
 qosClass Guaranteed, Burstable or BestEffort; derived from resources.
 reason Machine-readable reason, one word in CamelCase.
 startTime When the kubelet accepted the pod.
PodTemplateSpec Template of pods.
PolicyRule Allowed verbs on resources or paths.
 apiGroups Groups of the resources; "" is the core group, * all.
 nonResourceURLs Paths that are not resources, such as /healthz.
 resourceNames Names of the allowed objects; all when empty.
 resources Resources, also as resource/subresource; * is all.
 verbs Verbs such as get, list and create; * is all.
PriorityClass A named priority of pods.
 description Purpose of the class.
 globalDefault True for the default class of pods without priorityClassName.
 preemptionPolicy Whether pods of lower priority may be evicted for them.
 value The priority; pods with higher values are scheduled first.
Probe A check of a container.
 exec Runs a command in the container; exit code 0 is success.
 failureThreshold Consecutive failures after which the check has failed.
 grpc Calls the gRPC health service.
 httpGet Sends an HTTP request.
 initialDelaySeconds Delay before the first check.
 periodSeconds Interval of the checks.
 successThreshold Consecutive successes after which the check has succeeded.
 tcpSocket Opens a connection.
 timeoutSeconds Timeout of a check.
ReplicaSet Keeps a number of pods of one template running.
ReplicaSetSpec Number of pods and their template.
 minReadySeconds How long a pod must be ready to count as available.
 replicas Desired number of pods; 1 when absent.
 selector Selector of its pods; immutable.
 template Template of the pods.
ResourceQuota Limits the total resource usage of a namespace.
ResourceQuotaSpec The limits.
 hard Limit of each resource.
 scopes Restricts which objects are counted.
ResourceRequirements Requested resources and limits.
 limits Maximum usage.
 requests Amounts reserved for the container.
Role Permissions in one namespace.
 rules The permissions.
RoleBinding Grants a Role or ClusterRole to users, groups and service accounts in one namespace.
 roleRef The role; immutable.
 subjects Users, groups and service accounts that get the role.
RoleRef A reference to a role.
 apiGroup Its group.
 kind Role or ClusterRole.
 name Its name.
RollingUpdateDeployment How many pods may be unavailable or surplus during a rollout.
 maxSurge Maximum number or percentage of pods above the desired number.
 maxUnavailable Maximum number or percentage of unavailable pods.
RuleWithOperations Selects requests.
 apiGroups Groups; * is all.
 apiVersions Versions; * is all.
 operations CREATE, UPDATE, DELETE, CONNECT or *.
 resources Resources, also as resource/subresource; * is all without subresources.
 scope Cluster, Namespaced or *.
Secret Confidential data.
 data Values by key, in base64.
 immutable True: data cannot be changed.
 stringData Text values by key, write-only; merged into data.
 type Type of the data, such as Opaque or kubernetes.io/tls; immutable.
SecurityContext Security settings of a container.
 allowPrivilegeEscalation Whether processes may gain more privileges than their parent.
 capabilities Linux capabilities to add and to drop.
 privileged True: processes have the privileges of root on the node.
 readOnlyRootFilesystem True: the root filesystem is read-only.
 runAsGroup Group ID of processes.
 runAsNonRoot True: a container that would run as root is not started.
 runAsUser User ID of processes.
 seccompProfile Profile of allowed system calls.
SelfSubjectAccessReview Checks whether the current user may perform an action.
SelfSubjectReview Returns the current user.
SelfSubjectRulesReview Lists the actions that the current user may perform in a namespace.
Service A stable address and name for a set of pods.
ServiceAccount An identity for processes in pods.
 automountServiceAccountToken Whether the token is mounted into pods by default.
 imagePullSecrets Secrets for pulling images, added to its pods.
 secrets Secrets that its pods may use.
ServicePort A port of a Service.
 appProtocol Protocol of the application.
 name Name; required when there are several ports.
 nodePort Port on every node.
 port Port of the Service.
 protocol TCP, UDP or SCTP; TCP when absent.
 targetPort Number or name of the pods' port; the same as port when absent.
ServiceSpec Selector, ports and addresses of the Service.
 clusterIP Address within the cluster; None for a headless service.
 externalIPs Additional addresses that are routed to the Service.
 externalName DNS name that the Service is an alias for, with type ExternalName.
 externalTrafficPolicy Whether external traffic is routed to endpoints on the receiving node only.
 internalTrafficPolicy Whether internal traffic is routed to endpoints on the same node only.
 ipFamilies IPv4, IPv6 or both.
 ipFamilyPolicy Whether addresses of one or of both families are assigned.
 loadBalancerClass Implementation of the load balancer.
 ports Its ports.
 publishNotReadyAddresses True: pods that are not ready are endpoints, too.
 selector Labels of the pods; without it endpoints are managed manually.
 sessionAffinity ClientIP: requests of a client are routed to the same pod.
 type ClusterIP, NodePort, LoadBalancer or ExternalName.
StatefulSet Runs pods with stable names and storage.
StatefulSetSpec Number of pods, their template, and how they are replaced.
 minReadySeconds How long a pod must be ready to count as available.
 ordinals First ordinal of the pods.
 persistentVolumeClaimRetentionPolicy What happens to claims when pods are deleted.
 podManagementPolicy OrderedReady: pods are started one by one; or Parallel.
 replicas Desired number of pods; 1 when absent.
 revisionHistoryLimit Number of former templates to keep.
 selector Selector of its pods; immutable.
 serviceName Headless Service for the pods' DNS names.
 template Template of the pods.
 updateStrategy How pods are updated to a new template.
 volumeClaimTemplates Templates of claims that each pod gets.
Subject A user, a group or a service account.
 apiGroup API group of the kind; empty for service accounts.
 kind User, Group or ServiceAccount.
 name Its name.
 namespace Namespace of a service account.
SubjectAccessReview Checks whether a user may perform an action.
Taint Keeps pods without a matching toleration off a node.
 effect NoSchedule, PreferNoSchedule or NoExecute.
 key Key of the taint.
 value Its value.
TokenReview Validates a token and returns its user.
Toleration A taint that a pod tolerates.
 effect Effect that is tolerated; absent for all.
 key Key of the taint; absent for all.
 operator Exists, or Equal: the value must be the same.
 tolerationSeconds How long a NoExecute taint is tolerated.
 value Value of the taint.
ValidatingAdmissionPolicy Refuses requests for which a CEL expression is false.
ValidatingAdmissionPolicyBinding Enables a policy.
ValidatingAdmissionPolicyBindingSpec The policy, its parameters and its effect.
 matchResources Restricts the resources that the policy applies to.
 paramRef Parameter object, available to expressions as params.
 policyName The policy.
 validationActions Deny, Warn or Audit.
ValidatingAdmissionPolicySpec Matched requests and validations.
 auditAnnotations Expressions for audit annotations.
 failurePolicy What to do when an expression fails: Fail or Ignore.
 matchConditions Expressions that must all be true for the policy to be evaluated.
 matchConstraints Requests that the policy applies to.
 paramKind Kind of its parameters.
 validations Expressions that must be true.
 variables Named expressions that other expressions can use.
ValidatingWebhook A webhook that may refuse requests.
 admissionReviewVersions Versions of AdmissionReview that the webhook supports.
 clientConfig Address of the webhook.
 failurePolicy What to do when the call fails: Fail or Ignore.
 matchConditions Expressions that must all be true for the webhook to be called.
 name Fully qualified name.
 namespaceSelector Selects the namespaces of the objects.
 objectSelector Selects the objects by labels.
 rules Requests that the webhook is called for.
 sideEffects Whether the webhook may be called for dry runs.
 timeoutSeconds Timeout of a call.
ValidatingWebhookConfiguration Webhooks that may refuse requests.
 webhooks The webhooks.
Validation An expression that must be true.
 expression The expression, in CEL.
 message Message of the refusal.
 messageExpression CEL expression for the message.
 reason Reason of the refusal.
VolumeMount A mount of a volume in a container.
 mountPath Path in the container.
 name Name of the volume.
 readOnly True: the mount is read-only.
 subPath Path within the volume.
WebhookClientConfig Address of a webhook.
 caBundle PEM certificates for verifying the webhook's certificate.
 service Service of the webhook.
 url URL of the webhook, instead of service.
`;
