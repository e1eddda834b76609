import type { JsonObject } from "../../json.ts";
import type { ResourceType } from "../../apis/resource-type.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "../../apis/resources.ts";
import { duplicate, invalid, notSupported, required, type FieldError } from "../../object/field-error.ts";
import { ageCell, cell, nameCell, printer } from "../printing/printer.ts";
import type { BuiltInKind } from "./built-in-kind.ts";
import { defineKind, specOf } from "./define-kind.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  withDefaults,
} from "./json-parts.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "./resource-types.ts";
import { subdomainProblems } from "./names.ts";
import { validateConditions, validatePolicyExpressions } from "./admission-expressions.ts";
import { validateClientConfig } from "./webhook-target.ts";

function defaultWebhook(webhook: JsonObject, mutating: boolean): JsonObject {
  const filled = withDefaults(webhook, {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(mutating ? { reinvocationPolicy: "Never" } : {}),
  });
  const scoped = mapList(filled, "rules", (rule) => withDefaults(rule, { scope: "*" }));
  return mapMember(scoped, "clientConfig", (config) =>
    mapMember(config, "service", (service) => withDefaults(service, { port: 443 })),
  );
}

const scopes = ["*", "Cluster", "Namespaced"];
const matchPolicies = ["Equivalent", "Exact"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function validateStar(rule: JsonObject, key: string, path: string, what: string): readonly FieldError[] {
  const values = textsIn(rule, key);
  if (values.length === 0) return [required(`${path}.${key}`)];
  return values.length > 1 && values.includes("*")
    ? [invalid(`${path}.${key}`, values, `if '*' is present, must not specify other ${what}`)]
    : [];
}

/** The rules of what a webhook or a policy matches. */
export function validateMatchRule(rule: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [
    ...validateStar(rule, "operations", path, "operations"),
    ...validateStar(rule, "apiGroups", path, "API groups"),
    ...validateStar(rule, "apiVersions", path, "API versions"),
    ...(textsIn(rule, "resources").length === 0 ? [required(`${path}.resources`)] : []),
  ];
  textsIn(rule, "operations").forEach((operation, index) => {
    if (!operations.includes(operation)) {
      errors.push(notSupported(`${path}.operations[${index}]`, operation, operations));
    }
  });
  const scope = textIn(rule, "scope");
  if (scope !== "" && !scopes.includes(scope)) errors.push(notSupported(`${path}.scope`, scope, scopes));
  const resources = textsIn(rule, "resources");
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalid(`${path}.resources`, resources, "if '*/*' is present, must not specify other resources"));
  }
  return errors;
}

function validateWebhook(webhook: JsonObject, path: string, seen: Set<string>): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textIn(webhook, "name");
  if (name.split(".").length < 3 || subdomainProblems(name).length > 0) {
    errors.push(
      name === ""
        ? required(`${path}.name`)
        : invalid(`${path}.name`, name, "should be a domain with at least three segments separated by dots"),
    );
  }
  if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
  seen.add(name);
  const reviewVersions = textsIn(webhook, "admissionReviewVersions");
  if (reviewVersions.length === 0) {
    errors.push(required(`${path}.admissionReviewVersions`, "must specify one of v1, v1beta1"));
  } else if (!reviewVersions.some((version) => version === "v1" || version === "v1beta1")) {
    errors.push(invalid(`${path}.admissionReviewVersions`, reviewVersions, "must include at least one of v1, v1beta1"));
  }
  objectsIn(webhook, "rules").forEach((rule, index) =>
    errors.push(...validateMatchRule(rule, `${path}.rules[${index}]`)),
  );
  const policy = textIn(webhook, "failurePolicy");
  if (policy !== "Fail" && policy !== "Ignore") {
    errors.push(notSupported(`${path}.failurePolicy`, policy, ["Fail", "Ignore"]));
  }
  const match = textIn(webhook, "matchPolicy");
  if (!matchPolicies.includes(match)) errors.push(notSupported(`${path}.matchPolicy`, match, matchPolicies));
  errors.push(...validateConditions(objectsIn(webhook, "matchConditions"), `${path}.matchConditions`));
  const sideEffects = textIn(webhook, "sideEffects");
  if (sideEffects === "") errors.push(required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun"));
  else if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    errors.push(notSupported(`${path}.sideEffects`, sideEffects, ["None", "NoneOnDryRun"]));
  }
  const timeout = numberIn(webhook, "timeoutSeconds") ?? 10;
  if (timeout < 1 || timeout > 30) {
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds"));
  }
  return [...errors, ...validateClientConfig(objectIn(webhook, "clientConfig"), `${path}.clientConfig`)];
}

