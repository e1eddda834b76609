/** Fields of leases, events, slices, policies and reviews, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const otherFields = `
BoundObjectReference kind:string apiVersion:string name:string uid:string
DeleteOptions kind:string apiVersion:string gracePeriodSeconds:*int64 preconditions:*Preconditions orphanDependents:*bool propagationPolicy:*string dryRun:[]string ignoreStoreReadErrorWithClusterBreakingPotential:*bool
Endpoint addresses:[]string! conditions:EndpointConditions! hostname:*string targetRef:*ObjectReference deprecatedTopology:{}string nodeName:*string zone:*string hints:*EndpointHints
EndpointConditions ready:*bool serving:*bool terminating:*bool
EndpointHints forZones:[]ForZone forNodes:[]ForNode
EndpointSlice kind:string apiVersion:string metadata:ObjectMeta! addressType:string! endpoints:[]Endpoint! ports:[]discovery.EndpointPort!
Eviction kind:string apiVersion:string metadata:ObjectMeta! deleteOptions:*DeleteOptions
FieldSelectorAttributes rawSelector:string requirements:[]FieldSelectorRequirement
FieldSelectorRequirement key:string! operator:string! values:[]string
ForNode name:string!
ForZone name:string!
IPBlock cidr:string! except:[]string
LabelSelectorAttributes rawSelector:string requirements:[]LabelSelectorRequirement
Lease kind:string apiVersion:string metadata:ObjectMeta! spec:LeaseSpec!
LeaseSpec holderIdentity:*string leaseDurationSeconds:*int32 acquireTime:*microtime renewTime:*microtime leaseTransitions:*int32 strategy:*string preferredHolder:*string
LocalSubjectAccessReview kind:string apiVersion:string metadata:ObjectMeta! spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus!
NetworkPolicy kind:string apiVersion:string metadata:ObjectMeta! spec:NetworkPolicySpec!
NetworkPolicyEgressRule ports:[]NetworkPolicyPort to:[]NetworkPolicyPeer
NetworkPolicyIngressRule ports:[]NetworkPolicyPort from:[]NetworkPolicyPeer
NetworkPolicyPeer podSelector:*LabelSelector namespaceSelector:*LabelSelector ipBlock:*IPBlock
NetworkPolicyPort protocol:*string port:*intorstring endPort:*int32
NetworkPolicySpec podSelector:LabelSelector! ingress:[]NetworkPolicyIngressRule egress:[]NetworkPolicyEgressRule policyTypes:[]string
NonResourceAttributes path:string verb:string
NonResourceRule verbs:[]string! nonResourceURLs:[]string
PodDisruptionBudget kind:string apiVersion:string metadata:ObjectMeta! spec:PodDisruptionBudgetSpec! status:PodDisruptionBudgetStatus!
PodDisruptionBudgetSpec minAvailable:*intorstring selector:*LabelSelector maxUnavailable:*intorstring unhealthyPodEvictionPolicy:*string
PodDisruptionBudgetStatus observedGeneration:int64 disruptedPods:{}time disruptionsAllowed:int32! currentHealthy:int32! desiredHealthy:int32! expectedPods:int32! conditions:[]Condition
Preconditions uid:*string resourceVersion:*string
PriorityClass kind:string apiVersion:string metadata:ObjectMeta! value:int32! globalDefault:bool description:string preemptionPolicy:*string
ResourceAttributes namespace:string verb:string group:string version:string resource:string subresource:string name:string fieldSelector:*FieldSelectorAttributes labelSelector:*LabelSelectorAttributes
ResourceRule verbs:[]string! apiGroups:[]string resources:[]string resourceNames:[]string
Scale kind:string apiVersion:string metadata:ObjectMeta! spec:ScaleSpec! status:ScaleStatus!
ScaleSpec replicas:int32
ScaleStatus replicas:int32! selector:string
SelfSubjectAccessReview kind:string apiVersion:string metadata:ObjectMeta! spec:SelfSubjectAccessReviewSpec! status:SubjectAccessReviewStatus!
SelfSubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes
SelfSubjectReview kind:string apiVersion:string metadata:ObjectMeta! status:SelfSubjectReviewStatus!
SelfSubjectReviewStatus userInfo:UserInfo!
SelfSubjectRulesReview kind:string apiVersion:string metadata:ObjectMeta! spec:SelfSubjectRulesReviewSpec! status:SubjectRulesReviewStatus!
SelfSubjectRulesReviewSpec namespace:string
SubjectAccessReview kind:string apiVersion:string metadata:ObjectMeta! spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus!
SubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes user:string groups:[]string extra:{}[]string uid:string
SubjectAccessReviewStatus allowed:bool! denied:bool reason:string evaluationError:string
SubjectRulesReviewStatus resourceRules:[]ResourceRule! nonResourceRules:[]NonResourceRule! incomplete:bool! evaluationError:string
TokenRequest kind:string apiVersion:string metadata:ObjectMeta! spec:TokenRequestSpec! status:TokenRequestStatus!
TokenRequestSpec audiences:[]string! expirationSeconds:*int64! boundObjectRef:*BoundObjectReference!
TokenRequestStatus token:string! expirationTimestamp:time!
TokenReview kind:string apiVersion:string metadata:ObjectMeta! spec:TokenReviewSpec! status:TokenReviewStatus!
TokenReviewSpec token:string audiences:[]string
TokenReviewStatus authenticated:bool user:UserInfo! audiences:[]string error:string
UserInfo username:string uid:string groups:[]string extra:{}[]string
discovery.EndpointPort name:*string protocol:*string port:*int32 appProtocol:*string
events.Event kind:string apiVersion:string metadata:ObjectMeta! eventTime:microtime! series:*events.EventSeries reportingController:string reportingInstance:string action:string reason:string regarding:ObjectReference! related:*ObjectReference note:string type:string deprecatedSource:EventSource! deprecatedFirstTimestamp:time! deprecatedLastTimestamp:time! deprecatedCount:int32
events.EventSeries count:int32! lastObservedTime:microtime!
`;
