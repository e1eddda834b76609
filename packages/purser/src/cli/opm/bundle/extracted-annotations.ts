import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";

const labels = ["manifests", "mediatype", "metadata", "package", "channels", "channel.default"].map(
  (part) => `operators.operatorframework.io.bundle.${part}.v1`,
);

/**
 * The six bundle labels that `opm alpha bundle extract` reads from `metadata/annotations.yaml`; "" for missing ones.
 * Numbers and booleans are converted to strings. The problem has the wording of Go's decoder.
 */
export function extractedAnnotations(bytes: Uint8Array): Result<Readonly<Record<string, string>>, string> {
  const read = readYaml(new TextDecoder().decode(bytes));
  if (!read.ok) return failed(read.problem.goText ?? read.problem.message);
  const decoding = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
  const wrong = (value: JsonValue, place: string): Result<never, string> =>
    failed(`${decoding} ${kindOf(value)} into Go ${place}`);
  const { value } = read;
  if (value !== null && !isJsonObject(value)) return wrong(value, "value of type configmap.AnnotationsFile");
  const annotations = value === null ? undefined : (member(value, "annotations") ?? undefined);
  if (annotations !== undefined && annotations !== null && !isJsonObject(annotations))
    return wrong(annotations, `struct field AnnotationsFile.annotations of type struct { ${structFields} }`);
  const found: Record<string, string> = {};
  for (const label of labels) {
    const held = isJsonObject(annotations) ? (member(annotations, label) ?? null) : null;
    if (held !== null && typeof held === "object")
      return wrong(held, `struct field .annotations.${label} of type string`);
    found[label] = held === null ? "" : String(held);
  }
  return done(found);
}

function kindOf(value: JsonValue): string {
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : typeof value;
}

/** The fields and tags of upstream's Go struct, which its decoding errors contain. */
const structFields = [
  ["Resources", "manifests"],
  ["MediaType", "mediatype"],
  ["Metadata", "metadata"],
  ["Package", "package"],
  ["Channels", "channels"],
  ["ChannelDefault", "channel.default"],
]
  .map(([field, part]) => `${field} string "json:\\"operators.operatorframework.io.bundle.${part}.v1\\""`)
  .join("; ");
