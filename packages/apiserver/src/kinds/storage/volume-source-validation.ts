import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, required, tooLong, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { inside, needTexts, withoutBacksteps, type Rule } from "../field-rules.ts";
import { validateRequiredTerms } from "../pods/pod-scheduling-validation.ts";
import { outOfTree } from "../pods/pod-volume-drivers.ts";

const secretReference: Rule = (held, path) => {
  const [name, namespace] = [textIn(held, "name"), textIn(held, "namespace")];
  return [
    ...(name === ""
      ? [required(`${path}.name`)]
      : subdomainProblems(name).map((problem) => invalid(`${path}.name`, name, problem))),
    ...(namespace === ""
      ? [required(`${path}.namespace`)]
      : labelProblems(namespace).map((problem) => invalid(`${path}.namespace`, namespace, problem))),
  ];
};

function validateDriver(driver: string, path: string): readonly FieldError[] {
  if (driver === "") return [required(path)];
  return [
    ...(driver.length > 63 ? [tooLong(path, 63)] : []),
    ...subdomainProblems(driver.toLowerCase()).map((problem) => invalid(path, driver, problem)),
  ];
}

const secrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

const csi: Rule = (held, path) => [
  ...validateDriver(textIn(held, "driver"), `${path}.driver`),
  ...needTexts(held, path, "volumeHandle"),
  ...secrets.flatMap((key) => inside(held, key, path, secretReference)),
];

const nfs: Rule = (held, path) => [
  ...needTexts(held, path, "server", "path"),
  ...(textIn(held, "path").startsWith("/")
    ? []
    : [invalid(`${path}.path`, textIn(held, "path"), "must be an absolute path")]),
];

/** Sources with the same structure in pods and volumes; others have their own secret references. */
const shared: ReadonlyMap<string, Rule> = new Map(outOfTree);
const sharedSources = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "flocker",
  "quobyte",
  "fc",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
];
const paths: ReadonlyMap<string, string> = new Map([["gcePersistentDisk", "persistentDisk"]]);

/** Validates the first source of a volume, which is the one that counts. */
export function validateVolumeSource(spec: JsonObject, source: string | undefined): readonly FieldError[] {
  if (source === undefined) return [];
  const held = objectIn(spec, source);
  const path = `spec.${paths.get(source) ?? source}`;
  switch (source) {
    case "csi":
      return csi(held, path);
    case "nfs":
      return nfs(held, path);
    case "local":
      return [
        ...(textIn(held, "path") === ""
          ? [required(`${path}.path`)]
          : withoutBacksteps(textIn(held, "path"), `${path}.path`)),
        ...(hasMember(spec, "nodeAffinity")
          ? []
          : [required("spec.nodeAffinity", "Local volume requires node affinity")]),
      ];
    default:
      return sharedSources.includes(source) ? (shared.get(source)?.(held, path) ?? []) : [];
  }
}

/** Validates node affinity of a volume. */
export function validateVolumeNodes(spec: JsonObject): readonly FieldError[] {
  if (!hasMember(spec, "nodeAffinity")) return [];
  const affinity = objectIn(spec, "nodeAffinity");
  return hasMember(affinity, "required")
    ? validateRequiredTerms(objectIn(affinity, "required"), "spec.nodeAffinity.required")
    : [required("spec.nodeAffinity.required", "must specify required node constraints")];
}

/** Validates volumeAttributesClassName, which only CSI volumes may set. */
export function validateAttributesClass(spec: JsonObject): readonly FieldError[] {
  if (!hasMember(spec, "volumeAttributesClassName")) return [];
  const [field, name] = ["spec.volumeAttributesClassName", textIn(spec, "volumeAttributesClassName")];
  return [
    ...(name === ""
      ? [required(field, "an empty string is disallowed")]
      : subdomainProblems(name).map((problem) => invalid(field, name, problem))),
    ...(hasMember(spec, "csi")
      ? []
      : [required("spec.csi", "has to be specified when using volumeAttributesClassName")]),
  ];
}
