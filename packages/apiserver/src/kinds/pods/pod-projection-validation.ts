import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { validateFieldRef, validateResourceRef } from "./pod-environment-validation.ts";
import { each, fileMode, needTexts, volumePath, type Rule } from "../field-rules.ts";

const keyToPath: Rule = (item, path) => [
  ...needTexts(item, path, "key", "path"),
  ...volumePath(textIn(item, "path"), `${path}.path`),
  ...fileMode(item, "mode", path),
];

/** Validates `items` and `defaultMode` of a volume of a ConfigMap or Secret. */
export function validateKeys(held: JsonObject, path: string): readonly FieldError[] {
  return [...fileMode(held, "defaultMode", path), ...each(held, "items", path, keyToPath)];
}

const fields = ["metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"];

/** Validates a downward API volume. As in kube-apiserver, errors name the volume instead of the item. */
export function validateFiles(held: JsonObject, path: string): readonly FieldError[] {
  return objectsIn(held, "items").flatMap((file) => [
    ...needTexts(file, path, "path"),
    ...volumePath(textIn(file, "path"), `${path}.path`),
    ...validateFact(file, path),
    ...fileMode(file, "mode", path),
  ]);
}

function validateFact(file: JsonObject, path: string): readonly FieldError[] {
  if (hasMember(file, "fieldRef"))
    return [
      ...validateFieldRef(objectIn(file, "fieldRef"), `${path}.fieldRef`, fields),
      ...(hasMember(file, "resourceFieldRef")
        ? [invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
        : []),
    ];
  return hasMember(file, "resourceFieldRef")
    ? validateResourceRef(objectIn(file, "resourceFieldRef"), `${path}.resourceFieldRef`, true)
    : [required(path, "one of fieldRef and resourceFieldRef is required")];
}

const shortestToken = 600;
const longestToken = 2 ** 32;
const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/** Validates a projected volume: several sources in one directory, with distinct paths. */
export const validateProjected: Rule = (volume, path) => {
  const taken = new Set<string>();
  const claim = (file: string, badValue: string): readonly FieldError[] => {
    if (file === "") return [];
    if (taken.has(file)) return [invalid(path, badValue, "conflicting duplicate paths")];
    taken.add(file);
    return [];
  };
  const keyed: Rule = (held, at) => [
    ...needTexts(held, at, "name"),
    ...objectsIn(held, "items").flatMap((item, index) => [
      ...keyToPath(item, `${at}.items[${index}]`),
      ...claim(textIn(item, "path"), textIn(held, "name")),
    ]),
  ];
  const kinds: Readonly<Record<string, Rule>> = {
    secret: keyed,
    configMap: keyed,
    downwardAPI: (held, at) =>
      objectsIn(held, "items").flatMap((file) => [
        ...validateFiles({ items: [file] }, at),
        ...claim(textIn(file, "path"), textIn(file, "path")),
      ]),
    serviceAccountToken: (held, at) => validateToken(held, at, path),
    clusterTrustBundle: (held, at) => [
      ...(hasMember(held, "name") || hasMember(held, "signerName")
        ? []
        : [required(at, "either name or signerName must be specified")]),
      ...needTexts(held, at, "path"),
      ...volumePath(textIn(held, "path"), `${at}.path`),
      ...claim(textIn(held, "path"), textIn(held, "path")),
    ],
    podCertificate: (held, at) => validateCertificate(held, at, claim),
  };
  return [
    ...fileMode(volume, "defaultMode", path),
    ...each(volume, "sources", path, (source, at) => {
      const given = Object.entries(kinds).filter(([kind]) => hasMember(source, kind));
      return [
        ...given.flatMap(([kind, rule]) => rule(objectIn(source, kind), `${at}.${kind}`)),
        ...(given.length > 1 ? [forbidden(at, "may not specify more than 1 volume type per source")] : []),
      ];
    }),
  ];
};

function validateToken(token: JsonObject, at: string, volume: string): readonly FieldError[] {
  const seconds = numberIn(token, "expirationSeconds") ?? 0;
  const field = `${at}.expirationSeconds`;
  return [
    ...(seconds < shortestToken ? [invalid(field, seconds, "may not specify a duration less than 10 minutes")] : []),
    ...(seconds > longestToken ? [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")] : []),
    ...needTexts(token, volume, "path"),
    ...volumePath(textIn(token, "path"), `${volume}.path`),
  ];
}

function validateCertificate(
  held: JsonObject,
  at: string,
  claim: (file: string, badValue: string) => readonly FieldError[],
): readonly FieldError[] {
  const paths = ["credentialBundlePath", "keyPath", "certificateChainPath"].filter((key) => textIn(held, key) !== "");
  const seconds = numberIn(held, "maxExpirationSeconds");
  return [
    ...(keyTypes.includes(textIn(held, "keyType"))
      ? []
      : [notSupported(`${at}.keyType`, textIn(held, "keyType"), keyTypes)]),
    ...(seconds !== undefined && seconds < 3600
      ? [invalid(`${at}.maxExpirationSeconds`, seconds, "if provided, maxExpirationSeconds must be >= 3600")]
      : []),
    ...paths.flatMap((key) => [
      ...volumePath(textIn(held, key), `${at}.${key}`),
      ...claim(textIn(held, key), textIn(held, key)),
    ]),
    ...(paths.length === 0
      ? [required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")]
      : []),
  ];
}
