import type { Step } from "../apis/v0/install-plan.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { propertiesAnnotation } from "../apis/v0/labels.ts";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goJson } from "@purser/kubernetes/text/documents";
import { parseJson } from "@purser/kubernetes/text/json-document";
import { TextError } from "@purser/kubernetes/text/problem";
import { allSteps, type Steps } from "@purser/kubernetes/steps";
import { derivedInSteps } from "../derived-once.ts";
import { decoderKind } from "./api-types/decoder-words.ts";
import { asDecoder, readTyped } from "./api-types/read-typed.ts";
import { writeTyped } from "./api-types/write-typed.ts";
import { escapeHtml } from "./escape-html.ts";
import { permissionsInSteps, rbacGroup } from "./csv-permissions.ts";
import { foldedMember } from "./directory/first-object.ts";

/** A step of an InstallPlan with its manifest in full. */
export interface BundleStep extends Step {
  readonly resource: Step["resource"] & {
    /** JSON text, byte for byte as upstream writes it, final newline included; written whenever it is read. */
    readonly manifest: string;
  };
  readonly status: "Unknown";
}

export interface StepsOptions {
  /** Where the operator is installed. */
  readonly namespace: string;
  /** The resolved `spec.replaces`; may be empty. */
  readonly replaces: string;
  readonly catalog: { readonly name: string; readonly namespace: string };
  /** JSON text `{"properties":[...]}` of the lookup; empty: no properties. */
  readonly properties: string;
}

export interface StepsProblem {
  readonly stage: "properties" | "steps";
  /** A fatal one is not retried. */
  readonly fatal: boolean;
  /** Upstream's text. */
  readonly message: string;
}

/** Upstream's words for a file that holds no object; see `unpackBundle`. */
const withoutKind = `could not infer GVK for object: ${Array.from({ length: 2 }, () => "&unstructured.Unstructured{Object:map[string]interface {}(nil)}").join(", ")}`;

const csvKind = "ClusterServiceVersion";

/**
 * The steps of one bundle: its CSV, its other objects in bundle order, then the RBAC that the install strategy asks for
 * (grouped by service account, in order of first appearance).
 * @param bundle `objects` and `csv` as unpacked; the CSV may stand among the objects
 */
export function stepsOf(bundle: BundleObjects, options: StepsOptions): Result<readonly BundleStep[], StepsProblem> {
  return allSteps(makeSteps(bundle, options));
}

interface BundleObjects {
  readonly objects: readonly JsonObject[];
  readonly csv?: JsonObject;
}

function* makeSteps(bundle: BundleObjects, options: StepsOptions): Steps<Result<readonly BundleStep[], StepsProblem>> {
  const properties = propertiesText(options.properties);
  if (!properties.ok) return failed({ stage: "properties", fatal: false, message: properties.problem });
  const read = readCsv(bundle.csv, options, properties.value);
  if (!read.ok) return read;
  const csv = read.value;
  // Upstream takes the name from the object as written, where `metadata` counts in no other case.
  const resolving = nameIn(bundle.csv ?? {}, "name");
  const step = (kind: string, object: JsonObject, write: () => string, apiVersion?: string): BundleStep => ({
    resolving,
    resource: {
      ...parseApiVersion(apiVersion ?? textOr(object["apiVersion"])),
      kind,
      name: nameOf(object),
      // A bundle may hold megabytes, and mostly only one of its steps is read.
      get manifest() {
        return `${write()}\n`;
      },
      sourceName: options.catalog.name,
      sourceNamespace: options.catalog.namespace,
    },
    status: "Unknown",
  });
  const others = bundle.objects.filter((object) => object["kind"] !== csvKind);
  if (others.some((object) => textOr(object["kind"]) === ""))
    return failed({ stage: "steps", fatal: false, message: withoutKind });
  yield;
  const permissions = yield* permissionsInSteps(csv);
  if (!permissions.ok) return failed({ stage: "steps", fatal: false, message: permissions.problem });
  const csvJson = csv as unknown as JsonObject;
  return done([
    step(csvKind, csvJson, () => writeTyped("csv.ClusterServiceVersion", csvJson)),
    // Upstream keeps Secrets of bundles apart from Secrets that it copies between namespaces.
    ...others.map((object) =>
      step(object["kind"] === "Secret" ? "BundleSecret" : textOr(object["kind"]), object, () => goJson(object)),
    ),
    ...permissions.value.flatMap(({ objects }) =>
      objects
        .filter(({ type, object }) => type !== "ServiceAccount" || nameOf(object) !== "default")
        .map(({ type, object }) =>
          step(type, object, () => writeTyped(type, object), type === "ServiceAccount" ? "v1" : `${rbacGroup}/v1`),
        ),
    ),
  ]);
}

