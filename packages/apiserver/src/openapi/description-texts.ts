/**
 * What `kubectl explain` says of kinds and of the fields that people write or read most, in our own words: a line for a
 * struct, then one for each of its fields, which begins with a blank. Fields without a line have no description.
 */
export const descriptionTexts = `
APIService Hands one group and version of the API to another server.
APIServiceSpec Which group and version, and where the server is.
 caBundle PEM certificates that the server's own is checked with.
 group Group that is handed over.
 groupPriorityMinimum How far up the group stands in discovery; the highest of its versions counts.
 insecureSkipTLSVerify Do not check the server's certificate.
 service Service of the server; absent for what this server answers itself.
 version Version that is handed over.
 versionPriority Where the version stands within its group.
ClusterRole Permissions in every namespace and on objects outside namespaces.
 aggregationRule Collects the rules of other cluster roles; rules written here are replaced.
 rules What is allowed.
ClusterRoleBinding Gives a cluster role to users, groups and service accounts, in the whole cluster.
 roleRef Role that is given; it cannot be changed later.
 subjects Who gets it.
Condition One aspect of an object's state, as a controller sees it.
 lastTransitionTime When status changed last.
 message The same for people.
 observedGeneration Generation of the object that the condition speaks of.
 reason Why, as one word for programs.
 status True, False or Unknown.
 type Which aspect.
ConfigMap Configuration that pods read, as texts and bytes.
 binaryData Bytes by key, in base64; no key may be in data as well.
 data Texts by key.
 immutable True: data and binaryData can never be changed again.
Container One program of a pod.
 args Arguments of the command; those of the image when absent.
 command Program to run; that of the image when absent. No shell is involved.
 env Environment variables.
 envFrom Whole config maps and secrets as environment variables; env goes first.
 image Image to run.
 imagePullPolicy When the image is pulled; Always for tag latest or none, IfNotPresent otherwise.
 lifecycle What happens after the container started and before it is stopped.
 livenessProbe Asks whether the container lives; it is restarted when not.
 name Name within the pod.
 ports Ports that the container listens on, for people and for names.
 readinessProbe Asks whether the container may get traffic.
 resizePolicy Whether a change of resources restarts the container.
 resources What the container asks for and may use at most.
 restartPolicy Of an init container: Always makes it run beside the containers of the pod.
 securityContext Privileges of this container; it goes before that of the pod.
 startupProbe Asks whether the container has started; the other probes wait for it.
 stdin Keep standard input open.
 terminationMessagePath File whose text becomes the message of an ended container.
 terminationMessagePolicy Where that message comes from.
 tty Give the container a terminal.
 volumeDevices Block devices to use.
 volumeMounts Volumes to mount.
 workingDir Directory to start in.
ContainerPort A port that a container listens on.
 containerPort Number of the port.
 hostPort Port of the node that leads here.
 name Name that services may use.
 protocol TCP, UDP or SCTP; TCP when absent.
ControllerRevision A state that a StatefulSet or DaemonSet had, to go back to.
 data The state.
 revision Number of the state.
CronJob Makes jobs on a schedule.
CronJobSpec When jobs are made, and which.
 concurrencyPolicy What happens while the job before still runs: Allow, Forbid or Replace.
 failedJobsHistoryLimit How many failed jobs are kept.
 jobTemplate Job to make.
 schedule Times in cron's format.
 startingDeadlineSeconds How late a job may still be started.
 successfulJobsHistoryLimit How many completed jobs are kept.
 suspend True: no more jobs are made.
 timeZone Time zone of the schedule; that of the controller when absent.
CustomResourceColumnDefinition A column of kubectl get.
 description What the column shows.
 jsonPath Where the value is in the object.
 name Heading.
 priority 0 is always shown, more only with -o wide.
 type Type of the value: string, integer, number, boolean or date.
CustomResourceConversion How objects get from one version to another.
 strategy None: only apiVersion changes. Webhook: a webhook converts.
 webhook Who converts.
CustomResourceDefinition Adds a kind to the API.
CustomResourceDefinitionNames What the kind is called.
 categories Groups of kinds, such as all, that it belongs to.
 kind Kind of one object, in CamelCase.
 listKind Kind of a list; the kind with List when absent.
 plural Name in paths.
 shortNames Abbreviations for the command line.
 singular Name of one object for the command line; the kind in lower case when absent.
CustomResourceDefinitionSpec Names, versions and schemas of the kind.
 conversion How objects get from one version to another.
 group Group of the kind.
 names What the kind is called.
 preserveUnknownFields Of the past; must be false.
 scope Namespaced or Cluster.
 versions Versions that are served or stored.
CustomResourceDefinitionStatus What became of the definition.
 acceptedNames Names that are in use.
 conditions Whether names are accepted and the kind is served.
 storedVersions Versions that objects were ever stored in.
CustomResourceDefinitionVersion One version of the kind.
 additionalPrinterColumns Columns of kubectl get.
 deprecated True: requests for this version are warned.
 deprecationWarning Text of that warning.
 name Name of the version, such as v1 or v1beta2.
 schema What objects look like.
 selectableFields Fields that field selectors may use.
 served Whether the version is served.
 storage Whether objects are stored in this version; true for exactly one.
 subresources Whether status and scale have paths of their own.
CustomResourceSubresourceScale Where the numbers of the scale subresource are.
 labelSelectorPath Where the label selector is, as a text.
 specReplicasPath Where the wanted number is.
 statusReplicasPath Where the present number is.
CustomResourceSubresources Paths beside the object's own.
 scale Lets the kind be scaled.
 status Lets status be written apart from the rest.
CustomResourceValidation Schema of the objects.
 openAPIV3Schema The schema; it must be structural.
DaemonSet Keeps one pod on every node that fits.
DaemonSetSpec Which pod, and how a new template is rolled out.
 minReadySeconds How long a pod must be ready to count as available.
 revisionHistoryLimit How many former templates are kept.
 selector Labels of its pods; they cannot be changed later.
 template Pod to make.
 updateStrategy How pods get a new template.
DeleteOptions How something is to be deleted.
 dryRun All: nothing is stored.
 gracePeriodSeconds Time that the object has to end.
 preconditions What must hold for the deletion to happen.
 propagationPolicy What happens to objects that it owns: Orphan, Background or Foreground.
Deployment Keeps a number of pods of one template running and rolls out new templates.
DeploymentSpec How many pods of which template, and how they are replaced.
 minReadySeconds How long a pod must be ready to count as available.
 paused True: new templates are not rolled out.
 progressDeadlineSeconds How long a rollout may make no progress before it is told to be stuck.
 replicas Number of pods; 1 when absent.
 revisionHistoryLimit How many former ReplicaSets are kept to go back to.
 selector Labels of its pods; they cannot be changed later.
 strategy How pods of the former template are replaced.
 template Pod to make.
DeploymentStatus How far the rollout got.
 availableReplicas Pods that have been ready long enough.
 conditions Whether it is available, and whether it makes progress.
 observedGeneration Generation that the controller has seen.
 readyReplicas Pods that are ready.
 replicas Pods in all.
 unavailableReplicas Pods that are missing or not available yet.
 updatedReplicas Pods of the present template.
DeploymentStrategy How pods of the former template are replaced.
 rollingUpdate How many pods may be missing or too many meanwhile.
 type RollingUpdate, or Recreate: all are stopped first.
Endpoint Addresses that belong together.
 addresses Addresses, all of the slice's type.
 conditions Whether traffic may be sent.
 hostname Name of the pod within a headless service.
 nodeName Node that it runs on.
 targetRef Object behind it, mostly a pod.
 zone Zone that it is in.
EndpointSlice A part of the endpoints of a service.
 addressType IPv4, IPv6 or FQDN; it cannot be changed later.
 endpoints Endpoints.
 ports Ports of every endpoint.
Endpoints Addresses behind a service. EndpointSlice has replaced it.
 subsets Addresses with the ports that they have in common.
EnvFromSource A config map or secret whose keys become environment variables.
 configMapRef Config map to take.
 prefix Put before each key.
 secretRef Secret to take.
EnvVar An environment variable.
 name Name.
 value Its text; $(OTHER) stands for a variable that comes before it.
 valueFrom Where its text comes from.
EnvVarSource Where the text of an environment variable comes from.
 configMapKeyRef Key of a config map.
 fieldRef Field of the pod.
 resourceFieldRef Resource of a container.
 secretKeyRef Key of a secret.
Event Something that happened to an object.
 count How often it happened.
 eventTime When it was seen first.
 firstTimestamp When it was recorded first.
 involvedObject Object that it happened to.
 lastTimestamp When it was recorded last.
 message What happened, for people.
 reason What happened, as one word for programs.
 reportingComponent Who tells it.
 source Who tells it, as it was written formerly.
 type Normal or Warning.
events.Event Something that happened to an object.
 action What was done or tried.
 eventTime When it was seen first.
 note What happened, for people.
 reason Why, as one word for programs.
 regarding Object that it happened to.
 related Another object that took part.
 reportingController Who tells it.
 reportingInstance Which instance of it.
 series How often it was repeated.
 type Normal or Warning.
IPBlock A range of addresses.
 cidr The range.
 except Ranges within it that do not count.
Job Runs pods until enough of them have succeeded.
JobSpec Which pod, how often, and when to give up.
 activeDeadlineSeconds How long the job may take in all.
 backoffLimit How many failures are allowed.
 completionMode NonIndexed, or Indexed: each completion has a number.
 completions How many pods must succeed.
 manualSelector True: the selector is ours to choose.
 parallelism How many pods may run at a time.
 selector Labels of its pods; made by the server.
 suspend True: no pods are made, and running ones are stopped.
 template Pod to make; its restartPolicy is Never or OnFailure.
 ttlSecondsAfterFinished How long a finished job is kept.
JobStatus How far the job got.
 active Pods that run.
 completionTime When it completed.
 conditions Whether it is complete, failed or suspended.
 failed Pods that failed.
 ready Pods that are ready.
 startTime When it was started.
 succeeded Pods that succeeded.
LabelSelector Chooses objects by their labels; all of its parts must hold.
 matchExpressions Conditions on labels.
 matchLabels Labels and the value that each must have.
LabelSelectorRequirement A condition on one label.
 key Name of the label.
 operator In, NotIn, Exists or DoesNotExist.
 values Values for In and NotIn.
Lease Who holds something, and until when.
LeaseSpec Holder and times.
 acquireTime Since when it is held.
 holderIdentity Who holds it.
 leaseDurationSeconds How long others wait after the last renewal.
 leaseTransitions How often the holder changed.
 renewTime When it was renewed last.
LimitRange Bounds and defaults for the resources of single objects in a namespace.
LimitRangeItem Bounds for one type of object.
 default Limits of containers that have none.
 defaultRequest Requests of containers that have none.
 max Most that is allowed.
 maxLimitRequestRatio How many times its request a limit may be.
 min Least that is allowed.
 type Container, Pod or PersistentVolumeClaim.
LimitRangeSpec The bounds.
 limits Bounds, one entry for each type of object.
LocalObjectReference Another object of the same namespace.
 name Its name.
LocalSubjectAccessReview Asks whether somebody may do something in one namespace.
ManagedFieldsEntry Which fields one manager wrote last.
 apiVersion Version that the fields are named in.
 fieldsType Format of fieldsV1.
 fieldsV1 The fields.
 manager Program that wrote them.
 operation Apply or Update.
 subresource Path that it wrote through; absent for the object's own.
 time When it wrote last.
MutatingWebhook One webhook that changes objects.
 admissionReviewVersions Versions of the question that it understands.
 clientConfig Where it is.
 failurePolicy What an unreachable webhook means: Fail or Ignore.
 matchConditions Expressions that must all be true for it to be asked.
 name Full name with its domain.
 namespaceSelector Namespaces whose objects it is asked about.
 objectSelector Labels of the objects that it is asked about.
 reinvocationPolicy IfNeeded: it is asked again when others changed the object after it.
 rules Requests that it is asked about.
 sideEffects Whether a dry run may be sent to it.
 timeoutSeconds How long its answer may take.
MutatingWebhookConfiguration Webhooks that may change objects before they are stored.
 webhooks The webhooks.
Namespace A part of the cluster with names, quotas and permissions of its own.
NamespaceSpec What must be done before it is gone.
 finalizers Who still has to clean up.
NetworkPolicy Which traffic pods may receive and send.
NetworkPolicyPeer Pods, namespaces or addresses.
 ipBlock Addresses.
 namespaceSelector Namespaces.
 podSelector Pods, in the same namespace or in those chosen.
NetworkPolicySpec Pods that it is about, and the traffic that they may have.
 egress Traffic that they may send.
 ingress Traffic that they may receive.
 podSelector Pods that it is about; empty for all of the namespace.
 policyTypes Whether it is about Ingress, Egress or both.
Node A machine that pods run on.
NodeSpec How the node is used.
 podCIDR Addresses of its pods.
 providerID Name of the machine where it comes from.
 taints Marks that keep pods away which do not tolerate them.
 unschedulable True: no new pods.
ObjectMeta What every stored object has: name, labels, owners and what the server keeps of it.
 annotations Texts that are kept with the object; nothing is chosen by them.
 creationTimestamp When it was created; written by the server.
 deletionGracePeriodSeconds Time that it was given to end.
 deletionTimestamp When it is or was to be gone; written by the server once it is deleted.
 finalizers Who must clean up before it is gone.
 generateName Start of a name that the server completes.
 generation Number of the wanted state; written by the server.
 labels Texts that objects are chosen by.
 managedFields Who wrote which field.
 name Name, unique for the kind in its namespace; it cannot be changed.
 namespace Namespace that it lies in.
 ownerReferences Objects without which it is removed.
 resourceVersion Changes with every write; sent back, it makes sure that nobody wrote in between.
 selfLink Of the past; always empty.
 uid Tells it from every other object that had the same name.
ObjectReference Another object.
 apiVersion Its group and version.
 fieldPath Part of it that is meant.
 kind Its kind.
 name Its name.
 namespace Its namespace.
 resourceVersion State that is meant.
 uid Its uid.
OwnerReference An object without which this one is removed.
 apiVersion Its group and version.
 blockOwnerDeletion True: in a foreground deletion the owner waits for this object.
 controller True for the one owner that manages this object.
 kind Its kind.
 name Its name.
 uid Its uid.
PersistentVolume Storage that a claim can be bound to.
PersistentVolumeClaim Asks for storage.
PersistentVolumeClaimSpec Which storage is asked for.
 accessModes How it will be mounted.
 resources How much of it.
 selector Labels of volumes that come into question.
 storageClassName Class of storage.
 volumeMode Filesystem or Block.
 volumeName Volume that it is bound to.
PersistentVolumeSpec What the storage is.
 accessModes How it can be mounted.
 capacity How much it holds.
 claimRef Claim that it is bound to.
 persistentVolumeReclaimPolicy What becomes of it when the claim is gone: Retain, Delete or Recycle.
 storageClassName Class of storage.
 volumeMode Filesystem or Block.
Pod One or more containers that run together on one node.
PodDisruptionBudget How many pods may be missing because of evictions.
PodDisruptionBudgetSpec Pods and how many of them must stay.
 maxUnavailable How many may be missing, or which part of them.
 minAvailable How many must stay, or which part of them.
 selector Pods that it is about.
 unhealthyPodEvictionPolicy Whether pods that are not ready may always be evicted.
PodSecurityContext Privileges of all containers of a pod.
 fsGroup Group that owns the volumes.
 runAsGroup Group that programs run as.
 runAsNonRoot True: a container that would run as root is not started.
 runAsUser User that programs run as.
 seccompProfile System calls that are allowed.
 supplementalGroups More groups of the programs.
 sysctls Kernel parameters.
PodSpec What a pod runs, where and with what.
 activeDeadlineSeconds How long the pod may run.
 affinity Nodes and pods that it should be near to or far from.
 automountServiceAccountToken Whether containers get a token of the service account.
 containers Programs of the pod.
 dnsPolicy Where names are looked up.
 ephemeralContainers Containers that were added to look into the running pod.
 hostAliases Lines for the hosts file.
 hostIPC Use the node's interprocess communication.
 hostNetwork Use the node's network.
 hostPID See the node's processes.
 hostname Host name; the pod's name when absent.
 imagePullSecrets Secrets for pulling images.
 initContainers Programs that must end before the others start, one after the other.
 nodeName Node that it runs on; mostly chosen by the scheduler.
 nodeSelector Labels that the node must have.
 preemptionPolicy Whether pods of lower priority may be evicted for it.
 priority Priority; it follows from priorityClassName.
 priorityClassName Priority class of the pod.
 restartPolicy When containers are started again: Always, OnFailure or Never.
 runtimeClassName How its containers are run.
 schedulerName Scheduler that chooses the node.
 schedulingGates What it waits for before it is scheduled.
 securityContext Privileges of all its containers.
 serviceAccount Former name of serviceAccountName.
 serviceAccountName Service account that it acts as.
 terminationGracePeriodSeconds Time that containers have to end when it is deleted.
 tolerations Taints that it endures.
 topologySpreadConstraints How pods are spread over zones or nodes.
 volumes Volumes that its containers may mount.
PodStatus How the pod is.
 conditions Whether it is scheduled, initialized and ready.
 containerStatuses How each container is.
 hostIP Address of the node.
 initContainerStatuses How each init container is.
 message Why it is so, for people.
 phase Pending, Running, Succeeded, Failed or Unknown.
 podIP Its address.
 qosClass Guaranteed, Burstable or BestEffort; it follows from resources.
 reason Why it is so, as one word for programs.
 startTime When the node took it.
PodTemplateSpec What pods are made from.
PolicyRule Verbs that are allowed on resources or paths.
 apiGroups Groups of the resources; "" is the core group, * all.
 nonResourceURLs Paths that are no resources, such as /healthz.
 resourceNames Names that it is limited to.
 resources Resources, also as resource/subresource; * is all.
 verbs Verbs such as get, list and create; * is all.
PriorityClass A name for a priority of pods.
 description What it is for.
 globalDefault True for the class of pods that name none.
 preemptionPolicy Whether pods of lower priority may be evicted for them.
 value The priority; more is more urgent.
Probe A question that tells how a container is.
 exec Runs a command in the container; exit code 0 is well.
 failureThreshold Failures in a row that count.
 grpc Asks over gRPC.
 httpGet Asks over HTTP.
 initialDelaySeconds How long to wait before the first time.
 periodSeconds How often it is asked.
 successThreshold Successes in a row that count.
 tcpSocket Opens a connection.
 timeoutSeconds How long an answer may take.
ReplicaSet Keeps a number of pods of one template running.
ReplicaSetSpec How many pods of which template.
 minReadySeconds How long a pod must be ready to count as available.
 replicas Number of pods; 1 when absent.
 selector Labels of its pods; they cannot be changed later.
 template Pod to make.
ResourceQuota Limits what a namespace may use in all.
ResourceQuotaSpec The limits.
 hard Most of each resource.
 scopes Kinds of objects that count.
ResourceRequirements What a container asks for and may use.
 limits Most that it may use.
 requests What is kept for it.
Role Permissions in one namespace.
 rules What is allowed.
RoleBinding Gives a role or a cluster role to users, groups and service accounts, in one namespace.
 roleRef Role that is given; it cannot be changed later.
 subjects Who gets it.
RoleRef A role.
 apiGroup Its group.
 kind Role or ClusterRole.
 name Its name.
RollingUpdateDeployment How many pods may be missing or too many during a rollout.
 maxSurge How many more pods than wanted may be there, or which part of them.
 maxUnavailable How many of the wanted pods may be missing, or which part of them.
RuleWithOperations Requests that are meant.
 apiGroups Groups; * is all.
 apiVersions Versions; * is all.
 operations CREATE, UPDATE, DELETE, CONNECT or *.
 resources Resources, also as resource/subresource; * is all without subresources.
 scope Cluster, Namespaced or *.
Secret Data that is not for everybody's eyes.
 data Bytes by key, in base64.
 immutable True: data can never be changed again.
 stringData Texts by key for writing; they become data.
 type What the data is, such as Opaque or kubernetes.io/tls; it cannot be changed later.
SecurityContext Privileges of a container.
 allowPrivilegeEscalation Whether programs may gain more privileges than their parent.
 capabilities Linux capabilities to add and to drop.
 privileged True: the container may do what root on the node may.
 readOnlyRootFilesystem True: nothing of the image can be written.
 runAsGroup Group that programs run as.
 runAsNonRoot True: a container that would run as root is not started.
 runAsUser User that programs run as.
 seccompProfile System calls that are allowed.
SelfSubjectAccessReview Asks whether you may do something.
SelfSubjectReview Asks who you are.
SelfSubjectRulesReview Asks what you may do in a namespace.
Service A steady address and name for a set of pods.
ServiceAccount An identity for programs.
 automountServiceAccountToken Whether pods get a token by default.
 imagePullSecrets Secrets for pulling images, given to its pods.
 secrets Secrets that its pods may use.
ServicePort A port of a service.
 appProtocol Protocol of the application.
 name Name; needed when there are several ports.
 nodePort Port on every node.
 port Port of the service.
 protocol TCP, UDP or SCTP; TCP when absent.
 targetPort Number or name of the pods' port; that of the service when absent.
ServiceSpec Which pods, and how they are reached.
 clusterIP Address within the cluster; None for a headless service.
 externalIPs More addresses that lead to it.
 externalName Name that the service stands for, of type ExternalName.
 externalTrafficPolicy Whether traffic from outside stays on the node that got it.
 internalTrafficPolicy Whether traffic from inside stays on its node.
 ipFamilies IPv4, IPv6 or both.
 ipFamilyPolicy Whether it has addresses of one family or of both.
 loadBalancerClass Who makes the load balancer.
 ports Its ports.
 publishNotReadyAddresses True: pods count that are not ready.
 selector Labels of the pods; without it endpoints are written by somebody else.
 sessionAffinity ClientIP: a client stays with one pod.
 type ClusterIP, NodePort, LoadBalancer or ExternalName.
StatefulSet Keeps pods with steady names and storage.
StatefulSetSpec How many pods of which template, and how they are replaced.
 minReadySeconds How long a pod must be ready to count as available.
 ordinals Where the numbers of the pods begin.
 persistentVolumeClaimRetentionPolicy What becomes of the claims when pods go.
 podManagementPolicy OrderedReady: one after the other; or Parallel.
 replicas Number of pods; 1 when absent.
 revisionHistoryLimit How many former templates are kept.
 selector Labels of its pods; they cannot be changed later.
 serviceName Headless service that gives the pods their names.
 template Pod to make.
 updateStrategy How pods get a new template.
 volumeClaimTemplates Claims that every pod gets.
Subject A user, a group or a service account.
 apiGroup Group of the kind; empty for service accounts.
 kind User, Group or ServiceAccount.
 name Its name.
 namespace Namespace of a service account.
SubjectAccessReview Asks whether somebody may do something.
Taint Keeps pods off a node that do not tolerate it.
 effect NoSchedule, PreferNoSchedule or NoExecute.
 key Name of the taint.
 value Its value.
TokenReview Asks whose token it is.
Toleration A taint that a pod endures.
 effect Effect that is endured; absent for all.
 key Name of the taint; absent for all.
 operator Exists, or Equal: the value must be the same.
 tolerationSeconds How long a NoExecute taint is endured.
 value Value of the taint.
ValidatingAdmissionPolicy Refuses writes for which an expression is false.
ValidatingAdmissionPolicyBinding Puts a policy to work.
ValidatingAdmissionPolicyBindingSpec Which policy, for what and with what effect.
 matchResources Narrows what the policy is about.
 paramRef Object that the policy's expressions read as params.
 policyName The policy.
 validationActions Deny, Warn or Audit.
ValidatingAdmissionPolicySpec Which requests, and what must be true.
 auditAnnotations Expressions for the audit log.
 failurePolicy What an expression that fails means: Fail or Ignore.
 matchConditions Expressions that must all be true for it to be asked.
 matchConstraints Requests that it is about.
 paramKind Kind of its parameters.
 validations What must be true.
 variables Expressions that others use by name.
ValidatingWebhook One webhook that may refuse.
 admissionReviewVersions Versions of the question that it understands.
 clientConfig Where it is.
 failurePolicy What an unreachable webhook means: Fail or Ignore.
 matchConditions Expressions that must all be true for it to be asked.
 name Full name with its domain.
 namespaceSelector Namespaces whose objects it is asked about.
 objectSelector Labels of the objects that it is asked about.
 rules Requests that it is asked about.
 sideEffects Whether a dry run may be sent to it.
 timeoutSeconds How long its answer may take.
ValidatingWebhookConfiguration Webhooks that may refuse writes.
 webhooks The webhooks.
Validation One expression that must be true.
 expression The expression, in CEL.
 message What is told when it is false.
 messageExpression Expression that makes that message.
 reason Reason of the refusal.
VolumeMount Where a volume is mounted.
 mountPath Path in the container.
 name Name of the volume.
 readOnly True: it cannot be written.
 subPath Path within the volume.
WebhookClientConfig Where a webhook is.
 caBundle PEM certificates that its own is checked with.
 service Service of the webhook.
 url Address of the webhook; instead of service.
`;
