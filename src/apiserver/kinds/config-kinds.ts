import type { JsonObject } from "../../json.ts";
import { member } from "../../json.ts";
import { configMaps, secrets, serviceAccounts } from "../../apis/resources.ts";
import { forbidden, invalid, required, tooLong, type FieldError } from "../../object/field-error.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import { configKeyProblems } from "./config-keys.ts";
import { defineKind } from "./define-kind.ts";
import { objectAt, objectIn, textIn, without, withDefaults } from "./json-parts.ts";

const maximumBytes = 1_048_576;

function validateKey(key: string, field: string): readonly FieldError[] {
  return configKeyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem));
}

const encoder = new TextEncoder();

function textBytes(values: JsonObject): number {
  let sum = 0;
  for (const value of Object.values(values)) if (typeof value === "string") sum += encoder.encode(value).length;
  return sum;
}

/** Decoded size of base64 values. */
function base64Bytes(values: JsonObject): number {
  let sum = 0;
  for (const value of Object.values(values)) {
    if (typeof value === "string") sum += Math.floor(value.replace(/=+$/, "").length * 0.75);
  }
  return sum;
}

function validateImmutable(
  next: JsonObject,
  old: JsonObject | undefined,
  fields: readonly string[],
): readonly FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  return [
    ...(next["immutable"] === true ? [] : [forbidden("immutable", detail)]),
    ...fields
      .filter((field) => !deepEqual(member(next, field), member(old, field)))
      .map((field) => forbidden(field, detail)),
  ];
}

export const configMapKind = defineKind(configMaps, {
  shortNames: ["cm"],
  validate: (map, _context, old) => {
    const data = objectIn(map, "data");
    const binary = objectIn(map, "binaryData");
    return [
      ...Object.keys(data).flatMap((key) => [
        ...validateKey(key, "data"),
        ...(Object.hasOwn(binary, key) ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")] : []),
      ]),
      ...Object.keys(binary).flatMap((key) => validateKey(key, "binaryData")),
      ...(textBytes(data) + base64Bytes(binary) > maximumBytes ? [tooLong("[]", maximumBytes)] : []),
      ...validateImmutable(map, old, ["data", "binaryData"]),
    ];
  },
  printer: printer([
    nameCell,
    cell("Data", (map) => Object.keys(objectIn(map, "data")).length + Object.keys(objectIn(map, "binaryData")).length),
    ageCell,
  ]),
});

const tokenType = "kubernetes.io/service-account-token";

/** Data keys a type of secret cannot do without. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

function validateSecretType(secret: JsonObject, data: JsonObject): readonly FieldError[] {
  const type = textIn(secret, "type");
  if (type === tokenType) {
    const account = objectAt(secret, "metadata", "annotations")["kubernetes.io/service-account.name"];
    return account === undefined || account === ""
      ? [required("metadata.annotations[kubernetes.io/service-account.name]")]
      : [];
  }
  if (type === "kubernetes.io/basic-auth") {
    return Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
      ? []
      : [required("data[username]"), required("data[password]")];
  }
  const needed = Object.hasOwn(neededKeys, type) ? (neededKeys[type] ?? []) : [];
  return needed.flatMap((key) => {
    const value = member(data, key);
    if (typeof value !== "string") return [required(`data[${key}]`)];
    if (!type.startsWith("kubernetes.io/dockerc")) return [];
    const problem = jsonProblem(value);
    return problem === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
  });
}

function jsonProblem(base64: string): string | undefined {
  try {
    JSON.parse(atob(base64));
    return undefined;
  } catch {
    return base64 === "" ? "unexpected end of JSON input" : "invalid character in JSON input";
  }
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** `stringData` wins over `data` and is never kept. */
function mergeStringData(secret: JsonObject): JsonObject {
  const given = Object.entries(objectIn(secret, "stringData"));
  if (given.length === 0) return without(secret, "stringData");
  const merged = new Map(Object.entries(objectIn(secret, "data")));
  for (const [key, value] of given) if (typeof value === "string") merged.set(key, toBase64(value));
  return { ...without(secret, "stringData"), data: Object.fromEntries(merged) };
}

export const secretKind = defineKind(secrets, {
  defaults: (secret) => withDefaults(mergeStringData(secret), { type: "Opaque" }),
  validate: (secret, _context, old) => {
    const data = objectIn(secret, "data");
    const type = textIn(secret, "type");
    return [
      ...Object.keys(data).flatMap((key) => validateKey(key, "data")),
      ...(base64Bytes(data) > maximumBytes ? [tooLong("data", maximumBytes)] : []),
      ...validateSecretType(secret, data),
      ...(old !== undefined && textIn(old, "type") !== type ? [invalid("type", type, "field is immutable")] : []),
      ...validateImmutable(secret, old, ["data"]),
    ];
  },
  printer: printer([
    nameCell,
    cell("Type", (secret) => textIn(secret, "type")),
    cell("Data", (secret) => Object.keys(objectIn(secret, "data")).length),
    ageCell,
  ]),
});

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

function isMarked(account: JsonObject): boolean {
  return Object.hasOwn(objectAt(account, "metadata", "annotations"), mountableSecrets);
}

export const serviceAccountKind = defineKind(serviceAccounts, {
  shortNames: ["sa"],
  warnings: (account, old) =>
    isMarked(account) && (old === undefined || !isMarked(old))
      ? [
          `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
  deleteReturnsObject: true,
  subresources: [
    {
      name: "token",
      kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
      verbs: ["create"],
    },
  ],
  printer: printer([nameCell, ageCell]),
});
