// The v1 kinds. Rules and their messages are part of the interface: clients match on the words.
import type { JsonObject } from "@purser/kubernetes/json";
import {
  column,
  condition,
  embedded,
  enumOf,
  int32,
  integer,
  list,
  listBy,
  object,
  rule,
  rules,
  text,
  time,
} from "./schema.ts";
import type { Kind, PrinterColumn } from "./schema.ts";

/** The standard set lacks what upstream still calls experimental. */
export type Generator = "standard" | "experimental";

const group = "olm.operatorframework.io";

const subdomain = String.raw`self.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")`;
const subdomainWords =
  "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric characters, hyphens (-) or periods (.), start and end with an alphanumeric character, and be no longer than 253 characters";

// Exactly OLM's expression, misplaced brackets included: another one would admit or refuse other values.
const versionExpression = String.raw`^(\\s*(=||!=|>|<|>=|=>|<=|=<|~|~>|\\^)\\s*(v?(0|[1-9]\\d*|[x|X|\\*])(\\.(0|[1-9]\\d*|x|X|\\*]))?(\\.(0|[1-9]\\d*|x|X|\\*))?(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?)\\s*)((?:\\s+|,\\s*|\\s*\\|\\|\\s*)(=||!=|>|<|>=|=>|<=|=<|~|~>|\\^)\\s*(v?(0|[1-9]\\d*|x|X|\\*])(\\.(0|[1-9]\\d*|x|X|\\*))?(\\.(0|[1-9]\\d*|x|X|\\*]))?(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?)\\s*)*$`;

function conditionColumn(type: string): PrinterColumn {
  return column(type, `.status.conditions[?(@.type=='${type}')].status`);
}

const age = column("Age", ".metadata.creationTimestamp", "date");
const conditions = listBy("type", "What has been observed.", condition());

/** A member that belongs to one value of a discriminator and to no other. */
function union(discriminator: string, value: string, member: string): JsonObject {
  return rule(
    `has(self.${discriminator}) && self.${discriminator} == '${value}' ? has(self.${member}) : !has(self.${member})`,
    `${member} is required when ${discriminator} is ${value}, and forbidden otherwise`,
  );
}

const catalogFilter = object("Which package, and which of its bundles.", {
  required: {
    packageName: text("Package in a catalog.", {
      maxLength: 253,
      ...rules(rule("self == oldSelf", "packageName is immutable"), rule(subdomain, `packageName ${subdomainWords}`)),
    }),
  },
  optional: {
    version: text("Version or range of versions, such as 1.2.3, ~1.2 or >=1.2.0 <2.0.0; absent means any.", {
      maxLength: 64,
      ...rules(rule(`self.matches("${versionExpression}")`, "invalid version expression")),
    }),
    channels: list(
      "Channels to take bundles from; absent means all.",
      text("", { maxLength: 253, ...rules(rule(subdomain, "channels entries must be valid DNS1123 subdomains")) }),
      { maxItems: 256 },
    ),
    selector: embedded("LabelSelector", "ClusterCatalogs to look in; absent means all."),
    upgradeConstraintPolicy: enumOf(
      "SelfCertified allows upgrades and downgrades that the catalog does not offer.",
      ["CatalogProvided", "SelfCertified"],
      { default: "CatalogProvided" },
    ),
  },
});

