import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { Storage } from "../storage/storage.ts";
import { serviceAccountUser } from "../authorization/attributes.ts";

export const issuer = "https://kubernetes.default.svc";
export const defaultAudience = issuer;
const legacyIssuer = "kubernetes/serviceaccount";

/** Storage table of the server's internal data, which no API serves. */
const ownTable = "server.purser.dev";
const signingKeyName = "service-account-key";

/** An object whose deletion invalidates a token. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const makeKeys = promisify(generateKeyPair);

/** Issues and validates service account tokens. The signing key is created with the first token and stored. */
export class ServiceAccountTokens {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  #key: Promise<SigningKey> | undefined;

  constructor(storage: Storage, clock: Clock, entropy: Entropy) {
    this.#storage = storage;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /** A token that expires after `seconds`. */
  async issue(
    { namespace, name, uid }: TokenSubject,
    audiences: readonly string[],
    seconds: number,
    bound?: BoundObject,
  ): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    const reference = bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } };
    return this.#sign({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: this.#entropy.uuid(),
      "kubernetes.io": { namespace, ...reference, serviceaccount: { name, uid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** The token of a Secret of type `kubernetes.io/service-account-token`, which does not expire. */
  async issueLegacy({ namespace, name, uid }: TokenSubject, secretName: string): Promise<string> {
    return this.#sign({
      iss: legacyIssuer,
      "kubernetes.io/serviceaccount/namespace": namespace,
      "kubernetes.io/serviceaccount/secret.name": secretName,
      "kubernetes.io/serviceaccount/service-account.name": name,
      "kubernetes.io/serviceaccount/service-account.uid": uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** The user of a token, or why it is invalid. */
  async authenticate(
    token: string,
    audiences: readonly string[] = [defaultAudience],
  ): Promise<{ readonly user: UserInfo; readonly audiences: readonly string[] } | string> {
    const signed = readToken(token);
    if (signed?.header["alg"] !== "RS256") return "invalid bearer token";
    const { claims, content, signature } = signed;
    const key = await this.#keys();
    if (!verify("sha256", content, key.publicKey, signature)) return "invalid bearer token";
    return claims["iss"] === legacyIssuer ? this.#legacyUser(claims) : this.#userOf(claims, audiences);
  }

  /** The document of `/openid/v1/jwks`. */
  async publicKeys(): Promise<JsonObject> {
    const { id, publicKey } = await this.#keys();
    const { n = "", e = "" } = publicKey.export({ format: "jwk" });
    return { keys: [{ use: "sig", kty: "RSA", kid: id, alg: "RS256", n, e }] };
  }

  #userOf(
    claims: JsonObject,
    wanted: readonly string[],
  ): { readonly user: UserInfo; readonly audiences: readonly string[] } | string {
    const now = this.#clock.now() / 1000;
    const expiry = claims["exp"];
    if (typeof expiry !== "number" || expiry <= now) return "service account token has expired";
    const held = Array.isArray(claims["aud"]) ? claims["aud"].filter((value) => typeof value === "string") : [];
    const audiences = wanted.filter((audience) => held.includes(audience));
    if (audiences.length === 0)
      return `token audiences ${JSON.stringify(held)} is invalid for the target audiences ${JSON.stringify(wanted)}`;
    const own = partOf(claims, "kubernetes.io");
    const account = partOf(own, "serviceaccount");
    const namespace = textOf(own, "namespace");
    const name = textOf(account, "name");
    const uid = textOf(account, "uid");
    if (!this.#isAlive("serviceaccounts", `${namespace}/${name}`, uid)) return "service account has been deleted";
    const extra: Record<string, readonly string[]> = {
      "authentication.kubernetes.io/credential-id": [`JTI=${textOf(claims, "jti")}`],
    };
    for (const [kind, table] of [
      ["pod", "pods"],
      ["secret", "secrets"],
      ["node", "nodes"],
    ] as const) {
      const bound = member(own, kind);
      if (!isJsonObject(bound)) continue;
      const boundName = textOf(bound, "name");
      const key = table === "nodes" ? boundName : `${namespace}/${boundName}`;
      if (!this.#isAlive(table, key, textOf(bound, "uid"))) return `${kind} has been deleted`;
      if (kind === "secret") continue;
      extra[`authentication.kubernetes.io/${kind}-name`] = [boundName];
      extra[`authentication.kubernetes.io/${kind}-uid`] = [textOf(bound, "uid")];
    }
    return { user: { ...serviceAccountUser(namespace, name, uid), extra }, audiences };
  }

  #legacyUser(claims: JsonObject): { readonly user: UserInfo; readonly audiences: readonly string[] } | string {
    const claim = (key: string): string => textOf(claims, `kubernetes.io/serviceaccount/${key}`);
    const namespace = claim("namespace");
    const name = claim("service-account.name");
    const uid = claim("service-account.uid");
    if (!this.#isAlive("serviceaccounts", `${namespace}/${name}`, uid)) return "service account has been deleted";
    if (this.#storage.get("secrets", `${namespace}/${claim("secret.name")}`) === undefined)
      return "Token has been invalidated";
    return { user: serviceAccountUser(namespace, name, uid), audiences: [defaultAudience] };
  }

  #isAlive(table: string, key: string, uid: string): boolean {
    const found = this.#storage.get(table, key);
    return found !== undefined && found.metadata.uid === uid;
  }

  async #sign(claims: JsonObject): Promise<string> {
    const key = await this.#keys();
    const head = encodePart({ alg: "RS256", kid: key.id });
    const body = encodePart(claims);
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), key.privateKey).toString("base64url");
    return `${head}.${body}.${signature}`;
  }

  #keys(): Promise<SigningKey> {
    return (this.#key ??= this.#loadKeys());
  }

  async #loadKeys(): Promise<SigningKey> {
    const stored = this.#storage.get(ownTable, signingKeyName);
    const pem = stored === undefined ? undefined : asJson(stored)["privateKey"];
    if (typeof pem === "string") return signingKey(createPrivateKey(pem));
    const { privateKey } = await makeKeys("rsa", { modulusLength: 2048 });
    const kept = {
      kind: "SigningKey",
      apiVersion: "server.purser.dev/v1",
      metadata: { name: signingKeyName },
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }),
    };
    this.#storage.put(ownTable, signingKeyName, kept as unknown as KubeObject);
    await this.#storage.durable();
    return signingKey(privateKey);
  }
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("base64url"), privateKey, publicKey };
}

