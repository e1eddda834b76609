import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at } from "../../scene.ts";
import { constraints, denied, enforce, inForceMs, invalidPolicy, tryCreate, validation } from "./policies.ts";

const row = 303;

const api = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";

function invalidBinding(name: string, spec: JsonObject, message: string): Row {
  return {
    row,
    name: `a binding with ${name}`,
    run: async (scene) => {
      const answer = await scene.ask({
        method: "POST",
        path: `${api}/validatingadmissionpolicybindings?dryRun=All`,
        body: {
          apiVersion,
          kind: "ValidatingAdmissionPolicyBinding",
          metadata: { name: scene.ns },
          spec: { policyName: "p", validationActions: ["Deny"], ...spec },
        },
      });
      assert.equal(answer.code, 422, answer.text);
      assert.ok(answer.message.endsWith(message), `${answer.message}\n  has not\n  ${message}`);
    },
  };
}

/** A row with several steps. */
function story(name: string, run: (scene: Scene) => Promise<void>): Row {
  return { row, name, run };
}

async function denialOf(scene: Scene, message: string): Promise<void> {
  await eventually(async () => {
    const answer = await tryCreate(scene, "bad", { data: { k: "v" } });
    assert.ok(answer.message.endsWith(message), `${answer.code} ${answer.message}\n  does not end in\n  ${message}`);
  }, inForceMs);
}

