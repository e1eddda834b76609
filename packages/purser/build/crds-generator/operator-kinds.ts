// The other v0 kinds: what is installed, for whom, and what it reports.
import { group, icon, looseCondition } from "./catalog-kinds.ts";
import {
  column,
  condition,
  embedded,
  enumOf,
  flag,
  int32,
  list,
  object,
  rule,
  rules,
  text,
  textMap,
  texts,
  time,
} from "./schema.ts";
import type { Kind } from "./schema.ts";

const descriptors = list(
  "",
  object("", {
    required: { path: text("") },
    optional: {
      displayName: text(""),
      description: text(""),
      "x-descriptors": texts(""),
      value: text("Raw JSON.", { format: "byte" }),
    },
  }),
);

const apiDescription = {
  displayName: text(""),
  description: text(""),
  resources: list("", object("", { required: { name: text(""), kind: text(""), version: text("") } })),
  specDescriptors: descriptors,
  statusDescriptors: descriptors,
  actionDescriptors: descriptors,
};

const crdDescriptions = list(
  "",
  object("", {
    required: { name: text("Name of the CRD."), version: text("Version that is used."), kind: text("") },
    optional: apiDescription,
  }),
);

const apiServiceDescriptions = list(
  "",
  object("", {
    required: { name: text("Plural of the resource."), group: text(""), version: text(""), kind: text("") },
    optional: {
      deploymentName: text("Deployment of this CSV that serves the API."),
      containerPort: int32("Port of the server; 443 when absent."),
      ...apiDescription,
    },
  }),
);

