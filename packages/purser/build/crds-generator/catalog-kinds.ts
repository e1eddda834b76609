// The v0 kinds around catalogs: CatalogSource, Subscription, InstallPlan.
import type { JsonObject } from "@purser/kubernetes/json";
import {
  column,
  condition,
  embedded,
  enumOf,
  flag,
  integer,
  list,
  listBy,
  object,
  quantity,
  text,
  textMap,
  texts,
  time,
} from "./schema.ts";
import type { Kind } from "./schema.ts";

export const group = "operators.coreos.com";

export const icon = object("", {
  required: { base64data: text("The picture, base64."), mediatype: text("Such as image/svg+xml.") },
});

/** Condition of the older kinds: free texts, one or two times. */
export function looseCondition(...times: readonly string[]): JsonObject {
  return object("", {
    required: { type: text(""), status: text("") },
    optional: {
      reason: text(""),
      message: text(""),
      ...Object.fromEntries(times.map((name) => [name, time("")])),
    },
  });
}

export const catalogSource: Kind = {
  group,
  kind: "CatalogSource",
  plural: "catalogsources",
  singular: "catalogsource",
  scope: "Namespaced",
  shortNames: ["catsrc"],
  categories: ["olm"],
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "A catalog of operators that Subscriptions install from.",
      columns: [
        column("Display", ".spec.displayName"),
        column("Type", ".spec.sourceType"),
        column("Publisher", ".spec.publisher"),
        column("Age", ".metadata.creationTimestamp", "date"),
      ],
      required: {
        spec: object("Where the catalog comes from.", {
          required: { sourceType: text("grpc, configmap or internal (an older name of configmap).") },
          optional: {
            priority: integer("Catalogs with a higher number are preferred; it may be negative."),
            image: text("Catalog image, for grpc."),
            address: text("host:port of a registry that is already served, for grpc."),
            configMap: text("Name of the ConfigMap, for configmap and internal."),
            secrets: texts("Pull secrets in the same namespace."),
            displayName: text("Name for people."),
            description: text("What the catalog offers."),
            publisher: text("Who publishes it."),
            icon: { ...icon, description: "Picture for user interfaces." },
            updateStrategy: object("How updates of the catalog are found.", {
              optional: {
                registryPoll: object("Poll the image's tag.", {
                  optional: { interval: text("Duration such as 30m; an unreadable one means 15m.") },
                }),
              },
            }),
            grpcPodConfig: object("Settings of the pod that serves the catalog.", {
              optional: {
                nodeSelector: textMap("Replaces the default selector kubernetes.io/os: linux."),
                tolerations: list("Replaces the default tolerations.", embedded("Toleration")),
                affinity: embedded("Affinity", "Replaces the default affinity."),
                priorityClassName: text("Priority class of the pod; the empty text is a choice, too."),
                securityContextConfig: enumOf(
                  "Security context of the pod; absent means what the namespace's pod security demands.",
                  ["legacy", "restricted"],
                ),
                memoryTarget: {
                  ...quantity,
                  description: "Memory request of the pod and soft limit of the server in it.",
                },
                extractContent: object("Copy the catalog out of its image and serve the copy.", {
                  required: { catalogDir: text("Directory of the catalog in the image.") },
                  optional: { cacheDir: text("Directory of a prepared cache in the image.") },
                }),
              },
            }),
          },
        }),
      },
      optional: {
        status: object("What has been observed.", {
          optional: {
            message: text("Error of the last pass."),
            reason: text("SpecInvalidError, ConfigMapError, RegistryServerError, InvalidIntervalError or empty."),
            latestImageRegistryPoll: time("When the image was asked for an update last."),
            configMapReference: object("The ConfigMap in use.", {
              required: { name: text(""), namespace: text("") },
              optional: { uid: text(""), resourceVersion: text(""), lastUpdateTime: time("") },
            }),
            registryService: object("Where the catalog is served.", {
              optional: {
                protocol: text(""),
                serviceName: text(""),
                serviceNamespace: text(""),
                port: text(""),
                createdAt: time(""),
              },
            }),
            connectionState: object("State of the connection to the catalog.", {
              required: {
                lastObservedState: text("IDLE, CONNECTING, READY, TRANSIENT_FAILURE, SHUTDOWN or empty."),
              },
              optional: { address: text(""), lastConnect: time("") },
            }),
            conditions: listBy("type", "", condition()),
          },
        }),
      },
    },
  ],
};

const subscriptionConfig = object("Changes to the Deployments of the operator.", {
  optional: {
    selector: embedded("LabelSelector", "Accepted and ignored."),
    nodeSelector: textMap("Replaces the node selector of the pods."),
    tolerations: list("Added to those of the pods.", embedded("Toleration")),
    resources: embedded("ResourceRequirements", "Replaces the resources of every container."),
    envFrom: list("Added to every container.", embedded("EnvFromSource")),
    env: list("Added to every container; a variable of the same name is replaced.", embedded("EnvVar")),
    volumes: list("Added to the pods; a volume of the same name is replaced.", embedded("Volume")),
    volumeMounts: list("Added to every container; a mount of the same volume is replaced.", embedded("VolumeMount")),
    affinity: embedded("Affinity", "Overrides the affinity of the pods, attribute by attribute."),
    annotations: textMap("Added to Deployment and pods; keys that are there win."),
  },
});