function encodePart(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

interface SignedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The signed bytes. */
  readonly content: Buffer;
  readonly signature: Buffer;
}

/**
 * Parses a token as kube-apiserver does: whitespace is ignored, except in the claims, from which the issuer is read
 * first; padding and the standard base64 alphabet are refused; surplus bits of the last character are ignored.
 */
function readToken(token: string): SignedToken | undefined {
  const [head, body, signature, ...more] = token.split(".");
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined;
  const parts = [withoutBlanks(head), body.replaceAll(/[\r\n]/g, ""), withoutBlanks(signature)].map(fromBase64Url);
  const [headBytes, bodyBytes, signatureBytes] = parts;
  if (headBytes === undefined || bodyBytes === undefined || signatureBytes === undefined) return undefined;
  const [header, claims] = [readObject(headBytes), readObject(bodyBytes)];
  if (header === undefined || claims === undefined) return undefined;
  const content = Buffer.from(`${headBytes.toString("base64url")}.${bodyBytes.toString("base64url")}`);
  return { header, claims, content, signature: signatureBytes };
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/[\t\n\f\r ]/g, "");
}

/** Node ignores invalid base64 characters; Go refuses them. */
function fromBase64Url(text: string): Buffer | undefined {
  return /^[\w-]*$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64url") : undefined;
}

function readObject(bytes: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(bytes.toString("utf8")) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function partOf(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : {};
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === "string" ? value : "";
}