const webhook = object("", {
  required: {
    generateName: text("Name of the webhook and start of its configuration's name."),
    type: enumOf("", ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"]),
    sideEffects: text("None or NoneOnDryRun."),
    admissionReviewVersions: texts("Review versions that the webhook reads."),
  },
  optional: {
    deploymentName: text("Deployment of this CSV that serves the webhook."),
    containerPort: int32("Port of its Service.", { default: 443, minimum: 1, maximum: 65535 }),
    targetPort: {
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
      description: "Port of the container; containerPort when absent.",
    },
    rules: list("What is sent to the webhook.", embedded("RuleWithOperations")),
    failurePolicy: text("Fail or Ignore."),
    matchPolicy: text("Exact or Equivalent."),
    objectSelector: embedded("LabelSelector", "Objects that are sent to the webhook."),
    timeoutSeconds: int32(""),
    reinvocationPolicy: text("Never or IfNeeded, for mutating webhooks."),
    webhookPath: text("Path at the server."),
    conversionCRDs: texts("CRDs that the conversion webhook serves."),
  },
});

const permissions = (description: string) =>
  list(
    description,
    object("", {
      required: {
        serviceAccountName: text("Account in the operator's namespace."),
        rules: list("", embedded("PolicyRule")),
      },
    }),
  );

const install = object("How the operator is installed.", {
  required: { strategy: text("deployment is the only one.") },
  optional: {
    spec: object("", {
      required: {
        deployments: list(
          "Deployments of the operator.",
          object("", {
            required: { name: text(""), spec: embedded("DeploymentSpec") },
            optional: { label: textMap("Labels of the Deployment itself, not of its pods.") },
          }),
        ),
      },
      optional: {
        permissions: permissions("Rights in the namespaces that the operator watches."),
        clusterPermissions: permissions("Rights in the whole cluster."),
      },
    }),
  },
});

const named = object("", { optional: { name: text(""), url: text("") } });

const csvSpec = object("What the operator is, needs and brings.", {
  required: { displayName: text("Name for people."), install },
  optional: {
    version: text("Semantic version."),
    release: text("Tells builds of one version apart.", {
      maxLength: 20,
      ...rules(
        rule(
          String.raw`self.matches('^[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*$')`,
          "release version must be composed of dot-separated identifiers containing only alphanumerics and hyphens",
        ),
        rule(
          String.raw`!self.split('.').exists(x, x.matches('^0[0-9]+$'))`,
          "numeric identifiers in release version must not have leading zeros",
        ),
      ),
    }),
    description: text("What the operator does, in Markdown."),
    maturity: text("How mature it is."),
    keywords: texts("Words to find it by."),
    maintainers: list("", object("", { optional: { name: text(""), email: text("") } })),
    provider: { ...named, description: "Who provides it." },
    links: list("", named),
    icon: list("", icon),
    customresourcedefinitions: object("CRDs that it brings or needs.", {
      optional: { owned: crdDescriptions, required: crdDescriptions },
    }),
    apiservicedefinitions: object("Aggregated APIs that it brings or needs.", {
      optional: { owned: apiServiceDescriptions, required: apiServiceDescriptions },
    }),
    webhookdefinitions: list("Admission and conversion webhooks.", webhook),
    nativeAPIs: list(
      "APIs that the cluster must serve.",
      object("", { required: { group: text(""), version: text(""), kind: text("") } }),
    ),
    minKubeVersion: text("Oldest Kubernetes version that it runs on."),
    installModes: list(
      "Which sets of namespaces it can watch.",
      object("", { required: { type: text(""), supported: flag("") } }),
    ),
    replaces: text("CSV in the same namespace that this one supersedes."),
    skips: texts("Versions that catalogs may jump over."),
    relatedImages: list("Images that it uses.", object("", { required: { name: text(""), image: text("") } })),
    cleanup: object("Never acted on.", { required: { enabled: flag("") } }),
    labels: textMap("For people."),
    annotations: textMap("For people."),
    selector: embedded("LabelSelector", "For people."),
  },
});

const requirement = object("", {
  required: {
    group: text(""),
    version: text(""),
    kind: text(""),
    name: text(""),
    status: text(""),
    message: text(""),
  },
  optional: {
    uuid: text("uid of the object that satisfies it."),
    dependents: list(
      "Rules that must hold for it.",
      object("", {
        required: { group: text(""), version: text(""), kind: text(""), status: text("") },
        optional: { uuid: text(""), message: text("") },
      }),
    ),
  },
});

const csvStatus = object("How far the installation is.", {
  optional: {
    phase: text("Empty, Pending, InstallReady, Installing, Succeeded, Failed, Unknown, Replacing or Deleting."),
    reason: text("Why, as one word."),
    message: text("Why, as a sentence."),
    lastUpdateTime: time(""),
    lastTransitionTime: time("When the phase changed last."),
    conditions: list(
      "Earlier phases, oldest first, 20 at most.",
      object("", {
        optional: {
          phase: text(""),
          reason: text(""),
          message: text(""),
          lastUpdateTime: time(""),
          lastTransitionTime: time(""),
        },
      }),
    ),
    requirementStatus: list("What the operator needs and whether it is there.", requirement),
    certsLastUpdated: time("When serving certificates were made last."),
    certsRotateAt: time("When they are made anew."),
    cleanup: object("Never written.", {
      optional: {
        pendingDeletion: list(
          "",
          object("", {
            required: {
              group: text(""),
              kind: text(""),
              instances: list("", object("", { required: { name: text("") }, optional: { namespace: text("") } })),
            },
          }),
        ),
      },
    }),
  },
});

export const clusterServiceVersion: Kind = {
  group,
  kind: "ClusterServiceVersion",
  plural: "clusterserviceversions",
  singular: "clusterserviceversion",
  scope: "Namespaced",
  shortNames: ["csv", "csvs"],
  categories: ["olm"],
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "One version of an operator as it is installed in a namespace.",
      columns: [
        column("Display", ".spec.displayName"),
        column("Version", ".spec.version"),
        column("Release", ".spec.release"),
        column("Replaces", ".spec.replaces"),
        column("Phase", ".status.phase"),
      ],
      required: { spec: csvSpec },
      optional: { status: csvStatus },
    },
  ],
};

