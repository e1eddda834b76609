import type { JsonObject } from "@purser/kubernetes/json";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@purser/kubernetes/apis/resources";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { ageCell, cell, nameCell, printer } from "../../printing/printer.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { defineKind, specOf } from "../define-kind.ts";
import {
  hasMember,
  mapList,
  mapMember,
  numberIn,
  objectIn,
  objectsIn,
  pickMembers,
  textIn,
  textsIn,
  withDefaults,
} from "../decoding/json-parts.ts";
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from "../resource-types.ts";
import { nameProblems, relativeNameProblems, subdomainProblems } from "../names.ts";
import { validateConditions, validatePolicyExpressions } from "./admission-expressions.ts";
import { validateConditions as validateStatusConditions } from "../condition-validation.ts";
import { validateMatchResources, validateMatchRule, validateSelectors } from "./admission-rules.ts";
import { validateLabelSelector } from "../workloads/selector-validation.ts";
import { validateClientConfig } from "./webhook-target.ts";
import { repetitions } from "../repetitions.ts";

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

const matchPolicies = ["Equivalent", "Exact"];
const knownReviews = ["v1", "v1beta1"];
const reinvocations = ["IfNeeded", "Never"];
const failurePolicies = ["Fail", "Ignore"];

function validateReviewVersions(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${knownReviews.join(", ")}`)];
  const repeated = repetitions(versions);
  const errors = versions.flatMap((version, index) =>
    repeated.has(index)
      ? [invalid(`${path}[${index}]`, version, "duplicate version")]
      : relativeNameProblems(version).map((problem) => invalid(`${path}[${index}]`, version, problem)),
  );
  return versions.some((version) => knownReviews.includes(version))
    ? errors
    : [...errors, invalid(path, versions, `must include at least one of ${knownReviews.join(", ")}`)];
}

function validateWebhook(webhook: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textIn(webhook, "name");
  const faults = subdomainProblems(name);
  if (name === "") errors.push(required(`${path}.name`));
  else if (faults.length > 0) errors.push(invalid(`${path}.name`, name, faults.join(",")));
  else if (name.split(".").length < 3)
    errors.push(invalid(`${path}.name`, name, "should be a domain with at least three segments separated by dots"));
  objectsIn(webhook, "rules").forEach((rule, index) =>
    errors.push(...validateMatchRule(rule, `${path}.rules[${index}]`)),
  );
  const policy = textIn(webhook, "failurePolicy");
  if (policy !== "Fail" && policy !== "Ignore") {
    errors.push(notSupported(`${path}.failurePolicy`, policy, ["Fail", "Ignore"]));
  }
  const match = textIn(webhook, "matchPolicy");
  if (!matchPolicies.includes(match)) errors.push(notSupported(`${path}.matchPolicy`, match, matchPolicies));
  const sideEffects = textIn(webhook, "sideEffects");
  if (!hasMember(webhook, "sideEffects"))
    errors.push(required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun"));
  else if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    errors.push(notSupported(`${path}.sideEffects`, sideEffects, ["None", "NoneOnDryRun"]));
  }
  const reinvocation = textIn(webhook, "reinvocationPolicy");
  const timeout = numberIn(webhook, "timeoutSeconds") ?? 10;
  if (timeout < 1 || timeout > 30) {
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds"));
  }
  return [
    ...errors,
    ...validateSelectors(webhook, path),
    ...validateClientConfig(objectIn(webhook, "clientConfig"), `${path}.clientConfig`, true),
    ...(hasMember(webhook, "reinvocationPolicy") && !reinvocations.includes(reinvocation)
      ? [notSupported(`${path}.reinvocationPolicy`, reinvocation, reinvocations)]
      : []),
    ...validateConditions(objectsIn(webhook, "matchConditions"), `${path}.matchConditions`),
  ];
}

function webhookKind(type: ResourceType, mutating: boolean): BuiltInKind {
  return defineKind(type, {
    categories: ["api-extensions"],
    requiresResourceVersion: true,
    versioned: (configuration) => pickMembers(configuration, "webhooks"),
    versionedExactly: true,
    defaults: (configuration) => mapList(configuration, "webhooks", (webhook) => defaultWebhook(webhook, mutating)),
    validate: (configuration) => {
      const webhooks = objectsIn(configuration, "webhooks");
      const names = webhooks.map((webhook) => textIn(webhook, "name"));
      const repeated = repetitions(names);
      return webhooks.flatMap((webhook, index) => {
        const [path, name = ""] = [`webhooks[${index}]`, names[index]];
        return [
          ...validateWebhook(webhook, path),
          ...validateReviewVersions(textsIn(webhook, "admissionReviewVersions"), `${path}.admissionReviewVersions`),
          ...(name !== "" && repeated.has(index) ? [duplicate(`${path}.name`, name)] : []),
        ];
      });
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

function validateParamKind(spec: JsonObject): readonly FieldError[] {
  if (!hasMember(spec, "paramKind")) return [];
  const path = "spec.paramKind";
  const [apiVersion, kind] = [
    textIn(objectIn(spec, "paramKind"), "apiVersion"),
    textIn(objectIn(spec, "paramKind"), "kind"),
  ];
  return [...apiVersionErrors(apiVersion, `${path}.apiVersion`), ...kindErrors(kind, `${path}.kind`)];
}

function apiVersionErrors(apiVersion: string, path: string): readonly FieldError[] {
  if (apiVersion === "") return [required(path)];
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = "", group = ""] = parts.toReversed();
  return [
    ...(group === "" ? [] : joined(path, group, subdomainProblems(group))),
    ...(version === ""
      ? [invalid(path, apiVersion, "version must be specified")]
      : joined(path, version, relativeNameProblems(version))),
  ];
}

function kindErrors(kind: string, path: string): readonly FieldError[] {
  if (kind === "") return [required(path)];
  const problems = relativeNameProblems(kind.toLowerCase());
  return problems.length === 0
    ? []
    : [invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}

function joined(path: string, value: string, problems: readonly string[]): readonly FieldError[] {
  return problems.length === 0 ? [] : [invalid(path, value, problems.join(","))];
}

const absences = ["Deny", "Allow"];

function validateParamRef(ref: JsonObject): readonly FieldError[] {
  const path = "spec.paramRef";
  const name = textIn(ref, "name");
  const isSelecting = hasMember(ref, "selector");
  const absence = textIn(ref, "parameterNotFoundAction");
  const both = (key: string): readonly FieldError[] =>
    name !== "" && isSelecting ? [forbidden(`${path}.${key}`, "name and selector are mutually exclusive")] : [];
  return [
    ...(name === "" ? [] : nameProblems("pathSegment", name, false).map((text) => invalid(`${path}.name`, name, text))),
    ...both("name"),
    ...(isSelecting ? validateLabelSelector(objectIn(ref, "selector"), `${path}.selector`) : []),
    ...both("selector"),
    ...(name === "" && !isSelecting ? [required(path, "one of name or selector must be specified")] : []),
    ...(absence === ""
      ? [required(`${path}.parameterNotFoundAction`)]
      : absences.includes(absence)
        ? []
        : [notSupported(`${path}.parameterNotFoundAction`, absence, absences)]),
  ];
}

const actions = ["Audit", "Deny", "Warn"];

function validateActions(given: readonly string[]): readonly FieldError[] {
  const path = "spec.validationActions";
  const repeated = repetitions(given);
  return [
    ...given.flatMap((action, index) => [
      ...(actions.includes(action) ? [] : [notSupported(`${path}[${index}]`, action, actions)]),
      ...(repeated.has(index) ? [duplicate(`${path}[${index}]`, action)] : []),
    ]),
    ...(given.includes("Deny") && given.includes("Warn")
      ? [
          invalid(
            path,
            given,
            "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
          ),
        ]
      : []),
    ...(given.length === 0 ? [required(path, "at least one validation action is required")] : []),
  ];
}

function validatePolicyStatus(status: JsonObject): readonly FieldError[] {
  const path = "status.typeChecking.expressionWarnings";
  return [
    ...objectsIn(objectIn(status, "typeChecking"), "expressionWarnings").flatMap((warning, index) => [
      ...(textIn(warning, "warning") === "" ? [required(`${path}[${index}].warning`)] : []),
      ...(textIn(warning, "fieldRef").trim() === "" ? [required(`${path}[${index}].fieldRef`)] : []),
    ]),
    ...validateStatusConditions(status, "status.conditions"),
  ];
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
    if (endpoint === "status") return validatePolicyStatus(objectIn(policy, "status"));
    const spec = objectIn(policy, "spec");
    const constraints = objectIn(spec, "matchConstraints");
    const failure = textIn(spec, "failurePolicy");
    return [
      ...(failurePolicies.includes(failure) ? [] : [notSupported("spec.failurePolicy", failure, failurePolicies)]),
      ...validateParamKind(spec),
      ...(hasMember(spec, "matchConstraints")
        ? [
            ...validateMatchResources(constraints, "spec.matchConstraints"),
            ...(objectsIn(constraints, "resourceRules").length === 0
              ? [required("spec.matchConstraints.resourceRules")]
              : []),
          ]
        : [required("spec.matchConstraints")]),
      ...validatePolicyExpressions(spec, textIn(objectIn(policy, "metadata"), "name")),
    ];
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
    const policy = textIn(spec, "policyName");
    return [
      ...(policy === ""
        ? [required("spec.policyName")]
        : subdomainProblems(policy).map((problem) => invalid("spec.policyName", policy, problem))),
      ...(hasMember(spec, "paramRef") ? validateParamRef(objectIn(spec, "paramRef")) : []),
      ...(hasMember(spec, "matchResources")
        ? validateMatchResources(objectIn(spec, "matchResources"), "spec.matchResources")
        : []),
      ...validateActions(textsIn(spec, "validationActions")),
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
