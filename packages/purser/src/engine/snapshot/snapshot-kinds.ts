import type { Shape } from "./snapshot-shape.ts";

/** A kind of object that decisions read. */
export interface SnapshotKind {
  readonly groups: readonly string[];
  readonly namespaced: boolean;
  readonly shape: Shape;
}

const metadata: Shape = {
  members: { name: "text", namespace: "text", uid: "text", labels: "texts", annotations: "texts" },
};

const api: Shape = {
  members: { name: "text", group: "text", version: "text", kind: "text" },
  defaults: { name: "", group: "", version: "", kind: "" },
};
const apis: Shape = { members: { owned: { list: api }, required: { list: api } } };

const conditions: Shape = {
  list: {
    members: { type: "text", status: "text", reason: "text", message: "text" },
    defaults: { type: "", status: "", reason: "", message: "" },
  },
};

const objectOf = (spec: Shape, status: Shape): Shape => ({
  members: { metadata, spec, status },
  defaults: { metadata: {}, spec: {} },
});
const anything: Shape = { members: {} };

const policy: Shape = {
  members: {
    selector: {
      members: {
        names: { list: "text" },
        packages: { list: "text" },
        namespaces: { list: "text" },
        kinds: { list: "text" },
      },
    },
    versions: { members: { range: "text", allowed: { list: "text" }, denied: { list: "text" } } },
    level: "text",
    reason: "text",
    until: "text",
  },
};

const own = "purser.dev";
const v0 = "operators.coreos.com";
const v1 = "olm.operatorframework.io";

/** The kinds that are read from a snapshot; objects of other kinds are only counted. */
export const snapshotKinds: Readonly<Record<string, SnapshotKind>> = {
  Namespace: { groups: [""], namespaced: false, shape: objectOf(anything, anything) },
  CustomResourceDefinition: {
    groups: ["apiextensions.k8s.io"],
    namespaced: false,
    shape: objectOf(anything, anything),
  },
  CatalogSource: {
    groups: [v0],
    namespaced: true,
    shape: objectOf({ members: { priority: "number", image: "text" } }, { members: { message: "text" } }),
  },
  Subscription: {
    groups: [v0],
    namespaced: true,
    shape: objectOf(
      {
        members: {
          name: "text",
          source: "text",
          sourceNamespace: "text",
          channel: "text",
          startingCSV: "text",
          installPlanApproval: "text",
        },
        defaults: { name: "", source: "", sourceNamespace: "" },
      },
      {
        members: { installedCSV: "text", currentCSV: "text", state: "text", installPlanGeneration: "number" },
      },
    ),
  },
  ClusterServiceVersion: {
    groups: [v0],
    namespaced: true,
    shape: objectOf(
      {
        members: {
          version: "text",
          replaces: "text",
          customresourcedefinitions: apis,
          apiservicedefinitions: apis,
        },
      },
      { members: { phase: "text", reason: "text", message: "text" } },
    ),
  },
  OperatorGroup: {
    groups: [v0],
    namespaced: true,
    shape: objectOf({ members: { upgradeStrategy: "text" } }, anything),
  },
  InstallPlan: {
    groups: [v0],
    namespaced: true,
    shape: objectOf(
      {
        members: { clusterServiceVersionNames: { list: "text" }, approval: "text", generation: "number" },
        defaults: { clusterServiceVersionNames: [], approval: "" },
      },
      { members: { phase: "text", conditions } },
    ),
  },
  ClusterCatalog: {
    groups: [v1],
    namespaced: false,
    shape: objectOf({ members: { priority: "number", availabilityMode: "text" } }, { members: { conditions } }),
  },
  UpdatePolicy: { groups: [own], namespaced: true, shape: objectOf(policy, anything) },
  ClusterUpdatePolicy: { groups: [own], namespaced: false, shape: objectOf(policy, anything) },
  ClusterExtension: {
    groups: [v1],
    namespaced: false,
    shape: objectOf(
      {
        members: {
          namespace: "text",
          source: {
            members: {
              sourceType: "text",
              catalog: {
                members: {
                  packageName: "text",
                  version: "text",
                  channels: { list: "text" },
                  upgradeConstraintPolicy: "text",
                  selector: {
                    members: {
                      matchLabels: "texts",
                      matchExpressions: {
                        list: {
                          members: { key: "text", operator: "text", values: { list: "text" } },
                          defaults: { key: "", operator: "" },
                        },
                      },
                    },
                  },
                },
                defaults: { packageName: "" },
              },
            },
          },
        },
        defaults: { namespace: "", source: {} },
      },
      {
        members: {
          conditions,
          install: {
            members: {
              bundle: {
                members: { name: "text", version: "text", release: "text" },
                defaults: { name: "", version: "" },
              },
            },
          },
        },
      },
    ),
  },
};
