import type { JsonObject } from "@purser/kubernetes/json";
import { invalid, notSupported, required, tooLong, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { between, descendingPath, needTexts, oneOfGiven, texts, type Rule } from "../field-rules.ts";

/** A volume source with required fields. */
function needing(...keys: readonly string[]): Rule {
  return (held, path) => needTexts(held, path, ...keys);
}

function disk(key: string): Rule {
  return (held, path) => {
    const partition = numberIn(held, "partition") ?? 0;
    return [
      ...needTexts(held, path, key),
      ...(partition < 0 || partition > 255
        ? [invalid(`${path}.partition`, partition, "must be between 1 and 255, inclusive")]
        : []),
    ];
  };
}

function secretName(held: JsonObject, path: string): readonly FieldError[] {
  return hasMember(held, "secretRef") ? needTexts(objectIn(held, "secretRef"), `${path}.secretRef`, "name") : [];
}

const initiators: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9-_.]+)(:[^,;*&$|\s]+)$/u,
  eui: /^eui\.[0-9a-fA-F]{16}$/u,
  naa: /^naa\.[0-9a-fA-F]{16,32}$/u,
};

function validateInitiator(name: string, path: string): readonly FieldError[] {
  const pattern = initiators[name.slice(0, 3)];
  if (pattern === undefined) return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")];
  return pattern.test(name) ? [] : [invalid(path, name, "must be valid format")];
}

const iscsi: Rule = (held, path) => [
  ...needTexts(held, path, "targetPortal", "iqn"),
  ...(textIn(held, "iqn") === "" ? [] : validateInitiator(textIn(held, "iqn"), `${path}.iqn`)),
  ...between({ lun: 0, ...held }, "lun", [0, 255], path),
  ...((held["chapAuthDiscovery"] === true || held["chapAuthSession"] === true) && !hasMember(held, "secretRef")
    ? [required(`${path}.secretRef`)]
    : []),
  ...(hasMember(held, "initiatorName")
    ? validateInitiator(textIn(held, "initiatorName"), `${path}.initiatorname`)
    : []),
];

const fibre: Rule = (held, path) => {
  const [names, ids] = [textsIn(held, "targetWWNs"), textsIn(held, "wwids")];
  const field = `${path}.targetWWNs`;
  return [
    ...(names.length === 0 && ids.length === 0
      ? [required(field, "must specify either targetWWNs or wwids, but not both")]
      : []),
    ...(names.length > 0 && ids.length > 0
      ? [invalid(field, [...names], "targetWWNs and wwids can not be specified simultaneously")]
      : []),
    ...(names.length > 0 && !hasMember(held, "lun")
      ? [required(`${path}.lun`, "lun is required if targetWWNs is specified")]
      : []),
    ...(names.length > 0 ? between(held, "lun", [0, 255], path) : []),
  ];
};

const flex: Rule = (held, path) => [
  ...needTexts(held, path, "driver"),
  ...Object.keys(objectIn(held, "options"))
    .filter((key) => /\.(kubernetes|k8s)\.io$/u.test(`.${(key.split("/", 1)[0] ?? key).toLowerCase()}`))
    .map((key) => invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved")),
];

const azureDisk: Rule = (held, path) => {
  const [kind, uri] = [textIn(held, "kind"), textIn(held, "diskURI")];
  const [start, form] =
    kind === "Managed"
      ? [
          "/subscriptions/",
          "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        ]
      : ["https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];
  return [
    ...needTexts(held, path, "diskName", "diskURI"),
    ...oneOfGiven(held, "cachingMode", ["None", "ReadOnly", "ReadWrite"], path),
    ...oneOfGiven(held, "kind", ["Dedicated", "Managed", "Shared"], path),
    ...(hasMember(held, "kind") && !uri.startsWith(start) ? [notSupported(`${path}.diskURI`, uri, [form])] : []),
  ];
};

const flocker: Rule = (held, path) => {
  const [name, id] = [textIn(held, "datasetName"), textIn(held, "datasetUUID")];
  return [
    ...(name === "" && id === "" ? [required(path, "one of datasetName and datasetUUID is required")] : []),
    ...(name !== "" && id !== ""
      ? [invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")]
      : []),
    ...(name.includes("/") ? [invalid(`${path}.datasetName`, name, "must not contain '/'")] : []),
  ];
};

const longestDriver = 63;

const csi: Rule = (held, path) => {
  const driver = textIn(held, "driver");
  const secret = textIn(objectIn(held, "nodePublishSecretRef"), "name");
  return [
    ...(driver === ""
      ? [required(`${path}.driver`)]
      : [
          ...(driver.length > longestDriver ? [tooLong(`${path}.driver`, longestDriver)] : []),
          ...subdomainProblems(driver.toLowerCase()).map((problem) => invalid(`${path}.driver`, driver, problem)),
        ]),
    ...(!hasMember(held, "nodePublishSecretRef")
      ? []
      : secret === ""
        ? [required(`${path}.nodePublishSecretRef.name`)]
        : texts(secret, `${path}.name`, subdomainProblems)),
  ];
};

const pairs = "must be a host:port pair or multiple pairs separated by commas";
const longestTenant = 64;

const quobyte: Rule = (held, path) => {
  const registry = textIn(held, "registry");
  const isPair = (pair: string): boolean => /^([^:[\]]*|\[[^\]]*\]):[^:]*$/u.test(pair);
  return [
    ...(registry === ""
      ? [required(`${path}.registry`, pairs)]
      : textIn(held, "tenant").length > longestTenant
        ? [required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters")]
        : registry
            .split(",")
            .filter((pair) => !isPair(pair))
            .map(() => invalid(`${path}.registry`, registry, pairs))),
    ...needTexts(held, path, "volume"),
  ];
};

const monitors: Rule = (held, path) => (textsIn(held, "monitors").length === 0 ? [required(`${path}.monitors`)] : []);

/** Volume sources provided by external systems. */
export const outOfTree: readonly (readonly [string, Rule])[] = [
  [
    "gitRepo",
    (held, path) => [
      ...needTexts(held, path, "repository"),
      ...descendingPath(textIn(held, "directory"), `${path}.directory`),
    ],
  ],
  // Errors name the field of the internal struct.
  ["gcePersistentDisk", (held, path) => disk("pdName")(held, path.replace(/gcePersistentDisk$/u, "persistentDisk"))],
  ["awsElasticBlockStore", disk("volumeID")],
  ["iscsi", iscsi],
  ["glusterfs", needing("endpoints", "path")],
  ["flocker", flocker],
  ["rbd", (held, path) => [...monitors(held, path), ...needTexts(held, path, "image")]],
  ["cinder", (held, path) => [...needTexts(held, path, "volumeID"), ...secretName(held, path)]],
  ["cephfs", monitors],
  ["fc", fibre],
  ["flexVolume", flex],
  ["azureFile", needing("secretName", "shareName")],
  ["vsphereVolume", needing("volumePath")],
  ["photonPersistentDisk", needing("pdID")],
  ["portworxVolume", needing("volumeID")],
  ["azureDisk", azureDisk],
  [
    "storageos",
    (held, path) => [
      ...needTexts(held, path, "volumeName"),
      ...["volumeName", "volumeNamespace"].flatMap((key) =>
        textIn(held, key) === "" ? [] : texts(textIn(held, key), `${path}.${key}`, labelProblems),
      ),
      ...secretName(held, path),
    ],
  ],
  ["scaleIO", needing("gateway", "system", "volumeName")],
  ["quobyte", quobyte],
  ["csi", csi],
];
