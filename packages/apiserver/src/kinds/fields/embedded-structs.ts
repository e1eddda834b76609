/**
 * Structs that embed others, as the Kubernetes 1.36 API declares them: the struct, the embedded one (a path when
 * nested), then the fields that come from it, or with `!` those that do not.
 */
const table = `
ConfigMapEnvSource LocalObjectReference name
ConfigMapKeySelector LocalObjectReference name
ConfigMapProjection LocalObjectReference name
ConfigMapVolumeSource LocalObjectReference name
EphemeralContainer EphemeralContainerCommon !targetContainerName
NamedRuleWithOperations RuleWithOperations operations
NamedRuleWithOperations RuleWithOperations.Rule apiGroups apiVersions resources scope
PersistentVolumeSpec PersistentVolumeSource !capacity !accessModes !claimRef !persistentVolumeReclaimPolicy !storageClassName !mountOptions !volumeMode !nodeAffinity !volumeAttributesClassName
Probe ProbeHandler exec httpGet tcpSocket grpc
RuleWithOperations Rule apiGroups apiVersions resources scope
SecretEnvSource LocalObjectReference name
SecretKeySelector LocalObjectReference name
SecretProjection LocalObjectReference name
Volume VolumeSource !name
`;

interface Embedding {
  readonly path: readonly string[];
  includes(field: string): boolean;
}

const embeddings = new Map<string, readonly Embedding[]>();

function load(): void {
  for (const line of table.trim().split("\n")) {
    const [struct = "", path = "", ...fields] = line.split(" ");
    const own = fields.filter((field) => field.startsWith("!")).map((field) => field.slice(1));
    const includes = (field: string): boolean => (own.length > 0 ? !own.includes(field) : fields.includes(field));
    embeddings.set(struct, [...(embeddings.get(struct) ?? []), { path: path.split("."), includes }]);
  }
}

/** The embedded structs on the path from a struct to one of its fields, which Go's error texts name. */
export function embeddingOf(struct: string, field: string): readonly string[] {
  if (embeddings.size === 0) load();
  return embeddings.get(struct)?.find((embedding) => embedding.includes(field))?.path ?? [];
}