function webhookKind(type: ResourceType, mutating: boolean): BuiltInKind {
  return defineKind(type, {
    categories: ["api-extensions"],
    requiresResourceVersion: true,
    versioned: (configuration) => objectsIn(configuration, "webhooks"),
    defaults: (configuration) => mapList(configuration, "webhooks", (webhook) => defaultWebhook(webhook, mutating)),
    validate: (configuration) => {
      const seen = new Set<string>();
      return objectsIn(configuration, "webhooks").flatMap((webhook, index) =>
        validateWebhook(webhook, `webhooks[${index}]`, seen),
      );
    },
    printer: printer([
      nameCell,
      cell("Webhooks", (configuration) => objectsIn(configuration, "webhooks").length, { type: "integer" }),
      ageCell,
    ]),
  });
}

export const validatingWebhookConfigurationKind = webhookKind(validatingWebhookConfigurations, false);
export const mutatingWebhookConfigurationKind = webhookKind(mutatingWebhookConfigurations, true);

function defaultMatch(match: JsonObject): JsonObject {
  const filled = withDefaults(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
  const scope = (rule: JsonObject): JsonObject => withDefaults(rule, { scope: "*" });
  return mapList(mapList(filled, "resourceRules", scope), "excludeResourceRules", scope);
}

export const validatingAdmissionPolicyKind = defineKind(validatingAdmissionPolicies, {
  categories: ["api-extensions"],
  status: true,
  statusTakes: "nothing",
  requiresResourceVersion: true,
  versioned: specOf,
  defaults: (policy) =>
    mapMember(policy, "spec", (spec) =>
      mapMember(withDefaults(spec, { failurePolicy: "Fail" }), "matchConstraints", defaultMatch),
    ),
  validate: (policy, _context, _old, endpoint) => {
    if (endpoint === "status") return [];
    const spec = objectIn(policy, "spec");
    const errors: FieldError[] = [];
    if (!hasMember(spec, "matchConstraints")) errors.push(required("spec.matchConstraints"));
    else {
      const rules = objectsIn(objectIn(spec, "matchConstraints"), "resourceRules");
      if (rules.length === 0) errors.push(required("spec.matchConstraints.resourceRules"));
      rules.forEach((rule, index) =>
        errors.push(...validateMatchRule(rule, `spec.matchConstraints.resourceRules[${index}]`)),
      );
    }
    if (objectsIn(spec, "validations").length === 0 && objectsIn(spec, "auditAnnotations").length === 0) {
      const detail = "validations or auditAnnotations must contain at least one item";
      errors.push(required("spec.validations", detail), required("spec.auditAnnotations", detail));
    }
    return [...errors, ...validatePolicyExpressions(spec)];
  },
  printer: printer([
    nameCell,
    cell("Validations", (policy) => objectsIn(objectIn(policy, "spec"), "validations").length, { type: "integer" }),
    cell("ParamKind", (policy) => {
      const kind = objectIn(objectIn(policy, "spec"), "paramKind");
      return textIn(kind, "kind") === "" ? "<unset>" : `${textIn(kind, "apiVersion")}/${textIn(kind, "kind")}`;
    }),
    ageCell,
  ]),
});

export const validatingAdmissionPolicyBindingKind = defineKind(validatingAdmissionPolicyBindings, {
  categories: ["api-extensions"],
  requiresResourceVersion: true,
  versioned: specOf,
  defaults: (binding) => mapMember(binding, "spec", (spec) => mapMember(spec, "matchResources", defaultMatch)),
  validate: (binding) => {
    const spec = objectIn(binding, "spec");
    return [
      ...(textIn(spec, "policyName") === "" ? [required("spec.policyName")] : []),
      ...(textsIn(spec, "validationActions").length === 0 ? [required("spec.validationActions")] : []),
    ];
  },
  printer: printer([
    nameCell,
    cell("PolicyName", (binding) => textIn(objectIn(binding, "spec"), "policyName")),
    cell("ParamRef", (binding) => {
      const ref = objectIn(objectIn(binding, "spec"), "paramRef");
      const name = textIn(ref, "name");
      if (name === "") return hasMember(ref, "selector") ? "*" : "<unset>";
      return textIn(ref, "namespace") === "" ? `*/${name}` : `${textIn(ref, "namespace")}/${name}`;
    }),
    ageCell,
  ]),
});
