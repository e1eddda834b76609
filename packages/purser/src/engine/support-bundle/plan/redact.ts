import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";

/** What stands in place of a credential. */
export const redactedMark = "<redacted>";
/** Names of environment variables and fields whose values may be credentials. */
const secretName = /pass(word|wd|phrase)?|token|secret(?!name)|credential|private.?key|api.?key|auth(orization)?$/i;
/** Fields that name objects, or say something about them. */
const namingField = /(name|names|ref|refs|namespace|secrets|version|kind|policy)$/i;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * An object without what nobody else may read: data of Secrets, also of those within revisions; manifests in InstallPlans;
 * configurations of extensions; values of variables and fields that are named like credentials; tokens within texts. Fields that
 * only make it long (managedFields, icons) are left out.
 */
export function redacted(value: JsonValue): JsonValue {
  if (typeof value === "string") return redactedText(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(redacted);
  if (!isJsonObject(value)) return value;
  return redactedObject(value);
}

function redactedObject(object: JsonObject): JsonObject {
  const isSecret = object["kind"] === "Secret";
  const isVariable = typeof object["name"] === "string" && secretName.test(object["name"]);
  const members = Object.entries(object).flatMap(([name, value]): readonly (readonly [string, JsonValue])[] => {
    if (name === "managedFields" || name === lastApplied || name === "icon") return [];
    if (isSecret && (name === "data" || name === "stringData")) return [[name, redactedMark]];
    if (isVariable && name === "value") return [[name, redactedMark]];
    if (typeof value === "string" && (name === "manifest" || isCredential(name))) return [[name, redactedMark]];
    if (name === "inline") return [[name, redactedMark]];
    return value === undefined ? [] : [[name, redacted(value)]];
  });
  return Object.fromEntries(members);
}

const isCredential = (field: string): boolean => secretName.test(field) && !namingField.test(field);

/** A text without tokens, private keys and passwords of URLs. */
export function redactedText(text: string): string {
  return text
    .replaceAll(/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^]*?(-----END \1PRIVATE KEY-----|$)/g, redactedMark)
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, redactedMark)
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redactedMark}`)
    .replaceAll(/(\w:\/\/)[^\s/@]+@/g, `$1${redactedMark}@`);
}
