/** Fields of definitions, API services and admission, as the Kubernetes 1.36 API declares them; see field-table.ts for the notation. */
export const extensionFields = `
APIService kind:string apiVersion:string metadata:ObjectMeta! spec:APIServiceSpec! status:APIServiceStatus!
APIServiceCondition type:string! status:string! lastTransitionTime:time! reason:string message:string
APIServiceSpec service:*apiregistration.ServiceReference group:string version:string insecureSkipTLSVerify:bool caBundle:bytes groupPriorityMinimum:int32! versionPriority:int32!
APIServiceStatus conditions:[]APIServiceCondition
AuditAnnotation key:string! valueExpression:string!
CustomResourceColumnDefinition name:string! type:string! format:string description:string priority:int32 jsonPath:string!
CustomResourceConversion strategy:string! webhook:*WebhookConversion
CustomResourceDefinition kind:string apiVersion:string metadata:ObjectMeta! spec:CustomResourceDefinitionSpec! status:CustomResourceDefinitionStatus!
CustomResourceDefinitionCondition type:string! status:string! lastTransitionTime:time! reason:string message:string observedGeneration:int64
CustomResourceDefinitionNames plural:string! singular:string shortNames:[]string kind:string! listKind:string categories:[]string
CustomResourceDefinitionSpec group:string! names:CustomResourceDefinitionNames! scope:string! versions:[]CustomResourceDefinitionVersion! conversion:*CustomResourceConversion preserveUnknownFields:bool
CustomResourceDefinitionStatus conditions:[]CustomResourceDefinitionCondition! acceptedNames:CustomResourceDefinitionNames! storedVersions:[]string! observedGeneration:int64
CustomResourceDefinitionVersion name:string! served:bool! storage:bool! deprecated:bool deprecationWarning:*string schema:*CustomResourceValidation subresources:*CustomResourceSubresources additionalPrinterColumns:[]CustomResourceColumnDefinition selectableFields:[]SelectableField
CustomResourceSubresourceScale specReplicasPath:string! statusReplicasPath:string! labelSelectorPath:*string
CustomResourceSubresourceStatus 
CustomResourceSubresources status:*CustomResourceSubresourceStatus scale:*CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema:*JSONSchemaProps
ExpressionWarning fieldRef:string! warning:string!
ExternalDocumentation description:string url:string
JSONSchemaProps id:string $schema:string $ref:*string description:string type:string format:string title:string default:*json maximum:*float exclusiveMaximum:bool minimum:*float exclusiveMinimum:bool maxLength:*int64 minLength:*int64 pattern:string maxItems:*int64 minItems:*int64 uniqueItems:bool multipleOf:*float enum:[]json maxProperties:*int64 minProperties:*int64 required:[]string items:*schemaOrList allOf:[]JSONSchemaProps oneOf:[]JSONSchemaProps anyOf:[]JSONSchemaProps not:*JSONSchemaProps properties:{}JSONSchemaProps additionalProperties:*schemaOrBool patternProperties:{}JSONSchemaProps dependencies:{}schemaOrStrings additionalItems:*schemaOrBool definitions:{}JSONSchemaProps externalDocs:*ExternalDocumentation example:*json nullable:bool x-kubernetes-preserve-unknown-fields:*bool x-kubernetes-embedded-resource:bool x-kubernetes-int-or-string:bool x-kubernetes-list-map-keys:[]string x-kubernetes-list-type:*string x-kubernetes-map-type:*string x-kubernetes-validations:[]ValidationRule
MatchCondition name:string! expression:string!
MatchResources namespaceSelector:*LabelSelector objectSelector:*LabelSelector resourceRules:[]NamedRuleWithOperations excludeResourceRules:[]NamedRuleWithOperations matchPolicy:*string
MutatingWebhook name:string! clientConfig:admissionregistration.WebhookClientConfig! rules:[]RuleWithOperations failurePolicy:*string matchPolicy:*string namespaceSelector:*LabelSelector objectSelector:*LabelSelector sideEffects:*string! timeoutSeconds:*int32 admissionReviewVersions:[]string! reinvocationPolicy:*string matchConditions:[]MatchCondition
MutatingWebhookConfiguration kind:string apiVersion:string metadata:ObjectMeta! webhooks:[]MutatingWebhook
NamedRuleWithOperations resourceNames:[]string operations:[]string apiGroups:[]string apiVersions:[]string resources:[]string scope:*string
ParamKind apiVersion:string kind:string
ParamRef name:string namespace:string selector:*LabelSelector parameterNotFoundAction:*string
RuleWithOperations operations:[]string apiGroups:[]string apiVersions:[]string resources:[]string scope:*string
SelectableField jsonPath:string!
ServiceReference namespace:string! name:string! path:*string port:*int32
TypeChecking expressionWarnings:[]ExpressionWarning
ValidatingAdmissionPolicy kind:string apiVersion:string metadata:ObjectMeta! spec:ValidatingAdmissionPolicySpec! status:ValidatingAdmissionPolicyStatus!
ValidatingAdmissionPolicyBinding kind:string apiVersion:string metadata:ObjectMeta! spec:ValidatingAdmissionPolicyBindingSpec!
ValidatingAdmissionPolicyBindingSpec policyName:string paramRef:*ParamRef matchResources:*MatchResources validationActions:[]string
ValidatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources validations:[]Validation failurePolicy:*string auditAnnotations:[]AuditAnnotation matchConditions:[]MatchCondition variables:[]Variable
ValidatingAdmissionPolicyStatus observedGeneration:int64 typeChecking:*TypeChecking conditions:[]Condition
ValidatingWebhook name:string! clientConfig:admissionregistration.WebhookClientConfig! rules:[]RuleWithOperations failurePolicy:*string matchPolicy:*string namespaceSelector:*LabelSelector objectSelector:*LabelSelector sideEffects:*string! timeoutSeconds:*int32 admissionReviewVersions:[]string! matchConditions:[]MatchCondition
ValidatingWebhookConfiguration kind:string apiVersion:string metadata:ObjectMeta! webhooks:[]ValidatingWebhook
Validation expression:string! message:string reason:*string messageExpression:string
ValidationRule rule:string! message:string messageExpression:string reason:*string fieldPath:string optionalOldSelf:*bool
Variable name:string! expression:string!
WebhookClientConfig url:*string service:*ServiceReference caBundle:bytes
WebhookConversion clientConfig:*WebhookClientConfig conversionReviewVersions:[]string!
admissionregistration.ServiceReference namespace:string! name:string! path:*string port:*int32
admissionregistration.WebhookClientConfig url:*string service:*admissionregistration.ServiceReference caBundle:bytes
apiregistration.ServiceReference namespace:string name:string port:*int32
`;
