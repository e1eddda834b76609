// Numbers and types come from `generated.proto`, JSON names from the tags of the Go structs beside it: the names in the
// proto files (`Webhooks`, `uID`, `aPIGroup`) are often not those of JSON. OpenAPI documents have no numbers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageName, requestKinds } from "../../src/protobuf/request-kinds.ts";

/** Of the Go modules `k8s.io/*`. */
export const pinnedVersion = "v0.36.3";

const packages = (version: string): readonly string[] => [
  ...["core", "apps", "batch", "rbac", "networking", "admissionregistration", "coordination", "authentication"].map(
    (group) => `k8s.io/api@${version}/${group}/v1`,
  ),
  ...["authorization", "autoscaling", "policy", "events", "discovery", "scheduling"].map(
    (group) => `k8s.io/api@${version}/${group}/v1`,
  ),
  `k8s.io/apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`,
  `k8s.io/kube-aggregator@${version}/pkg/apis/apiregistration/v1`,
  `k8s.io/apimachinery@${version}/pkg/apis/meta/v1`,
  `k8s.io/apimachinery@${version}/pkg/api/resource`,
  `k8s.io/apimachinery@${version}/pkg/util/intstr`,
  `k8s.io/apimachinery@${version}/pkg/runtime`,
];

/** Messages whose JSON is no object of their fields; the decoder has a reader for each and knows them by proto names. */
const specials: ReadonlySet<string> = new Set([
  "meta.v1.Time",
  "meta.v1.MicroTime",
  "meta.v1.FieldsV1",
  "runtime.RawExtension",
  "resource.Quantity",
  "intstr.IntOrString",
  "authentication.v1.ExtraValue",
  "authorization.v1.ExtraValue",
  "apiextensions.v1.JSON",
  "apiextensions.v1.JSONSchemaPropsOrArray",
  "apiextensions.v1.JSONSchemaPropsOrBool",
  "apiextensions.v1.JSONSchemaPropsOrStringArray",
]);

const scalars = new Set(["string", "bool", "int32", "int64", "double", "bytes"]);

interface GoField {
  readonly goName: string;
  /** Empty: an embedded struct, whose fields stand in the outer object. */
  readonly jsonName: string;
}

/** The fields of every struct of a Go package that have a protobuf number, by struct and number. */
function goStructs(directory: string): ReadonlyMap<string, ReadonlyMap<string, GoField>> {
  const structs = new Map<string, ReadonlyMap<string, GoField>>();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith(".go") || file.endsWith("_test.go") || file.endsWith(".pb.go")) continue;
    const text = readFileSync(join(directory, file), "utf8");
    for (const [, name = "", body = ""] of text.matchAll(/^type (\w+) struct \{\n([^]*?)^\}/gm)) {
      const fields = new Map<string, GoField>();
      for (const [, goName = "", tags = ""] of body.matchAll(/^\t(?:\w+\.)?(\w+)[^`\n]*`([^`\n]*)`/gm)) {
        const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
        const json = /json:"([^"]*)"/.exec(tags)?.[1];
        if (number === undefined || json === undefined || json === "-") continue;
        fields.set(number, { goName, jsonName: json.split(",")[0] ?? "" });
      }
      structs.set(name, fields);
    }
  }
  return structs;
}

function shorten(name: string): string {
  const match =
    /^\.?k8s\.io\.(?:api\.(\w+)\.v1|apiextensions_apiserver\.pkg\.apis\.(\w+)\.v1|kube_aggregator\.pkg\.apis\.(\w+)\.v1|apimachinery\.pkg\.apis\.(\w+)\.v1)\.(\w+)$/.exec(
      name,
    );
  if (match !== null) return `${match[1] ?? match[2] ?? match[3] ?? match[4] ?? ""}.v1.${match[5] ?? ""}`;
  return name.replace(/^\.?k8s\.io\.apimachinery\.pkg\./, "").replace(/^(api|util)\./, "");
}

interface Message {
  readonly fields: readonly string[];
  readonly uses: readonly string[];
  /** Numbers without a Go field: a fault where the message is used. */
  readonly nameless: readonly string[];
}

function readMessage(name: string, pack: string, body: string, go: ReadonlyMap<string, GoField> | undefined): Message {
  const fields: string[] = [];
  const uses: string[] = [];
  const nameless: string[] = [];
  for (const line of body.split(";")) {
    const found = /(optional|repeated|map<\s*string\s*,)\s+([\w.]+)\s*>?\s+(\w+)\s*=\s*(\d+)/.exec(line);
    if (found === null) continue;
    const [, label = "", raw = "", field = "", number = ""] = found;
    const type = scalars.has(raw) ? raw : shorten(raw.includes(".") ? raw : `${pack}.${raw}`);
    if (!scalars.has(raw)) uses.push(type);
    const shape = label === "repeated" ? "[]" : label === "optional" ? "" : "{}";
    const isSpecial = specials.has(name);
    const { goName, jsonName } = (isSpecial ? undefined : go?.get(number)) ?? { goName: "", jsonName: field };
    if (goName === "" && !isSpecial) nameless.push(number);
    const usual = jsonName.slice(0, 1).toUpperCase() + jsonName.slice(1);
    fields.push(`${number}:${jsonName}:${shape}${type}${goName === usual || goName === "" ? "" : `:${goName}`}`);
  }
  return { fields, uses, nameless };
}

/**
 * `src/protobuf/messages.gen.ts`: every message that a body of the served kinds may hold.
 * @param modules directory of Go modules that holds `k8s.io/api@V`, `k8s.io/apimachinery@V`, ...
 * @throws for a module that is missing, and for a message or a field that the sources do not explain
 */
export function protobufMessages(modules: string, version: string): string {
  const messages = new Map<string, Message>();
  for (const directory of packages(version)) {
    const text = readFileSync(join(modules, directory, "generated.proto"), "utf8").replaceAll(/\/\/.*$/gm, "");
    const pack = /package ([\w.]+);/.exec(text)?.[1] ?? "";
    const structs = goStructs(join(modules, directory));
    for (const [, bare = "", body = ""] of text.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
      const name = shorten(`${pack}.${bare}`);
      messages.set(name, readMessage(name, pack, body, structs.get(bare)));
    }
  }

  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    const message = messages.get(name);
    if (message === undefined) throw new Error(`no message ${name}`);
    if (message.nameless.length > 0) throw new Error(`${name}: no Go field for ${message.nameless.join(", ")}`);
    message.uses.forEach(visit);
  };
  for (const kind of requestKinds()) visit(messageName(kind));

  const lines = [...reached].toSorted().map((name) => `${name} ${messages.get(name)?.fields.join(" ") ?? ""}`.trim());
  return `// Written by packages/apiserver/build/protobuf-messages from Kubernetes ${version} (Apache-2.0). Do not edit.
/**
 * One message per line: its name, then \`number:jsonName:type\` of each field; no JSON name: the fields of an embedded struct,
 * which stand in the outer object. A fourth part is Go's name of the field where it is not the JSON name with a capital letter.
 */
export const messages = \`\n${lines.join("\n")}\n\`;
`;
}
