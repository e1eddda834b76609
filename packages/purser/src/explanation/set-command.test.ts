import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { catalogNameLabel, setCommand } from "./set-command.ts";

const set = "purser set sub/a/b";
const cases: readonly (readonly [fields: Readonly<Record<string, JsonValue>>, command: string | undefined])[] = [
  [{}, undefined],
  [{ channel: "fast" }, `${set} --channel fast`],
  [{ channel: null }, `${set} --channel any`],
  [{ version: ">=1 <2" }, `${set} --version '>=1 <2'`],
  [{ channels: ["a", 1, "b"] }, `${set} --channel a --channel b`],
  [{ name: "p", startingCSV: "p.v1" }, `${set} --package p --start p.v1`],
  [{ upgradeConstraintPolicy: "SelfCertified" }, `${set} --upgrade-constraint-policy SelfCertified`],
  [{ channel: "a", source: "s", sourceNamespace: "ns" }, `${set} --catalog ns/s --channel a`],
  [{ source: "s", sourceNamespace: "ns" }, `${set} --catalog ns/s`],
  [{ source: "s" }, undefined],
  [{ selector: { matchLabels: { [catalogNameLabel]: "c" } } }, `${set} --catalog c`],
  [{ selector: { matchLabels: { other: "c" } } }, undefined],
  [{ selector: { matchExpressions: [] } }, undefined],
  [{ selector: 1 }, undefined],
  [{ channel: "a", config: "x" }, undefined],
];
for (const [fields, command] of cases)
  test(`${JSON.stringify(fields)} is ${command ?? "no command"}`, () =>
    assert.equal(setCommand("sub/a/b", fields), command));
