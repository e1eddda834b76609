import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { fromBase64 } from "./untrusted-json.ts";
import { ownTransport, type MaterialSource, type Policy, type Requirement, type SignedIdentity } from "./policy.ts";

/**
 * Reads a policy as strictly as containers/image does: an unknown, repeated or wrong member anywhere refuses the whole file,
 * because what is not understood might have been a restriction. The problem is a sentence with the JSON pointer.
 */
export function parsePolicy(text: string): Result<Policy, string> {
  const documents = readDocuments(text);
  if (!documents.ok) return failed(`${documents.problem.message} (line ${documents.problem.place.line ?? 1})`);
  const [document, ...rest] = documents.value;
  if (document?.format !== "json" || rest.length > 0 || document.lostText) return failed("it is not one JSON object");
  const [repeated] = document.duplicateKeys();
  if (repeated !== undefined) return failed(`${repeated.pointer ?? ""} occurs twice`);
  try {
    return done(policyOf(new Members(document.value, "")));
  } catch (error) {
    if (error instanceof Malformed) return failed(error.message);
    throw error;
  }
}

/** Ends the reading at the first wrong member. */
class Malformed extends Error {
  override readonly name = "Malformed";
}

function policyOf(policy: Members): Policy {
  policy.only("default", "transports");
  const transports = policy.optional("transports");
  return {
    default: requirementsOf(policy.required("default"), "/default"),
    transports: new Map(
      transports === undefined
        ? []
        : new Members(transports, "/transports").entries().map(([name, scopes]) => {
            const place = `/transports/${name}`;
            return [name, scopesOf(name, new Members(scopes, place), place)];
          }),
    ),
  };
}

function scopesOf(transport: string, scopes: Members, place: string): ReadonlyMap<string, readonly Requirement[]> {
  return new Map(
    scopes.entries().map(([scope, requirements]) => {
      if (transport === ownTransport && !/^(?:catalog|package)\/[^/]+$/.test(scope))
        throw new Malformed(`${place} holds ${JSON.stringify(scope)}; its scopes are catalog/NAME and package/NAME`);
      return [scope, requirementsOf(requirements, `${place}/${scope}`)];
    }),
  );
}

function requirementsOf(value: JsonValue, place: string): readonly Requirement[] {
  if (!Array.isArray(value) || value.length === 0) throw new Malformed(`${place} is not a list with requirements`);
  return (value as readonly JsonValue[]).map((item, index) => requirementOf(new Members(item, `${place}/${index}`)));
}

function requirementOf(requirement: Members): Requirement {
  const type = requirement.text("type");
  switch (type) {
    case "insecureAcceptAnything":
      requirement.only("type");
      return { kind: "accept" };
    case "reject":
      requirement.only("type");
      return { kind: "reject" };
    case "signedBy":
    case "signedBaseLayer":
      return { kind: "unsupported", type };
    case "sigstoreSigned":
      return sigstoreRequirement(requirement);
    default:
      throw new Malformed(`${requirement.place}/type is ${JSON.stringify(type)}, which is no requirement`);
  }
}

const keyMembers = ["keyPath", "keyPaths", "keyData", "keyDatas"] as const;
const logMembers = ["rekorPublicKeyPath", "rekorPublicKeyPaths", "rekorPublicKeyData", "rekorPublicKeyDatas"] as const;
const timeMembers = [
  "timestampAuthorityPath",
  "timestampAuthorityPaths",
  "timestampAuthorityData",
  "timestampAuthorityDatas",
] as const;