function operatorGroupVersion(name: "v1" | "v1alpha2"): Kind["versions"][number] {
  const isV1 = name === "v1";
  const set = isV1 ? { "x-kubernetes-list-type": "set" } : {};
  return {
    name,
    storage: isV1,
    description: "The namespaces that the operators of a namespace serve.",
    optional: {
      spec: object(
        "Which namespaces, and with whose rights.",
        {
          optional: {
            selector: embedded("LabelSelector", "Namespaces by label."),
            targetNamespaces: texts("Namespaces by name; wins over the selector.", set),
            serviceAccountName: text("Account in this namespace whose rights bound every install."),
            staticProvidedAPIs: flag("Keep the annotation olm.providedAPIs as it is."),
            ...(isV1
              ? {
                  upgradeStrategy: enumOf(
                    "TechPreviewUnsafeFailForward lets a failed upgrade be replaced by a newer one.",
                    ["Default", "TechPreviewUnsafeFailForward"],
                    { default: "Default" },
                  ),
                }
              : {}),
          },
        },
        isV1 ? { default: { upgradeStrategy: "Default" } } : {},
      ),
      status: object("What has been observed.", {
        required: { lastUpdated: time("Last write of this status.") },
        optional: {
          namespaces: texts("The namespaces found; one empty text means all.", set),
          serviceAccountRef: embedded("ObjectReference", "The account found."),
          ...(isV1 ? { conditions: list("", condition()) } : {}),
        },
      }),
    },
  };
}

export const operatorGroup: Kind = {
  group,
  kind: "OperatorGroup",
  plural: "operatorgroups",
  singular: "operatorgroup",
  scope: "Namespaced",
  shortNames: ["og"],
  categories: ["olm"],
  versions: [operatorGroupVersion("v1"), operatorGroupVersion("v1alpha2")],
};

function operatorConditionVersion(name: "v1" | "v2"): Kind["versions"][number] {
  return {
    name,
    storage: name === "v2",
    description: "How an operator tells whether it may be upgraded, and how an administrator overrules it.",
    optional: {
      spec: object("", {
        optional: {
          serviceAccounts: texts("Accounts that may write here."),
          deployments: texts("Deployments that learn this object's name."),
          overrides: list("Conditions that an administrator sets.", condition(true)),
          ...(name === "v2" ? { conditions: list("Conditions that the operator reports.", condition()) } : {}),
        },
      }),
      status: object("", { optional: { conditions: list("", condition()) } }),
    },
  };
}

export const operatorCondition: Kind = {
  group,
  kind: "OperatorCondition",
  plural: "operatorconditions",
  singular: "operatorcondition",
  scope: "Namespaced",
  shortNames: ["condition"],
  categories: ["olm"],
  versions: [operatorConditionVersion("v1"), operatorConditionVersion("v2")],
};

export const olmConfig: Kind = {
  group,
  kind: "OLMConfig",
  plural: "olmconfigs",
  singular: "olmconfig",
  scope: "Cluster",
  categories: ["olm"],
  versions: [
    {
      name: "v1",
      storage: true,
      description: "Settings for the whole cluster; only the object named cluster is read.",
      optional: {
        spec: object("", {
          optional: {
            features: object("", {
              optional: {
                disableCopiedCSVs: flag("Do not copy CSVs of operators that watch every namespace."),
                packageServerSyncInterval: text("How often PackageManifests are refreshed.", {
                  pattern: String.raw`^([0-9]+(\.[0-9]+)?(s|m|h))+$`,
                }),
              },
            }),
          },
        }),
        status: object("", { optional: { conditions: list("", condition()) } }),
      },
    },
  ],
};

export const operator: Kind = {
  group,
  kind: "Operator",
  plural: "operators",
  singular: "operator",
  scope: "Cluster",
  categories: ["olm"],
  versions: [
    {
      name: "v1",
      storage: true,
      description: "Everything that belongs to one installed operator.",
      optional: {
        spec: { type: "object" },
        status: object("", {
          optional: {
            components: object("", {
              required: { labelSelector: embedded("LabelSelector", "Selects the components.") },
              optional: {
                refs: list(
                  "The components.",
                  object("", {
                    optional: {
                      kind: text(""),
                      apiVersion: text(""),
                      namespace: text(""),
                      name: text(""),
                      conditions: list("", looseCondition("lastUpdateTime", "lastTransitionTime")),
                    },
                  }),
                ),
              },
            }),
          },
        }),
      },
    },
  ],
};
