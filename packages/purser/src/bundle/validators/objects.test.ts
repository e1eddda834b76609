import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { LoadedBundle } from "./loaded-bundle.ts";
import { operatorGroupsOf, validateObjects } from "./objects.ts";

const place = { file: "f" };
const bundleOf = (...objects: readonly JsonObject[]): LoadedBundle =>
  ({ objects: objects.map((object) => ({ object, place })) }) as unknown as LoadedBundle;

/** `LEVEL RULE TYPE: detail | value` of each issue of one object. */
function issues(object: JsonObject): readonly string[] {
  return validateObjects(bundleOf(object)).flatMap(({ name, issues: found }) =>
    found.map(({ level, rule, type, detail, value, place: at }) => {
      assert.deepEqual([name, at], ["", place]);
      return `${level} ${rule} ${type}: ${detail} | ${value?.type} ${value?.text}`;
    }),
  );
}

const head = (kind: string, apiVersion: string, labels = "", annotations = "") =>
  `{{${kind} ${apiVersion}} {x  ns    0 0001-01-01 00:00:00 +0000 UTC <nil> <nil> map[${labels}] map[${annotations}] [] [] []}`;

test("a PodDisruptionBudget may not forbid every disruption", () => {
  const budget = (spec: JsonObject, more: JsonObject = {}) =>
    issues({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "x", namespace: "ns", ...more },
      spec,
    });
  const [most, least] = ["maxUnavailable field cannot be set to 0 or 0%", "minAvailable field cannot be set to 100%"];
  const said = (detail: string, least_: string, most_: string, selector = "nil", labels = "", annotations = "") =>
    `Error object-budget ObjectFailedValidation: ${detail} | v1beta1.PodDisruptionBudget ${head("PodDisruptionBudget", "policy/v1", labels, annotations)} {${least_} ${selector} ${most_} <nil>} {0 map[] 0 0 0 0 []}}`;
  assert.deepEqual(
    [
      budget({ maxUnavailable: 1, minAvailable: 1 }),
      budget({}),
      budget({ maxUnavailable: 0 }),
      budget({ maxUnavailable: "10%", selector: {} }),
      budget({ minAvailable: "100%" }, { labels: { b: "2", a: "1", c: 1 }, annotations: { d: "e" } }),
      budget({ minAvailable: "99%" }),
      budget({ minAvailable: "100%", maxUnavailable: 0 }),
    ],
    [
      [],
      [],
      [said(most, "<nil>", "0")],
      [said(most, "<nil>", "10%", "&LabelSelector{...}")],
      [said(least, "100%", "<nil>", "nil", "a:1 b:2 c:", "d:e")],
      [],
      [said(most, "100%", "0"), said(least, "100%", "0")],
    ],
  );
});

test("a PriorityClass may not be the default of all pods", () => {
  const priority = (fields: JsonObject) =>
    issues({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "x", namespace: "ns" },
      ...fields,
    });
  const refused = (value: number, description: string) =>
    `Error object-priority ObjectFailedValidation: globalDefault field cannot be set to true | v1.PriorityClass ${head("PriorityClass", "scheduling.k8s.io/v1")} ${value} true ${description} <nil>}`;
  assert.deepEqual(
    [
      priority({}),
      priority({ globalDefault: false }),
      priority({ globalDefault: true }),
      priority({ globalDefault: true, value: 7, description: "d" }),
      priority({ globalDefault: "yes" }),
    ],
    [
      [],
      [],
      [refused(0, "")],
      [refused(7, "d")],
      [
        "Error object-type ParseError: error unmarshaling priorityclass | *json.UnmarshalTypeError json: cannot unmarshal string into Go struct field PriorityClass.globalDefault of type bool",
      ],
    ],
  );
});

const role = (rules: JsonValue, kind = "Role") =>
  issues({ apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: {}, rules });
