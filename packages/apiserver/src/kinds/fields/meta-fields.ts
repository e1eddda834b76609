/** Fields of metadata and selectors, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const metaFields = `
Condition type:string! status:string! observedGeneration:int64 lastTransitionTime:time! reason:string! message:string!
LabelSelector matchLabels:{}string matchExpressions:[]LabelSelectorRequirement
LabelSelectorRequirement key:string! operator:string! values:[]string
ManagedFieldsEntry manager:string operation:string apiVersion:string time:*time fieldsType:string fieldsV1:*json subresource:string
ObjectMeta name:string generateName:string namespace:string selfLink:string uid:string resourceVersion:string generation:int64 creationTimestamp:time deletionTimestamp:*time deletionGracePeriodSeconds:*int64 labels:{}string annotations:{}string ownerReferences:[]OwnerReference finalizers:[]string managedFields:[]ManagedFieldsEntry
OwnerReference apiVersion:string! kind:string! name:string! uid:string! controller:*bool blockOwnerDeletion:*bool
`;
