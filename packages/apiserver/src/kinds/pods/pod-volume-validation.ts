import type { JsonObject } from "@purser/kubernetes/json";
import { validateAnnotations, validateLabels } from "@purser/kubernetes/object/metadata-rules";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems } from "../names.ts";
import { validateFiles, validateKeys, validateProjected } from "./pod-projection-validation.ts";
import { fileMode, inside, needTexts, oneOf, oneOfGiven, texts, withoutBacksteps, type Rule } from "../field-rules.ts";
import { outOfTree } from "./pod-volume-drivers.ts";
import { quantityOrder } from "../quotas/quota-validation.ts";
import { validateClaim } from "../storage/storage-validation.ts";

const pathTypes = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

const sources: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    "emptyDir",
    (held, path) =>
      hasMember(held, "sizeLimit") && quantityOrder(textIn(held, "sizeLimit"), "0") < 0
        ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
        : [],
  ],
  [
    "hostPath",
    (held, path) =>
      textIn(held, "path") === ""
        ? [required(`${path}.path`)]
        : [...withoutBacksteps(textIn(held, "path"), `${path}.path`), ...oneOfGiven(held, "type", pathTypes, path)],
  ],
  ["secret", (held, path) => [...needTexts(held, path, "secretName"), ...validateKeys(held, path)]],
  [
    "nfs",
    (held, path) => [
      ...needTexts(held, path, "server", "path"),
      ...(textIn(held, "path").startsWith("/")
        ? []
        : [invalid(`${path}.path`, textIn(held, "path"), "must be an absolute path")]),
    ],
  ],
  ["persistentVolumeClaim", (held, path) => needTexts(held, path, "claimName")],
  ["downwardAPI", (held, path) => [...fileMode(held, "defaultMode", path), ...validateFiles(held, path)]],
  ["configMap", (held, path) => [...needTexts(held, path, "name"), ...validateKeys(held, path)]],
  ...outOfTree,
  ["projected", validateProjected],
  [
    "ephemeral",
    (held, path) => {
      if (!hasMember(held, "volumeClaimTemplate")) return [required(`${path}.volumeClaimTemplate`)];
      return inside(held, "volumeClaimTemplate", path, (template, at) => [
        ...validateAnnotations(objectIn(template, "metadata")["annotations"], `${at}.metadata.annotations`),
        ...validateLabels(objectIn(template, "metadata")["labels"], `${at}.metadata.labels`),
        ...validateClaimSpec(objectIn(template, "spec"), `${at}.spec`),
      ]);
    },
  ],
]);

/** The order in which kube-apiserver checks the sources: the first one that is set counts. */
const order = [
  "emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker",
  "persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume",
  "photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image",
].flatMap((line) => line.split(" "));

/** Validates the claim spec of an ephemeral volume or a volumeClaimTemplate. */
export function validateClaimSpec(spec: JsonObject, path: string): readonly FieldError[] {
  return validateClaim({ spec }, undefined).map((error) => ({
    ...error,
    field: path + error.field.slice("spec".length),
  }));
}

function validateSource(volume: JsonObject, path: string, isPod: boolean): readonly FieldError[] {
  const image: Rule = (held, at) => [
    ...(isPod ? needTexts(held, at, "reference") : []),
    ...oneOf(held, "pullPolicy", ["Always", "IfNotPresent", "Never"], at),
  ];
  const given = order.filter((key) => hasMember(volume, key));
  if (given.length === 0) return [required(path, "must specify a volume type")];
  return given.flatMap((key, index) =>
    index === 0
      ? (sources.get(key) ?? image)(objectIn(volume, key), `${path}.${key}`)
      : [forbidden(`${path}.${key}`, "may not specify more than 1 volume type")],
  );
}

/** The valid volumes by name, and the errors of the others. */
export function validateVolumes(
  spec: JsonObject,
  path: string,
  isPod: boolean,
): { readonly volumes: ReadonlyMap<string, JsonObject>; readonly errors: readonly FieldError[] } {
  const volumes = new Map<string, JsonObject>();
  const errors = objectsIn(spec, "volumes").flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const name = textIn(volume, "name");
    const own = [
      ...validateSource(volume, at, isPod),
      ...(name === "" ? [required(`${at}.name`)] : texts(name, `${at}.name`, labelProblems)),
      ...(volumes.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ];
    if (own.length === 0) volumes.set(name, volume);
    return own;
  });
  return { volumes, errors };
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

