// The kinds of update policies.
import type { JsonObject } from "@purser/kubernetes/json";
import { crdRules } from "../../src/apis/policy/update-policy.ts";
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
  texts,
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

const durationText = (description: string): JsonObject =>
  text(description, {
    maxLength: 16,
    ...rules(
      rule(
        String.raw`self.matches("^([0-9]{1,5}d)?([0-9]{1,5}h)?([0-9]{1,6}m)?$") && self.matches("[1-9]")`,
        "must be a duration of days, hours and minutes such as 3d, 4h or 1h30m",
      ),
    ),
  });

const approvalMode = (description: string): JsonObject => enumOf(description, ["Automatic", "Manual"]);

const approvalLevels = ["install", "patch", "minor", "major"];

const approval = object(
  "Whether a person approves; Automatic, the default, leaves the choice to installPlanApproval.",
  {
    optional: {
      install: approvalMode("First installations."),
      patch: approvalMode("Upgrades with the same major and minor version."),
      minor: approvalMode("Upgrades with the same major version."),
      major: approvalMode("All other upgrades."),
    },
  },
  rules(
    rule(
      approvalLevels.map((level) => `has(self.${level})`).join(" || "),
      `approval requires one of ${approvalLevels.join(", ")}`,
    ),
  ),
);

const windows = list(
  "Upgrades begin only while one of these is open; absent means at any time.",
  object("", {
    required: {
      schedule: text(
        "Cron expression of when the window opens: minute, hour, day of the month, month, day of the week, such as 0 22 * * 6.",
        {
          maxLength: 64,
          ...rules(
            rule(
              String.raw`self.matches("^[0-9A-Za-z*/,#-]+( [0-9A-Za-z*/,#-]+){4}$")`,
              "must be a cron expression of five fields such as 0 22 * * 6",
            ),
          ),
        },
      ),
      duration: durationText("Time that the window stays open, such as 4h; at most 7d."),
    },
    optional: {
      timeZone: text("Time zone of the schedule, such as Europe/Berlin; default UTC.", {
        maxLength: 64,
        ...rules(
          rule(
            String.raw`self.matches("^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$")`,
            "must be the name of a time zone such as Europe/Berlin",
          ),
        ),
      }),
    },
  }),
  { minItems: 1, maxItems: 16 },
);

/** Fields of which a policy needs one, or it holds nothing back. */
const ruleFields = [
  "versions",
  "level",
  "approval",
  "windows",
  "soak",
  "permissionIncrease",
  "crdChange",
  "dependencies",
  "rollback",
];

const changeMode = (description: string): JsonObject => enumOf(description, ["Allow", "RequireApproval", "Deny"]);

const crdRuleActions = object(
  "Severity by rule of the CRD checks: Error, the default, counts for crdChange, Warn is only shown, Off is ignored.",
  { optional: Object.fromEntries(crdRules.map((name) => [name, enumOf("", ["Error", "Warn", "Off"])])) },
);

function policySpec(more: Readonly<Record<string, JsonObject>>): JsonObject {
  return object(
    "The selected installations, and the versions that they may have.",
    {
      optional: {
        selector: object(
          "Selects installations that match every field that is set. The policy with the most specific selector decides: names before packages, labels, namespaces and kinds.",
          { optional: { ...selector, ...more } },
        ),
        versions: object("Versions that may be installed.", {
          optional: {
            range: text("A range as in ClusterExtensions, such as >=1.2 <2.", { minLength: 1, maxLength: 64 }),
            allowed: versionList("Only these versions; absent means any."),
            denied: versionList("None of these."),
          },
        }),
        level: enumOf("Largest allowed upgrade: patch keeps major and minor version, minor keeps the major version.", [
          "none",
          "patch",
          "minor",
          "major",
        ]),
        approval,
        windows,
        soak: durationText(
          "Time for which a version must be known before an installation is upgraded to it, such as 3d.",
        ),
        permissionIncrease: changeMode("Rule for upgrades that give a ServiceAccount more permissions; default Allow."),
        crdChange: changeMode("Rule for upgrades whose CRDs may break stored objects; default Allow."),
        crdRules: crdRuleActions,
        dependencies: enumOf(
          "What to do about missing packages and APIs that the bundle of a ClusterExtension requires.",
          ["Verify", "Propose", "Install"],
        ),
        rollback: enumOf(
          "When purser rollback is allowed: Never; BeforeReady: until the new version was ready, and a ClusterExtension goes back by itself when it is not ready in time; Checked, the default: after it showed what cannot be undone.",
          ["Never", "BeforeReady", "Checked"],
        ),
        reason: text("Shown with every version that the policy holds back.", { maxLength: 256 }),
        until: time("Time from which the policy holds nothing back."),
      },
    },
    rules(
      rule(
        ruleFields.map((field) => `has(self.${field})`).join(" || "),
        `a policy requires one of ${ruleFields.join(", ")}`,
      ),
      rule("!has(self.crdRules) || has(self.crdChange)", "crdRules requires crdChange"),
    ),
  );
}

const status = object("Whether it decides.", {
  optional: {
    installations: integer("Number of installations for which the policy decides."),
    firstSeen: list(
      "With soak: time at which each possible version was first seen in a catalog.",
      object("", {
        required: { package: text(""), at: time(""), bundles: texts("") },
      }),
    ),
    conditions: listBy(
      "type",
      "Deciding: False when the policy is invalid, has ended or ties with another.",
      condition(),
    ),
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
      description: "Versions that the Subscriptions of its namespace may have.",
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
      description: "Versions that the installations of the cluster may have.",
      columns,
      required: {
        spec: policySpec({
          namespaces: names("Namespaces of Subscriptions, and spec.namespace of ClusterExtensions."),
        }),
      },
      optional: { status },
    },
  ],
};
