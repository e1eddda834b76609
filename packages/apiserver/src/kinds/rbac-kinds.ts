import type { JsonObject } from "@purser/kubernetes/json";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { selectorOf, type LabelSelector } from "@purser/kubernetes/apis/selector";
import { invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { ageCell, cell, createdAtCell, nameCell, printer, wide } from "../printing/printer.ts";
import { defineKind } from "./define-kind.ts";
import { nameProblems } from "./names.ts";
import { validateLabelSelector } from "./workloads/selector-validation.ts";
import {
  hasMember,
  mapList,
  mapMember,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  withDefaults,
} from "./decoding/json-parts.ts";

const rbacGroup = "rbac.authorization.k8s.io";

function validateRule(rule: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textsIn(rule, "verbs").length === 0) {
    errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  }
  const urls = textsIn(rule, "nonResourceURLs");
  if (urls.length > 0) {
    if (namespaced) {
      errors.push(invalid(`${path}.nonResourceURLs`, urls, "namespaced rules cannot apply to non-resource URLs"));
    }
    const resourceParts = ["apiGroups", "resources", "resourceNames"].some((key) => textsIn(rule, key).length > 0);
    if (resourceParts) {
      errors.push(
        invalid(`${path}.nonResourceURLs`, urls, "rules cannot apply to both regular resources and non-resource URLs"),
      );
    }
    return errors;
  }
  if (textsIn(rule, "apiGroups").length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (textsIn(rule, "resources").length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

function validateRules(role: JsonObject, namespaced: boolean): readonly FieldError[] {
  return objectsIn(role, "rules").flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
}

function validateAggregation(role: JsonObject): readonly FieldError[] {
  if (!hasMember(role, "aggregationRule")) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = objectsIn(objectIn(role, "aggregationRule"), "clusterRoleSelectors");
  if (selectors.length === 0)
    return [required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, index) => {
    const faults = validateLabelSelector(selector, `${field}[${index}]`);
    const isReadable = selectorOf(selector as LabelSelector).ok;
    return [...faults, ...(isReadable ? [] : [invalid(`${field}[${index}]`, null, "invalid label selector.")])];
  });
}

/** Roles print the columns name and creation date. */
const rolePrinter = printer([nameCell, createdAtCell]);

export const roleKind = defineKind(roles, {
  nameRule: "pathSegment",
  createsOnPut: true,
  validate: (role) => validateRules(role, true),
  printer: rolePrinter,
});

export const clusterRoleKind = defineKind(clusterRoles, {
  nameRule: "pathSegment",
  createsOnPut: true,
  validate: (role) => [...validateRules(role, false), ...validateAggregation(role)],
  printer: rolePrinter,
});

function defaultBinding(binding: JsonObject): JsonObject {
  const subjects = mapList(binding, "subjects", (subject) => {
    const kind = textIn(subject, "kind");
    return (kind === "User" || kind === "Group") && textIn(subject, "apiGroup") === ""
      ? { ...subject, apiGroup: rbacGroup }
      : subject;
  });
  return mapMember(subjects, "roleRef", (ref) =>
    textIn(ref, "apiGroup") === "" ? { ...withDefaults(ref, {}), apiGroup: rbacGroup } : ref,
  );
}

function validateSubject(subject: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const kind = textIn(subject, "kind");
  const name = textIn(subject, "name");
  const group = textIn(subject, "apiGroup");
  if (name === "") errors.push(required(`${path}.name`));
  switch (kind) {
    case "ServiceAccount":
      if (name !== "")
        errors.push(...nameProblems("subdomain", name, false).map((fault) => invalid(`${path}.name`, name, fault)));
      if (group !== "") errors.push(notSupported(`${path}.apiGroup`, group, [""]));
      if (!namespaced && textIn(subject, "namespace") === "") errors.push(required(`${path}.namespace`));
      break;
    case "User":
    case "Group":
      if (group !== rbacGroup) errors.push(notSupported(`${path}.apiGroup`, group, [rbacGroup]));
      break;
    default:
      errors.push(notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}

function validateBinding(binding: JsonObject, old: JsonObject | undefined, namespaced: boolean): readonly FieldError[] {
  const ref = objectIn(binding, "roleRef");
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const kind = textIn(ref, "kind");
  const group = textIn(ref, "apiGroup");
  const errors: FieldError[] = [];
  if (group !== rbacGroup) errors.push(notSupported("roleRef.apiGroup", group, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, kinds));
  const name = textIn(ref, "name");
  if (name === "") errors.push(required("roleRef.name"));
  else errors.push(...nameProblems("pathSegment", name, false).map((fault) => invalid("roleRef.name", name, fault)));
  errors.push(
    ...objectsIn(binding, "subjects").flatMap((subject, index) =>
      validateSubject(subject, `subjects[${index}]`, namespaced),
    ),
  );
  if (old !== undefined && !deepEqual(ref, objectIn(old, "roleRef"))) {
    const shown = { APIGroup: group, Kind: kind, Name: textIn(ref, "name") };
    errors.push(invalid("roleRef", shown, "cannot change roleRef"));
  }
  return errors;
}

function subjectsOf(binding: JsonObject, kind: string): string {
  return objectsIn(binding, "subjects")
    .filter((subject) => subject["kind"] === kind)
    .map((subject) =>
      kind === "ServiceAccount"
        ? `${textIn(subject, "namespace")}/${textIn(subject, "name")}`
        : textIn(subject, "name"),
    )
    .join(", ");
}

const bindingPrinter = printer([
  nameCell,
  cell("Role", (binding) => {
    const ref = objectIn(binding, "roleRef");
    return `${textIn(ref, "kind")}/${textIn(ref, "name")}`;
  }),
  ageCell,
  wide("Users", (binding) => subjectsOf(binding, "User")),
  wide("Groups", (binding) => subjectsOf(binding, "Group")),
  wide("ServiceAccounts", (binding) => subjectsOf(binding, "ServiceAccount")),
]);

export const roleBindingKind = defineKind(roleBindings, {
  nameRule: "pathSegment",
  createsOnPut: true,
  defaults: defaultBinding,
  validate: (binding, _context, old) => validateBinding(binding, old, true),
  printer: bindingPrinter,
});

export const clusterRoleBindingKind = defineKind(clusterRoleBindings, {
  nameRule: "pathSegment",
  createsOnPut: true,
  defaults: defaultBinding,
  validate: (binding, _context, old) => validateBinding(binding, old, false),
  printer: bindingPrinter,
});
