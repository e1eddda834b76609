import { labelKeyFaults, labelValueFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { validateLabels } from "@purser/kubernetes/object/metadata-rules";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { labelProblems, subdomainProblems } from "../names.ts";
import { each, inside, oneOfGiven, texts, type Rule } from "../field-rules.ts";
import { validateLabelSelector } from "../workloads/selector-validation.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Validates a toleration. */
export const validateToleration: Rule = (toleration, path) => {
  const [key, operator, value, effect] = ["key", "operator", "value", "effect"].map((name) =>
    textIn(toleration, name),
  ) as [string, string, string, string];
  const at = `${path}.operator`;
  return [
    ...(key === "" ? [] : texts(key, `${path}.key`, labelKeyFaults)),
    ...(key === "" && operator !== "Exists"
      ? [
          invalid(
            at,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(hasMember(toleration, "tolerationSeconds") && effect !== "NoExecute"
      ? [invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...validateOperator(operator, value, at),
    ...(effect === "" || effects.includes(effect) ? [] : [notSupported(`${path}.effect`, effect, effects)]),
  ];
};

function validateOperator(operator: string, value: string, path: string): readonly FieldError[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = labelValueFaults(value);
      return faults.length === 0 ? [] : [invalid(path, value, faults.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [notSupported(path, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [notSupported(path, operator, ["Equal", "Exists"])];
  }
}

const expression = (requirement: JsonObject, path: string, valuesChecked: boolean): readonly FieldError[] => {
  const values = textsIn(requirement, "values");
  const [key, operator] = [textIn(requirement, "key"), textIn(requirement, "operator")];
  return [
    ...countValues(operator, values.length, path),
    ...texts(key, `${path}.key`, labelKeyFaults),
    ...(valuesChecked
      ? values.flatMap((value, index) => texts(value, `${path}.values[${index}]`, labelValueFaults))
      : []),
  ];
};

function countValues(operator: string, count: number, path: string): readonly FieldError[] {
  const at = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return count === 0 ? [] : [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return count === 1 ? [] : [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

const nodeField: Rule = (requirement, path) => {
  const values = textsIn(requirement, "values");
  const [key, operator] = [textIn(requirement, "key"), textIn(requirement, "operator")];
  const isSet = operator === "In" || operator === "NotIn";
  return [
    ...(!isSet ? [invalid(`${path}.operator`, operator, "not a valid selector operator")] : []),
    ...(isSet && values.length !== 1
      ? [
          required(
            `${path}.values`,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
          ),
        ]
      : []),
    ...(key === "metadata.name"
      ? values.flatMap((value, index) => texts(value, `${path}.values[${index}]`, subdomainProblems))
      : [invalid(`${path}.key`, key, "not a valid field selector key")]),
  ];
};

function nodeTerm(valuesChecked: boolean): Rule {
  return (term, path) => [
    ...each(term, "matchExpressions", path, (held, at) => expression(held, at, valuesChecked)),
    ...each(term, "matchFields", path, nodeField),
  ];
}

const weight: Rule = (held, path) => {
  const value = numberIn(held, "weight") ?? 0;
  return value > 0 && value <= 100 ? [] : [invalid(`${path}.weight`, value, "must be in the range 1-100")];
};

const needed = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Validates required node selector terms. */
export const validateRequiredTerms: Rule = (selector, path) =>
  objectsIn(selector, "nodeSelectorTerms").length === 0
    ? [required(`${path}.nodeSelectorTerms`, "must have at least one node selector term")]
    : each(selector, "nodeSelectorTerms", path, nodeTerm(true));

const nodeAffinity: Rule = (affinity, path) => [
  ...inside(affinity, needed, path, validateRequiredTerms),
  ...each(affinity, preferred, path, (term, at) => [
    ...weight(term, at),
    ...inside(term, "preference", at, nodeTerm(false)),
  ]),
];

/** Validates matchLabelKeys and mismatchLabelKeys. */
function validateMergedKeys(term: JsonObject, path: string): readonly FieldError[] {
  const [wanted, unwanted] = [textsIn(term, "matchLabelKeys"), textsIn(term, "mismatchLabelKeys")];
  const known = new Set(Object.keys(objectIn(objectIn(term, "labelSelector"), "matchLabels")));
  const keys = (name: string, list: readonly string[]): readonly FieldError[] => {
    if (list.length === 0) return [];
    return hasMember(term, "labelSelector")
      ? list.flatMap((key, index) => texts(key, `${path}.${name}[${index}]`, labelKeyFaults))
      : [forbidden(`${path}.${name}`, "must not be specified when labelSelector is not set")];
  };
  const repeated = objectsIn(objectIn(term, "labelSelector"), "matchExpressions").flatMap((held) => {
    const key = textIn(held, "key");
    const isRepeated = wanted.includes(key) && known.has(key);
    known.add(key);
    return isRepeated
      ? [invalid(`${path}[${wanted.lastIndexOf(key)}]`, key, "exists in both matchLabelKeys and labelSelector")]
      : [];
  });
  return [
    ...keys("matchLabelKeys", wanted),
    ...keys("mismatchLabelKeys", unwanted),
    ...repeated,
    ...wanted.flatMap((key, index) =>
      unwanted.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : [],
    ),
  ];
}

const podTerm: Rule = (term, path) => [
  ...inside(term, "labelSelector", path, validateLabelSelector),
  ...inside(term, "namespaceSelector", path, validateLabelSelector),
  ...textsIn(term, "namespaces").flatMap((name) => texts(name, `${path}.namespace`, labelProblems)),
  ...validateMergedKeys(term, path),
  ...(textIn(term, "topologyKey") === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
  ...texts(textIn(term, "topologyKey"), `${path}.topologyKey`, labelKeyFaults),
];

const podAffinity: Rule = (affinity, path) => [
  ...each(affinity, needed, path, podTerm),
  ...each(affinity, preferred, path, (held, at) => [
    ...weight(held, at),
    ...podTerm(objectIn(held, "podAffinityTerm"), `${at}.podAffinityTerm`),
  ]),
];

const actions = ["DoNotSchedule", "ScheduleAnyway"];

function validateSpread(spec: JsonObject, path: string): readonly FieldError[] {
  const constraints = objectsIn(spec, "topologySpreadConstraints");
  const pairOf = (constraint: JsonObject): string =>
    `{${textIn(constraint, "topologyKey")}, ${textIn(constraint, "whenUnsatisfiable")}}`;
  const last = new Map(constraints.map((constraint, index) => [pairOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const [key, action] = [textIn(constraint, "topologyKey"), textIn(constraint, "whenUnsatisfiable")];
    const domains = numberIn(constraint, "minDomains");
    const isRepeated = last.get(pairOf(constraint)) !== index;
    return [
      ...positive(numberIn(constraint, "maxSkew") ?? 0, `${at}.maxSkew`),
      ...(key === "" ? [required(`${at}.topologyKey`, "can not be empty")] : []),
      ...(actions.includes(action) ? [] : [notSupported(`${at}.whenUnsatisfiable`, action, actions)]),
      ...(isRepeated ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pairOf(constraint))] : []),
      ...(domains === undefined ? [] : positive(domains, `${at}.minDomains`)),
      ...(domains !== undefined && action !== "DoNotSchedule"
        ? [
            invalid(
              `${at}.minDomains`,
              domains,
              `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
            ),
          ]
        : []),
      ...oneOfGiven(constraint, "nodeAffinityPolicy", ["Honor", "Ignore"], at),
      ...oneOfGiven(constraint, "nodeTaintsPolicy", ["Honor", "Ignore"], at),
      ...validateMergedKeys(constraint, at),
      ...inside(constraint, "labelSelector", at, validateLabelSelector),
    ];
  });
}

function positive(value: number, field: string): readonly FieldError[] {
  return value > 0 ? [] : [invalid(field, value, "must be greater than zero")];
}

function validateGates(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsIn(spec, "schedulingGates").flatMap((gate, index) => {
    const [name, at] = [textIn(gate, "name"), `${path}.schedulingGates[${index}]`];
    const isTaken = seen.has(name);
    seen.add(name);
    return [...texts(name, at, labelKeyFaults), ...(isTaken ? [duplicate(at, name)] : [])];
  });
}

/** Validates scheduling fields, in two parts: kube-apiserver validates the pod's network between them. */
export function validatePlacement(spec: JsonObject, path: string): readonly FieldError[] {
  return inside(spec, "affinity", path, (affinity, at) => [
    ...inside(affinity, "nodeAffinity", at, nodeAffinity),
    ...inside(affinity, "podAffinity", at, podAffinity),
    ...inside(affinity, "podAntiAffinity", at, podAffinity),
  ]);
}

export function validateGatesAndSpread(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...each(spec, "readinessGates", path, (gate, at) =>
      texts(textIn(gate, "conditionType"), `${at}.conditionType`, labelKeyFaults),
    ),
    ...validateGates(spec, path),
    ...validateSpread(spec, path),
  ];
}

export function validateNodeSelector(spec: JsonObject, path: string): readonly FieldError[] {
  return validateLabels(spec["nodeSelector"], `${path}.nodeSelector`);
}
