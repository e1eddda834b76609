/** Fields of `rbac.authorization.k8s.io/v1`, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const rbacFields = `
AggregationRule clusterRoleSelectors:[]LabelSelector
ClusterRole kind:string apiVersion:string metadata:ObjectMeta! rules:[]PolicyRule! aggregationRule:*AggregationRule
ClusterRoleBinding kind:string apiVersion:string metadata:ObjectMeta! subjects:[]Subject roleRef:RoleRef!
PolicyRule verbs:[]string! apiGroups:[]string resources:[]string resourceNames:[]string nonResourceURLs:[]string
Role kind:string apiVersion:string metadata:ObjectMeta! rules:[]PolicyRule!
RoleBinding kind:string apiVersion:string metadata:ObjectMeta! subjects:[]Subject roleRef:RoleRef!
RoleRef apiGroup:string! kind:string! name:string!
Subject kind:string! apiGroup:string name:string! namespace:string
`;
