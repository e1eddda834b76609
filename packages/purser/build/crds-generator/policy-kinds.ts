// The kinds of update policies.
import type { JsonObject } from "@purser/kubernetes/json";
import {
  column,
  condition,
  embedded,
  enumOf,
  integer,
  list,
  listBy,
  object,
  rule,
  rules,
  text,
  time,
} from "./schema.ts";
import type { Kind } from "./schema.ts";

const group = "purser.dev";

const names = (description: string): JsonObject =>
  list(description, text("", { minLength: 1, maxLength: 253 }), { minItems: 1, maxItems: 256 });

const selector = {
  names: names("Names of Subscriptions or ClusterExtensions."),
  packages: names("Packages."),
  kinds: list("Kinds of installations; absent means both.", enumOf("", ["Subscription", "ClusterExtension"]), {
    minItems: 1,
    maxItems: 2,
  }),
  labels: embedded("LabelSelector", "Labels of the Subscription or ClusterExtension."),
};

const versionWords = String.raw`self.matches("^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$")`;
const versionList = (description: string): JsonObject =>
  list(description, text("", { maxLength: 64, ...rules(rule(versionWords, "must be a version such as 1.2.3")) }), {
    maxItems: 256,
  });

function policySpec(more: Readonly<Record<string, JsonObject>>): JsonObject {
  return object(
    "Which installations, and which versions they may get.",
    {
      optional: {
        selector: object(
          "Which installations; one has to match every part that is set. The policy with the most specific selector decides: names before packages, labels, namespaces and kinds.",
          { optional: { ...selector, ...more } },
        ),
        versions: object("Versions that may be installed.", {
          optional: {
            range: text("A range as in ClusterExtensions, such as >=1.2 <2.", { minLength: 1, maxLength: 64 }),
            allowed: versionList("Exactly these; absent means any."),
            denied: versionList("None of these."),
          },
        }),
        level: enumOf("How far an upgrade may go: patch keeps major and minor, minor keeps major.", [
          "none",
          "patch",
          "minor",
          "major",
        ]),
        reason: text("Shown wherever the policy holds something back.", { maxLength: 256 }),
        until: time("From then on the policy holds nothing back."),
      },
    },
    rules(rule("has(self.versions) || has(self.level)", "a policy needs versions or level, or it holds nothing back")),
  );
}

const status = object("Whether it decides.", {
  optional: {
    installations: integer("For how many installations it decides."),
    conditions: listBy("type", "Deciding: False where it cannot be read, has ended or ties with another.", condition()),
  },
});

const columns = [
  column("Deciding", ".status.conditions[?(@.type=='Deciding')].status"),
  column("Installations", ".status.installations", "integer"),
  column("Level", ".spec.level"),
  column("Range", ".spec.versions.range"),
  column("Until", ".spec.until"),
  column("Reason", ".spec.reason"),
  column("Age", ".metadata.creationTimestamp", "date"),
];

export const updatePolicy: Kind = {
  group,
  kind: "UpdatePolicy",
  plural: "updatepolicies",
  singular: "updatepolicy",
  scope: "Namespaced",
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "Which versions the Subscriptions of its namespace may get.",
      columns,
      required: { spec: policySpec({}) },
      optional: { status },
    },
  ],
};

export const clusterUpdatePolicy: Kind = {
  group,
  kind: "ClusterUpdatePolicy",
  plural: "clusterupdatepolicies",
  singular: "clusterupdatepolicy",
  scope: "Cluster",
  versions: [
    {
      name: "v1alpha1",
      storage: true,
      description: "Which versions installations of the cluster may get.",
      columns,
      required: {
        spec: policySpec({ namespaces: names("Of Subscriptions, and spec.namespace of ClusterExtensions.") }),
      },
      optional: { status },
    },
  ],
};
