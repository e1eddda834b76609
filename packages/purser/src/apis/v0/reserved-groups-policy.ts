import { reservedGroups, reservedGroupsRule } from "../reserved-groups.ts";
import { clusterServiceVersions } from "../olm-resources.ts";
import { writePolicy } from "../write-policy.ts";

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

/** Requires that a variable is empty; `found` is an expression for the list of its items. */
const claimFree = (variable: string, message: string, found: string) => ({
  expression: `variables.${variable}.size() == 0`,
  message,
  messageExpression: `'${message}: ' + ${found} + '. ${reservedGroupsRule}'`,
});

/** Refuses a ClusterServiceVersion that claims an API of the lifecycle manager. Compare `reservedClaims` of the bundle room. */
export const reservedGroupsPolicy = writePolicy(
  "clusterserviceversion-reserved-api-groups",
  clusterServiceVersions,
  "Deny",
  {
    variables,
    validations: [
      claimFree("crds", "it owns CustomResourceDefinitions of the lifecycle manager", "variables.crds.join(', ')"),
      claimFree("services", "it owns APIServices of the lifecycle manager", "variables.services.join(', ')"),
      claimFree(
        "conversions",
        "it has a conversion webhook for CustomResourceDefinitions of the lifecycle manager",
        "variables.conversions.map(crds, crds.join(', ')).join(', ')",
      ),
    ],
  },
);