const kept = derivedInSteps(makeSteps, ({ namespace, replaces, catalog, properties }: StepsOptions) =>
  JSON.stringify([namespace, replaces, catalog.name, catalog.namespace, properties]),
);

/** {@link stepsOf}, cached: every pass needs the steps of the same bundles again. */
export const stepsOnce = kept.now;

/** {@link stepsOnce} with pauses, after which it answers at once. */
export const stepsOnceInSteps = kept.inSteps;

function textOr(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function nameIn(object: JsonObject, field: "name" | "generateName"): string {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? textOr(member(metadata, field)) : "";
}

function nameOf(object: JsonObject): string {
  const name = nameIn(object, "name");
  return name === "" ? nameIn(object, "generateName") : name;
}

/**
 * The annotation's text: the lookup's properties with only their known members, `{}` when there are none, undefined when
 * one has no value, which upstream reads but cannot write.
 */
function propertiesText(lookup: string): Result<string | undefined, string> {
  if (lookup === "") return done("{}");
  const refuse = (why: string): Result<never, string> => failed(`failed to unmarshal properties annotation: ${why}`);
  const misfit = (value: JsonValue, into: string): Result<never, string> =>
    refuse(`json: cannot unmarshal ${decoderKind(value)} into Go ${into}`);
  let parsed: JsonValue;
  try {
    parsed = parseJson(lookup);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return refuse(error.goMessage ?? error.message);
  }
  if (parsed !== null && !isJsonObject(parsed)) return misfit(parsed, "value of type projection.propertiesAnnotation");
  const field = "struct field propertiesAnnotation.properties";
  const list = foldedMember(parsed ?? {}, "properties") ?? [];
  if (!Array.isArray(list)) return misfit(list, `${field} of type []projection.property`);
  if (list.length === 0) return done("{}");
  const properties: JsonObject[] = [];
  for (const given of list as readonly JsonValue[]) {
    const property = given ?? {};
    if (!isJsonObject(property)) return misfit(property, `${field} of type projection.property`);
    const type = foldedMember(property, "type") ?? "";
    if (typeof type !== "string") return misfit(type, "struct field property.properties.type of type string");
    const value = foldedMember(property, "value");
    if (value === undefined) return done(undefined);
    properties.push({ type, value });
  }
  return done(escapeHtml(JSON.stringify({ properties })));
}

function readCsv(
  given: JsonObject | undefined,
  options: StepsOptions,
  properties: string | undefined,
): Result<ClusterServiceVersion, StepsProblem> {
  const problem = (message: string, fatal = false) => failed({ stage: "steps", fatal, message } as const);
  if (given === undefined) return problem("unexpected end of JSON input");
  const typed = readTyped("csv.ClusterServiceVersion", given, asDecoder);
  if (!typed.ok) return problem(typed.problem.message);
  const csv = typed.value as unknown as ClusterServiceVersion;
  const name = csv.metadata.name ?? "";
  if ((csv.apiVersion ?? "") === "") return problem(`bundle CSV ${name} missing APIVersion`, true);
  if ((csv.kind ?? "") === "") return problem(`bundle CSV ${name} missing Kind`, true);
  if (properties === undefined) {
    const why = "json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input";
    return problem(
      `failed to construct properties annotation for ${goQuote(name)}: failed to marshal properties annotation: ${why}`,
    );
  }
  const changed = {
    ...typed.value,
    metadata: {
      ...csv.metadata,
      namespace: options.namespace,
      annotations: { ...csv.metadata.annotations, [propertiesAnnotation]: properties },
    },
    spec: { ...csv.spec, replaces: options.replaces },
  };
  const again = readTyped("csv.ClusterServiceVersion", changed as unknown as JsonObject);
  return again.ok ? done(again.value as unknown as ClusterServiceVersion) : problem(again.problem.message);
}