export const subscription: Kind = {
  group,
  kind: "Subscription",
  plural: "subscriptions",
  singular: "subscription",
  scope: "Namespaced",
  shortNames: ["sub", "subs"],
  categories: ["olm"],
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "Keeps one operator of a catalog installed and up to date in a namespace.",
      columns: [column("Package", ".spec.name"), column("Source", ".spec.source"), column("Channel", ".spec.channel")],
      required: {
        spec: object("Which package, from where, and how it is upgraded.", {
          required: {
            name: text("Package in the catalog."),
            source: text("Name of the CatalogSource; empty together with sourceNamespace means any catalog in scope."),
            sourceNamespace: text("Namespace of the CatalogSource."),
          },
          optional: {
            channel: text("Channel to follow; empty means any channel of the package."),
            startingCSV: text("First version to install; it counts only while nothing is installed."),
            installPlanApproval: text("Automatic or Manual; anything but Manual acts as Automatic."),
            config: subscriptionConfig,
          },
        }),
      },
      optional: {
        status: object("What has been observed.", {
          required: { lastUpdated: time("Last write of this status.") },
          optional: {
            currentCSV: text("Version that the Subscription is moving to."),
            installedCSV: text("Version that was seen last."),
            state: text("Empty, UpgradePending, UpgradeFailed or AtLatestKnown."),
            reason: text(""),
            installplan: object("Older form of installPlanRef.", {
              required: { apiVersion: text(""), kind: text(""), name: text(""), uuid: text("") },
            }),
            installPlanRef: embedded("ObjectReference", "The latest InstallPlan."),
            installPlanGeneration: integer("Sequence number of that plan."),
            catalogHealth: list(
              "Health of the catalogs in scope.",
              object("", {
                required: { catalogSourceRef: embedded("ObjectReference"), healthy: flag(""), lastUpdated: time("") },
              }),
            ),
            conditions: list("True means abnormal.", looseCondition("lastHeartbeatTime", "lastTransitionTime")),
          },
        }),
      },
    },
  ],
};

const step = object("", {
  required: {
    resolving: text("CSV that the step belongs to."),
    resource: object("The object that the step makes.", {
      required: {
        sourceName: text("Catalog that it comes from."),
        sourceNamespace: text(""),
        group: text(""),
        version: text(""),
        kind: text(""),
        name: text(""),
      },
      optional: { manifest: text("The object, or a reference to the unpacked bundle.") },
    }),
    status: text("Unknown, NotPresent, Present, Created, WaitingForApi or UnsupportedResource."),
  },
  optional: { optional: flag("Never written.") },
});

const bundleLookup = object("", {
  required: {
    path: text("Image of the bundle."),
    identifier: text("Name of the bundle."),
    replaces: text("Name of the bundle that it replaces."),
    catalogSourceRef: embedded("ObjectReference", "Catalog that it comes from."),
  },
  optional: {
    properties: text("Properties of the bundle as JSON."),
    conditions: list("", looseCondition("lastUpdateTime", "lastTransitionTime")),
  },
});

export const installPlan: Kind = {
  group,
  kind: "InstallPlan",
  plural: "installplans",
  singular: "installplan",
  scope: "Namespaced",
  shortNames: ["ip"],
  categories: ["olm"],
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "The steps that install or upgrade operators in a namespace.",
      columns: [
        column("CSV", ".spec.clusterServiceVersionNames[0]"),
        column("Approval", ".spec.approval"),
        column("Approved", ".spec.approved", "boolean"),
      ],
      required: {
        spec: object("What the plan installs and whether it may run.", {
          required: {
            clusterServiceVersionNames: texts("Every CSV that the plan makes."),
            approval: text("Automatic or Manual, as it was when the plan was made."),
            approved: flag("Set it to true to let a Manual plan run."),
          },
          optional: {
            generation: integer("Sequence number of the plan in its namespace."),
            source: text("Never written."),
            sourceNamespace: text("Never written."),
          },
        }),
      },
      optional: {
        status: object("How far the plan is.", {
          required: {
            phase: text("Empty, RequiresApproval, Installing, Complete or Failed."),
            catalogSources: texts("Catalogs that the steps come from."),
          },
          optional: {
            conditions: list(
              "",
              object("", {
                optional: {
                  type: text(""),
                  status: text(""),
                  lastUpdateTime: time(""),
                  lastTransitionTime: time(""),
                  reason: text(""),
                  message: text(""),
                },
              }),
            ),
            plan: list("The steps in order.", step),
            bundleLookups: list("Bundles that are not turned into steps yet.", bundleLookup),
            attenuatedServiceAccountRef: embedded("ObjectReference", "Account whose rights the plan uses."),
            startTime: time("First try to run the steps."),
            message: text("Error of the last pass."),
          },
        }),
      },
    },
  ],
};
