/** A protobuf message of strings and messages, each field shorter than 128 bytes, which makes it ASCII text. */
export function message(...fields: readonly (readonly [field: number, value: string])[]): string {
  return fields.map(([field, value]) => `${String.fromCharCode((field << 3) | 2, value.length)}${value}`).join("");
}

/** The body that a typed Go client sends by default. */
export function kubernetesProtobuf(apiVersion: string, kind: string, raw: string): string {
  return `k8s\u0000${message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ""], [4, ""])}`;
}
