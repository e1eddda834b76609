import { withoutEnding } from "@purser/kubernetes/without-ending";
import type { JsonObject } from "@purser/kubernetes/json";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { configMaps, secrets, serviceAccounts } from "@purser/kubernetes/apis/resources";
import { forbidden, invalid, tooLong, type FieldError } from "@purser/kubernetes/object/field-error";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import { configKeyProblems } from "./config-keys.ts";
import { defineKind } from "./define-kind.ts";
import { exactlyEqual } from "./emptied.ts";
import { mapList, objectAt, objectIn, pickMembers, textIn, without, withDefaults } from "./decoding/json-parts.ts";
import { secretWarnings, validateSecretType } from "./secret-validation.ts";

const maximumBytes = 1_048_576;

function validateKey(key: string, field: string): readonly FieldError[] {
  return configKeyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem));
}

const encoder = new TextEncoder();

/** The sum of the sizes of all texts. */
function* bytesOf(values: JsonObject, sizeOf: (text: string) => number, strides: Strides): Steps<number> {
  let sum = 0;
  for (const key of knownKeys(values)) {
    const value = values[key];
    if (typeof value === "string") sum += sizeOf(value);
    if (strides.isDue()) yield;
  }
  return sum;
}

/** Decoded size in bytes of a base64 text. */
function base64Bytes(text: string): number {
  return Math.floor(withoutEnding(text, "=").length * 0.75);
}

function* keyErrors(values: JsonObject, field: string, strides: Strides, others?: JsonObject): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const key of knownKeys(values)) {
    for (const error of validateKey(key, field)) errors.push(error);
    if (others !== undefined && Object.hasOwn(others, key))
      errors.push(invalid(`${field}[${key}]`, key, "duplicate of key present in binaryData"));
    if (strides.isDue()) yield;
  }
  return errors;
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
      .filter((field) => !exactlyEqual(pickMembers(next, field), pickMembers(old, field)))
      .map((field) => forbidden(field, detail)),
  ];
}

/** An absent `data` compares equal to an empty one. */
function withData(map: JsonObject): JsonObject {
  return { data: {}, ...map };
}

export const configMapKind = defineKind(configMaps, {
  shortNames: ["cm"],
  *validateInSteps(map, _context, old) {
    const data = objectIn(map, "data");
    const binary = objectIn(map, "binaryData");
    const immutable = validateImmutable(withData(map), old === undefined ? undefined : withData(old), [
      "data",
      "binaryData",
    ]);
    yield;
    const strides = new Strides();
    const ofData = yield* keyErrors(data, "data", strides, binary);
    const ofBinary = yield* keyErrors(binary, "binaryData", strides);
    const size =
      (yield* bytesOf(data, (text) => Buffer.byteLength(text), strides)) +
      (yield* bytesOf(binary, base64Bytes, strides));
    return [...immutable, ...ofData, ...ofBinary, ...(size > maximumBytes ? [tooLong("[]", maximumBytes)] : [])];
  },
  printer: printer([
    nameCell,
    cell("Data", (map) => Object.keys(objectIn(map, "data")).length + Object.keys(objectIn(map, "binaryData")).length),
    ageCell,
  ]),
});

function toBase64(text: string): string {
  let binary = "";
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Entries of `stringData` override those of `data`; `stringData` itself is not stored. */
function mergeStringData(secret: JsonObject): JsonObject {
  const given = Object.entries(objectIn(secret, "stringData"));
  if (given.length === 0) return without(secret, "stringData");
  const merged = new Map(Object.entries(objectIn(secret, "data")));
  for (const [key, value] of given) if (typeof value === "string") merged.set(key, toBase64(value));
  return { ...without(secret, "stringData"), data: Object.fromEntries(merged) };
}

export const secretKind = defineKind(secrets, {
  defaults: (secret) => withDefaults(mergeStringData(secret), { type: "Opaque" }),
  *validateInSteps(secret, _context, old) {
    const data = objectIn(secret, "data");
    const type = textIn(secret, "type");
    const immutable = validateImmutable(secret, old, ["data"]);
    yield;
    const strides = new Strides();
    const ofKeys = yield* keyErrors(data, "data", strides);
    const size = yield* bytesOf(data, base64Bytes, strides);
    return [
      ...(old !== undefined && textIn(old, "type") !== type ? [invalid("type", type, "field is immutable")] : []),
      ...immutable,
      ...ofKeys,
      ...(size > maximumBytes ? [tooLong("data", maximumBytes)] : []),
      ...validateSecretType(secret),
    ];
  },
  warnings: secretWarnings,
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

/** Of each entry of `secrets` only the name is stored. */
function withNamesOfSecrets(account: JsonObject): JsonObject {
  return mapList(account, "secrets", (secret) => pickMembers(secret, "name"));
}

export const serviceAccountKind = defineKind(serviceAccounts, {
  shortNames: ["sa"],
  onCreate: withNamesOfSecrets,
  onUpdate: withNamesOfSecrets,
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
