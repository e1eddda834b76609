import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { asDecoder, readTyped } from "../api-types/read-typed.ts";
import { foldedMember, objectMember, textMember } from "./first-object.ts";

/** An API that a CSV owns or requires. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Definitions {
  readonly owned: readonly Definition[];
  readonly required: readonly Definition[];
}

/**
 * A ClusterServiceVersion whose spec is read member by member: a member of the wrong type is only a problem for the
 * caller that reads it. Problems are in Go's words.
 */
export class RawCsv {
  readonly object: JsonObject;

  constructor(object: JsonObject) {
    this.object = object;
  }

  /** A member of the spec; undefined when absent or null. */
  spec(name: string): Result<JsonValue | undefined, string> {
    const spec = member(this.object, "spec");
    if (spec === undefined) return failed("unexpected end of JSON input");
    if (spec !== null && !isJsonObject(spec))
      return failed(`json: cannot unmarshal ${goKind(spec)} into Go value of type map[string]*json.RawMessage`);
    const value = spec === null ? undefined : member(spec, name);
    return done(value ?? undefined);
  }

  version(): Result<string, string> {
    return this.#text("version");
  }

  /** A number is taken as its decimal text. */
  release(): Result<string, string> {
    const value = this.spec("release");
    if (!value.ok) return value;
    if (value.value === undefined) return done("");
    if (typeof value.value === "string") return done(value.value);
    if (typeof value.value === "number") return done(String(value.value));
    return failed("release field must be a string or number");
  }

  crdDefinitions(): Result<Definitions, string> {
    return this.#definitions("customresourcedefinitions");
  }

  apiServiceDefinitions(): Result<Definitions, string> {
    const spec = this.spec("apiservicedefinitions");
    return spec.ok
      ? this.#definitions("apiservicedefinitions")
      : failed(`error unmarshaling into object map: ${spec.problem}`);
  }

  /**
   * Images of all containers of its deployments, once each; none for another install strategy, whose deployments must be
   * readable all the same.
   */
  operatorImages(): Result<readonly string[], string> {
    const spec = member(this.object, "spec");
    if (spec === undefined) return failed("unexpected end of JSON input");
    const install = memberAs(spec, "registry.csvSpec", "install");
    if (!install.ok) return install;
    const name = memberAs(install.value, "Go struct field csvSpec.Install of type registry.strategy", "strategy");
    if (!name.ok) return name;
    if (name.value !== null && typeof name.value !== "string")
      return unreadable(name.value, "Go struct field strategy.Install.strategy of type string");
    const strategy = memberAs(install.value, "registry.strategy", "spec");
    if (!strategy.ok) return strategy;
    const within = "Go struct field strategySpec.Install.spec.Deployments of type";
    const list = memberAs(
      strategy.value,
      "Go struct field strategy.Install.spec of type registry.strategySpec",
      "deployments",
    );
    if (!list.ok) return list;
    if (list.value !== null && !Array.isArray(list.value)) return unreadable(list.value, `${within} []registry.dep`);
    const images = new Set<string>();
    for (const deployment of (list.value ?? []) as readonly JsonValue[]) {
      const own = memberAs(deployment, `${within} registry.dep`, "name");
      if (!own.ok) return own;
      if (own.value !== null && typeof own.value !== "string") return unreadable(own.value, `${within} string`);
      const given = memberAs(deployment, `${within} registry.dep`, "spec");
      if (!given.ok) return given;
      const typed = readTyped("DeploymentSpec", isJsonObject(given.value) ? given.value : {}, asDecoder);
      if (!typed.ok) return failed(`json: ${typed.problem.message}`);
      if (given.value !== null && !isJsonObject(given.value))
        return unreadable(given.value, `${within} v1.DeploymentSpec`);
      for (const image of imagesOf(typed.value)) images.add(image);
    }
    return done(name.value === "deployment" ? [...images] : []);
  }

  relatedImages(): Result<readonly { readonly name: string; readonly image: string }[], string> {
    const given = this.spec("relatedImages");
    if (!given.ok) return given;
    if (given.value === undefined) return done([]);
    if (!Array.isArray(given.value))
      return failed(`json: cannot unmarshal ${goKind(given.value)} into Go value of type []declcfg.RelatedImage`);
    const images: { name: string; image: string }[] = [];
    for (const item of given.value as readonly JsonValue[]) {
      const [name, image] = [textIn(item, "name"), textIn(item, "image")];
      if (name === undefined || image === undefined)
        return failed(`json: cannot unmarshal ${goKind(item)} into Go value of type declcfg.RelatedImage`);
      images.push({ name, image });
    }
    return done(images);
  }

  #text(name: string): Result<string, string> {
    const value = this.spec(name);
    if (!value.ok) return value;
    if (value.value === undefined) return done("");
    if (typeof value.value === "string") return done(value.value);
    return failed(`json: cannot unmarshal ${goKind(value.value)} into Go value of type string`);
  }

  #definitions(name: string): Result<Definitions, string> {
    const given = this.spec(name);
    if (!given.ok) return given;
    const holder = given.value;
    if (holder === undefined) return done({ owned: [], required: [] });
    if (!isJsonObject(holder)) return failed(`json: cannot unmarshal ${goKind(holder)} into Go value of type struct`);
    const owned = definitionsIn(holder, "owned");
    if (!owned.ok) return owned;
    const required = definitionsIn(holder, "required");
    return required.ok ? done({ owned: owned.value, required: required.value }) : required;
  }
}

function unreadable(value: JsonValue, into: string): Result<never, string> {
  return failed(`json: cannot unmarshal ${goKind(value)} into ${into}`);
}

/** A member in any case of letters, null when absent or when its holder is null; `into` names the holder's type. */
function memberAs(holder: JsonValue, into: string, name: string): Result<JsonValue, string> {
  if (holder === null) return done(null);
  if (!isJsonObject(holder)) return unreadable(holder, into.startsWith("Go ") ? into : `Go value of type ${into}`);
  return done(foldedMember(holder, name) ?? null);
}

function imagesOf(deployment: JsonObject): readonly string[] {
  const template = objectMember(objectMember(deployment, "template"), "spec");
  return ["containers", "initContainers"].flatMap((list) =>
    objectsOf(member(template, list)).map((container) => textMember(container, "image")),
  );
}

function definitionsIn(holder: JsonObject, name: string): Result<readonly Definition[], string> {
  const given = foldedMember(holder, name) ?? [];
  const refuse = (value: JsonValue): Result<never, string> =>
    failed(`json: cannot unmarshal ${goKind(value)} into Go struct field .${name} of type []*registry.DefinitionKey`);
  if (!Array.isArray(given)) return refuse(given);
  const definitions: Definition[] = [];
  for (const item of given as readonly JsonValue[]) {
    const read = ["name", "group", "version", "kind"].map((key) => (item === null ? undefined : textIn(item, key)));
    const [own, group, version, kind] = read;
    if (own === undefined || group === undefined || version === undefined || kind === undefined) return refuse(item);
    definitions.push({ name: own, group, version, kind });
  }
  return done(definitions);
}

/** "" when absent or null; undefined when it is something else than a text, or its holder no object. */
function textIn(holder: JsonValue, name: string): string | undefined {
  if (holder === null) return "";
  if (!isJsonObject(holder)) return undefined;
  const value = foldedMember(holder, name) ?? "";
  return typeof value === "string" ? value : undefined;
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => isJsonObject(item)) : [];
}

/** What Go's decoder calls a JSON value. */
export function goKind(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  return typeof value === "object" ? "number" : typeof value === "boolean" ? "bool" : typeof value;
}