function extensionSpec(generator: Generator): JsonObject {
  const experimental = {
    config: object(
      "Configuration of the bundle.",
      {
        required: { configType: enumOf("Where the configuration stands.", ["Inline"]) },
        optional: {
          inline: {
            description: "Checked against the bundle's own schema.",
            type: "object",
            minProperties: 1,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
      rules(union("configType", "Inline", "inline")),
    ),
    progressDeadlineMinutes: deadline("Minutes after which an unfinished rollout counts as failed."),
  };
  return object("What to install.", {
    required: {
      namespace: text("Namespace for the objects of the bundle; it must exist.", {
        maxLength: 63,
        ...rules(
          rule("self == oldSelf", "namespace is immutable"),
          rule('self.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")', "namespace must be a valid DNS1123 label"),
        ),
      }),
      source: object(
        "Where the bundle comes from.",
        { required: { sourceType: enumOf("", ["Catalog"]) }, optional: { catalog: catalogFilter } },
        rules(union("sourceType", "Catalog", "catalog")),
      ),
    },
    optional: {
      serviceAccount: object(
        "Deprecated and ignored.",
        {
          optional: {
            name: text("", {
              minLength: 1,
              maxLength: 253,
              ...rules(
                rule("self == oldSelf", "name is immutable once set but may be cleared"),
                rule(subdomain, `name ${subdomainWords}`),
              ),
            }),
          },
        },
        { minProperties: 1 },
      ),
      install: object(
        "How it is installed.",
        {
          optional: {
            preflight: object(
              "Checks before an install or upgrade.",
              {
                required: {
                  crdUpgradeSafety: object("Whether new CRDs keep stored objects valid.", {
                    required: { enforcement: enumOf("None switches the check off.", ["None", "Strict"]) },
                  }),
                },
              },
              rules(
                rule(
                  "has(self.crdUpgradeSafety)",
                  "at least one of [crdUpgradeSafety] are required when preflight is specified",
                ),
              ),
            ),
          },
        },
        rules(rule("has(self.preflight)", "at least one of [preflight] are required when install is specified")),
      ),
      ...(generator === "experimental" ? experimental : {}),
    },
  });
}

function deadline(description: string): JsonObject {
  return int32(description, { minimum: 10, maximum: 720 });
}

function extensionStatus(generator: Generator): JsonObject {
  const isExperimental = generator === "experimental";
  const bundle = object("The bundle that is installed.", {
    required: {
      name: text("", { ...rules(rule(subdomain, `packageName ${subdomainWords}`)) }),
      version: text("", {
        ...rules(
          rule(
            String.raw`self.matches("^([0-9]+)(\\.[0-9]+)?(\\.[0-9]+)?(-([-0-9A-Za-z]+(\\.[-0-9A-Za-z]+)*))?(\\+([-0-9A-Za-z]+(-\\.[-0-9A-Za-z]+)*))?")`,
            "version must be well-formed semver",
          ),
        ),
      }),
    },
    optional: isExperimental
      ? {
          release: text("Tells builds of one version apart; given and empty differs from absent.", {
            maxLength: 20,
            ...rules(
              rule(
                String.raw`self.matches("^$|^(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*$")`,
                "release must be empty or consist of dot-separated identifiers (numeric without leading zeros, or alphanumeric)",
              ),
            ),
          }),
        }
      : {},
  });
  return object("What has been observed.", {
    optional: {
      conditions,
      install: object("Present when something is installed.", { required: { bundle } }),
      ...(isExperimental
        ? {
            activeRevisions: listBy(
              "name",
              "ClusterObjectSets that are not archived: the installed one, then those that roll out.",
              object("", { required: { name: text("") }, optional: { conditions } }),
            ),
          }
        : {}),
    },
  });
}

export function clusterExtension(generator: Generator): Kind {
  return {
    group,
    kind: "ClusterExtension",
    plural: "clusterextensions",
    singular: "clusterextension",
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        storage: true,
        description: "One operator that is to be installed in the cluster.",
        columns: [
          column("Installed Bundle", ".status.install.bundle.name"),
          column("Version", ".status.install.bundle.version"),
          conditionColumn("Installed"),
          conditionColumn("Progressing"),
          age,
        ],
        optional: { spec: extensionSpec(generator), status: extensionStatus(generator) },
      },
    ],
  };
}

const hasDigest = "self.find('(@.*:)') != \"\"";
const tail = "self.find(':.*$')";
const domainPart = "([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const namePart = "[a-z0-9]+((([._]|__|[-]*)[a-z0-9]+)+)?";

const nameRules = [
  rule(
    String.raw`self.matches('^${domainPart}((\\.${domainPart})+)?(:[0-9]+)?\\b')`,
    'must start with a valid domain. valid domains must be alphanumeric characters (lowercase and uppercase) separated by the "." character.',
  ),
  rule(
    String.raw`self.find('(\\/${namePart}((\\/${namePart})+)?)') != ""`,
    'a valid name is required. valid names must contain lowercase alphanumeric characters separated only by the ".", "_", "__", "-" characters.',
  ),
];

const digestRules = [
  rule(
    `${hasDigest} ? self.find('(@.*:)').matches('(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*[:])') : true`,
    'digest algorithm is not valid. valid algorithms must start with an uppercase or lowercase alpha character followed by alphanumeric characters and may contain the "-", "_", "+", and "." characters.',
  ),
  rule(
    `${hasDigest} ? ${tail}.substring(1).size() >= 32 : true`,
    "digest is not valid. the encoded string must be at least 32 characters",
  ),
  rule(
    `${hasDigest} ? ${tail}.matches(':[0-9A-Fa-f]*$') : true`,
    "digest is not valid. the encoded string must only contain hex characters (A-F, a-f, 0-9)",
  ),
];

const tagRules = [
  rule(
    `!(${hasDigest}) && ${tail} != "" ? ${tail}.substring(1).size() <= 127 : true`,
    "tag is invalid. the tag must not be more than 127 characters",
  ),
  rule(
    String.raw`!(${hasDigest}) && ${tail} != "" ? ${tail}.matches(':[\\w][\\w.-]*$') : true`,
    'tag is invalid. valid tags must begin with a word character (alphanumeric + "_") followed by word characters or ".", and "-" characters',
  ),
];

const reference = text("Reference of the catalog's image, with a tag or a digest.", {
  maxLength: 1000,
  ...rules(
    ...nameRules,
    rule(`${hasDigest} || ${tail} != ""`, "must end with a digest or a tag"),
    ...tagRules,
    ...digestRules,
  ),
});

const resolvedReference = text("Reference of the image by digest.", {
  maxLength: 1000,
  ...rules(...nameRules, rule(hasDigest, "must end with a digest"), ...digestRules),
});

const imageUnion = rule(
  "has(self.type) && self.type == 'Image' ? has(self.image) : !has(self.image)",
  "image is required when source type is Image, and forbidden otherwise",
);

export function clusterCatalog(): Kind {
  return {
    group,
    kind: "ClusterCatalog",
    plural: "clustercatalogs",
    singular: "clustercatalog",
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        storage: true,
        description: "A catalog of operators that ClusterExtensions install from.",
        columns: [column("LastUnpacked", ".status.lastUnpacked", "date"), conditionColumn("Serving"), age],
        required: {
          spec: object("Where the catalog comes from.", {
            required: {
              source: object(
                "",
                {
                  required: { type: enumOf("", ["Image"]) },
                  optional: {
                    image: object(
                      "",
                      {
                        required: { ref: reference },
                        optional: {
                          pollIntervalMinutes: integer("How often the tag is looked up again; absent means never.", {
                            minimum: 1,
                          }),
                        },
                      },
                      rules(
                        rule(
                          "self.ref.find('(@.*:)') != \"\" ? !has(self.pollIntervalMinutes) : true",
                          "cannot specify pollIntervalMinutes while using digest-based image",
                        ),
                      ),
                    ),
                  },
                },
                rules(imageUnion),
              ),
            },
            optional: {
              priority: int32("Among catalogs with the same package the highest number wins.", {
                default: 0,
                minimum: -2147483648,
                maximum: 2147483647,
              }),
              availabilityMode: enumOf("Unavailable takes the catalog out of use.", ["Unavailable", "Available"], {
                default: "Available",
              }),
            },
          }),
        },
        optional: {
          status: object("What has been observed.", {
            optional: {
              conditions,
              resolvedSource: object(
                "What the content was read from.",
                {
                  required: {
                    image: object("", { required: { ref: resolvedReference } }),
                    type: enumOf("", ["Image"]),
                  },
                },
                rules(imageUnion),
              ),
              urls: object("Where the content is served.", {
                required: {
                  base: text("", {
                    maxLength: 525,
                    ...rules(
                      rule("isURL(self)", "must be a valid URL"),
                      rule(
                        'isURL(self) ? (url(self).getScheme() == "http" || url(self).getScheme() == "https") : true',
                        "scheme must be either http or https",
                      ),
                    ),
                  }),
                },
              }),
              lastUnpacked: time("When the content was read last."),
            },
          }),
        },
      },
    ],
  };
}

