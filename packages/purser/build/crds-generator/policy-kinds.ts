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
  "What a person has to approve; Automatic leaves the choice to installPlanApproval, and is what an absent field means.",
  {
    optional: {
      install: approvalMode("First installations."),
      patch: approvalMode("Upgrades that keep major and minor."),
      minor: approvalMode("Upgrades that keep major."),
      major: approvalMode("All other upgrades."),
    },
  },
  rules(
    rule(
      approvalLevels.map((level) => `has(self.${level})`).join(" || "),
      `approval needs one of ${approvalLevels.join(", ")}`,
    ),
  ),
);

const windows = list(
  "Upgrades begin only while one of these is open; absent means at any time.",
  object("", {
    required: {
      schedule: text("When it opens: minute, hour, day of the month, month, day of the week, such as 0 22 * * 6.", {
        maxLength: 64,
        ...rules(
          rule(
            String.raw`self.matches("^[0-9A-Za-z*/,#-]+( [0-9A-Za-z*/,#-]+){4}$")`,
            "must be a cron expression of five fields such as 0 22 * * 6",
          ),
        ),
      }),
      duration: durationText("How long it stays open, such as 4h; 7d at most."),
    },
    optional: {
      timeZone: text("Of the schedule, such as Europe/Berlin; absent means UTC.", {
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
  "By rule of the CRD checks: Error counts for crdChange and is what an absent rule means, Warn is only shown, Off is left out.",
  { optional: Object.fromEntries(crdRules.map((name) => [name, enumOf("", ["Error", "Warn", "Off"])])) },
);

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
        approval,
        windows,
        soak: durationText("How long a version has to be known before an installation is upgraded to it, such as 3d."),
        permissionIncrease: changeMode("Of upgrades that give a ServiceAccount more than it has; absent means Allow."),
        crdChange: changeMode("Of upgrades whose CRDs may break stored objects; absent means Allow."),
        crdRules: crdRuleActions,
        dependencies: enumOf(
          "What is done about packages and APIs that a bundle requires and that are missing; of ClusterExtensions.",
          ["Verify", "Propose", "Install"],
        ),
        rollback: enumOf(
          "When purser rollback may go back: Never; BeforeReady: as long as nothing of the new version was ready; Checked, which an absent field means: after it showed what cannot be undone.",
          ["Never", "BeforeReady", "Checked"],
        ),
        reason: text("Shown wherever the policy holds something back.", { maxLength: 256 }),
        until: time("From then on the policy holds nothing back."),
      },
    },
    rules(
      rule(
        ruleFields.map((field) => `has(self.${field})`).join(" || "),
        `a policy needs one of ${ruleFields.join(", ")}, or it holds nothing back`,
      ),
      rule("!has(self.crdRules) || has(self.crdChange)", "crdRules needs crdChange, or its rules decide nothing"),
    ),
  );
}

const status = object("Whether it decides.", {
  optional: {
    installations: integer("For how many installations it decides."),
    firstSeen: list(
      "With soak: since when the catalogs are known to have the versions that installations may be upgraded to.",
      object("", {
        required: { package: text(""), at: time(""), bundles: texts("") },
      }),
    ),
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
