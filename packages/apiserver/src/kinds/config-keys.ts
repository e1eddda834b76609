const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Faults of a key of a ConfigMap or a Secret, as `IsConfigMapKey` of apimachinery words them. */
export function configKeyProblems(key: string): readonly string[] {
  if (key.length > 253) return ["must be no more than 253 characters"];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [keyText];
  if (key === ".") return ["must not be '.'"];
  if (key === "..") return ["must not be '..'"];
  return key.startsWith("..") ? ["must not start with '..'"] : [];
}
