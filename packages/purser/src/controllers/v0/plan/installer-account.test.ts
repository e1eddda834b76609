import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorGroup } from "../../../apis/v0/operator-group.ts";
import { installerAccount } from "./installer-account.ts";

interface Named {
  /** `spec.serviceAccountName`. */
  readonly account?: string;
  /** `status.serviceAccountRef`. */
  readonly found?: { readonly name: string; readonly namespace?: string };
  readonly namespaces?: readonly string[];
}

const groupOf = ({ account, found, namespaces = ["ns"] }: Named): OperatorGroup => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: { namespace: "ns", name: "og" },
  spec: account === undefined ? {} : { serviceAccountName: account },
  status: { namespaces, lastUpdated: "", ...(found === undefined ? {} : { serviceAccountRef: found }) },
});

const whole = { account: "sa", found: { name: "sa", namespace: "ns" } };
const lost = "please make sure the service account exists. sa=sa operatorgroup=ns/og";
const none = "no operator group found that is managing this namespace";
const cases: readonly (readonly [words: string, groups: readonly Named[], expected: string])[] = [
  ["without a group", [], none],
  ["of a group that manages no namespace", [{ ...whole, namespaces: [] }], none],
  ["of two groups", [whole, {}], "more than one operator group(s) are managing this namespace count=2"],
  ["of a group beside one that manages nothing", [whole, { namespaces: [] }], "ns/sa"],
  ["of a group that names an account which exists", [whole], "ns/sa"],
  ["of a group whose status names no namespace", [{ ...whole, found: { name: "sa" } }], "ns/sa"],
  ["of a group that names no account", [{}], "its own rights"],
  ["of a group with an empty name", [{ account: "" }], "its own rights"],
  ["of a group that no longer names its account", [{ found: { name: "sa", namespace: "ns" } }], "its own rights"],
  ["of a group whose account was not found", [{ account: "sa" }], lost],
  [
    "of a group whose status names the former account",
    [{ ...whole, found: { name: "former", namespace: "ns" } }],
    lost,
  ],
  [
    "of a group whose status names another namespace",
    [{ ...whole, found: { name: "sa", namespace: "kube-system" } }],
    lost,
  ],
];
for (const [words, groups, expected] of cases)
  test(`the account of an install ${words}: ${expected}`, () => {
    const found = installerAccount(groups.map(groupOf));
    const account =
      found.ok && found.value !== undefined ? `${found.value.namespace}/${found.value.name}` : "its own rights";
    assert.equal(found.ok ? account : found.problem, expected);
  });