const budgets = (verb: string, group = "policy", resource = "poddisruptionbudgets") => ({
  apiGroups: [group],
  resources: [resource],
  verbs: [verb, 1],
});
const constraints = (
  name: string,
  verb = "update",
  group = "security.openshift.io",
  resource = "securitycontextconstraints",
) => ({
  apiGroups: [group],
  resources: [resource],
  verbs: [verb],
  resourceNames: [name],
});

test("a role that writes PodDisruptionBudgets is warned of, one that changes default security constraints is refused", () => {
  const warned = (verb: string) =>
    `Warning object-role-budgets ValidationFailed: RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability | v1.PolicyRule {[${verb}] [policy] [poddisruptionbudgets] [] []}`;
  const refused = (name: string, verb: string) =>
    `Error object-role-constraints ObjectFailedValidation: RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability | v1.PolicyRule {[${verb}] [security.openshift.io] [securitycontextconstraints] [${name}] []}`;
  const plain = (verb: string) => ({ ...budgets(verb), verbs: [verb] });
  for (const verb of ["*", "create", "update", "patch"]) {
    assert.deepEqual(role([plain(verb)]), [warned(verb)]);
    assert.deepEqual(role([plain(verb)], "ClusterRole"), [warned(verb)]);
  }
  for (const name of [
    "privileged",
    "restricted",
    "anyuid",
    "hostaccess",
    "hostmount-anyuid",
    "hostnetwork",
    "node-exporter",
    "nonroot",
  ])
    assert.deepEqual(role([constraints(name)]), [refused(name, "update")]);
  for (const verb of ["*", "delete", "patch"])
    assert.deepEqual(role([constraints("anyuid", verb)]), [refused("anyuid", verb)]);
  const harmless = [
    plain("get"),
    { ...plain("create"), apiGroups: ["other"] },
    { ...plain("create"), resources: ["pods"] },
    constraints("own"),
    constraints("anyuid", "get"),
    constraints("anyuid", "update", "other"),
    constraints("anyuid", "update", "security.openshift.io", "pods"),
    null,
  ];
  assert.deepEqual([role(harmless), role([]), role(null)], [[], [], []]);
});

test("rules that Go's type cannot hold are an error of their own", () => {
  const said = (what: string, kind = "role") =>
    `Error object-type ParseError: error unmarshaling ${kind} | *json.UnmarshalTypeError json: cannot unmarshal ${what}`;
  assert.deepEqual(
    [
      role({}),
      role({}, "ClusterRole"),
      role(["x"]),
      role([{ verbs: "get" }]),
      role([{ resources: [1] }]),
      role([{ other: 1, verbs: null, apiGroups: [null], resourceNames: ["a"] }]),
      role([budgets("create")]),
    ],
    [
      [said("object into Go struct field Role.rules of type []v1.PolicyRule")],
      [said("object into Go struct field ClusterRole.rules of type []v1.PolicyRule", "clusterrole")],
      [said("string into Go struct field Role.rules of type v1.PolicyRule")],
      [said("string into Go struct field PolicyRule.rules.verbs of type []string")],
      [said("number into Go struct field PolicyRule.rules.resources of type string")],
      [],
      [said("number into Go struct field PolicyRule.rules.verbs of type string")],
    ],
  );
});

test("other kinds are not looked at, and OperatorGroups are those of a version that OLM has", () => {
  assert.deepEqual(validateObjects(bundleOf({ kind: "ConfigMap" }, { kind: "RoleBinding" })), []);
  const group = (apiVersion: string, kind = "OperatorGroup") => ({ apiVersion, kind });
  const found = operatorGroupsOf(
    bundleOf(
      group("operators.coreos.com/v1"),
      group("operators.coreos.com/v1alpha2"),
      group("operators.coreos.com/v2"),
      group("other.io/v1"),
      group("operators.coreos.com/v1", "Operator"),
    ),
  );
  assert.deepEqual(
    found.map(({ object }) => object["apiVersion"]),
    ["operators.coreos.com/v1", "operators.coreos.com/v1alpha2"],
  );
});
