/**
 * Fields of CustomResourceDefinition v1, in declared order; notation in `struct-table.ts`.
 * Facts: k8s.io/apiextensions-apiserver v0.36.3.
 */
export const crdFields = `
ext.CustomResourceDefinition kind:string? apiVersion:string? metadata:ObjectMeta? spec:ext.CustomResourceDefinitionSpec status:ext.CustomResourceDefinitionStatus?
ext.CustomResourceDefinitionSpec group:string names:ext.CustomResourceDefinitionNames scope:string versions:[]ext.CustomResourceDefinitionVersion conversion:*ext.CustomResourceConversion? preserveUnknownFields:bool?
ext.CustomResourceDefinitionNames plural:string singular:string? shortNames:[]string? kind:string listKind:string? categories:[]string?
ext.CustomResourceDefinitionVersion name:string served:bool storage:bool deprecated:bool? deprecationWarning:*string? schema:*ext.CustomResourceValidation? subresources:*ext.CustomResourceSubresources? additionalPrinterColumns:[]ext.CustomResourceColumnDefinition? selectableFields:[]ext.SelectableField?
ext.CustomResourceValidation openAPIV3Schema:*ext.JSONSchemaProps?
ext.JSONSchemaProps id:string? $schema:string? $ref:*string? description:string? type:string? format:string? title:string? default:*json? maximum:*float64? exclusiveMaximum:bool? minimum:*float64? exclusiveMinimum:bool? maxLength:*int64? minLength:*int64? pattern:string? maxItems:*int64? minItems:*int64? uniqueItems:bool? multipleOf:*float64? enum:[]json? maxProperties:*int64? minProperties:*int64? required:[]string? items:*schemaOrArray? allOf:[]ext.JSONSchemaProps? oneOf:[]ext.JSONSchemaProps? anyOf:[]ext.JSONSchemaProps? not:*ext.JSONSchemaProps? properties:{}ext.JSONSchemaProps? additionalProperties:*schemaOrBool? patternProperties:{}ext.JSONSchemaProps? dependencies:{}schemaOrStrings? additionalItems:*schemaOrBool? definitions:{}ext.JSONSchemaProps? externalDocs:*ext.ExternalDocumentation? example:*json? nullable:bool? x-kubernetes-preserve-unknown-fields:*bool? x-kubernetes-embedded-resource:bool? x-kubernetes-int-or-string:bool? x-kubernetes-list-map-keys:[]string? x-kubernetes-list-type:*string? x-kubernetes-map-type:*string? x-kubernetes-validations:[]ext.ValidationRule?
ext.ExternalDocumentation description:string? url:string?
ext.ValidationRule rule:string message:string? messageExpression:string? reason:*string? fieldPath:string? optionalOldSelf:*bool?
ext.CustomResourceSubresources status:*ext.CustomResourceSubresourceStatus? scale:*ext.CustomResourceSubresourceScale?
ext.CustomResourceSubresourceStatus
ext.CustomResourceSubresourceScale specReplicasPath:string statusReplicasPath:string labelSelectorPath:*string?
ext.CustomResourceColumnDefinition name:string type:string format:string? description:string? priority:int32? jsonPath:string
ext.SelectableField jsonPath:string
ext.CustomResourceConversion strategy:string webhook:*ext.WebhookConversion?
ext.WebhookConversion clientConfig:*ext.WebhookClientConfig? conversionReviewVersions:[]string
ext.WebhookClientConfig url:*string? service:*ext.ServiceReference? caBundle:bytes?
ext.ServiceReference namespace:string name:string path:*string? port:*int32?
ext.CustomResourceDefinitionStatus conditions:[]ext.CustomResourceDefinitionCondition acceptedNames:ext.CustomResourceDefinitionNames storedVersions:[]string observedGeneration:int64?
ext.CustomResourceDefinitionCondition type:string status:string lastTransitionTime:time? reason:string? message:string? observedGeneration:int64?
`;