/** Validates volumeMounts. As in kube-apiserver, some error paths have no index. */
export function validateMounts(
  container: JsonObject,
  path: string,
  volumes: ReadonlyMap<string, JsonObject>,
): readonly FieldError[] {
  const seen = new Set<string>();
  const list = `${path}.volumeMounts`;
  const devices = objectsIn(container, "volumeDevices");
  const deviceNames = new Set(devices.map((device) => textIn(device, "name")));
  const devicePaths = new Set(devices.map((device) => textIn(device, "devicePath")));
  const isPrivileged = objectIn(container, "securityContext")["privileged"] === true;
  return objectsIn(container, "volumeMounts").flatMap((mount, index) => {
    const at = `${list}[${index}]`;
    const [name, mountPath] = [textIn(mount, "name"), textIn(mount, "mountPath")];
    const isRepeated = seen.has(mountPath);
    seen.add(mountPath);
    return [
      ...needTexts(mount, at, "name"),
      ...(volumes.has(name) ? [] : [notFoundName(`${at}.name`, name)]),
      ...needTexts(mount, at, "mountPath"),
      ...(isRepeated ? [invalid(`${at}.mountPath`, mountPath, "must be unique")] : []),
      ...(deviceNames.has(name) ? [invalid(`${at}.name`, name, "must not already exist in volumeDevices")] : []),
      ...(devicePaths.has(mountPath)
        ? [invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices")]
        : []),
      ...validateSubPaths(mount, at, list),
      ...oneOfGiven(mount, "mountPropagation", propagations, list),
      ...(textIn(mount, "mountPropagation") === "Bidirectional" && !isPrivileged
        ? [
            forbidden(
              `${list}.mountPropagation`,
              "Bidirectional mount propagation is available only to privileged containers",
            ),
          ]
        : []),
      ...validateRecursive(mount, `${list}.recursiveReadOnly`),
    ];
  });
}

function notFoundName(field: string, name: string): FieldError {
  return { type: "FieldValueNotFound", field, detail: "", badValue: name };
}

function validateSubPaths(mount: JsonObject, at: string, list: string): readonly FieldError[] {
  const [subPath, expression] = [textIn(mount, "subPath"), textIn(mount, "subPathExpr")];
  const descending = (key: string, value: string): readonly FieldError[] => [
    ...(value.startsWith("/") ? [invalid(`${list}.${key}`, value, "must be a relative path")] : []),
    ...withoutBacksteps(value, `${list}.${key}`),
  ];
  return [
    ...descending("subPath", subPath),
    ...(subPath !== "" && expression !== ""
      ? [invalid(`${at}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive")]
      : []),
    ...descending("subPathExpr", expression),
  ];
}

function validateRecursive(mount: JsonObject, path: string): readonly FieldError[] {
  if (!hasMember(mount, "recursiveReadOnly")) return [];
  const mode = textIn(mount, "recursiveReadOnly");
  const supported = ["Disabled", "Enabled", "IfPossible"];
  if (!supported.includes(mode)) return [notSupported(path, mode, supported)];
  if (mode === "Disabled") return [];
  const propagation = textIn(mount, "mountPropagation");
  return [
    ...(mount["readOnly"] === true ? [] : [forbidden(path, "may only be specified when readOnly is true")]),
    ...(propagation === "" || propagation === "None"
      ? []
      : [forbidden(path, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

/** Validates volumeDevices. */
export function validateDevices(
  container: JsonObject,
  path: string,
  volumes: ReadonlyMap<string, JsonObject>,
): readonly FieldError[] {
  const [names, paths] = [new Set<string>(), new Set<string>()];
  const mounts = objectsIn(container, "volumeMounts");
  const mountNames = new Set(mounts.map((mount) => textIn(mount, "name")));
  const mountPaths = new Set(mounts.map((mount) => textIn(mount, "mountPath")));
  return objectsIn(container, "volumeDevices").flatMap((device, index) => {
    const at = `${path}.volumeDevices[${index}]`;
    const [name, devicePath] = [textIn(device, "name"), textIn(device, "devicePath")];
    const volume = volumes.get(name);
    const isBlock =
      volume !== undefined && ["persistentVolumeClaim", "ephemeral"].some((key) => hasMember(volume, key));
    const isBackward = devicePath.split("/").includes("..");
    const errors = [
      ...needTexts(device, at, "name"),
      ...(names.has(name) ? [invalid(`${at}.name`, name, "must be unique")] : []),
      ...(volume === undefined ? [notFoundName(`${at}.name`, name)] : []),
      ...(volume !== undefined && !isBlock
        ? [
            invalid(
              `${at}.name`,
              name,
              "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
          ]
        : []),
      ...needTexts(device, at, "devicePath"),
      ...(paths.has(devicePath) ? [invalid(`${at}.devicePath`, devicePath, "must be unique")] : []),
      ...(isBackward ? [invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')")] : []),
      ...(mountNames.has(name) ? [invalid(`${at}.name`, name, "must not already exist in volumeMounts")] : []),
      ...(mountPaths.has(devicePath)
        ? [invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts")]
        : []),
    ];
    if (name !== "") names.add(name);
    if (!isBackward) paths.add(devicePath);
    return errors;
  });
}
