import { X509Certificate, createPrivateKey } from "node:crypto";
import { isJsonObject, member, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { parseJson } from "@purser/kubernetes/text/json-document";
import { objectAt, objectIn, textIn } from "./decoding/json-parts.ts";

const accountName = "kubernetes.io/service-account.name";
const tls = { type: "kubernetes.io/tls", certificate: "tls.crt", key: "tls.key" };

/** Data keys that a type of secret requires. */
const neededKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubernetes.io/dockerconfigjson", [".dockerconfigjson"]],
  ["kubernetes.io/dockercfg", [".dockercfg"]],
  [tls.type, [tls.certificate, tls.key]],
]);

/** Validates the data and annotations that the secret's type requires. */
export function validateSecretType(secret: JsonObject): readonly FieldError[] {
  const type = textIn(secret, "type");
  const data = objectIn(secret, "data");
  switch (type) {
    case "kubernetes.io/service-account-token":
      return (objectAt(secret, "metadata", "annotations")[accountName] ?? "") === ""
        ? [required(`metadata.annotations[${accountName}]`)]
        : [];
    case "kubernetes.io/basic-auth":
      return Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
        ? []
        : [required("data[username]"), required("data[password]")];
    case "kubernetes.io/ssh-auth":
      return textIn(data, "ssh-privatekey") === "" ? [required("data[ssh-privatekey]")] : [];
    default:
      return (neededKeys.get(type) ?? []).flatMap((key) => {
        const value = member(data, key);
        if (typeof value !== "string") return [required(`data[${key}]`)];
        const problem = type === tls.type ? undefined : mapProblem(value);
        return problem === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
      });
  }
}

/** Why the text is not a JSON object, with the error text of Go's decoder. */
function mapProblem(base64: string): string | undefined {
  let value: JsonValue;
  try {
    value = parseJson(Buffer.from(base64, "base64").toString("utf8"));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (value === null || isJsonObject(value)) return undefined;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

/** Warns about a TLS secret whose certificate and key do not match. */
export function secretWarnings(secret: JsonObject): readonly string[] {
  if (textIn(secret, "type") !== tls.type) return [];
  const text = (key: string): string => Buffer.from(textIn(objectIn(secret, "data"), key), "base64").toString("latin1");
  const problem = pairProblem(text(tls.certificate), text(tls.key));
  return problem === undefined ? [] : [problem];
}

const block = /-----BEGIN ([^-\r\n]+)-----\r?\n[\s\S]*?-----END \1-----/g;

interface Block {
  readonly type: string;
  readonly pem: string;
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(block)].map(([pem, type = ""]) => ({ type, pem }));
}

/** The error of Go's `tls.X509KeyPair` for the pair. */
function pairProblem(certificateText: string, keyText: string): string | undefined {
  const certificates = blocksOf(certificateText);
  const certificate = certificates.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) {
    if (certificates.length === 0) return "tls: failed to find any PEM data in certificate input";
    const types = certificates.map(({ type }) => type);
    return types.length === 1 && types[0]?.endsWith("PRIVATE KEY") === true
      ? "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
      : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
  }
  const keys = blocksOf(keyText);
  const key = keys.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (key === undefined) {
    if (keys.length === 0) return "tls: failed to find any PEM data in key input";
    const types = keys.map(({ type }) => type);
    return types.length === 1 && types[0] === "CERTIFICATE"
      ? "tls: found a certificate rather than a key in the PEM for the private key"
      : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
  }
  return cryptoProblem(certificate.pem, key.pem);
}

function cryptoProblem(certificatePem: string, keyPem: string): string | undefined {
  const certificate = attempt(() => new X509Certificate(certificatePem));
  if (certificate === undefined) return "x509: malformed certificate";
  const key = attempt(() => createPrivateKey(keyPem));
  if (key === undefined) return "tls: failed to parse private key";
  const [found, wanted] = [key.asymmetricKeyType, certificate.publicKey.asymmetricKeyType];
  if (found !== wanted) return "tls: private key type does not match public key type";
  return certificate.checkPrivateKey(key) ? undefined : "tls: private key does not match public key";
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