function sigstoreRequirement(requirement: Members): Requirement {
  requirement.only("type", ...keyMembers, "fulcio", "pki", ...logMembers, ...timeMembers, "signedIdentity");
  const signers = requirement.oneOf([...keyMembers, "fulcio", "pki"]);
  if (signers === "pki") return { kind: "unsupported", type: "sigstoreSigned with pki" };
  const logKeys = requirement.optionalMaterial(logMembers);
  const timestampAuthorities = requirement.optionalMaterial(timeMembers);
  if (timestampAuthorities.length > 0 && signers !== "fulcio")
    throw new Malformed(
      `${requirement.place} has a timestamp authority without fulcio: keys are checked without a time`,
    );
  const identity = requirement.optional("signedIdentity");
  const rest = {
    logKeys,
    timestampAuthorities,
    identity:
      identity === undefined
        ? ({ kind: "matchRepoDigestOrExact" } as const)
        : identityOf(new Members(identity, `${requirement.place}/signedIdentity`)),
  };
  if (signers !== "fulcio")
    return { kind: "sigstoreSigned", signers: { kind: "keys", keys: requirement.material(signers) }, ...rest };
  if (logKeys.length === 0)
    throw new Malformed(`${requirement.place} has fulcio without rekorPublicKeyPath or rekorPublicKeyData`);
  const fulcio = new Members(requirement.required("fulcio"), `${requirement.place}/fulcio`);
  fulcio.only("caPath", "caData", "oidcIssuer", "subjectEmail");
  const [authorities] = fulcio.material(fulcio.oneOf(["caPath", "caData"]));
  if (authorities === undefined) throw new Malformed(`${fulcio.place} names no certificates`);
  return {
    kind: "sigstoreSigned",
    signers: {
      kind: "fulcio",
      authorities,
      oidcIssuer: fulcio.text("oidcIssuer"),
      subjectEmail: fulcio.text("subjectEmail"),
    },
    ...rest,
  };
}

function identityOf(identity: Members): SignedIdentity {
  const kind = identity.text("type");
  switch (kind) {
    case "matchExact":
    case "matchRepoDigestOrExact":
    case "matchRepository":
    case "matchDigest":
      identity.only("type");
      return { kind };
    case "exactReference":
      identity.only("type", "dockerReference");
      return { kind, reference: identity.text("dockerReference") };
    case "exactRepository":
      identity.only("type", "dockerRepository");
      return { kind, reference: identity.text("dockerRepository") };
    case "remapIdentity":
      identity.only("type", "prefix", "signedPrefix");
      return { kind, prefix: identity.text("prefix"), signedPrefix: identity.text("signedPrefix") };
    default:
      throw new Malformed(`${identity.place}/type is ${JSON.stringify(kind)}, which is no identity`);
  }
}

/** The members of an object of the policy. */
class Members {
  readonly #object: JsonObject;
  readonly place: string;

  constructor(value: JsonValue, place: string) {
    if (!isJsonObject(value)) throw new Malformed(`${place} is not an object`);
    this.#object = value;
    this.place = place;
  }

  entries(): readonly (readonly [name: string, value: JsonValue])[] {
    return Object.entries(this.#object).map(([name, value]) => [name, value ?? null]);
  }

  only(...names: readonly string[]): void {
    const [other] = Object.keys(this.#object).filter((name) => !names.includes(name));
    if (other !== undefined) throw new Malformed(`${this.place}/${other} is unknown`);
  }

  optional(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  required(name: string): JsonValue {
    const value = this.optional(name);
    if (value === undefined) throw new Malformed(`${this.place}/${name} is missing`);
    return value;
  }

  text(name: string): string {
    const value = this.required(name);
    if (typeof value !== "string" || value === "") throw new Malformed(`${this.place}/${name} is not a text`);
    return value;
  }

  oneOf<Name extends string>(names: readonly Name[]): Name {
    const [one, other] = names.filter((name) => this.optional(name) !== undefined);
    if (one === undefined) throw new Malformed(`${this.place} has none of ${names.join(", ")}`);
    if (other !== undefined) throw new Malformed(`${this.place} has both ${one} and ${other}`);
    return one;
  }

  /** Of the one member of these that there is; empty when there is none. */
  optionalMaterial(names: readonly string[]): readonly MaterialSource[] {
    return names.some((name) => this.optional(name) !== undefined) ? this.material(this.oneOf(names)) : [];
  }

  /** Of a member whose name ends in Path, Paths, Data or Datas. */
  material(name: string): readonly MaterialSource[] {
    const value = this.required(name);
    const values: readonly JsonValue[] = name.endsWith("s") && Array.isArray(value) ? value : [value];
    if (values.length === 0) throw new Malformed(`${this.place}/${name} is empty`);
    return values.map((item) => {
      if (typeof item !== "string" || item === "" || Array.isArray(value) !== name.endsWith("s"))
        throw new Malformed(`${this.place}/${name} is not ${name.endsWith("s") ? "a list of texts" : "a text"}`);
      if (/Paths?$/.test(name)) return { kind: "file", path: item };
      const bytes = fromBase64(item);
      if (bytes === undefined) throw new Malformed(`${this.place}/${name} is not base64`);
      return { kind: "data", bytes };
    });
  }
}