export const policyDetailRows: readonly Row[] = [
  story("the policy status is applied by its own field manager, once for each generation", async (scene) => {
    const path = `${api}/validatingadmissionpolicies/${scene.ns}`;
    await scene.keep(`${api}/validatingadmissionpolicies`, {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: scene.ns },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [scene.group], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    });
    const isSeen = (observedGeneration: number): Promise<void> =>
      eventually(async () => {
        const held = await scene.ok({ path });
        assert.deepEqual(at(held, "status"), { observedGeneration, typeChecking: {} });
        const entries = at(held, "metadata", "managedFields") as unknown as readonly JsonObject[];
        const { time: _time, ...entry } = entries.find(({ subresource }) => subresource === "status") ?? {};
        assert.deepEqual(entry, {
          manager: "validatingadmissionpolicy-status",
          operation: "Apply",
          apiVersion,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:status": { "f:observedGeneration": {}, "f:typeChecking": {} } },
          subresource: "status",
        });
      });
    await isSeen(1);
    await scene.merge(path, { spec: { validations: [{ expression: "1 == 1" }] } });
    await isSeen(2);
  }),
  denied(
    "an unused variable is not evaluated",
    { variables: [{ name: "never", expression: "object.spec.x" }], validations: [validation] },
    422,
    "Invalid",
    "bad name",
  ),
  denied(
    "a variable that cannot be computed",
    {
      variables: [{ name: "broken", expression: "object.spec.x" }],
      validations: [{ expression: "object.metadata.name != 'bad' || variables.broken == 1" }],
    },
    422,
    "Invalid",
    `expression 'object.metadata.name != 'bad' || variables.broken == 1' resulted in error: composited variable "broken" fails to evaluate: no such key: spec`,
  ),
  denied(
    "the first of two denials is reported",
    {
      validations: [
        { ...validation, message: "first" },
        { ...validation, message: "second", reason: "Forbidden" },
      ],
    },
    422,
    "Invalid",
    "first",
  ),
  denied(
    "a message of several lines falls back to the default",
    { validations: [{ ...validation, messageExpression: "'a\\nb'" }] },
    422,
    "Invalid",
    "bad name",
  ),
  denied(
    "an annotation that cannot be made",
    {
      validations: [{ expression: "true" }],
      auditAnnotations: [
        { key: "k", valueExpression: "object.metadata.name == 'bad' ? string(object.spec.x) : 'fine'" },
      ],
    },
    422,
    "Invalid",
    "expression 'object.metadata.name == 'bad' ? string(object.spec.x) : 'fine'' resulted in error: no such key: spec",
  ),
  story("a denial with Warn and Deny", async (scene) => {
    await enforce(scene, { validations: [validation] }, { validationActions: ["Warn", "Audit"] });
    await eventually(async () => {
      const answer = await tryCreate(scene, "bad");
      assertAnswer(answer, {
        code: 201,
        warnings: [
          `Validation failed for ValidatingAdmissionPolicy '${scene.ns}' with binding '${scene.ns}': bad name`,
        ],
      });
    }, inForceMs);
  }),
  story("an invalid binding denies regardless of validationActions", async (scene) => {
    const paramRef = { name: "none", parameterNotFoundAction: "Deny" };
    const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
    await enforce(scene, { paramKind, validations: [validation] }, { paramRef, validationActions: ["Warn"] });
    await denialOf(
      scene,
      "denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  }),
  story("parameters of an unserved kind", async (scene) => {
    const paramRef = { name: "none", parameterNotFoundAction: "Deny" };
    const paramKind = { apiVersion: `${scene.group}/v1`, kind: "Nope" };
    await enforce(scene, { paramKind, validations: [validation] }, { paramRef });
    await denialOf(
      scene,
      `configmaps "bad" is forbidden: ValidatingAdmissionPolicy '${scene.ns}' denied request: failed to configure policy: failed to find resource referenced by paramKind: '${scene.group}/v1, Kind=Nope'`,
    );
  }),
  story("parameters by selector, all of which must allow the request", async (scene) => {
    // Its own kind: kube-apiserver stops watching the parameters of a kind when another policy stops using it.
    const word = { type: "object", properties: { forbidden: { type: "string" } } };
    const path = await scene.define(scene.definition("foos", "Foo", word));
    const labels = { for: "policy" };
    for (const name of ["p1", "p2"]) {
      const body = scene.object("Foo", name, { metadata: { labels }, forbidden: `bad-${name}` });
      await scene.ok({ method: "POST", path, body });
    }
    const paramRef = { selector: { matchLabels: labels }, parameterNotFoundAction: "Deny" };
    await enforce(
      scene,
      {
        paramKind: { apiVersion: `${scene.group}/v1`, kind: "Foo" },
        validations: [{ expression: "object.metadata.name != params.forbidden", message: "by parameter" }],
      },
      { paramRef },
    );
    await eventually(async () => {
      for (const name of ["bad-p1", "bad-p2"]) {
        const answer = await tryCreate(scene, name);
        assert.match(answer.message, /denied request: by parameter$/);
      }
      // Until the server knows the kind, the policy denies everything.
      assertAnswer(await tryCreate(scene, "good"), { code: 201 });
    }, inForceMs);
  }),
  story("excludeResourceRules and resourceNames", async (scene) => {
    const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
    await enforce(scene, {
      matchConstraints: {
        resourceRules: [rule],
        excludeResourceRules: [{ ...rule, resourceNames: ["spared"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": scene.ns } },
      },
      validations: [{ expression: "false", message: "never" }],
    });
    await denialOf(scene, "denied request: never");
    assert.equal((await tryCreate(scene, "spared")).code, 201);
  }),
  story("matchResources of a binding", async (scene) => {
    const rule = { operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
    const matchResources = {
      resourceRules: [rule],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": scene.ns } },
    };
    await enforce(scene, { validations: [{ expression: "false", message: "never" }] }, { matchResources });
    await eventually(async () => {
      const answer = await scene.merge(`${scene.cms}/a?dryRun=All`, { data: { n: "1" } });
      assert.equal(answer.code, 422, answer.text);
    }, inForceMs);
    assert.equal((await tryCreate(scene, "bad")).code, 201);
  }),
  invalidPolicy(
    "an undeclared variable",
    {
      matchConstraints: constraints,
      variables: [{ name: "yes", expression: "1" }],
      validations: [{ expression: "variables.nope == 1" }],
    },
    "undefined field 'nope'",
  ),
  invalidPolicy(
    "variables without declarations",
    { matchConstraints: constraints, validations: [{ expression: "variables.nope == 1" }] },
    "undeclared reference to 'variables' (in container '')",
  ),
  invalidPolicy(
    "a variable that uses a later one",
    {
      matchConstraints: constraints,
      variables: [
        { name: "a", expression: "variables.b" },
        { name: "b", expression: "1" },
      ],
      validations: [validation],
    },
    "spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'",
  ),
  invalidPolicy(
    "params without paramKind",
    { matchConstraints: constraints, validations: [{ expression: "params.x == 1" }] },
    "undeclared reference to 'params' (in container '')",
  ),
  invalidPolicy(
    "an incomplete paramKind",
    { matchConstraints: constraints, paramKind: { apiVersion: "v1" }, validations: [validation] },
    "spec.paramKind.kind: Required value",
  ),
  invalidPolicy(
    "an invalid version in paramKind",
    { matchConstraints: constraints, paramKind: { apiVersion: "a/b/c", kind: "K" }, validations: [validation] },
    'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ),
  invalidPolicy(
    "an invalid audit annotation key",
    { matchConstraints: constraints, auditAnnotations: [{ key: "a b", valueExpression: "'x'" }] },
    '/a b": name part must consist of alphanumeric characters',
  ),
  invalidPolicy(
    "an audit annotation that is not a string",
    { matchConstraints: constraints, auditAnnotations: [{ key: "k", valueExpression: "1" }] },
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type]',
  ),
  invalidPolicy(
    "a repeated audit annotation",
    {
      matchConstraints: constraints,
      auditAnnotations: [
        { key: "k", valueExpression: "'x'" },
        { key: "k", valueExpression: "'y'" },
      ],
    },
    'spec.auditAnnotations[1].key: Duplicate value: "k"',
  ),
  invalidPolicy(
    "a message of several lines",
    { matchConstraints: constraints, validations: [{ expression: "true", message: "a\nb" }] },
    'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
  ),
  invalidPolicy(
    "a messageExpression that is not a string",
    { matchConstraints: constraints, validations: [{ expression: "true", messageExpression: "1" }] },
    'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string',
  ),
  invalidPolicy(
    "a messageExpression with authorizer",
    {
      matchConstraints: constraints,
      validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }],
    },
    "undeclared reference to 'authorizer' (in container '')",
  ),
  invalidPolicy(
    "an invalid selector",
    {
      matchConstraints: { ...constraints, objectSelector: { matchExpressions: [{ key: "a", operator: "Nope" }] } },
      validations: [validation],
    },
    'spec.matchConstraints.objectSelector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
  ),
  invalidPolicy(
    "an unknown matchPolicy",
    { matchConstraints: { ...constraints, matchPolicy: "Maybe" }, validations: [validation] },
    'spec.matchConstraints.matchPolicy: Unsupported value: "Maybe": supported values: "Equivalent", "Exact"',
  ),
  invalidPolicy(
    "repeated names",
    {
      matchConstraints: {
        resourceRules: [
          {
            operations: ["*"],
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["configmaps"],
            resourceNames: ["a", "a"],
          },
        ],
      },
      validations: [validation],
    },
    'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
  ),
  invalidBinding("no policy", { policyName: "" }, "spec.policyName: Required value"),
  invalidBinding(
    "no actions",
    { validationActions: [] },
    "spec.validationActions: Required value: at least one validation action is required",
  ),
  invalidBinding(
    "an unknown validation action",
    { validationActions: ["Nope"] },
    'spec.validationActions[0]: Unsupported value: "Nope": supported values: "Audit", "Deny", "Warn"',
  ),
  invalidBinding(
    "contradictory validation actions",
    { validationActions: ["Deny", "Warn"] },
    'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
  ),
  invalidBinding(
    "a repeated validation action",
    { validationActions: ["Deny", "Deny"] },
    'spec.validationActions[1]: Duplicate value: "Deny"',
  ),
  invalidBinding(
    "a paramRef without parameterNotFoundAction",
    { paramRef: { name: "x" } },
    "spec.paramRef.parameterNotFoundAction: Required value",
  ),
  invalidBinding(
    "a paramRef with name and selector",
    { paramRef: { name: "x", selector: {}, parameterNotFoundAction: "Deny" } },
    "is invalid: [spec.paramRef.name: Forbidden: name and selector are mutually exclusive, spec.paramRef.selector: Forbidden: name and selector are mutually exclusive]",
  ),
  invalidBinding(
    "a paramRef without name and selector",
    { paramRef: { parameterNotFoundAction: "Deny" } },
    "one of name or selector must be specified",
  ),
  invalidBinding(
    "an unknown parameterNotFoundAction",
    { paramRef: { name: "x", parameterNotFoundAction: "Maybe" } },
    'spec.paramRef.parameterNotFoundAction: Unsupported value: "Maybe": supported values: "Deny", "Allow"',
  ),
  invalidBinding(
    "rules without resources",
    { matchResources: { resourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"] }] } },
    "spec.matchResources.resourceRules[0].resources: Required value",
  ),
];
