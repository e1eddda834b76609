import type { KubeObject } from "@purser/kubernetes/apis/object";
import { reservedGroups, reservedGroupsRule } from "../reserved-groups.ts";
import { clusterServiceVersions } from "../olm-resources.ts";

const name = "clusterserviceversion-reserved-api-groups";

const ownedCrds = (csv: string): string => `${csv}.spec.?customresourcedefinitions.?owned.orValue([])`;
const ownedServices = (csv: string): string => `${csv}.spec.?apiservicedefinitions.?owned.orValue([])`;
const webhooks = (csv: string): string => `${csv}.spec.?webhookdefinitions.orValue([])`;
/** The group in `plural.group`. */
const groupOf = (crd: string): string => `${crd}.substring(${crd}.indexOf('.') + 1)`;
/** A claim that the CSV makes already stays, so that its status, its annotations and its finalizers can still be written. */
const isNew = (claim: string): string => `(oldObject == null || !${claim})`;

const variables = [
  { name: "reserved", expression: `[${reservedGroups.map((group) => `'${group}'`).join(", ")}]` },
  {
    name: "crds",
    expression: `${ownedCrds("object")}.map(api, api.name).filter(crd, ${groupOf("crd")} in variables.reserved && ${isNew(`${ownedCrds("oldObject")}.exists(held, held.name == crd)`)})`,
  },
  {
    name: "services",
    expression: `${ownedServices("object")}.filter(api, api.group in variables.reserved && ${isNew(`${ownedServices("oldObject")}.exists(held, held.group == api.group && held.version == api.version)`)}).map(api, api.version + '.' + api.group)`,
  },
  {
    name: "conversions",
    expression: `${webhooks("object")}.filter(hook, hook.type == 'ConversionWebhook').map(hook, hook.?conversionCRDs.orValue([]).filter(crd, ${groupOf("crd")} in variables.reserved && ${isNew(`${webhooks("oldObject")}.exists(held, held.type == 'ConversionWebhook' && crd in held.?conversionCRDs.orValue([]))`)})).filter(crds, crds.size() > 0)`,
  },
];

const explained = (what: string, found: string): string => `'${what}: ' + ${found} + '. ${reservedGroupsRule}'`;

/** Refuses a ClusterServiceVersion that claims an API of the lifecycle manager. Compare `reservedClaims` of the bundle room. */
export const reservedGroupsPolicy: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [clusterServiceVersions.group],
          apiVersions: [clusterServiceVersions.version],
          operations: ["CREATE", "UPDATE"],
          resources: [clusterServiceVersions.plural],
        },
      ],
    },
    variables,
    validations: [
      {
        expression: "variables.crds.size() == 0",
        message: "it owns CustomResourceDefinitions of the lifecycle manager",
        messageExpression: explained(
          "it owns CustomResourceDefinitions of the lifecycle manager",
          "variables.crds.join(', ')",
        ),
      },
      {
        expression: "variables.services.size() == 0",
        message: "it owns APIServices of the lifecycle manager",
        messageExpression: explained("it owns APIServices of the lifecycle manager", "variables.services.join(', ')"),
      },
      {
        expression: "variables.conversions.size() == 0",
        message: "it has a conversion webhook for CustomResourceDefinitions of the lifecycle manager",
        messageExpression: explained(
          "it has a conversion webhook for CustomResourceDefinitions of the lifecycle manager",
          "variables.conversions.map(crds, crds.join(', ')).join(', ')",
        ),
      },
    ],
  },
};

export const reservedGroupsPolicyBinding: KubeObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"] },
};