function collisionProtection(description: string, more: JsonObject = {}): JsonObject {
  return enumOf(description, ["Prevent", "IfNoController", "None"], more);
}

const collisionWords = "Prevent takes no object that exists, IfNoController those without a controller, None any.";

const phaseObject = object(
  "",
  {
    optional: {
      object: {
        description: "The object itself.",
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      ref: object("The object as it stands in a Secret.", {
        required: {
          name: text("Name of the Secret.", { minLength: 1, maxLength: 253 }),
          key: text("Key in it.", { minLength: 1, maxLength: 253 }),
        },
        optional: { namespace: text("Namespace of the Secret.", { maxLength: 63 }) },
      }),
      collisionProtection: collisionProtection("Overrides that of the phase."),
    },
  },
  rules(rule("has(self.object) != has(self.ref)", "exactly one of the fields in [object ref] must be set")),
);

const phase = object("", {
  required: {
    name: text("", {
      minLength: 1,
      maxLength: 63,
      ...rules(
        rule(
          'self.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")',
          "the value must consist of only lowercase alphanumeric characters and hyphens, and must start and end with an alphanumeric character.",
        ),
      ),
    }),
    objects: list("Applied together.", phaseObject, { maxItems: 50 }),
  },
  optional: { collisionProtection: collisionProtection("Overrides that of the set.") },
});

function fieldPath(description: string): JsonObject {
  return text(description, {
    minLength: 1,
    maxLength: 200,
    ...rules(
      rule(
        String.raw`self.matches('^[a-zA-Z0-9]+(?:\\.[a-zA-Z0-9]+)*$')`,
        'must contain a valid field path. valid fields contain upper or lower-case alphanumeric characters separated by the "." character.',
      ),
    ),
  });
}

const probe = object("", {
  required: {
    selector: object(
      "Objects that are probed.",
      {
        required: { type: enumOf("", ["GroupKind", "Label"]) },
        optional: {
          groupKind: object("", { required: { group: text(""), kind: text("") } }),
          label: {
            ...embedded("LabelSelector"),
            ...rules(
              rule(
                "(has(self.matchExpressions) && !has(self.matchLabels)) || (!has(self.matchExpressions) && has(self.matchLabels))",
                "exactly one of matchLabels or matchExpressions must be set",
              ),
            ),
          },
        },
      },
      rules(union("type", "GroupKind", "groupKind"), union("type", "Label", "label")),
    ),
    assertions: list(
      "All must hold.",
      object(
        "",
        {
          required: { type: enumOf("", ["ConditionEqual", "FieldsEqual", "FieldValue"]) },
          optional: {
            conditionEqual: object("The object has this condition.", {
              required: {
                type: text("", { minLength: 1, maxLength: 200 }),
                status: enumOf("", ["True", "False"]),
              },
            }),
            fieldsEqual: object("Two fields have one value.", {
              required: { fieldA: fieldPath(""), fieldB: fieldPath("") },
            }),
            fieldValue: object("A field has this value.", {
              required: { fieldPath: fieldPath(""), value: text("", { minLength: 1, maxLength: 200 }) },
            }),
          },
        },
        rules(
          union("type", "ConditionEqual", "conditionEqual"),
          union("type", "FieldsEqual", "fieldsEqual"),
          union("type", "FieldValue", "fieldValue"),
        ),
      ),
      { minItems: 1, maxItems: 20, "x-kubernetes-list-type": "atomic" },
    ),
  },
});

export function clusterObjectSet(): Kind {
  return {
    group,
    kind: "ClusterObjectSet",
    plural: "clusterobjectsets",
    singular: "clusterobjectset",
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        storage: true,
        description: "One revision of the objects of an extension, applied phase by phase.",
        columns: [conditionColumn("Available"), conditionColumn("Progressing"), age],
        optional: {
          spec: object("What is applied, and how.", {
            required: {
              lifecycleState: enumOf("Archived removes the objects for good.", ["Active", "Archived"], {
                ...rules(rule("oldSelf == 'Active' || oldSelf == 'Archived' && oldSelf == self", "cannot un-archive")),
              }),
              revision: integer("Sequence number among the sets of an extension.", {
                format: "int64",
                minimum: 1,
                ...rules(rule("self == oldSelf", "revision is immutable")),
              }),
              collisionProtection: collisionProtection(collisionWords, {
                ...rules(rule("self == oldSelf", "collisionProtection is immutable")),
              }),
            },
            optional: {
              phases: listBy("name", "Applied one after the other.", phase, {
                maxItems: 20,
                ...rules(rule("self == oldSelf || oldSelf.size() == 0", "phases is immutable")),
              }),
              progressDeadlineMinutes: deadline("Minutes after which an unfinished rollout counts as failed."),
              progressionProbes: list("When a phase is done and the next may start.", probe, {
                minItems: 1,
                maxItems: 20,
                "x-kubernetes-list-type": "atomic",
              }),
            },
          }),
          status: object("What has been observed.", {
            optional: {
              conditions,
              observedPhases: listBy(
                "name",
                "Content of the phases when they were applied first.",
                object("", {
                  required: {
                    name: text("", { minLength: 1, maxLength: 63 }),
                    digest: text("", {
                      minLength: 1,
                      maxLength: 256,
                      ...rules(
                        rule(
                          "self.matches('^[a-z0-9]+:[a-f0-9]+$')",
                          "digest must be in the format '<algorithm>:<hex>'",
                        ),
                      ),
                    }),
                  },
                }),
                {
                  maxItems: 20,
                  ...rules(rule("self == oldSelf || oldSelf.size() == 0", "observedPhases is immutable")),
                },
              ),
            },
          }),
        },
      },
    ],
  };
}
